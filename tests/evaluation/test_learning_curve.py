"""The learning curve: nested subsets of the labelled items, and the sentence about more labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES

from halflabel import PartialLabels
from halflabel.completion.hiding import HiddenEntries, Split
from halflabel.completion.learning_curve import _has_enough_items, _keep_labels, describe_curve, learning_curve
from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT
from halflabel.labels.masking import hide_entries, hide_items, hide_like_gaps
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("small_forests")


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
    methods = {DEFAULT: BinaryRelevance(), "rate": RATES}
    with_it = evaluate(opened, repeats=3, methods=methods)
    without = evaluate(opened, repeats=3, methods=methods, curve=False)
    assert without.curve is None
    assert without.more_labels == ""
    pd.testing.assert_frame_equal(*(r.records.drop(columns="seconds") for r in (with_it, without)))


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


def test_too_few_labelled_items_give_no_sentence(rng, watched):
    X, Y, _ = half_labelled(rng, n=40)
    result = evaluate(open_table(X, Y), repeats=2, methods={DEFAULT: watched, "rate": RATES})
    assert result.curve["share"].tolist() == [1.0]
    assert result.more_labels == ""


@pytest.mark.parametrize(
    ("before", "after", "better", "n", "sentence"),
    [
        (0.70, 0.75, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                             "0.750: more labels would help."),
        (0.70, 0.705, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                              "0.705: more labels would help little."),
        (0.70, 0.75, 1, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                             "0.750, but not in every repeat: more labels may help."),
        (0.70, 0.69, 0, 140, "Raising the labelled items from 100 to 140 did not raise average precision (0.700, "
                             "0.690): more labels would help little."),
    ],
)  # fmt: skip
def test_its_sentence(before, after, better, n, sentence):
    columns = {"share": [0.5, 1], "labelled": [100, n], "average_precision": [before, after], "repeats": [2, 2]}
    curve = pd.DataFrame({**columns, "better": [np.nan, better]})
    assert describe_curve(curve, "average_precision") == sentence
