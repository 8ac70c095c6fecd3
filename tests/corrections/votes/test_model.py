"""Error rates and posteriors by EM."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from tests.oracles.sources import correlate_errors, dawid_skene

from halflabel.corrections.votes import model as source_model
from halflabel.corrections.votes.model import fit_sources
from halflabel.labels.votes import Votes


def draw(rng, n=300, q=3, errors=(0.1, 0.2, 0.3), share=0.8):
    """Return the truth, the log odds of features, and votes with independent errors."""
    truth = rng.random((n, q)) < 0.4
    log_odds = np.where(truth, 1.0, -1.4) + rng.normal(size=(n, q))
    wrong = rng.random((len(errors), n, q)) < np.array(errors)[:, None, None]
    values = np.where(rng.random(wrong.shape) < share, (truth ^ wrong).astype(float), np.nan)
    return truth, log_odds, values


def name(values):
    return Votes(tuple(f"s{k}" for k in range(len(values))), values)


def score(p, truth):
    return np.mean((p - truth) ** 2)


def test_one_label_without_features_is_dawid_skene_by_loops(monkeypatch):
    """One round of EM, whose assumed counts and share of relevant entries are fixed."""
    _, _, values = draw(np.random.default_rng(0), n=60, q=1)
    monkeypatch.setattr(source_model, "MAX_ROUNDS", 1)
    monkeypatch.setattr(source_model, "_shrink", lambda levels, counts: source_model._assume(levels))
    monkeypatch.setattr(source_model, "MAX_STEPS", 400)
    monkeypatch.setattr(source_model, "TOLERANCE", 0.0)
    monkeypatch.setattr(source_model, "RIDGE", 1e12)
    monkeypatch.setattr(
        source_model, "weigh_votes", lambda correlations, separation, levels: np.ones(len(levels.codes))
    )
    fit = fit_sources(name(values))
    start = source_model._assume(fit.levels)
    assumed = start.strength[:, None, None] * start.common
    rate = expit(fit.calibration[1, 0])
    q, tables = dawid_skene(values[:, :, 0], assumed, rate, len(fit.objectives[0]) - 1)
    np.testing.assert_allclose(fit.posterior[:, 0], q, atol=1e-4)
    np.testing.assert_allclose(fit.tables[:, 0], tables, atol=1e-4)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_the_objective_never_falls_within_a_round(seed, has_features, are_probabilities):
    rng = np.random.default_rng(seed)
    truth, log_odds, values = draw(rng, n=60, q=2)
    if are_probabilities:
        values[0] = np.where(np.isnan(values[0]), np.nan, expit(log_odds + rng.normal(size=truth.shape)))
    known = np.where(rng.random(truth.shape) < 0.1, np.where(truth, 1, -1), 0).astype(np.int8)
    fit = fit_sources(name(values), log_odds if has_features else None, known)
    for path in fit.objectives:
        assert (np.diff(path) >= -1e-7 * np.abs(path[0])).all()


def test_the_order_of_sources_labels_and_items_changes_nothing():
    rng = np.random.default_rng(1)
    _, log_odds, values = draw(rng)
    values[2] = np.where(rng.random(values[1].shape) < 0.7, values[1], values[2])
    fit = fit_sources(name(values), log_odds)
    s, i, j = [2, 0, 1], rng.permutation(len(log_odds)), [1, 2, 0]
    other = fit_sources(name(values[np.ix_(s, i, j)]), log_odds[np.ix_(i, j)])
    np.testing.assert_allclose(other.posterior, fit.posterior[np.ix_(i, j)], atol=1e-8)
    np.testing.assert_allclose(other.tables, fit.tables[np.ix_(s, j)], atol=1e-8)


def test_values_exchanged_give_the_opposite_probabilities():
    _, log_odds, values = draw(np.random.default_rng(2), n=200)
    there, back = fit_sources(name(values), log_odds), fit_sources(name(1 - values), -log_odds)
    np.testing.assert_allclose(back.posterior, 1 - there.posterior, atol=1e-6)


def test_a_copy_of_a_source_changes_nothing():
    """A perfect copy changes nothing at all, and one that left out some votes next to nothing."""
    rng = np.random.default_rng(3)
    truth, log_odds, values = draw(rng, n=600)
    once = fit_sources(name(values), log_odds)
    exact = fit_sources(name(values[[0, 1, 0, 2]]), log_odds)
    np.testing.assert_array_equal(exact.posterior, once.posterior)
    np.testing.assert_allclose(exact.levels.add(exact.parts), once.levels.add(once.parts))
    part = np.where(rng.random(truth.shape) < 0.9, values[0], np.nan)[None]
    twice = fit_sources(name(np.concatenate([values, part])), log_odds)
    assert twice.correlations[0, 3] == 1
    assert abs(score(twice.posterior, truth) / score(once.posterior, truth) - 1) <= 0.005
    naive = fit_sources_without_weights(np.concatenate([values, part]), log_odds)
    assert score(naive, truth) > 1.5 * score(once.posterior, truth)


def fit_sources_without_weights(values, log_odds):
    """Return the posterior if every source is taken as independent."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_model, "weigh_votes", lambda correlations, separation, levels: np.ones(len(levels.codes)))
        return fit_sources(name(values), log_odds).posterior


def test_a_source_of_chance_costs_nothing():
    rng = np.random.default_rng(4)
    truth, log_odds, values = draw(rng, n=600)
    chance = np.where(rng.random(truth.shape) < 0.5, 1.0, 0.0)[None]
    before = fit_sources(name(values), log_odds)
    after = fit_sources(name(np.concatenate([values, chance])), log_odds)
    assert after.is_chance.tolist() == [False, False, False, True]
    np.testing.assert_allclose(after.posterior, before.posterior, atol=1e-3)
    assert np.abs(after.tables[3, :, 0, 1] - after.tables[3, :, 1, 1]).max() < 0.15


def draw_rare(rng, n=400, q=12):
    """Return rare labels, and votes of three people who gave few and of two models that share most of their errors.

    Error rates differ by source and label.
    """
    truth = rng.random((n, q)) < 0.08
    odds = rng.normal([-1.6, -1.2, -2.0, -1.3, -1.3], 0.7, size=(q, 5)).T[:, None, :]
    wrong = rng.random((5, n, q)) < expit(odds)
    wrong[4] = np.where(rng.random((n, q)) < 0.75, wrong[3], wrong[4])
    shares = np.array([0.35, 0.35, 0.35, 0.7, 0.7])[:, None, None]
    return truth, np.where(rng.random((5, n, 1)) < shares, truth ^ wrong, np.nan)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_two_models_with_the_same_errors_do_not_decide_what_rare_labels_are(seed):
    truth, values = draw_rare(np.random.default_rng(seed))
    fit = fit_sources(name(values))
    voted = ~np.isnan(values).all(axis=0)
    share = np.nanmean(values[:, voted], axis=0)
    assert score(fit.posterior[voted], truth[voted]) < 0.5 * score(share, truth[voted])
    assert fit.correlations[3, 4] == pytest.approx(0.7, abs=0.2)


def test_a_source_of_chance_costs_nothing_on_few_entries():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        truth, _, values = draw(rng, n=240, q=2, share=0.7)
        chance = np.where(np.isnan(values[1]), np.nan, rng.integers(0, 2, truth.shape))[None]
        before, after = fit_sources(name(values)), fit_sources(name(np.concatenate([values, chance])))
        np.testing.assert_allclose(after.posterior, before.posterior, atol=1e-3)
        assert after.is_chance.tolist() == [False, False, False, True]
        assert np.abs(after.tables[3, :, 0, 1] - after.tables[3, :, 1, 1]).max() < 0.3


def test_rates_and_correlations_are_those_of_the_truth():
    rng = np.random.default_rng(5)
    truth, log_odds, values = draw(rng, n=1500, errors=(0.1, 0.2, 0.25, 0.25), share=1.0)
    values[3] = np.where(rng.random(truth.shape) < 0.6, values[2], values[3])
    fit = fit_sources(name(values), log_odds)
    for s in range(4):
        for j in range(3):
            found = [values[s, truth[:, j] == t, j].mean() for t in (False, True)]
            np.testing.assert_allclose(fit.tables[s, j, :, 1], found, atol=0.05)
    true = correlate_errors(values[2][:, 0], values[3][:, 0], truth[:, 0])
    assert fit.correlations[2, 3] == pytest.approx(true, abs=0.1)
    assert np.abs(fit.correlations[0, 1:]).max() < 0.1


def test_an_overconfident_probability_is_calibrated():
    rng = np.random.default_rng(6)
    truth, log_odds, values = draw(rng, n=500)
    signal = rng.normal(np.where(truth, 1.0, -1.0))
    steep = expit(8 * signal)[None]
    fit = fit_sources(name(np.concatenate([values, steep])), log_odds)
    part = fit.parts[fit.levels.find_entries(3)].reshape(signal.shape)  # it voted on every entry
    for low, high in ((-0.5, 0.5), (0.5, 1.5)):
        own = (signal > low) & (signal < high)
        assert part[own].mean() == pytest.approx(2 * signal[own].mean(), abs=0.3)  # the log likelihood ratio is 2 x


def test_known_entries_are_taken_as_true_and_state_the_rates():
    """Sources that agree on the wrong value are found by known entries, and by nothing else."""
    rng = np.random.default_rng(7)
    truth = rng.random((400, 1)) < 0.5
    values = np.stack([np.where(rng.random(truth.shape) < 0.9, ~truth, truth)] * 2).astype(float)
    known = np.where(np.arange(400)[:, None] < 100, np.where(truth, 1, -1), 0).astype(np.int8)
    fit = fit_sources(name(values), None, known)
    assert (fit.posterior[:100].round() == truth[:100]).all()
    assert (fit.posterior[100:].round() == truth[100:]).mean() > 0.8


def test_entries_without_votes_have_the_probability_of_the_features():
    truth, log_odds, values = draw(np.random.default_rng(8), n=500)
    values[:, :100] = np.nan
    fit = fit_sources(name(values), 8 * log_odds)
    np.testing.assert_allclose(fit.posterior[:100], fit.calibrate(8 * log_odds)[:100])
    assert score(fit.posterior[:100], truth[:100]) < 0.9 * score(expit(8 * log_odds)[:100], truth[:100])
