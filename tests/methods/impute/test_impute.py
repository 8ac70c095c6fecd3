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
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.parameters import check_parameters

from halflabel.methods.impute import SoftImputer
from halflabel.numerics.solvers import Status

#: An imputer twice, in forms that are quick on forty rows, and the one whose fit uses no random number.
IMPUTERS = [SoftImputer(), SoftImputer(alpha=0.5, tol=1e-10)]
FIXED = IMPUTERS[1]


def pytest_generate_tests(metafunc):
    """Give each test the imputers of its module: another distribution runs these tests on its own."""
    if "imputer" in metafunc.fixturenames:
        metafunc.parametrize("imputer", metafunc.module.IMPUTERS, ids=lambda imputer: repr(imputer)[:40])


@pytest.fixture
def fixed(request):
    return request.module.FIXED


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
@parametrize_with_checks([SoftImputer(max_iter=3)])
def test_scikit_learn(estimator, check):
    check(estimator)


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


# -- every imputer ------------------------------------------------------------------


def test_known_cells_are_returned_verbatim_and_no_gap_stays(imputer, rng):
    X, _ = gapped(rng)
    before, known = X.copy(), ~np.isnan(X)
    for filled in (fit_once(imputer).transform(X), clone(imputer).fit_transform(X)):
        np.testing.assert_array_equal(filled[known], X[known])
        assert np.isfinite(filled).all()
    np.testing.assert_array_equal(X, before)


def test_a_row_is_filled_alone_and_any_gaps_will_do(imputer, rng):
    gapped(rng)
    fitted = fit_once(imputer)
    new, _ = gapped(rng, n=25, share=0.7)
    together = fitted.transform(new)
    np.testing.assert_allclose(np.vstack([fitted.transform(row[None]) for row in new]), together, atol=1e-9)
    np.testing.assert_array_equal(fitted.transform(new[1:2]), new[1:2])


def test_low_rank_gaps_are_filled_far_better_than_by_the_mean(imputer, rng):
    X, complete = gapped(rng, n=150)
    gaps = np.isnan(X) & ~np.isnan(X).all(axis=1, keepdims=True)
    filled = clone(imputer).fit_transform(X)
    by_mean = np.broadcast_to(np.nanmean(X, axis=0), X.shape)
    error, error_of_mean = (np.square(guess - complete)[gaps].mean() for guess in (filled, by_mean))
    assert error < 0.2 * error_of_mean


def test_units_and_zero_points_do_not_matter(imputer, rng):
    X, _ = gapped(rng)
    unit, zero = rng.uniform(0.01, 100, size=6), rng.normal(size=6) * 1e3
    base, moved = (clone(imputer).fit_transform(items) for items in (X, X * unit + zero))
    np.testing.assert_allclose((moved - zero) / unit, base, atol=1e-6)


def test_permuting_rows_and_features_permutes_the_answer(fixed, rng):
    X, _ = gapped(rng)
    rows, features = rng.permutation(len(X)), rng.permutation(X.shape[1])
    base = clone(fixed).fit_transform(X)
    moved = clone(fixed).fit_transform(X[rows][:, features])
    np.testing.assert_allclose(moved, base[rows][:, features], atol=1e-6)


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


def test_constant_features_and_few_rows_do_no_harm(imputer, rng):
    X, _ = gapped(rng)
    X[:, 4] = np.where(np.isnan(X[:, 4]), np.nan, 7.0)
    assert clone(imputer).fit_transform(X)[:, 4] == pytest.approx(7.0, abs=1e-9)
    tiny = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]])
    assert np.isfinite(clone(imputer).fit_transform(tiny)).all()


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


def test_a_row_far_out_is_filled_with_finite_numbers(imputer):
    far = np.array([[1e200, np.nan, 1, 2, 3, 4], [1e160, *[np.nan] * 5]])
    assert np.isfinite(fit_once(imputer).transform(far)).all()


def test_there_is_one_warning_of_an_early_stop(imputer, rng):
    X, _ = gapped(rng)
    with pytest.warns(ConvergenceWarning, match="stopped at its iteration limit") as caught:
        fitted = clone(imputer).set_params(max_iter=1, tol=1e-9).fit(X)
    assert len(caught) == 1
    assert fitted.status_ is Status.MAX_ITER


def test_the_same_random_state_gives_the_same_bits(imputer, rng):
    X, _ = gapped(rng)
    a, b = (clone(imputer).set_params(random_state=7).fit_transform(X) for _ in range(2))
    assert a.tobytes() == b.tobytes()


def test_parameters_are_those_of_the_docstring():
    check_parameters(SoftImputer(), n_folds=2, max_iter=1)
