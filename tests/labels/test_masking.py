"""What each way of hiding hides and spares, and when it raises."""

import numpy as np
import pytest

from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_entries, hide_items, hide_like_gaps, hide_positives, read_entry_mask

WAYS = [hide_items, hide_entries, hide_positives, hide_like_gaps]
ENTRYWISE_OR_ITEMS = [hide_items, hide_entries, hide_like_gaps]


def rng(seed=0):
    return np.random.default_rng(seed)


def table(n_items=200, seed=0):
    return (rng(seed).random((n_items, 4)) < [0.05, 0.2, 0.5, 0.8]).astype(float)


def hidden_by(labels, result):
    return labels.observed & ~result.observed


@pytest.mark.parametrize("hide", ENTRYWISE_OR_ITEMS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
def test_the_share_is_kept_for_each_label_and_value(hide, share):
    labels = PartialLabels.from_table(table())
    hidden = hidden_by(labels, hide(labels, share, rng()))
    for value in (1, -1):
        of_value = labels.state == value
        assert np.abs((hidden & of_value).sum(axis=0) - share * of_value.sum(axis=0)).max() <= 2.5


def test_whole_items_are_hidden_and_no_longer_annotated():
    labels = PartialLabels.from_table(np.vstack([table(50), np.full((7, 4), np.nan)]))
    result = hide_items(labels, 0.3, rng())
    hidden = hidden_by(labels, result)
    assert (hidden.all(axis=1) == hidden.any(axis=1)).all()
    np.testing.assert_array_equal(result.annotated, ~result.unlabelled)


@pytest.mark.parametrize("hide", [hide_items, hide_like_gaps])
def test_of_a_group_all_or_nothing_is_hidden(hide):
    values = np.vstack([table(90), np.full((9, 4), np.nan)])
    labels, threads = PartialLabels.from_table(values), np.arange(99) % 33
    hidden = hidden_by(labels, hide(labels, 0.3, rng(), threads)).any(axis=1)
    assert len(set(zip(threads[:90], hidden[:90], strict=True))) == 33
    assert hidden.sum() == pytest.approx(27, abs=3)


def test_gaps_are_copied_alike_into_all_items_of_a_group():
    """Otherwise a label hidden of one item could be read off its twin."""
    values = np.vstack([table(120), table(60)])
    values[120::2, 1] = values[121::2, 2:] = np.nan
    labels, threads = PartialLabels.from_table(values), np.repeat(np.arange(60), 3)
    hidden = hidden_by(labels, hide_like_gaps(labels, 0.5, rng(), threads))
    for thread in range(40):
        assert len(np.unique(hidden[threads == thread], axis=0)) == 1
    assert 0 < hidden[:120, 1].sum() < hidden[:120].any(axis=1).sum()


@pytest.mark.parametrize("hide", [hide_items, hide_like_gaps])
def test_groups_are_spared_as_a_whole(hide):
    """The only relevant item of the first label lies in a group of five."""
    values = np.zeros((50, 2))
    values[7, 0] = values[5:30, 1] = 1
    labels, threads = PartialLabels.from_table(values), np.arange(50) // 5
    for seed in range(20):
        hidden = hidden_by(labels, hide(labels, 0.8, rng(seed), threads))
        assert hidden.any()
        assert not hidden[5:10].any()


def test_items_of_no_group_stand_for_themselves():
    labels = PartialLabels.from_table(table(60))
    for hide in (hide_items, hide_like_gaps):
        alone = hide(labels, 0.3, rng(), [None] * 60)
        np.testing.assert_array_equal(alone.state, hide(labels, 0.3, rng()).state)


def test_a_single_group_cannot_be_hidden():
    labels = PartialLabels.from_table([1, 0, 1, np.nan])
    with pytest.raises(ValueError, match="a share of the groups with a labelled item there must be at least two"):
        hide_items(labels, 0.5, rng(), ["a", "a", "a", "b"])
    assert hidden_by(labels, hide_items(labels, 0.01, rng(), ["a", "a", "b", "b"])).sum() in (1, 2)


def test_single_entries_are_hidden():
    labels = PartialLabels.from_table(table())
    hidden = hidden_by(labels, hide_entries(labels, 0.5, rng()))
    assert (hidden.any(axis=1) & ~hidden.all(axis=1)).mean() > 0.5


def test_hidden_positives_leave_positive_only_labels_and_no_trace():
    labels = PartialLabels.from_table(np.vstack([table(), np.full((5, 4), np.nan)]))
    result = hide_positives(labels, 0.3, rng())
    kept = result.relevant.sum(axis=0)
    assert result.positive_only
    assert not (result.state < 0).any()  # else the hidden entries would be the unknown ones
    assert not (result.relevant & ~labels.relevant).any()
    assert np.abs(kept - 0.7 * labels.relevant.sum(axis=0)).max() < 1
    np.testing.assert_array_equal(result.annotated, labels.annotated)


def test_gaps_of_single_entries_are_copied_from_a_donor():
    """Odd items lack the last two labels, so that nothing else may ever be hidden."""
    values = table()
    values[::2, 2:] = np.nan
    labels = PartialLabels.from_table(values)
    result = hide_like_gaps(labels, 0.4, rng())
    hidden = hidden_by(labels, result)
    assert not hidden[:, :2].any()
    np.testing.assert_array_equal(hidden[:, 2], hidden[:, 3])
    assert 0.25 * 100 < hidden[:, 2].sum() < 0.55 * 100


def test_gaps_of_whole_items_are_copied_as_whole_items():
    """A label that was never observed is no gap: it would make every item a donor of nothing."""
    never = np.full((400, 1), np.nan)
    labels = PartialLabels.from_table(np.hstack([np.vstack([table(100), np.full((300, 4), np.nan)]), never]))
    hidden = hidden_by(labels, hide_like_gaps(labels, 0.4, rng()))[:, :4]
    assert (hidden.all(axis=1) == hidden.any(axis=1)).all()
    assert hidden.any(axis=1).sum() == pytest.approx(40, abs=2)


def test_both_kinds_of_gap_are_copied_in_their_proportions():
    values = np.vstack([table(400), np.full((100, 4), np.nan), table(100)])
    values[-100:, 1] = np.nan
    labels = PartialLabels.from_table(values)
    hidden = hidden_by(labels, hide_like_gaps(labels, 0.5, rng()))[:400]
    whole, partial = hidden.all(axis=1).sum(), (hidden.sum(axis=1) == 1).sum()
    assert whole + partial == hidden.any(axis=1).sum()
    assert 0.35 < whole / (whole + partial) < 0.65


def test_gaps_that_hide_nothing_give_way_to_whole_items():
    never = np.column_stack([table(20), np.full(20, np.nan)])
    always_the_same = PartialLabels.from_table(never)
    assert hidden_by(always_the_same, hide_like_gaps(always_the_same, 0.3, rng())).any(axis=1).sum() == pytest.approx(
        6, abs=2
    )


def test_gaps_of_positive_only_labels_are_unlabelled_items():
    labels = PartialLabels.from_positives(np.vstack([table(50), np.full((10, 4), np.nan)]))
    result = hide_like_gaps(labels, 0.3, rng())
    hidden = hidden_by(labels, result).any(axis=1)
    assert result.unlabelled[hidden].all()
    assert result.positive_only


@pytest.mark.parametrize("hide", WAYS)
def test_the_last_relevant_entry_of_a_label_is_spared(hide):
    values = np.zeros((40, 3))
    values[[0, 1, 2], [0, 1, 2]] = 1
    values[3:30, 2] = 1
    labels = PartialLabels.from_table(values)
    for seed in range(20):
        result = hide(labels, 0.9, rng(seed))
        assert result.relevant.any(axis=0).all()


@pytest.mark.parametrize("hide", [hide_items, hide_like_gaps])
def test_items_are_spared_as_a_whole(hide):
    labels = PartialLabels.from_table(np.eye(10))
    hidden = hidden_by(labels, hide(labels, 0.5, rng()))
    np.testing.assert_array_equal(hidden.any(axis=1), hidden.all(axis=1))


def test_entries_are_spared_one_by_one():
    labels = PartialLabels.from_table(np.eye(10))
    hidden = hidden_by(labels, hide_entries(labels, 0.9, rng()))
    assert not hidden.diagonal().any()
    assert (hidden.sum(axis=0) == 8).all()


@pytest.mark.parametrize("hide", WAYS)
def test_something_is_hidden_even_if_it_is_a_last_relevant_entry(hide):
    labels = PartialLabels.from_table(np.array([[1, np.nan], [np.nan, 1]]))
    for share in (0.01, 0.5, 0.99):
        assert hidden_by(labels, hide(labels, share, rng())).sum() == 1


@pytest.mark.parametrize("hide", WAYS)
def test_labels_are_not_changed_and_the_generator_decides(hide):
    labels = PartialLabels.from_table(table(60))
    before = labels.state.copy()
    once, again, other = (hide(labels, 0.4, rng(seed)).state for seed in (1, 1, 2))
    np.testing.assert_array_equal(labels.state, before)
    np.testing.assert_array_equal(once, again)
    assert (once != other).any()


@pytest.mark.parametrize("hide", WAYS)
@pytest.mark.parametrize("share", [0, 1, -0.2, 1.5, float("nan")])
def test_a_share_outside_0_and_1_raises(hide, share):
    with pytest.raises(ValueError, match="share to hide must lie between 0 and 1, both excluded, but is"):
        hide(PartialLabels.from_table(table(10)), share, rng())


@pytest.mark.parametrize(
    ("hide", "kind"),
    [
        (hide_items, "labelled items"),
        (hide_like_gaps, "labelled items"),
        (hide_entries, "observed entries"),
        (hide_positives, "relevant entries"),
    ],
)
def test_a_single_one_cannot_be_hidden(hide, kind):
    labels = PartialLabels.from_table([[1, np.nan], [np.nan, np.nan]])
    with pytest.raises(ValueError, match=f"share of the {kind} there must be at least two of them.* but there is 1"):
        hide(labels, 0.5, rng())


def test_a_mask_of_entries_has_a_row_or_a_value_for_each_item():
    labels = PartialLabels.from_table([[1, 0], [None, 1], [0, None]])
    assert read_entry_mask([True, False, True], labels, "m").tolist() == [[True] * 2, [False] * 2, [True] * 2]
    table = [[True, False], [False, False], [False, True]]
    assert read_entry_mask(table, labels, "m").tolist() == table
    for wrong, shape in (([True, False], r"\(2, 1\)"), ([[True, False, True]] * 3, r"\(3, 3\)")):
        with pytest.raises(ValueError, match=rf"^m has shape {shape}, the labels \(3, 2\): give one value per entry"):
            read_entry_mask(wrong, labels, "m")
    with pytest.raises(ValueError, match=r"^m must hold True and False only, not int64 values"):
        read_entry_mask([1, 0, 1], labels, "m")
    with pytest.raises(ValueError, match=r"^m holds no observed entry"):
        read_entry_mask([[False, False], [True, False], [False, True]], labels, "m")
