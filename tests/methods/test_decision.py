"""The last step of a fit, against its parts one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt, thresholds
from halflabel.labels.positive_only import assume, mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.methods.decision import decide, decide_relevant


@pytest.fixture
def scored(rng):
    """Return (labels with gaps, scores, out-of-fold scores); the last label was observed with one value only."""
    Y = (rng.random((60, 3)) < [0.3, 0.5, 1.0]).astype(float)
    labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.7)
    return labels, Y + rng.normal(size=Y.shape), Y + rng.normal(size=Y.shape)


def test_a_decision_is_its_parts_one_after_the_other(scored):
    labels, scores, held_out = scored
    decision = decide(labels, scores, held_out, Rule("macro_f1"))
    learnable = np.array([True, True, False])
    held_out = np.where(labels.observed & learnable, held_out, np.nan)
    platt = fit_platt(held_out, labels)
    p = platt(np.where(labels.observed, held_out, np.where(learnable, scores, np.nan)))
    chosen = thresholds(np.where(labels.observed | ~learnable, np.nan, p), "macro_f1")
    np.testing.assert_array_equal(decision.scores[:, :2], scores[:, :2])
    assert np.isnan(decision.scores[:, 2]).all()
    np.testing.assert_array_equal(decision.out_of_fold, held_out)
    np.testing.assert_array_equal(decision.probabilities, p)
    np.testing.assert_array_equal(decision.thresholds, chosen)
    np.testing.assert_array_equal(decision.relevant, np.where(labels.observed, labels.relevant, p >= chosen))
    assert decision.assigned is None


def test_the_rule_fixed_compares_scores(scored):
    labels, scores, held_out = scored
    decision = decide(labels, scores, held_out, Rule("fixed", threshold=0.3))
    np.testing.assert_array_equal(decision.thresholds, [0.3, 0.3, 0.3])
    unknown = ~labels.observed[:, :2]
    np.testing.assert_array_equal(decision.relevant[:, :2][unknown], (scores[:, :2] >= 0.3)[unknown])
    np.testing.assert_array_equal(decision.relevant[:, 2], decision.probabilities[:, 2] >= 0.5)


def test_thresholds_of_complete_labels_are_chosen_on_all_entries(scored, rng):
    _, scores, held_out = scored
    labels = PartialLabels.from_table(rng.integers(2, size=scores.shape))
    decision = decide(labels, scores, held_out, Rule("cardinality"))
    expected = thresholds(decision.probabilities, "cardinality", cardinality=float(labels.rates.sum()))
    np.testing.assert_array_equal(decision.thresholds, expected)


def test_another_calibration_takes_the_place_of_platts(scored):
    labels, scores, held_out = scored
    decision = decide(labels, scores, held_out, Rule("cost", ratio=3.0), lambda out_of_fold, labels: np.abs)
    np.testing.assert_array_equal(
        decision.probabilities[:, 0], np.abs(np.where(labels.observed, held_out, scores))[:, 0]
    )
    np.testing.assert_array_equal(decision.thresholds, [0.75] * 3)


@pytest.mark.parametrize("rule", [Rule("micro_f1"), Rule("fixed", threshold=0.3)], ids=["micro_f1", "fixed"])
def test_what_is_relevant_follows_from_what_is_assigned(scored, rule, rng):
    _, scores, held_out = scored
    table = (rng.random(scores.shape) < 0.4).astype(float)
    table[40:] = np.nan
    labels = mark_unassigned(PartialLabels.from_positives(table))
    first = decide(labels, scores, held_out, rule)
    decision = decide_relevant(first, labels, 0.6, rule)
    unseen = np.where(labels.observed, held_out, scores)
    chosen = (lambda p: np.full(3, 0.3)) if rule.name == "fixed" else (lambda p: thresholds(p, "micro_f1"))
    expected = assume(unseen, labels, 0.6, chosen)
    np.testing.assert_array_equal(decision.probabilities, expected.probabilities)
    np.testing.assert_array_equal(decision.thresholds, expected.thresholds)
    np.testing.assert_array_equal(decision.assigned, first.probabilities)
    values = scores if rule.name == "fixed" else expected.probabilities
    np.testing.assert_array_equal(decision.relevant, labels.relevant | (values >= expected.thresholds))
