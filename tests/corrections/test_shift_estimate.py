"""The rate of relevant entries among gaps, without a fit: probabilities are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from halflabel.corrections.shift import estimate_shift
from halflabel.datasets.known_entries import know_by_value, know_items
from halflabel.evidence import why_known
from halflabel.evidence.why_known import SHIFTS, fit_shifts, tabulate_likelihood


def draw(rng, n=600, n_labels=8, **how):
    """Return known entries and probabilities that hold for known entries of a table known by value."""
    p = rng.beta(0.6, 1.6, size=(n, n_labels))
    known = know_by_value(rng.random(p.shape) < p, rng, **how)
    return known, p


def true_shift(relevant, irrelevant):
    return logit(irrelevant) - logit(relevant)


def hold_for_known(p, relevant, irrelevant):
    """Return P(relevant | known) from P(relevant)."""
    return p * relevant / (p * relevant + (1 - p) * irrelevant)


def test_the_likelihood_is_highest_at_the_shift_of_the_published_iteration(rng):
    """Saerens, Latinne and Decaestecker (2002), equation 2.9, as it is written."""
    p = rng.beta(0.6, 1.6, size=(20_000, 1))
    known = know_by_value(rng.random(p.shape) < p, rng, relevant=0.6, irrelevant=0.15)
    given = hold_for_known(p, 0.6, 0.15)
    prior = rate = given[known].mean()
    for _ in range(500):
        ratio = given[~known] * prior / rate
        prior = (ratio / (ratio + (1 - given[~known]) * (1 - prior) / (1 - rate))).mean()
    table = tabulate_likelihood(given, ~known)
    assert abs(SHIFTS[table[0].argmax()] - (logit(prior) - logit(rate))) <= 2 * (SHIFTS[1] - SHIFTS[0])


@pytest.mark.parametrize("shares", [(0.6, 0.15), (0.5, 0.25), (0.2, 0.6), (0.3, 0.3)])
def test_the_shift_lies_within_its_uncertainty(shares):
    relevant, irrelevant = shares
    errors = []
    for seed in range(10):
        known, p = draw(np.random.default_rng(seed), relevant=relevant, irrelevant=irrelevant)
        mean, deviation = estimate_shift(known, ~known, hold_for_known(p, relevant, irrelevant)).with_known
        errors.append((mean - true_shift(relevant, irrelevant)) / deviation)
    assert np.abs(np.mean(errors)) < 1
    assert np.sqrt(np.mean(np.square(errors))) < 1.5


def test_each_label_can_have_its_own_direction(rng):
    known, p = draw(rng, n=1500, relevant=0.6, irrelevant=0.15, alternate=True)
    odd = np.arange(8) % 2 == 1
    given = np.where(odd, hold_for_known(p, 0.15, 0.6), hold_for_known(p, 0.6, 0.15))
    mean, _ = estimate_shift(known, ~known, given).with_known
    np.testing.assert_allclose(mean, np.where(odd, -1, 1) * true_shift(0.6, 0.15), atol=0.6)


def test_items_without_a_known_entry_have_a_shift_of_their_own(rng):
    """Single entries of a third of the items are known by value, and the other items are a random sample."""
    p = rng.beta(0.6, 1.6, size=(1500, 8))
    truth = rng.random(p.shape) < p
    known = know_by_value(truth, rng, 0.7, 0.3) & know_items(truth, rng, 1 / 3)
    shift = estimate_shift(known, ~known, hold_for_known(p, 0.7, 0.3))
    np.testing.assert_allclose(shift.with_known[0], true_shift(0.7, 0.3), atol=0.5)
    np.testing.assert_allclose(shift.alone[0], np.log(0.3 / 0.7), atol=0.4)


def test_few_such_items_follow_the_others(rng):
    known, p = draw(rng, n=80, relevant=0.5, irrelevant=0.3)
    known[:20] = False
    shift = estimate_shift(known, ~known, p)
    np.testing.assert_array_equal(shift.alone, shift.with_known)


def test_such_items_whose_shift_would_be_too_large_follow_the_others(rng):
    """Their features are unlike all others, so that no label is probable: this is no reason to correct nothing."""
    known, p = draw(rng, relevant=0.6, irrelevant=0.15)
    known[:90], p[:90] = False, p[:90] / 50
    shift = estimate_shift(known, ~known, hold_for_known(p, 0.6, 0.15))
    np.testing.assert_array_equal(shift.alone, shift.with_known)
    np.testing.assert_allclose(shift.with_known[0], true_shift(0.6, 0.15), atol=0.5)


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_items_and_labels_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    known, p = draw(rng, n=60, n_labels=4, relevant=0.6, irrelevant=0.2)
    rows, columns = rng.permutation(60), rng.permutation(4)
    there = np.ix_(rows, columns)
    shift, moved = estimate_shift(known, ~known, p), estimate_shift(known[there], ~known[there], p[there])
    np.testing.assert_allclose(moved.with_known, shift.with_known[:, columns], atol=1e-8)


def test_of_many_items_a_spread_sample_is_used(rng, monkeypatch):
    known, p = draw(rng, n=9000, n_labels=1, relevant=0.6, irrelevant=0.15)
    given = hold_for_known(p, 0.6, 0.15)
    sampled = fit_shifts(tabulate_likelihood(given, ~known))
    monkeypatch.setattr(why_known, "MAX_ITEMS", 10_000)
    np.testing.assert_allclose(sampled, fit_shifts(tabulate_likelihood(given, ~known)), atol=0.15)


def test_a_label_without_a_gap_follows_the_other_labels(rng):
    known, p = draw(rng, relevant=0.6, irrelevant=0.15)
    known[:, 3] = True
    mean, deviation = estimate_shift(known, ~known, hold_for_known(p, 0.6, 0.15)).with_known
    assert abs(mean[3] - np.delete(mean, 3).mean()) < 0.1
    assert deviation[3] >= np.delete(deviation, 3).min()
    assert np.isfinite(expit(mean)).all()
