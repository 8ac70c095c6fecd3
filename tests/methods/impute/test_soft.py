"""Soft-impute against the slow iteration, its certificate, and the choice of its weight."""

from __future__ import annotations

import numpy as np
import pytest
from tests.methods.impute.test_impute import gapped
from tests.oracles import impute as oracle

from halflabel.methods.impute import SoftImputer, complete_rows
from halflabel.methods.impute import soft as module
from halflabel.numerics.solvers import Solution, Status


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("alpha", [0.3, 3.0])
def test_soft_impute_equals_the_slow_iteration(shape, alpha, rng):
    X, _ = gapped(rng, *shape)
    fitted = SoftImputer(alpha, scale=None, tol=1e-12, max_iter=20_000).fit(X)
    slow = oracle.soft_impute(X, alpha)
    np.testing.assert_allclose(fitted.low_rank_, slow, atol=1e-5)
    assert fitted.objective_[-1] == pytest.approx(oracle.soft_impute_objective(X, slow, alpha), rel=1e-9)
    assert oracle.soft_impute_objective(X, fitted.low_rank_, alpha) == pytest.approx(fitted.objective_[-1], rel=1e-9)


def test_the_completion_is_optimal(rng):
    X, _ = gapped(rng, n=60, d=8)
    fitted = SoftImputer(alpha=2.0, scale=None, tol=1e-12, max_iter=10_000).fit(X)
    Z = fitted.low_rank_
    gradient = np.nan_to_num(X - Z)
    assert np.linalg.norm(gradient, 2) == pytest.approx(2.0, rel=1e-6)
    assert (gradient * Z).sum() == pytest.approx(2.0 * np.linalg.svd(Z, compute_uv=False).sum(), rel=1e-6)
    assert fitted.status_ is Status.CONVERGED
    assert 0 <= fitted.residual_ <= 1e-12


@pytest.mark.parametrize("shape", [(60, 8), (12, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("scale", ["standard", None])
def test_a_fitted_row_folded_in_gets_its_own_completion(shape, scale, rng):
    X, _ = gapped(rng, *shape, share=0.4)
    fitted = SoftImputer(alpha=1.0, scale=scale, tol=1e-13, max_iter=20_000).fit(X)
    np.testing.assert_allclose(fitted.transform(X), fitted.fit_transform(X), atol=1e-6)


def test_the_path_starts_where_everything_is_the_mean(rng):
    X, _ = gapped(rng)
    chosen = SoftImputer().fit(X)
    most = chosen.cv_results_["alpha"][0]
    filled = SoftImputer(alpha=most).fit_transform(X)
    np.testing.assert_allclose(filled, np.where(np.isnan(X), np.nanmean(X, axis=0), X), atol=1e-9)
    assert len(SoftImputer(alpha=0.99 * most).fit(X).components_) == 1
    np.testing.assert_allclose(chosen.cv_results_["alpha"], most * 0.5 ** np.arange(len(chosen.cv_results_["alpha"])))


def test_noise_is_left_to_the_mean(rng):
    X = np.where(rng.random((60, 5)) < 0.3, np.nan, rng.normal(size=(60, 5)))
    fitted = SoftImputer().fit(X)
    assert fitted.alpha_ >= 0.5 * fitted.cv_results_["alpha"][0]


def test_invalid_settings_of_soft_impute_raise(rng):
    X, _ = gapped(rng)
    with pytest.raises(ValueError, match="alpha must be positive, not 0: None chooses it by cross-validation"):
        SoftImputer(alpha=0).fit(X)
    with pytest.raises(ValueError, match="n_folds must be a whole number of at least 2, not 1"):
        SoftImputer(n_folds=1).fit(X)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
def test_the_largest_weight_is_the_spectral_norm(shape, rng):
    A = rng.normal(size=shape)
    assert module._alpha_max(A) == pytest.approx(np.linalg.norm(A, 2))
    assert module._alpha_max(0 * A) == 1.0


@pytest.mark.parametrize(
    ("errors", "best"), [([3.0, 2.0, 1.0], 2), ([1.0009, 1.0, 2.0], 0), ([1.0011, 1.0, 1.0], 1), ([2.0, 1.001, 1.0], 1)]
)
def test_errors_that_differ_by_a_thousandth_are_equal(errors, best):
    assert module._find_best([(0.0, error) for error in errors]) == best


@pytest.mark.parametrize("tol", [1e-4, 0.25])
def test_the_choice_of_the_weight_by_hand(tol, monkeypatch):
    """Every solution is the multiple alpha of ones: the errors follow, and each fold starts at its last solution."""
    calls = []

    def solve(self, items, known, alpha, start, tol):
        calls.append((known.copy(), alpha, start, tol))
        return Solution(np.full(items.shape, alpha), (0.0,), 0.0, 1, Status.CONVERGED)

    monkeypatch.setattr(SoftImputer, "_solve", solve)
    items = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    known = np.array([[True, True], [True, True], [False, True]])
    alpha, table = SoftImputer(n_folds=2, tol=tol)._choose(items, known)
    first = np.linalg.norm(items, 2)
    errors = [np.mean((first / 2**k - items[known]) ** 2) for k in range(len(table["alpha"]))]
    np.testing.assert_allclose(table["alpha"], first * 0.5 ** np.arange(len(errors)))
    np.testing.assert_allclose(table["error"], errors)
    best = int(np.argmin(errors))
    assert alpha == table["alpha"][best]
    assert len(errors) == best + 3  # two more that are not better
    assert {call[3] for call in calls} == {max(1e-3, tol)}
    for k, (kept, weight, start, _) in enumerate(calls):
        assert weight == table["alpha"][k // 2]
        assert (start == (0 if k < 2 else table["alpha"][k // 2 - 1])).all()
        assert not kept[2, 0]
    hidden = [~calls[k][0] & known for k in (0, 1)]
    np.testing.assert_array_equal(hidden[0] ^ hidden[1], known)


def test_the_path_has_fourteen_weights_at_most(monkeypatch):
    """Errors that fall up to the end: smaller weights are better, the smallest is 2^13 times smaller than the first."""

    def solve(self, items, known, alpha, start, tol):
        return Solution(items + alpha, (0.0,), 0.0, 1, Status.CONVERGED)

    monkeypatch.setattr(SoftImputer, "_solve", solve)
    items = np.arange(6.0).reshape(3, 2)
    alpha, table = SoftImputer()._choose(items, items >= 0)
    assert table["alpha"][0] / alpha == pytest.approx(2.0**13)


def test_a_given_weight_leaves_the_table_empty(rng):
    alpha, table = SoftImputer(alpha=3)._choose(rng.normal(size=(3, 2)), np.ones((3, 2), dtype=bool))
    assert (alpha, type(alpha)) == (3.0, float)
    assert {name: column.tolist() for name, column in table.items()} == {"alpha": [], "error": []}


@pytest.mark.parametrize("shape", [(5, 4), (4, 5), (4, 4)])
def test_the_last_proximal_step_by_the_singular_values(shape, rng):
    A, imputer = rng.normal(size=shape), SoftImputer()
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    imputer.alpha_ = (s[1] + s[2]) / 2
    imputer.observed_features_ = np.array([True, False, *[True] * (shape[1] - 1)])
    imputer.scaler_ = module.Imputer.__new__(module.SoftImputer)
    imputer.scaler_.scale, imputer.scaler_.center = np.full(shape[1], 2.0), np.full(shape[1], 5.0)
    imputer._factorise(A)
    kept = np.maximum(s - imputer.alpha_, 0)
    Z = (U * kept) @ Vt
    np.testing.assert_allclose(imputer.low_rank_[:, imputer.observed_features_], 2 * Z + 5, atol=1e-10)
    assert (imputer.low_rank_[:, 1] == 0).all()
    B = imputer.components_
    assert B.shape == (2, shape[1] + 1)
    assert not B[:, 1].any()
    np.testing.assert_allclose((B.T @ B)[np.ix_(*[imputer.observed_features_] * 2)], (Vt.T * kept) @ Vt, atol=1e-10)


@pytest.mark.parametrize("rank", [1, 3])
def test_a_folded_row_is_the_conditional_mean_of_a_normal_distribution(rank, rng):
    """Rows with every number of gaps, out of order; some share theirs."""
    components, hidden = rng.normal(size=(rank, 5)), (np.arange(32)[:, None] & [1, 2, 4, 8, 16]) > 0
    X = np.where(np.vstack([hidden, hidden[5:9]]), np.nan, rng.normal(size=(36, 5)))[rng.permutation(36)]
    cov = components.T @ components + 0.3 * np.eye(5)
    expected = [oracle.conditional(x, np.zeros(5), cov)[0] for x in X]
    np.testing.assert_allclose(complete_rows(X, components, 0.3), expected, atol=1e-12)
    assert complete_rows(X[:0], components, 0.3).shape == (0, 5)
