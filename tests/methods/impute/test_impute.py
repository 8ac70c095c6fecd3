"""Imputers: against slow references, certificates, and what scikit-learn's users expect."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.parameters import check_parameters
from tests.oracles import impute as oracle

from halflabel.methods.impute import GaussianMixtureImputer, SoftImputer
from halflabel.numerics.solvers import Status

#: Each imputer once, in a form that is quick on forty rows.
IMPUTERS = [
    SoftImputer(),
    SoftImputer(alpha=0.5, tol=1e-10),
    GaussianMixtureImputer(),
    GaussianMixtureImputer(2, ridge=1e-2),
]

each = pytest.mark.parametrize("imputer", IMPUTERS, ids=lambda imputer: repr(imputer)[:40])


def gapped(rng, n=40, d=6, share=0.3, rank=2):
    """Return (X with gaps, X complete): low rank plus noise; one row without values, one complete."""
    complete = 3 + rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + 0.1 * rng.normal(size=(n, d))
    hidden = rng.random((n, d)) < share
    hidden[0], hidden[1] = True, False
    return np.where(hidden, np.nan, complete), complete


@cache
def fit_once(imputer):
    """Fit an imputer once on the table that the fixture `rng` gives; tests that only read the model share it."""
    return clone(imputer).fit(gapped(np.random.default_rng(0))[0])


# -- scikit-learn ---------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([SoftImputer(max_iter=3), GaussianMixtureImputer(max_iter=3)])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("imputer", IMPUTERS[::2], ids=repr)  # what scikit-learn expects depends on no setting
def test_pandas_pipeline_search_clone_and_pickle(imputer, rng):
    X, complete = gapped(rng)
    X[:, 2] = complete[:, 2]
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(7, 47))
    filled = clone(imputer).set_output(transform="pandas").fit_transform(frame)
    assert filled.index.equals(frame.index)
    assert filled.columns.tolist() == list("abcdef")
    fitted = clone(imputer).fit(frame)
    assert fitted.get_feature_names_out().tolist() == list("abcdef")
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(again.transform(frame), fitted.transform(frame))
    model = make_pipeline(clone(imputer), LinearRegression())
    step = model.steps[0][0]
    search = GridSearchCV(model, {f"{step}__scale": ["standard", None]}, cv=2).fit(X, complete[:, 2])
    assert search.best_score_ > 0.9


# -- both imputers ------------------------------------------------------------------


@each
def test_known_cells_are_returned_verbatim_and_no_gap_stays(imputer, rng):
    X, _ = gapped(rng)
    before, known = X.copy(), ~np.isnan(X)
    for filled in (fit_once(imputer).transform(X), clone(imputer).fit_transform(X)):
        np.testing.assert_array_equal(filled[known], X[known])
        assert np.isfinite(filled).all()
    np.testing.assert_array_equal(X, before)


@each
def test_a_row_is_filled_alone_and_any_gaps_will_do(imputer, rng):
    gapped(rng)
    fitted = fit_once(imputer)
    new, _ = gapped(rng, n=25, share=0.7)
    together = fitted.transform(new)
    np.testing.assert_allclose(np.vstack([fitted.transform(row[None]) for row in new]), together, atol=1e-9)
    np.testing.assert_array_equal(fitted.transform(new[1:2]), new[1:2])


@each
def test_low_rank_gaps_are_filled_far_better_than_by_the_mean(imputer, rng):
    X, complete = gapped(rng, n=150)
    gaps = np.isnan(X) & ~np.isnan(X).all(axis=1, keepdims=True)
    filled = clone(imputer).fit_transform(X)
    by_mean = np.broadcast_to(np.nanmean(X, axis=0), X.shape)
    error, error_of_mean = (np.square(guess - complete)[gaps].mean() for guess in (filled, by_mean))
    assert error < 0.2 * error_of_mean


@each
def test_units_and_zero_points_do_not_matter(imputer, rng):
    X, _ = gapped(rng)
    unit, zero = rng.uniform(0.01, 100, size=6), rng.normal(size=6) * 1e3
    base, moved = (clone(imputer).fit_transform(items) for items in (X, X * unit + zero))
    np.testing.assert_allclose((moved - zero) / unit, base, atol=1e-6)


@each
def test_permuting_rows_permutes_the_answer(imputer, rng):
    X, _ = gapped(rng)
    rows = rng.permutation(len(X))
    base, moved = clone(imputer).fit_transform(X), clone(imputer).fit_transform(X[rows])
    np.testing.assert_allclose(moved, base[rows], atol=1e-6)


@pytest.mark.parametrize("imputer", IMPUTERS[1:3], ids=lambda imputer: repr(imputer)[:40])  # without random numbers
def test_permuting_rows_and_features_permutes_the_answer(imputer, rng):
    X, _ = gapped(rng)
    rows, features = rng.permutation(len(X)), rng.permutation(X.shape[1])
    base = clone(imputer).fit_transform(X)
    moved = clone(imputer).fit_transform(X[rows][:, features])
    np.testing.assert_allclose(moved, base[rows][:, features], atol=1e-6)


@each
def test_a_feature_without_values_stays_and_is_filled_with_zero(imputer, rng):
    X, _ = gapped(rng)
    with pytest.warns(UserWarning, match=r"1 of 7 features have no known value \(3\): they stay, filled with 0"):
        fitted = clone(imputer).fit(np.insert(X, 3, np.nan, axis=1))
    assert fitted.get_feature_names_out().shape == (7,)
    new = np.insert(X, 3, np.where(np.arange(40) % 2, 5.0, np.nan), axis=1)
    filled = fitted.transform(new)
    np.testing.assert_array_equal(filled[:, 3], np.where(np.arange(40) % 2, 5.0, 0.0))
    np.testing.assert_array_equal(np.delete(filled, 3, axis=1), fit_once(imputer).transform(X))


@pytest.mark.parametrize(("count", "shown"), [(5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4 and others")])
def test_at_most_five_features_without_values_are_named(count, shown, rng):
    X = np.hstack([np.full((10, count), np.nan), rng.normal(size=(10, 2))])
    with pytest.warns(UserWarning, match=rf"{count} of {count + 2} features have no known value \({shown}\)"):
        SoftImputer(1.0).fit(X)


@each
def test_constant_features_and_few_rows_do_no_harm(imputer, rng):
    X, _ = gapped(rng)
    X[:, 4] = np.where(np.isnan(X[:, 4]), np.nan, 7.0)
    assert clone(imputer).fit_transform(X)[:, 4] == pytest.approx(7.0, abs=1e-9)
    tiny = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]])
    assert np.isfinite(clone(imputer).fit_transform(tiny)).all()


@each
def test_what_cannot_be_filled_in_raises_with_a_sentence(imputer, rng):
    X, _ = gapped(rng)
    fitted = clone(imputer).fit(X)
    for call in (fitted.fit, fitted.transform):
        with pytest.raises(
            TypeError, match=r"got sparse X, in which an absent cell is a zero and not a gap: pass X.toarray"
        ):
            call(sparse.csr_array(np.nan_to_num(X)))
        with pytest.raises(ValueError, match="feature 2 holds inf in row 5: a value is a finite number, or NaN"):
            call(np.where(np.arange(240).reshape(40, 6) == 32, np.inf, X))
    with pytest.raises(ValueError, match="no cell of X is known"):
        clone(imputer).fit(np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="feature 1 has values too large to be squared"):
        clone(imputer).fit(X * [1, 1e200, 1, 1, 1, 1])
    for name, value in (("tol", 0.0), ("max_iter", 0), ("max_iter", 2.5), ("scale", "max")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            clone(imputer).set_params(**{name: value}).fit(X)


@each
def test_a_row_far_out_is_filled_with_finite_numbers(imputer):
    far = np.array([[1e200, np.nan, 1, 2, 3, 4], [1e160, *[np.nan] * 5]])
    assert np.isfinite(fit_once(imputer).transform(far)).all()


@each
def test_there_is_one_warning_of_an_early_stop(imputer, rng):
    X, _ = gapped(rng)
    with pytest.warns(ConvergenceWarning, match="stopped at its iteration limit") as caught:
        fitted = clone(imputer).set_params(max_iter=1, tol=1e-9).fit(X)
    assert len(caught) == 1
    assert fitted.status_ is Status.MAX_ITER


@each
def test_the_same_random_state_gives_the_same_bits(imputer, rng):
    X, _ = gapped(rng)
    a, b = (clone(imputer).set_params(random_state=7).fit_transform(X) for _ in range(2))
    assert a.tobytes() == b.tobytes()


# -- the mixture --------------------------------------------------------------------------


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


@pytest.mark.parametrize("k", [1, 3])
def test_the_penalised_likelihood_never_falls(k, rng):
    X, _ = gapped(rng, n=30, share=0.5)
    fitted = GaussianMixtureImputer(k, ridge=0.1, tol=1e-2, max_iter=1000).fit(X)
    assert fitted.status_ is Status.CONVERGED
    assert len(fitted.log_likelihood_) == fitted.n_iter_
    assert np.diff(fitted.log_likelihood_).min() >= -1e-10


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


def test_a_row_without_values_gets_the_mean_of_the_mixture(rng):
    X, _ = gapped(rng)
    fitted = GaussianMixtureImputer(2, scale=None).fit(X)
    weights, means, _ = parts(fitted.mixture_)
    np.testing.assert_allclose(fitted.transform(X)[0], weights @ means, atol=1e-12)


def test_invalid_settings_of_the_mixture_raise(rng):
    X, _ = gapped(rng)
    with pytest.raises(ValueError, match="n_components must be a whole number of at least 1, not 0"):
        GaussianMixtureImputer(0).fit(X)
    with pytest.raises(ValueError, match=r"ridge must be positive, not 0: without it a covariance can be singular"):
        GaussianMixtureImputer(ridge=0).fit(X)
    with pytest.raises(ValueError, match="40 components cannot be learned from 39 rows with values"):
        GaussianMixtureImputer(40).fit(X)


def test_parameters_are_those_of_the_docstring():
    check_parameters(SoftImputer(), n_folds=2, max_iter=1)
    check_parameters(GaussianMixtureImputer(), n_components=1, max_iter=1)
