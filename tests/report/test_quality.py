"""The quality of a report against counts by hand: what lies exactly at a limit, and what is left unknown."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from halflabel.labels import PartialLabels
from halflabel.labels.metrics import ece
from halflabel.labels.rules import Rule
from halflabel.report import summarize
from halflabel.report.quality import (
    bin_calibration,
    count_fillable,
    count_relevant,
    describe_labels,
    measure_quality,
    read_thresholds,
)


def test_the_entries_that_reach_a_precision_are_counted_by_their_value():
    """Entries that are left unknown are neither filled nor relevant."""
    states = {0.9: [[1, 0], [-1, 1], [0, 0]], 0.99: [[0, 0], [-1, 0], [0, 0]]}
    gaps = np.array([[True, True], [True, True], [False, True]])
    found = count_fillable(gaps, lambda precision: np.array(states[precision]), (0.9, 0.99))
    assert found == [
        {"precision": 0.9, "filled": 3, "relevant": 2, "share": 3 / 5},
        {"precision": 0.99, "filled": 1, "relevant": 0, "share": 1 / 5},
    ]
    (none,) = count_fillable(np.zeros((3, 2), bool), lambda precision: np.zeros((3, 2)), (0.9,))
    assert none == {"precision": 0.9, "filled": 0, "relevant": 0, "share": 0.0}


@pytest.mark.parametrize(
    ("now", "more", "expected"),
    [
        (20, {2: 29, 4: 30}, (40, 30)),  # 1.5 times as many are enough, from 20 on ten more are the same
        (10, {2: 19, 8: 20}, (80, 20)),  # ten more are enough
        (30, {2: 44, 16: 45}, (160, 45)),
        (30, {16: 44}, None),
    ],
)
def test_the_smallest_multiple_with_clearly_more_relevant_entries_is_named(now, more, expected):
    """Ten items of 110 are labelled. Of the gaps one is filled as irrelevant, and some stay unknown."""

    def fill_at(precision, n_times=1.0):
        assert precision == 0.95
        n = max([now, *(count for factor, count in more.items() if factor <= n_times)])
        return np.array([0] * 10 + [1] * n + [-1] + [0] * (99 - n))[:, None]

    row = np.arange(110)[:, None]
    labels = PartialLabels.from_table(np.where(row < 10, row % 2, np.nan))
    p = np.where(labels.observed, np.nan, 0.25)
    evidence = SimpleNamespace(labels=labels, fill_at=fill_at, learned_from=labels, probabilities=p)
    evidence.of_checked = evidence
    found = count_relevant(SimpleNamespace(labels=labels, evidence=evidence), 0.95)
    assert found == {"precision": 0.95, "expected": 25.0, "filled": now, "labelled": 10, "more": expected}


def test_probabilities_at_the_ends_of_a_bin_and_of_all_bins():
    """A probability at the limit of two bins belongs to the upper one, and 1 to the last."""
    p = np.array([0, 0.06, 1 / 15, 0.1, 14 / 15, 0.99, 1.0])
    labels = PartialLabels.from_table(np.array([0, 1, 0, 0, 1, 0, 1])[:, None])
    found = bin_calibration(labels, p[:, None])
    assert [each["entries"] for each in found] == [2, 2, 3]
    assert [each["predicted"] for each in found] == pytest.approx([0.03, (1 / 15 + 0.1) / 2, (14 / 15 + 1.99) / 3])
    assert [each["observed"] for each in found] == pytest.approx([1 / 2, 0, 2 / 3])


def test_a_probability_at_the_threshold_counts_as_relevant_and_a_label_with_one_value_not_at_all():
    """The third label has one value: no figure of all labels together includes it."""
    labels = PartialLabels.from_table([[1, 0, 1], [0, 1, 1], [1, 1, None], [None, 0, 1]])
    p = np.array([[0.5, 0.2, 0.9], [0.1, 0.6, 0.9], [0.4, 0.6, 0.9], [0.9, 0.6, 0.9]])
    state = np.array([[1, -1, 1], [-1, 1, 1], [1, 1, 0], [1, -1, 1]])
    found = measure_quality(labels, p, np.array([0.5, 0.6, 0.5]))
    assert found["entries"] == 7
    assert found["micro_f1"] == pytest.approx(2 * 3 / (4 + 4))  # 3 right of 4 found, 4 relevant
    assert found["brier"] == pytest.approx((0.25 + 0.01 + 0.36 + 0.04 + 0.16 + 0.16 + 0.36) / 7)
    evidence = SimpleNamespace(labels=labels, learned_from=labels, state=state, learned_probabilities=p)
    rows = {row["name"]: row for row in describe_labels(evidence, np.array([0.5, 0.6, 0.5]))}
    assert rows["label0"]["f1"] == pytest.approx(2 * 1 / (1 + 2))
    assert rows["label1"]["f1"] == pytest.approx(2 * 2 / (3 + 2))
    assert (rows["label0"]["filled_relevant"], rows["label1"]["filled_relevant"]) == (1, 0)
    assert rows["label2"]["rate_after"] == 1  # the entry that is left unknown is not counted


def test_share_of_gaps_at_expected_precision(by_hand):
    # Gaps of rock: .97 and .02 (right with .98); of sad: .06 (right with .94) and .6.
    assert summarize(by_hand())["expected"] == [
        {"precision": 0.90, "filled": 3, "relevant": 1, "share": 0.75},
        {"precision": 0.95, "filled": 2, "relevant": 1, "share": 0.5},
        {"precision": 0.99, "filled": 0, "relevant": 0, "share": 0.0},
    ]


def test_expected_share_of_right_answers(by_hand):
    filled = summarize(by_hand())["filled_as"]
    assert filled["relevant"] == {"filled": 2, "right": pytest.approx((0.97 + 0.6) / 2), "shown": "78\xa0%"}
    assert filled["irrelevant"] == {"filled": 2, "right": pytest.approx((0.98 + 0.94) / 2), "shown": "96\xa0%"}


def test_labels_worst_first(by_hand):
    rock, sad = summarize(by_hand())["labels"]["rows"]
    assert rock == {
        "name": "rock", "observed": 4, "relevant": 2, "unknown": 2, "filled_relevant": 1,
        "rate_given": 0.5,
        "rate_after": pytest.approx(3 / 6), "auc": None, "f1": pytest.approx(0.5),
        "brier": pytest.approx((0.01 + 0.04 + 0.36 + 0.36) / 4),
    }  # fmt: skip
    assert (sad["name"], sad["auc"], sad["f1"]) == ("sad", None, 1.0)


def test_quality_of_all_labels_together(by_hand):
    quality = summarize(by_hand())["quality"]
    assert quality["entries"] == 8
    assert quality["micro_f1"] == pytest.approx(2 * 3 / (4 + 4))
    assert quality["macro_auc"] == pytest.approx((3 / 4 + 1) / 2)
    assert quality["brier"] == pytest.approx((0.77 + 0.23) / 8)
    assert quality["ece"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.6 + 0.1 + 0.2 + 0.3 + 0.3) / 8)  # one entry per bin


def test_calibration_error_by_chance_is_what_true_probabilities_show(rng):
    p = rng.uniform(size=(400, 3))

    def error() -> float:
        return ece(PartialLabels.from_table((rng.uniform(size=p.shape) < p).astype(float)), p)

    labels = PartialLabels.from_table((rng.uniform(size=p.shape) < p).astype(float))
    expected = np.mean([error() for _ in range(200)])
    assert measure_quality(labels, p, np.full(3, 0.5))["ece_by_chance"] == pytest.approx(expected, rel=0.05)


def test_calibration_bins(by_hand):
    p = np.array(P_TWO_BINS)
    bins = summarize(by_hand([[1, 1], [0, 0], [0, 1]], p))["calibration"]
    assert bins == [
        {"entries": 4, "predicted": pytest.approx(0.0225), "observed": 0.5},
        {"entries": 2, "predicted": pytest.approx(0.965), "observed": 0.5},
    ]


P_TWO_BINS = [[0.95, 0.02], [0.98, 0.01], [0.02, 0.04]]


def test_thresholds_on_scores_become_probabilities(by_hand):
    fit = by_hand().fit
    model = fit.model
    model.rule, model.calibration_ = Rule("fixed", threshold=0.3), lambda scores: scores / 2
    assert read_thresholds(fit).tolist() == [0.25, 0.25]
