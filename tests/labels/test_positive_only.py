"""Positive-only labels: their coding, the label frequency, and an F1 that does not count missing positives."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.labels.positive_only import (
    assume,
    divide_by_frequency,
    mark_unassigned,
    pu_f1,
    require_observed_rate,
)

NAN = np.nan


@pytest.mark.parametrize("rate", [0, -0.1, 1.001, 2, NAN])
def test_a_label_frequency_that_is_no_share_raises(rate):
    with pytest.raises(ValueError, match=r"observed_rate .* must be above 0 and at most 1, not"):
        require_observed_rate(rate)


@pytest.mark.parametrize("rate", [None, 1e-9, 0.5, 1])
def test_shares_up_to_one_and_no_assumption_are_valid(rate):
    require_observed_rate(rate)


def test_only_annotated_items_have_unassigned_entries():
    labels = PartialLabels.from_positives([[1, 0, 0], [0, 0, 0], [NAN, NAN, NAN]])
    marked = mark_unassigned(labels)
    assert marked.state.tolist() == [[1, -1, -1], [-1, -1, -1], [0, 0, 0]]
    assert labels.positive_only
    assert not marked.positive_only


@pytest.mark.parametrize("rate", [None, 0.4, 1.0])
def test_probabilities_follow_from_the_rule_of_bayes(rng, rate):
    state = np.where(rng.random((80, 2)) < 0.4, 1.0, 0.0)
    state[60:] = NAN
    known = mark_unassigned(PartialLabels.from_positives(state))
    scores = rng.normal(size=(80, 2)) + np.nan_to_num(state)
    found = assume(scores, known, rate, lambda p: np.full(2, 0.3))
    before = found.calibration(scores)
    np.testing.assert_array_equal(before, fit_platt(scores, known, ceiling=1.0 if rate is None else rate)(scores))
    for i, j in np.ndindex(scores.shape):
        p = before[i, j]
        if rate is not None and state[i, j] == 0:  # P(relevant and missed) / P(not assigned)
            p = p * (1 - rate) / (p * (1 - rate) + (1 - p))
        assert found.probabilities[i, j] == pytest.approx(p, abs=1e-12)
        assert found.filled[i, j] == (state[i, j] != 1 and found.probabilities[i, j] >= 0.3)
    assert found.filled.any()
    assert not found.filled.all()


def test_thresholds_are_those_of_items_that_are_not_annotated(rng):
    known = mark_unassigned(PartialLabels.from_positives([[1.0], [0.0], [1.0], [0.0], [NAN]]))
    scores = rng.normal(size=(5, 1))
    found = assume(scores, known, 0.5, lambda p: p.mean(axis=0))
    np.testing.assert_array_equal(found.thresholds, found.calibration(scores).mean(axis=0))


def test_a_quotient_stays_below_one():
    np.testing.assert_allclose(divide_by_frequency(np.array([0.0, 0.2, 0.5, 0.9]), 0.5), [0, 0.4, 0.999, 0.999])


def plain_pu_f1(relevant, scores, rate, threshold):
    """F1 in its definition, entry by entry."""
    used = [(r, s) for r, s in zip(relevant, scores, strict=True) if not np.isnan(s)]
    predicted = [r for r, s in used if s >= threshold]
    if not predicted or not any(predicted):
        return 0.0
    return 2 * sum(predicted) / (rate * len(predicted) + sum(r for r, _ in used))


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_pu_f1_equals_its_definition(rng, rate):
    relevant, scores = rng.random(40) < 0.4, rng.permutation(40) / 40.0
    scores[:4] = NAN
    labels = PartialLabels.from_table(relevant[:, None].astype(float))
    values = [plain_pu_f1(relevant, scores, rate, t) for t in (*scores[4:], 2.0)]
    for t, value in zip((*scores[4:], 2.0), values, strict=True):
        assert pu_f1(labels, scores[:, None], rate, t) == pytest.approx(value)
    assert pu_f1(labels, scores[:, None], rate) == pytest.approx(max(values))


def test_without_a_relevant_entry_pu_f1_is_zero():
    labels = PartialLabels.from_table([[0.0], [0.0], [NAN]])
    assert pu_f1(labels, np.array([[0.5], [0.2], [0.9]])) == 0
