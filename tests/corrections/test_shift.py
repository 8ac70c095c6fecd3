"""Probabilities under another rate among gaps: Bayes' rule, and a fit that follows it everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from tests.completion.ways_of_missing import draw_digits, know_entries

import halflabel as hl
from halflabel.completion.answers import Answers, apply_answers
from halflabel.completion.evidence import Evidence
from halflabel.corrections.correction import Given
from halflabel.corrections.fit import Fit, learn_corrections
from halflabel.corrections.shift import RateShift
from halflabel.evidence.why_known import Why
from halflabel.labels import PartialLabels
from halflabel.table import open_table

SHARES = st.floats(0.05, 0.95)


def make_shift(mean, deviation, n_labels=1):
    both = np.stack([np.full(n_labels, mean), np.full(n_labels, deviation)])
    return RateShift(both, both)


def item(is_known):
    """Return one item with or without a known entry."""
    return PartialLabels(np.array([[1 if is_known else 0]], dtype=np.int8), ("a",), np.ones(1, dtype=bool))


@given(SHARES, SHARES, SHARES)
def test_it_is_the_rule_of_bayes(p, relevant, irrelevant):
    known = p * relevant / (p * relevant + (1 - p) * irrelevant)
    unknown = p * (1 - relevant) / (p * (1 - relevant) + (1 - p) * (1 - irrelevant))
    shift = make_shift(logit(irrelevant) - logit(relevant), 0.0)
    np.testing.assert_allclose(shift(np.array([[known]]), item(True)), unknown, rtol=1e-9)


@given(st.floats(0.02, 0.98), st.floats(-3, 3), st.floats(0, 1.5))
def test_it_is_the_mean_over_the_uncertainty(p, mean, deviation):
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    shift, here = make_shift(mean, deviation), (np.array([[p]]), item(False))
    expected = sum(w * shift.vary(*here, z) for z, w in zip(nodes, weights, strict=True)) / weights.sum()
    np.testing.assert_allclose(shift(*here), expected, atol=0.02)


@pytest.fixture(scope="module")
def fitted(one_member):
    """A table known by value, its fit, and the fit under other rates."""
    rng = np.random.default_rng(0)
    X, truth = draw_digits(rng, 200)
    opened = open_table(X, know_entries(0.6, 0.15)(truth, rng))
    model = hl.AutoLabeler("fast").fit(opened.X, opened.labels)
    n_labels = opened.labels.shape[1]
    shift = RateShift(np.array([[-2.0] * n_labels, [0.3] * n_labels]), np.array([[-1.0] * n_labels, [0.0] * n_labels]))
    return opened, model, Fit(model, opened, opened.labels, (shift,)), shift


def test_known_entries_stay(fitted):
    opened, model, shifted, _ = fitted
    known = opened.labels.observed
    np.testing.assert_array_equal(shifted.probabilities[known], model.label_probabilities_[known])


def test_an_answer_to_a_question_changes_the_shift_of_no_other_entry(fitted, monkeypatch):
    """Items without a brought entry keep their own shift, whatever a queue asks about them."""
    monkeypatch.setattr("halflabel.corrections.shift.MIN_ITEMS", 1)
    opened, model, *_ = fitted
    opened = replace(opened, description=replace(opened.description, calibration="shifted"))
    rows = np.flatnonzero(opened.labels.unlabelled)[::2]
    columns = np.arange(len(rows)) % opened.labels.shape[1]
    answered = apply_answers(opened, Answers(rows, columns, np.ones(len(rows), dtype=bool)))
    first = learn_corrections(Fit(model, opened, opened.labels))
    shift = first.by_name["shift"]
    assert (np.abs(shift.alone - shift.with_known) > 0.1).any()
    updated = first.learn_again(model, Given(answered), answered.labels, first)
    gaps, p = ~answered.labels.observed, model.label_probabilities_
    for again in (updated, learn_corrections(Fit(model, answered, answered.labels))):
        np.testing.assert_array_equal(again.probabilities[gaps], first.probabilities[gaps])
        np.testing.assert_array_equal(again.vary_estimate(p, 1.0)[gaps], first.vary_estimate(p, 1.0)[gaps])
        np.testing.assert_array_equal(again.probabilities[~gaps], p[~gaps])


def test_a_value_that_may_decide_widens_the_band(fitted):
    opened, model, *_ = fitted
    widths = []
    for weight in (0.0, 0.3, 0.5):
        fit = Fit(model, opened, opened.labels)
        vars(fit)["why"] = Why("random", 0, weight, -1.0)
        row = Evidence(opened, fit).estimated_errors.iloc[-1]
        assert row["low"] <= row["expected"] <= row["high"]
        widths.append(row["high"] - row["low"])
    assert widths[0] + 2 < widths[1] < widths[2]


def test_gaps_are_filled_again(fitted):
    opened, model, shifted, shift = fitted
    gaps = ~opened.labels.observed
    p = shift(model.label_probabilities_, opened.labels)
    np.testing.assert_array_equal(shifted.probabilities[gaps], p[gaps])
    np.testing.assert_array_equal(shifted.relevant[gaps], p[gaps] >= 0.5)
    assert shifted.relevant[gaps].sum() < model.transduction_[gaps].sum()


def test_thresholds_of_a_rule_are_chosen_on_the_new_probabilities(fitted):
    opened, model, _, shift = fitted
    original = model.rule
    model.rule = "cardinality"
    again = Fit(model, opened, opened.labels, (shift,))
    gaps = ~opened.labels.observed
    filled = again.relevant
    model.rule = original
    expected = np.where(gaps, again.probabilities, 0).sum(axis=0) / gaps.sum(axis=0)
    assert abs(filled[gaps].mean() * opened.labels.shape[1] - expected.sum()) < 0.1


def test_the_parts_add_up(fitted):
    opened, _, shifted, _ = fitted
    labels = opened.labels
    parts = shifted.decompose(np.arange(len(labels)), labels)
    np.testing.assert_allclose(sum(parts.values()), logit(shifted.probabilities), atol=1e-9)
    assert not parts["rate among the gaps"][labels.observed].any()


def test_new_items_follow(fitted):
    opened, model, shifted, shift = fitted
    new, X = shifted.for_new_items, opened.X[:20]
    expected = shift(model.predict_proba(X), PartialLabels.unknown(20, opened.labels.names))
    np.testing.assert_array_equal(new.predict_both(X)[1], expected)
    np.testing.assert_array_equal(new.predict_both(X)[0], expected >= 0.5)
    together = shift(model.complete_both(X, opened.labels[:20])[1], opened.labels[:20])
    np.testing.assert_array_equal(new.complete_both(X, opened.labels[:20])[1], together)
