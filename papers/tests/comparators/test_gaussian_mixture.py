"""EM for Gaussian mixtures: one step, the start and the length of a step by dense formulas."""

import numpy as np
import pytest

from halflabel.numerics.solvers import Status
from halflabel_papers.comparators import GaussianMixtureImputer
from halflabel_papers.comparators.expectation import Gaussian, Mixture, Moments
from halflabel_papers.comparators.gaussian_mixture import _maximise, _measure_step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def two_clouds(rng, n=24, d=3):
    """Return rows of two clouds of unequal size, with gaps, and the clouds."""
    cloud = np.arange(n) % 3 == 0
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 40.0 * cloud[:, None]
    return np.where((rng.random((n, d)) < 0.3) & (np.arange(d) > 0), np.nan, X), cloud


def parts(mixture):
    return mixture.weights, *(np.array([getattr(part, name) for part in mixture.parts]) for name in ("mean", "cov"))


def fit(X, k=1, **settings):
    return GaussianMixtureImputer(k, **({"scale": None, "ridge": 0.2, "tol": 1e-12} | settings)).fit(X)


@pytest.mark.parametrize("k", [1, 2])
def test_the_start_has_the_moments_of_mean_filled_clusters(k, rng):
    """Gaps add the variance of their feature; the ridge is shared by the components, not by their rows."""
    X, cloud = two_clouds(rng)
    mean, variance = np.nanmean(X, axis=0), np.nanvar(X, axis=0)
    clusters = [cloud, ~cloud] if k == 2 else [np.ones(24, dtype=bool)]
    model = fit(X, k, max_iter=1)
    for rows in clusters:
        nearest = np.argmin([np.linalg.norm(part.mean - np.nanmean(X[rows], axis=0)) for part in model.mixture_.parts])
        part, filled = model.mixture_.parts[nearest], np.where(np.isnan(X[rows]), mean, X[rows])
        np.testing.assert_allclose(model.mixture_.weights[nearest], rows.mean())
        np.testing.assert_allclose(part.mean, filled.mean(axis=0))
        cov = np.cov(filled.T, ddof=0) + np.diag(np.isnan(X[rows]).mean(axis=0) * variance)
        ridge = 0.2 * variance.mean() * 24 / k / rows.sum()
        np.testing.assert_allclose(part.cov, cov + ridge * np.eye(3), atol=1e-10)


def test_constant_features_have_a_ridge_of_their_own():
    model = fit(np.full((4, 2), 3.0))
    np.testing.assert_allclose(model.mixture_.parts[0].cov, 0.2 * np.eye(2))
    np.testing.assert_array_equal(model.mixture_.parts[0].mean, 3)
    assert (model.status_, model.n_iter_) == (Status.CONVERGED, 1)


def test_the_fit_ends_when_a_step_is_short_and_never_falls(rng):
    X, _ = two_clouds(rng)
    model = fit(X, tol=1e-3, max_iter=500)
    assert model.status_ is Status.CONVERGED
    assert len(model.log_likelihood_) == model.n_iter_
    assert np.diff(model.log_likelihood_).min() > 0
    early = fit(X, tol=1e-3, max_iter=model.n_iter_ - 1)
    assert (early.n_iter_, early.status_) == (model.n_iter_ - 1, Status.MAX_ITER)
    assert model.residual_ <= 1e-3 < early.residual_


def test_the_length_of_a_step_in_the_fisher_metric():
    """By hand: weights, means and covariances of two components, with the share of each."""
    old = Mixture(
        np.array([0.8, 0.2]), (Gaussian.of(np.zeros(2), np.diag([4.0, 1.0])), Gaussian.of(np.zeros(2), np.eye(2)))
    )
    turned = np.array([[4.0, 1.0], [1.0, 1.0]])
    new = Mixture(
        np.array([0.7, 0.3]), (Gaussian.of(np.array([2.0, 1.0]), turned), Gaussian.of(np.zeros(2), 3 * np.eye(2)))
    )
    weights = 0.1**2 / 0.8 + 0.1**2 / 0.2
    means = 0.8 * (4 / 4 + 1)
    covs = 0.8 * 0.5 * (2 * 1 / 4) + 0.2 * 0.5 * (2 * 2**2)  # tr(P D P D) / 2
    assert _measure_step(old, new) == pytest.approx(np.sqrt(weights + means + covs))
    assert _measure_step(old, old) == 0


def test_a_component_that_loses_all_rows_keeps_a_covariance():
    part = Gaussian.of(np.ones(2), np.eye(2))
    moments = Moments(
        0.0, np.array([4.0, 0.0]), np.array([[2.0, 0], [0, 0]]), np.array([2 * np.eye(2), np.zeros((2, 2))])
    )
    new = _maximise(Mixture(np.array([0.5, 0.5]), (part, part)), moments, 0.4)
    np.testing.assert_allclose(new.weights, [1, 0], atol=1e-14)
    np.testing.assert_allclose(new.parts[0].mean, [1.5, 1])
    np.testing.assert_allclose(new.parts[0].cov, np.diag([0.25, 0.5]) + 0.1 * np.eye(2))
    assert np.isfinite(new.parts[1].log_det)
    np.testing.assert_array_equal(new.parts[1].mean, part.mean)


def test_there_are_at_most_as_many_components_as_rows_with_values(rng):
    X = rng.normal(size=(3, 2))
    assert fit(X, 3, max_iter=1).n_iter_ == 1
    X[0] = np.nan
    with pytest.raises(ValueError, match="3 components cannot be learned from 2 rows with values: lower n_components"):
        fit(X, 3)
    with pytest.raises(ValueError, match="n_components must be a whole number of at least 1, not 0"):
        fit(X, 0)
    with pytest.raises(ValueError, match=r"ridge must be positive.* without it a covariance can be singular"):
        fit(X, ridge=0.0)
