"""The mixture as an imputer: what halflabel demands of each, EM against loops, and scikit-learn's mixture."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles import mixture as oracle
from sklearn.base import clone
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.conftest import half_labelled
from tests.methods.impute import test_impute as shared
from tests.methods.impute.test_impute import gapped

from halflabel_papers.comparators import GaussianMixtureImputer

IMPUTERS = [GaussianMixtureImputer(), GaussianMixtureImputer(2, ridge=1e-2)]
FIXED = IMPUTERS[0]

pytest_generate_tests, fixed = shared.pytest_generate_tests, shared.fixed

#: Every test of an imputer, under its own name; the hook gives it the list of this module.
globals().update({name: test for name, test in vars(shared).items() if name.startswith("test_")})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([GaussianMixtureImputer(max_iter=3)])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_the_order_of_the_rows_does_not_matter(rng):
    X, _, _ = half_labelled(rng)
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    items, model = rng.permutation(60), GaussianMixtureImputer(2)
    a, b = clone(model).fit(X), clone(model).fit(X[items])
    np.testing.assert_allclose(b.transform(X), a.transform(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_em_equals_the_slow_loops(k, share, rng):
    X, _ = gapped(rng, n=24, d=5, share=share)
    X[10:14, :2], X[10:14, 2:] = np.nan, X[1, 2:] + rng.normal(size=(4, 3))  # rows that share their gaps
    rows = X[~np.isnan(X).all(axis=1)]
    load = 0.2 * np.nanvar(rows, axis=0).mean() * len(rows) / k
    before, after = (GaussianMixtureImputer(k, scale=None, ridge=0.2, tol=1e-12, max_iter=t).fit(X) for t in (3, 4))
    weights, means, covs, objective = oracle.em_step(rows, *parts(before.mixture_), load)
    found = parts(after.mixture_)
    np.testing.assert_allclose(found[0], weights, atol=1e-10)
    np.testing.assert_allclose(found[1], means, atol=1e-9)
    np.testing.assert_allclose(found[2], covs, atol=1e-9)
    assert before.log_likelihood_[-1] * len(rows) == pytest.approx(objective, abs=1e-8)
    np.testing.assert_allclose(after.transform(X)[np.isnan(X)], oracle.mixture_means(X, *found)[np.isnan(X)], atol=1e-9)


def parts(mixture):
    """Return weights, means and covariances."""
    return mixture.weights, *(np.array([getattr(part, name) for part in mixture.parts]) for name in ("mean", "cov"))


def test_where_em_stops_no_small_change_helps(rng):
    X, _ = gapped(rng, n=30, d=3)
    rows = X[~np.isnan(X).all(axis=1)]
    fitted = GaussianMixtureImputer(scale=None, ridge=0.05, tol=1e-7, max_iter=10_000).fit(X)
    load = 0.05 * np.nanvar(rows, axis=0).mean() * len(rows)
    weights, means, covs = parts(fitted.mixture_)

    def objective(mean, cov):
        return oracle.em_step(rows, weights, mean[None], cov[None], load)[3]

    best = objective(means[0], covs[0])
    for _ in range(30):
        turn = rng.normal(size=(3, 3))
        other = objective(means[0] + 1e-3 * rng.normal(size=3), covs[0] + 1e-3 * (turn + turn.T))
        assert other < best


@pytest.mark.parametrize("k", [1, 2])
def test_complete_data_give_the_mixture_of_scikit_learn(k, rng):
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3)) + np.where(rng.random((200, 1)) < 0.4, 12.0, 0.0)
    ours = GaussianMixtureImputer(k, scale=None, ridge=1e-9, tol=1e-9).fit(X)
    theirs = GaussianMixture(k, reg_covar=1e-9, tol=1e-12, max_iter=1000, random_state=0).fit(X)
    weights, means, covs = parts(ours.mixture_)
    mine, other = np.argsort(weights), np.argsort(theirs.weights_)
    np.testing.assert_allclose(weights[mine], theirs.weights_[other], atol=1e-6)
    np.testing.assert_allclose(means[mine], theirs.means_[other], atol=1e-6)
    np.testing.assert_allclose(covs[mine], theirs.covariances_[other], atol=1e-5)


def test_the_ridge_of_one_component_is_the_load_of_scikit_learn(rng):
    X = rng.normal(size=(50, 4)) * [1, 2, 3, 4]
    ours = GaussianMixtureImputer(scale=None, ridge=0.1, tol=1e-9).fit(X)
    theirs = GaussianMixture(1, reg_covar=0.1 * X.var(axis=0).mean()).fit(X)
    np.testing.assert_allclose(ours.mixture_.parts[0].cov, theirs.covariances_[0], atol=1e-8)


def test_clusters_are_filled_by_their_own_component(rng):
    side = rng.integers(2, size=300)
    X = np.where(side[:, None] == 1, [5.0, 5.0, -5.0], [-5.0, -5.0, -5.0]) + rng.normal(size=(300, 3))
    X[:, 2] += np.where(side == 1, 1, -1) * X[:, 0]  # the slope turns with the cluster: one Gaussian cannot model it
    gaps = (rng.random((300, 3)) < 0.3) & (np.arange(3) == 2)
    errors = [
        np.square(GaussianMixtureImputer(k).fit_transform(np.where(gaps, np.nan, X)) - X)[gaps].mean() for k in (1, 2)
    ]
    assert errors[1] < 0.5 * errors[0]


#: Of SoftImputer alone.
del test_parameters_are_those_of_the_docstring, test_at_most_five_features_without_values_are_named  # noqa: F821
