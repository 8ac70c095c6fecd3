"""Probabilities under another rate among gaps: Bayes' rule, and a fitted method that follows it everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from tests.completion.ways_of_missing import draw_digits, know_entries

import halflabel as hl
from halflabel.labels.rules import Rule
from halflabel.methods.rate_shift import RateShift

SHARES = st.floats(0.05, 0.95)


def make_shift(mean, deviation, n_labels=1):
    both = np.stack([np.full(n_labels, mean), np.full(n_labels, deviation)])
    return RateShift(both, both)


@given(SHARES, SHARES, SHARES)
def test_it_is_the_rule_of_bayes(p, relevant, irrelevant):
    known = p * relevant / (p * relevant + (1 - p) * irrelevant)
    unknown = p * (1 - relevant) / (p * (1 - relevant) + (1 - p) * (1 - irrelevant))
    shift = make_shift(logit(irrelevant) - logit(relevant), 0.0)
    np.testing.assert_allclose(shift(np.array([[known]]), np.array([True])), unknown, rtol=1e-9)


@given(st.floats(0.02, 0.98), st.floats(-3, 3), st.floats(0, 1.5))
def test_it_is_the_mean_over_the_uncertainty(p, mean, deviation):
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    shift, here = make_shift(mean, deviation), (np.array([[p]]), np.array([False]))
    expected = sum(w * shift.vary(*here, z) for z, w in zip(nodes, weights, strict=True)) / weights.sum()
    np.testing.assert_allclose(shift(*here), expected, atol=0.02)


@pytest.fixture(scope="module")
def fitted(one_member):
    """A table known by value, its fit, and the fit under other rates."""
    rng = np.random.default_rng(0)
    X, truth = draw_digits(rng, 200)
    labels = hl.PartialLabels.from_table(know_entries(0.6, 0.15)(truth, rng))
    model = hl.AutoLabeler("fast").fit(X, labels)
    n_labels = labels.shape[1]
    shift = RateShift(np.array([[-2.0] * n_labels, [0.3] * n_labels]), np.array([[-1.0] * n_labels, [0.0] * n_labels]))
    return X, labels, model, model.shift_rates(shift, labels), shift


def test_known_entries_and_scores_stay(fitted):
    _, labels, model, shifted, _ = fitted
    known = labels.observed
    np.testing.assert_array_equal(shifted.label_probabilities_[known], model.label_probabilities_[known])
    np.testing.assert_array_equal(shifted.label_scores_, model.label_scores_)
    assert model.shift_ is None


def test_gaps_are_filled_again(fitted):
    _, labels, model, shifted, shift = fitted
    gaps, has_known = ~labels.observed, labels.observed.any(axis=1)
    p = shift(model.label_probabilities_, has_known)
    np.testing.assert_array_equal(shifted.label_probabilities_[gaps], p[gaps])
    np.testing.assert_array_equal(shifted.transduction_[gaps], p[gaps] >= 0.5)
    assert shifted.transduction_[gaps].sum() < model.transduction_[gaps].sum()


def test_thresholds_of_a_rule_are_chosen_on_the_new_probabilities(fitted):
    _, labels, model, _, shift = fitted
    original = model.rule
    model.rule = Rule("cardinality")
    again = model.shift_rates(shift, labels)
    model.rule = original
    gaps = ~labels.observed
    expected = np.where(gaps, again.label_probabilities_, 0).sum(axis=0) / gaps.sum(axis=0)
    assert abs(again.transduction_[gaps].mean() * labels.shape[1] - expected.sum()) < 0.1


def test_the_parts_add_up(fitted):
    X, labels, _, shifted, _ = fitted
    rows = np.arange(len(labels))
    parts = shifted.decompose(rows, labels)
    np.testing.assert_allclose(sum(parts.values()), logit(shifted.label_probabilities_), atol=1e-9)
    assert not parts["rate among the gaps"][labels.observed].any()
    for known in (labels, labels.hide(np.ones(labels.shape, dtype=bool))):
        parts, p = shifted.decompose_new(X, known)
        np.testing.assert_allclose(sum(parts.values()), logit(p), atol=1e-9)
        np.testing.assert_array_equal(p, shifted.complete_both(X, known)[1])


def test_new_items_follow_and_a_saved_model_too(fitted, tmp_path):
    X, labels, model, shifted, shift = fitted
    new = X[:20]
    expected = shift(model.predict_proba(new), np.zeros(20, dtype=bool))
    np.testing.assert_array_equal(shifted.predict_proba(new), expected)
    np.testing.assert_array_equal(shifted.predict(new), expected >= 0.5)
    together = shift(model.complete_both(new, labels[:20])[1], labels[:20].observed.any(axis=1))
    np.testing.assert_array_equal(shifted.complete_both(new, labels[:20])[1], together)
    again = type(shifted).from_state(shifted.to_state())
    np.testing.assert_array_equal(again.predict_proba(new), expected)
