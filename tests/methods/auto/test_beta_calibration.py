"""Calibration of log odds: against integration, direct minimisation, and the precision on other entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import expit
from scipy.stats import norm

from halflabel import PartialLabels
from halflabel.labels.calibration import Calibration, fill_confident, fit_platt
from halflabel.labels.metrics import brier
from halflabel.methods.auto import beta_calibration as calibration
from halflabel.methods.auto.beta_calibration import BetaCurve, ModeratedPlatt, calibrate, fit_beta, moderate


def draw_labels(rng, n, n_labels, missed=0.0):
    """Log odds with errors of their own, and labels drawn from the true ones, some relevant ones missed."""
    true = rng.normal(-2, 2, size=(n, n_labels))
    relevant = (rng.random(true.shape) < expit(true)) & (rng.random(true.shape) >= missed)
    return true + rng.normal(0, 0.5, size=true.shape), relevant.astype(float)


def test_the_covariance_is_that_of_the_documented_objective(rng):
    scores, Y = draw_labels(rng, 150, 2)
    labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.8)
    fitted = moderate(scores, labels)
    platt, z = fitted.platt, (scores - fitted.platt.center) / fitted.platt.spread
    for j in range(2):
        z_j = z[labels.observed[:, j], j]

        def expected_loss(theta, z_j=z_j, j=j):  # over labels drawn from the fit: its curvature is Fisher's information
            p = expit(platt.slope[j] * z_j + platt.intercept[j])
            m = np.exp(theta[0]) * z_j + theta[1]
            mode = np.array([np.log(platt.slope[j]), platt.intercept[j]])
            return (p * np.logaddexp(0, -m) + (1 - p) * np.logaddexp(0, m)).sum() + ((theta - mode) ** 2).sum() / 2

        at, h = np.array([np.log(platt.slope[j]), platt.intercept[j]]), 1e-4
        steps = np.eye(2) * h
        hessian = [
            [
                sum(a * b * expected_loss(at + a * s + b * t) for a in (1, -1) for b in (1, -1)) / (4 * h * h)
                for t in steps
            ]
            for s in steps
        ]
        np.testing.assert_allclose(np.linalg.inv(hessian)[np.triu_indices(2)], fitted.covariance[:, j], rtol=1e-3)


def test_moderation_is_close_to_the_mean_over_the_posterior():
    platt = Calibration(0.0, 1.0, np.array([1.5]), np.array([-1.0]), np.array([0.2]))
    variance = 2.0  # of the intercept alone, so that a single integral is exact
    p = ModeratedPlatt(platt, np.array([[0.0], [0.0], [variance]]))(np.linspace(-3, 3, 13)[:, None]).ravel()
    for score, found in zip(np.linspace(-3, 3, 13), p, strict=True):
        exact, _ = integrate.quad(lambda b, s=score: expit(1.5 * s + b) * norm.pdf(b, -1, variance**0.5), -12, 10)
        assert found == pytest.approx(exact, abs=0.01)


@given(st.floats(-6, 6), st.floats(0.05, 3), st.floats(0, 2), st.floats(0, 2), st.floats(-1, 1))
def test_a_higher_score_is_never_less_likely(intercept, slope, c11, c22, correlation):
    platt = Calibration(0.0, 1.0, np.array([slope]), np.array([intercept]), np.array([0.5]))
    covariance = np.array([[c11], [correlation * np.sqrt(c11 * c22)], [c22]])
    p = ModeratedPlatt(platt, covariance)(np.linspace(-30, 30, 401)[:, None]).ravel()
    assert (np.diff(p) >= -1e-12).all()


def test_infinite_scores_have_probabilities():
    platt = Calibration(0.0, 1.0, np.ones(1), np.zeros(1), np.array([0.5]))
    p = ModeratedPlatt(platt, np.array([[0.1], [0.0], [0.1]]))(np.array([[-np.inf], [-1e300], [1e300], [np.inf]]))
    assert p[0] == p[1] < 0.2
    assert p[2] == p[3] > 0.8


def test_a_label_without_scores_gets_the_fallback():
    labels = PartialLabels.from_table([[0, 1], [1, 1], [0, np.nan], [np.nan, np.nan]])
    scores = np.array([[-1.0, np.nan], [1, np.nan], [-1, np.nan], [0, np.nan]])
    fitted = calibrate(scores, labels, np.array([0, 1, 2, -1]))
    p = fitted(scores)
    np.testing.assert_array_equal(p[:, 1], fit_platt(scores, labels).fallback[1])
    assert p[1, 0] > p[3, 0] > p[0, 0]


def test_the_curve_is_fitted_to_held_out_entries(rng, monkeypatch):
    scores, Y = draw_labels(rng, 60, 3)
    scores[3, 1] = np.nan  # an entry without a score does not count
    labels, folds = PartialLabels.from_table(Y), rng.permutation(60) % 4
    folds[:3] = -1  # nor does an item that cannot be held out
    used = {}
    monkeypatch.setattr(calibration, "fit_beta", lambda p, relevant, _: used.update(p=p, y=relevant) or BetaCurve())
    calibrate(scores, labels, folds)
    expected = np.empty(Y.shape)
    for fold in range(4):
        out, rest = folds == fold, (folds != fold) & (folds >= 0)
        expected[out] = moderate(scores[rest], labels[rest])(scores[out])
    counted = (folds >= 0)[:, None] & ~np.isnan(scores)
    np.testing.assert_array_equal(used["p"], expected[counted])
    np.testing.assert_array_equal(used["y"], Y[counted])


@pytest.mark.parametrize("missed", [0.0, 0.06])
def test_the_wanted_precision_is_reached_with_many_labels_and_few_entries(rng, missed):
    """Of 40 labels with 120 items each, those with an overestimated slope reach 90 %: with Platt, 86 or 82 % hold."""
    counts, errors = [], []
    for _ in range(5):
        scores, Y = draw_labels(rng, 2000, 40, missed)
        seen = np.arange(2000) < 120
        given = np.where(seen[:, None], Y, np.nan)
        labels, folds = PartialLabels.from_table(given), np.where(seen, np.arange(2000) % 5, -1)
        out_of_fold = np.where(seen[:, None], scores, np.nan)
        hidden = PartialLabels.from_table(np.where(seen[:, None], np.nan, Y))
        right = []
        for fitted in (calibrate(out_of_fold, labels, folds), fit_platt(out_of_fold, labels)):
            p = fitted(scores)
            filled = fill_confident(np.where(seen[:, None], np.nan, p), 0.9) > 0
            right.append((Y[filled].sum(), filled.sum()))
            errors.append(brier(hidden, p))
        counts.append(right)
    (checked, of), (platt, of_platt) = np.sum(counts, axis=0)
    assert checked / of > platt / of_platt + 0.03
    assert checked / of > 0.86
    assert of > 500
    assert np.mean(errors[::2]) < np.mean(errors[1::2])


def test_blocks_and_samples_change_little(rng, monkeypatch):
    scores, Y = draw_labels(rng, 3000, 4)
    labels, folds = PartialLabels.from_table(Y), rng.permutation(3000) % 5
    whole = calibrate(scores, labels, folds)(scores)
    monkeypatch.setattr(calibration, "BLOCK", 7)
    np.testing.assert_allclose(calibrate(scores, labels, folds)(scores), whole, rtol=1e-6)
    monkeypatch.setattr(calibration, "MAX_CELLS", 4)
    sampled = calibrate(scores, labels, folds)(scores)  # its curve is learned from 1000 items
    assert not np.array_equal(sampled, whole)
    assert brier(labels, sampled) == pytest.approx(brier(labels, whole), rel=2e-3)
    assert np.abs(sampled - whole).mean() < 0.01


def test_without_folds_nothing_is_checked(rng):
    scores, Y = draw_labels(rng, 40, 2)
    fitted = calibrate(scores, PartialLabels.from_table(Y), np.full(40, -1))
    assert fitted.common == BetaCurve()


def test_the_curve_is_that_of_kull_and_others():
    """In the form of the paper: 1 / (1 + (1 - p)^b / (e^c p^a))."""
    p = np.array([0.02, 0.3, 0.5, 0.9])
    np.testing.assert_allclose(BetaCurve(1.5, 0.5, -0.7)(p), 1 / (1 + (1 - p) ** 0.5 / (np.exp(-0.7) * p**1.5)))
    np.testing.assert_allclose(BetaCurve()(p), p)


@pytest.mark.parametrize("ceiling", [1.0, 0.7, 0.2])
def test_the_fitted_curve_has_no_slope_of_the_documented_loss(rng, ceiling):
    p = rng.random(60)
    relevant = (rng.random(60) < ceiling * (0.2 + 0.5 * p)) * 1.0
    curve = fit_beta(p, relevant, ceiling)

    def loss(theta):
        q = ceiling * BetaCurve(np.exp(theta[0]), np.exp(theta[1]), theta[2])(p)
        return -np.log(np.where(relevant > 0, q, 1 - q)).sum() + 0.5 * (theta**2).sum()

    at = np.array([np.log(curve.a), np.log(curve.b), curve.c])
    slope = [(loss(at + h) - loss(at - h)) / 2e-5 for h in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(slope, 0, atol=1e-3)


@pytest.mark.parametrize("score", [-1e3, 1e3])
def test_probabilities_are_one_millionth_from_certainty_at_most(score):
    platt = Calibration(0.0, 1.0, np.array([1.0]), np.array([0.0]), np.array([0.5]))
    sure = ModeratedPlatt(platt, np.zeros((3, 1)))
    expected = 1e-6 if score < 0 else 1 - 1e-6
    assert sure(np.array([[score]])).item() == expected
    checked = calibration.CheckedCalibration(sure, BetaCurve(5.0, 5.0, 0.0))
    assert checked(np.array([[score]])).item() == expected


def test_of_positive_only_labels_high_probabilities_are_those_of_being_relevant(rng):
    """Labels level off at .7, and of the relevant entries .6 are assigned: sigmoids alone state 10 points too much."""
    scores = rng.normal(-1, 3, size=(8000, 4))
    relevant = rng.random(scores.shape) < 0.7 * expit(scores)
    seen, folds = np.arange(8000) < 2000, np.where(np.arange(8000) < 2000, np.arange(8000) % 5, -1)
    assigned = np.where(seen[:, None], (relevant & (rng.random(scores.shape) < 0.6)) * 1.0, np.nan)
    labels = PartialLabels.from_table(assigned)
    out_of_fold = np.where(seen[:, None], scores, np.nan)
    found = []
    for calibration_ in (calibrate(out_of_fold, labels, folds, 0.6), fit_platt(out_of_fold, labels, ceiling=0.6)):
        p = calibration_(scores)
        high = ~seen[:, None] & (p >= 0.6)
        found.append(p[high].mean() - relevant[high].mean())
    assert abs(found[0]) < 0.03
    assert found[1] > found[0] + 0.04
