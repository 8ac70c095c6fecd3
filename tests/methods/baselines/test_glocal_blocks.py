"""The blocks of GLOCAL: its objective entry by entry, dense least squares for each block, and two convex problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.oracles.glocal import least, least_correlation, residuals, shrink_values

from halflabel.methods.baselines.glocal_blocks import Factors, Items, Problem, minimise_alternately, scale_rows

WEIGHTS = (0.7, 0.4, 0.6, 0.9)


@pytest.fixture(params=["more items", "more features", "sparse", "sparse, more features", "few gaps"])
def case(request, rng):
    """Ten centred items, one of them unlabelled, a problem with gaps, and any factors of rank 2."""
    X = rng.normal(size=(10, 14 if "more features" in request.param else 3))
    Y = rng.choice([-1.0, 0.0, 1.0], size=(10, 4))
    if request.param == "few gaps":
        Y[:] = np.where(Y == 0, 1.0, Y)
    Y[0] = 0
    mean = X.mean(axis=0)
    rows = (sparse.csr_array(X), mean) if "sparse" in request.param else (X - mean, 0 * mean)
    items = Items.of(*rows, 3, 0)
    problem = Problem(items, Y, *WEIGHTS)
    assert (problem.kinds.grams is None) == (request.param != "few gaps")
    Z = scale_rows(rng.normal(size=(3, 4, 2)), np.ones(2))
    U, V, W = rng.normal(size=(4, 2)), rng.normal(size=(10, 2)), rng.normal(size=(items.B.shape[1], 2))
    at = Factors(U, rng.normal(size=4), V, W, items.B @ W, Z)
    return X - mean, problem, at, lambda W: items.to_features(W, *rows)


def of_features(case, at):
    """The residuals with W in the features."""
    X, problem, _, to_features = case
    W = to_features(at.W)
    return residuals(X, problem.state, problem.items.clusters, at.U, at.b, at.V, W, at.Z, WEIGHTS)


def test_the_objective_is_that_of_the_loops(case):
    _, problem, at, _ = case
    assert problem.objective(at) == pytest.approx((of_features(case, at) ** 2).sum(), rel=1e-10)


def test_items_and_coordinates_are_those_of_least_squares(case):
    """W too is the minimum in the features, not only along the axes."""
    X, problem, at, to_features = case

    def residuals_of(V, W):
        return residuals(X, problem.state, problem.items.clusters, at.U, at.b, V, W, at.Z, WEIGHTS)

    V, W = least(residuals_of, [at.V.shape, (X.shape[1], 2)])
    found = problem.fit_items(at)
    np.testing.assert_allclose(found.V, V, atol=1e-6)
    np.testing.assert_allclose(to_features(found.W), W, atol=1e-6)


def test_labels_are_those_of_least_squares(case):
    _, problem, at, _ = case
    U, b = least(lambda U, b: of_features(case, replace(at, U=U, b=b)), [at.U.shape, at.b.shape])
    found = problem.fit_labels(at)
    np.testing.assert_allclose(found.U, U, atol=1e-6)
    np.testing.assert_allclose(found.b, b, atol=1e-6)


def test_the_scale_is_the_best_one(case):
    _, problem, at, _ = case
    found = problem.balance(at)
    np.testing.assert_allclose(found.V @ found.U.T, at.V @ at.U.T)
    scales = [replace(found, U=found.U / t, V=found.V * t, W=found.W * t, T=found.T * t) for t in (0.99, 1.0, 1.01)]
    smaller, best, larger = (problem.objective(each) for each in scales)
    assert best < min(smaller, larger)
    assert best < problem.objective(at)


def test_correlations_reach_the_minimum_over_correlation_matrices(rng):
    """With as many columns as labels, Z Z^T is any correlation matrix."""
    X = rng.normal(size=(12, 3))
    problem = Problem(Items.of(X - X.mean(axis=0), np.zeros(3), 2, 0), np.ones((12, 3)), *WEIGHTS)
    U, W, Z = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), scale_rows(rng.normal(size=(2, 3, 3)), np.ones(3))
    at = Factors(U, np.zeros(3), rng.normal(size=(12, 3)), W, problem.items.B @ W, Z)
    for _ in range(100):
        at = problem.fit_correlations(at)
    for A, each in zip(U @ problem.moments(at.T) @ U.T, at.Z, strict=True):
        np.testing.assert_allclose((each**2).sum(axis=1), 1)
        assert np.trace(each.T @ A @ each) == pytest.approx(least_correlation(A), rel=1e-4, abs=1e-4 * np.trace(A))


def test_no_step_increases_the_objective(case):
    _, problem, at, _ = case
    value = problem.objective(at)
    for _ in range(4):
        for step in (problem.balance, problem.fit_correlations, problem.fit_labels, problem.fit_items):
            at, before = step(at), value
            value = problem.objective(at)
            assert value <= before * (1 + 1e-12), step.__name__
    _, solution = minimise_alternately(problem, 2, 1e-6, 300)
    assert (np.diff(solution.objective) <= 0).all()
    assert solution.residual <= 1e-6


def test_without_gaps_and_correlations_it_is_trace_norm_regression(rng):
    r"""With V = W^T X the penalty is 2 lambda_2 times a trace norm, in closed form for orthogonal features."""
    Q = np.linalg.qr(np.column_stack([np.ones(30), rng.normal(size=(30, 3))]))[0][:, 1:]
    s, ridge = 5.0, 0.8
    X, Y = s * Q, np.where(Q @ rng.normal(size=(3, 4)) + 0.1 * rng.normal(size=(30, 4)) > 0.05, 1.0, -1.0)
    problem = Problem(Items.of(X, np.zeros(3), 2, 0), Y, 1e6, ridge, 0.0, 0.0)
    at, _ = minimise_alternately(problem, 3, 1e-9, 2000)
    t = s / np.sqrt(1 + s**2)
    expected = t * Q @ shrink_values(Q.T @ (Y - Y.mean(axis=0)) / t, ridge / t**2)
    np.testing.assert_allclose(problem.items.B @ at.W @ at.U.T, expected, atol=1e-3)
    np.testing.assert_allclose(at.b, Y.mean(axis=0), atol=1e-4)
