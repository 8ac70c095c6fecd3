"""The blocks of GLOCAL: its objective entry by entry, dense least squares for each block, and two convex problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.oracles.glocal import least, least_correlation, residuals, shrink_values
from scipy import sparse

from halflabel.numerics.solvers import Status
from halflabel_papers.comparators.glocal_blocks import (
    Factors,
    Items,
    Kinds,
    Problem,
    find_principal_coordinates,
    minimise_alternately,
    scale_rows,
)

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


# -- parts by hand ---------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5)])
def test_principal_coordinates_are_those_of_the_singular_value_decomposition(form, shape, rng):
    X = rng.normal(size=shape) + 3
    mean = X.mean(axis=0)
    B, squares = find_principal_coordinates(form(X), mean)
    _, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
    s, Vt = s[s > 1e-8][::-1], Vt[s > 1e-8][::-1]
    np.testing.assert_allclose(squares, s**2)
    np.testing.assert_allclose(np.abs(B), np.abs((X - mean) @ Vt.T), atol=1e-9)


def test_items_that_are_all_equal_have_one_axis_and_one_cluster():
    items = Items.of(np.ones((4, 3)), np.ones(3), 2, 0)
    assert items.B.shape == (4, 1)
    assert not items.B.any()
    assert (items.squares > 0).all()
    assert items.clusters.tolist() == [0] * 4
    assert items.shares.tolist() == [1.0]


def test_there_are_no_more_clusters_than_distinct_items():
    X = np.array([[0.0, 0], [0, 0], [5, 0], [5, 0], [0, 9], [0, 9]])
    items = Items.of(X, X.mean(axis=0), 5, 0)
    assert [sorted(rows.tolist()) for rows in sorted(items.members, key=min)] == [[0, 1], [2, 3], [4, 5]]
    assert items.shares.tolist() == [1 / 3] * 3
    two = Items.of(X, X.mean(axis=0), 2, 0)
    assert sorted(map(len, two.members)) == [2, 4]
    assert sorted(two.shares) == [1 / 3, 2 / 3]
    assert len(Items.of(X, X.mean(axis=0), 1, 0).members) == 1


def test_items_of_a_kind_have_the_same_cluster_and_the_same_observed_labels(rng):
    items = Items(rng.normal(size=(6, 2)), np.ones(2), np.array([0, 1, 0, 1, 1, 0]))
    kinds = Kinds.of(items, np.array([2, 0, 2, 0, 1, 0]))
    pairs = list(zip(kinds.pattern[kinds.kind], kinds.cluster[kinds.kind], strict=True))
    assert pairs == [(2, 0), (0, 1), (2, 0), (0, 1), (1, 1), (0, 0)]
    assert kinds.shares[kinds.kind].tolist() == [2 / 6, 2 / 6, 2 / 6, 2 / 6, 1 / 6, 1 / 6]


@pytest.mark.parametrize(("n", "has_grams"), [(3, True), (2, False)])
def test_gram_matrices_are_kept_where_they_are_cheaper(n, has_grams, rng):
    """Two kinds on three axes: six rows, at most twice the number of items."""
    B, kind = rng.normal(size=(n, 3)), np.arange(n) % 2
    kinds = Kinds(B, kind, np.array([0, 1]), np.array([0, 0]))
    assert (kinds.grams is not None) == has_grams
    W, weights = rng.normal(size=(3, 2)), rng.normal(size=(2, 2, 2))
    expected = sum(np.outer(b, b) @ W @ weights[k] for b, k in zip(B, kind, strict=True))
    np.testing.assert_allclose(kinds.weighted_gram(W, weights), expected)


def test_the_start_has_the_rates_and_the_singular_directions_of_the_labels(rng):
    X = rng.normal(size=(10, 3))
    state = rng.choice([-1.0, 0.0, 1.0], size=(10, 4))
    state[:, 3] = 0  # never observed
    problem = Problem(Items.of(X, X.mean(axis=0), 2, 0), state, *WEIGHTS)
    at = problem.start(2)
    b = [np.mean(column[column != 0]) if column.any() else 0.0 for column in state.T]
    np.testing.assert_allclose(at.b, b)
    gaps = np.where(state != 0, state - b, 0.0)
    _, _, Vt = np.linalg.svd((X - X.mean(axis=0)).T @ gaps, full_matrices=False)
    np.testing.assert_allclose(np.abs(at.U), np.abs(Vt[:2].T), atol=1e-9)
    np.testing.assert_allclose(at.Z, np.repeat(scale_rows(at.U, np.ones((4, 2)))[None], 2, axis=0))
    better = problem.fit_items(replace(at, V=0 * at.V, W=0 * at.W, T=0 * at.T))
    np.testing.assert_allclose(at.V, better.V)  # V and W are already the best ones for U
    assert problem.start(9).U.shape == (4, 3)  # no more directions than axes


def test_a_row_of_zeros_is_replaced(rng):
    A = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    np.testing.assert_allclose(scale_rows(A, np.full((3, 2), 2.0)), [[0.6, 0.8], [0.5**0.5] * 2, [0, -1]])


@pytest.mark.parametrize("name", ["U", "V"])
def test_without_labels_or_items_there_is_no_scale(case, name):
    _, problem, at, _ = case
    parts = {"U": ["U"], "V": ["V", "W", "T"]}[name]
    at = replace(at, **{part: 0 * getattr(at, part) for part in parts})
    assert problem.balance(at) is at


@pytest.mark.parametrize(
    ("values", "max_iter", "n_iter", "residual", "status"),
    [
        ([8.0, 4.0, 3.0, 2.7, 1.0], 9, 3, 0.1, Status.CONVERGED),
        ([8.0, 4.0, 3.0, 2.7, 1.0], 2, 2, 0.25, Status.MAX_ITER),
        ([8.0, 4.0, 3.0, 2.7, 1.0], 3, 3, 0.1, Status.CONVERGED),
        ([0.0, 0.0], 1, 1, 1.0, Status.MAX_ITER),  # no share of 0
    ],
)
def test_alternations_end_where_the_objective_hardly_falls(
    case, values, max_iter, n_iter, residual, status, monkeypatch
):
    _, problem, at, _ = case
    given = iter(values)
    for step in ("fit_items", "fit_labels", "fit_correlations", "balance"):
        monkeypatch.setattr(Problem, step, lambda self, at: at)
    monkeypatch.setattr(Problem, "start", lambda self, rank: at)
    monkeypatch.setattr(Problem, "objective", lambda self, at: next(given))
    _, solution = minimise_alternately(problem, 2, 0.1 + 1e-9, max_iter)
    assert (solution.n_iter, solution.status) == (n_iter, status)
    assert solution.residual == pytest.approx(residual)
    assert solution.objective == tuple(values[: n_iter + 1])
    np.testing.assert_array_equal(solution.x, at.W @ at.U.T)
