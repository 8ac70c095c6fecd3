"""The learning curve of an evaluation: nested subsets of the labelled items."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES

from halflabel import PartialLabels
from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT
from halflabel.evaluation.hiding import HiddenEntries, Split
from halflabel.evaluation.learning_curve import (
    _average_points,
    _has_enough_items,
    _keep_labels,
    describe_curve,
    learning_curve,
    measure_learning_curve,
    sample_items,
)
from halflabel.labels.masking import hide_entries, hide_items, hide_like_gaps
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("one_member")


def test_it_is_nested_and_ends_at_the_comparison(rng, watched):
    X, Y, _ = half_labelled(rng, n=250)
    labels = open_table(X, Y).labels
    result = evaluate(open_table(X, Y), repeats=3, methods={DEFAULT: watched, "rate": RATES})
    assert result.curve["share"].tolist() == [0.25, 0.5, 1.0]
    known = watched.seen[:3]
    for repeat, fewer in ((0, watched.seen[3:5]), (1, watched.seen[5:7])):
        half, quarter = (labels.observed & other.observed for other in fewer)
        assert not (half & ~known[repeat].observed).any()
        assert not (quarter & ~half).any()
    counts = [(~seen.unlabelled).sum() for seen in (watched.seen[4], watched.seen[3], known[0])]
    np.testing.assert_allclose(result.curve["labelled"], counts, atol=1)
    np.testing.assert_allclose(result.curve["labelled"] / counts[-1], [0.25, 0.5, 1.0], atol=0.04)
    at_the_end = result.records.query("method == @DEFAULT and repeat < 2")[["average_precision", "micro_f1"]].mean()
    assert result.curve.iloc[-1][["average_precision", "micro_f1"]].tolist() == at_the_end.tolist()
    assert "labelled items" in result.more_labels


def test_it_changes_nothing_else_and_can_be_left_out(opened):
    methods = {DEFAULT: BinaryRelevance(n_folds=2), "rate": RATES}
    with_it = evaluate(opened, repeats=2, methods=methods)
    without = evaluate(opened, repeats=2, methods=methods, curve=False)
    assert without.curve is None
    assert without.more_labels == ""
    pd.testing.assert_frame_equal(*(r.records.drop(columns="seconds") for r in (with_it, without)))


def test_too_few_labelled_items_give_no_sentence(rng, watched):
    X, Y, _ = half_labelled(rng, n=40)
    result = evaluate(open_table(X, Y), repeats=2, methods={DEFAULT: watched, "rate": RATES})
    assert result.curve["share"].tolist() == [1.0]
    assert result.more_labels == ""


def test_items_with_a_hidden_entry_keep_what_they_show(rng, watched):
    X, _, complete = half_labelled(rng, n=200, n_labels=4)
    labels = PartialLabels.from_table(complete)
    known = hide_entries(hide_items(labels, 0.5, rng), 0.1, rng)
    hidden = labels.hide(known.observed | known.unlabelled[:, None])
    full = pd.DataFrame({"average_precision": [0.5]})
    curve = learning_curve(watched, X, [Split(known, hidden)], HiddenEntries(labels), full, rng)
    tested = hidden.observed.any(axis=1)
    assert curve["share"].tolist() == [0.5, 1.0]  # a quarter is less than the items that were left in part
    for fewer in watched.seen:
        np.testing.assert_array_equal(fewer.state[tested], known.state[tested])
    assert curve["labelled"].tolist() == pytest.approx([50, 100], abs=2)


def test_a_group_of_half_the_items_may_leave_one_group_only(rng):
    """Then a quarter cannot be drawn from what is there: the point repeats the one before."""
    X, Y, _ = half_labelled(rng, n=400)
    labels = PartialLabels.from_table(Y)
    full = pd.DataFrame({"average_precision": [0.5]})
    repeated = []
    for seed in range(12):
        split_rng = np.random.default_rng(seed)
        groups = np.where(split_rng.random(400) < 0.5, 200, split_rng.integers(200, size=400))
        known = hide_like_gaps(labels, 0.2, split_rng, groups)
        splits = [Split(known, labels.hide(known.observed))]
        curve = learning_curve(RATES, X, splits, HiddenEntries(labels), full, split_rng, groups)
        counts = curve["labelled"]
        assert counts.is_monotonic_increasing
        assert counts.iloc[-2] < counts.iloc[-1]
        repeated.append(counts.iloc[0] == counts.iloc[1])
    assert any(repeated)
    assert not all(repeated)


def test_a_share_must_hold_the_items_that_stay_and_their_groups():
    labels = PartialLabels.from_table(np.zeros((100, 2)))
    groups = np.maximum(np.arange(100) - 60, 0)  # 60 items in the first one, 39 alone
    hidden = np.zeros((100, 2), dtype=bool)
    hidden[:60, 0] = True
    known = labels.hide(hidden)
    split = Split(known, labels.hide(known.observed))
    assert [_has_enough_items(split, share, groups) for share in (0.5, 0.69, 0.7)] == [False, False, True]
    alone = np.arange(100)
    hidden[:] = np.arange(100)[:, None] < [10, 0]
    known = labels.hide(hidden)
    split = Split(known, labels.hide(known.observed))
    assert [_has_enough_items(split, share, alone) for share in (0.19, 0.2)] == [False, True]
    assert not _has_enough_items(split, 0.2, alone // 2)


def test_labels_that_are_few_enough_stay(rng):
    """A large group went at once, and took more than was asked for."""
    labels = PartialLabels.from_table(np.zeros((20, 1)))
    known = labels.hide(np.arange(20)[:, None] < 5)
    for wanted in (15, 16):
        assert _keep_labels(known, labels.hide(known.observed), wanted, rng, np.arange(20)) is known


@pytest.mark.parametrize(
    ("before", "after", "better", "n", "sentence"),
    [
        (0.70, 0.75, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                             "0.750: more labels would help."),
        (0.70, 0.705, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                              "0.705: more labels would help little."),
        (0.70, 0.75, 1, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                             "0.750, but not in every repeat: more labels may help."),
        (0.70, 0.70, 0, 220, "Raising the labelled items from 100 to 220 did not raise average precision (0.700, "
                             "0.700): more labels would help little."),
        (0.70, 0.71, 2, 180, "Raising the labelled items from 100 to 180 raised average precision from 0.700 to "
                             "0.710: more labels would help."),
        (0.70, 0.69, 0, 140, "Raising the labelled items from 100 to 140 did not raise average precision (0.700, "
                             "0.690): more labels would help little."),
    ],
)  # fmt: skip
def test_its_sentence(before, after, better, n, sentence):
    columns = {"share": [0.5, 1], "labelled": [100, n], "average_precision": [before, after], "repeats": [2, 2]}
    curve = pd.DataFrame({**columns, "better": [np.nan, better]})
    assert describe_curve(curve, "average_precision") == sentence


def test_items_lose_their_labels_until_the_wanted_number_is_left(rng):
    labels = PartialLabels.from_table(np.zeros((20, 1)))
    known = labels.hide(np.arange(20)[:, None] < 5)
    hidden = labels.hide(known.observed)
    assert (~_keep_labels(known, hidden, 14, rng, np.arange(20)).unlabelled).sum() == 14
    two_groups = np.arange(20) // 12  # of those with labels, seven are in the first group and eight in the second
    assert (~_keep_labels(known, hidden, 7, rng, two_groups).unlabelled).sum() in (7, 8)


def test_the_last_two_points_are_compared():
    curve = pd.DataFrame(
        {"share": [0.25, 0.5, 1], "labelled": [50, 100, 200], "macro_auc": [0.5, 0.8, 0.9], "repeats": 2}
    )
    sentence = describe_curve(curve.assign(better=2), "macro_auc")
    assert sentence.startswith("Doubling the labelled items from 100 to 200 raised area under the ROC curve from 0.800")


def test_without_two_points_there_is_no_sentence():
    curve = pd.DataFrame({"share": [0.5, 1], "labelled": [100, 200], "micro_f1": [0.5, 0.6], "repeats": 2, "better": 2})
    curve = curve.rename(columns={"micro_f1": "macro_auc"})
    assert describe_curve(curve, "macro_auc")
    assert describe_curve(curve[1:], "macro_auc") == ""
    assert describe_curve(curve.assign(macro_auc=[np.nan, 0.6]), "macro_auc") == ""


def test_points_are_means_over_the_repeats():
    rows = [
        (0, 0.5, 20, 0.6),
        (0, 1.0, 40, 0.7),
        (1, 0.5, 22, 0.8),
        (1, 1.0, 40, 0.8),
        (2, 0.5, 21, 0.5),
        (2, 1.0, 40, 0.6),
    ]
    points = pd.DataFrame(rows, columns=["repeat", "share", "labelled", "micro_f1"])
    curve = _average_points(points, "micro_f1")
    assert curve.columns.tolist() == ["share", "labelled", "micro_f1", "repeats", "better"]
    np.testing.assert_allclose(curve, [[0.5, 21, 1.9 / 3, 3, np.nan], [1.0, 40, 0.7, 3, 2]])  # one pair is equal


def test_a_curve_is_measured_from_a_table(rng, watched):
    X, Y, _ = half_labelled(rng, n=150)
    opened = open_table(X, Y)
    curve = measure_learning_curve(opened, watched, random_state=3)
    assert curve["share"].tolist() == [0.25, 0.5, 1.0]
    assert (curve["repeats"] == 2).all()
    rng = np.random.default_rng(3)
    hiding = HiddenEntries(opened.labels, 0.2)
    splits = [hiding.hide(rng) for _ in range(2)]
    for seen, split in zip(watched.seen[:2], splits, strict=True):
        np.testing.assert_array_equal(seen.state, split.known.state)
    models = [clone(watched).fit(X, split.known) for split in splits]
    scores = [hiding.score(model, split) for model, split in zip(models, splits, strict=True)]
    for name in ("average_precision", "micro_f1"):
        assert curve[name].iloc[-1] == pytest.approx(np.mean([each[name] for each in scores]))
    np.testing.assert_array_equal(
        curve, measure_learning_curve(opened, watched, 2, 0.2, 3)
    )  # the defaults, and the same random numbers
    positives = open_table(X, PartialLabels.from_positives(np.nan_to_num(Y)))
    with pytest.raises(ValueError, match="positive-only labels have none"):
        measure_learning_curve(positives, watched)


def test_a_large_table_is_sampled(rng, monkeypatch):
    monkeypatch.setattr("halflabel.evaluation.learning_curve.MAX_ITEMS", 40)
    X, Y, _ = half_labelled(rng, n=41)
    opened = open_table(X, Y)
    sample = sample_items(opened, rng)
    rows = [X.tolist().index(row) for row in sample.X.tolist()]
    assert rows == sorted(set(rows))
    assert len(rows) == 40
    assert sample_items(sample, rng) is sample
