"""Inference of SSDR-MC: the printed equations as oracles, and the traps in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import half_labelled
from tests.oracles.propagation import equation_5, equation_7, equation_12

from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import _solve_directly, fixed_point, minimizer
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.solvers import Status

SOLVE = {"tol": 1e-12, "max_iter": 2000}
gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


@pytest.fixture
def graph(rng):
    def build(entries=False, ridge=1.0, n=60):
        X, Y, _ = half_labelled(rng, n=n, entries=entries)
        return reconstruction_weights(X, neighbors(X, 6)[0], ridge), np.nan_to_num(Y), ~np.isnan(Y), X

    return build


def clamp(observed):
    return np.where(observed, np.inf, 0.0)


def objective(W, F):
    return float(np.linalg.norm(F - W @ F) ** 2)


@gaps
def test_minimizer_is_the_optimum_of_eq_5(graph, entries):
    W, Y, observed, _ = graph(entries)
    solution = minimizer(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(solution.x, equation_5(W.toarray(), Y, observed), atol=1e-7)
    A = np.eye(60) - W.toarray()
    np.testing.assert_allclose((A.T @ A @ solution.x)[~observed], 0, atol=1e-8)


@gaps
@pytest.mark.parametrize("ridge", [1.0, 1e-3])
def test_fixed_point_is_eq_7(graph, entries, ridge):
    W, Y, observed, _ = graph(entries, ridge)
    solution = fixed_point(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(solution.x, equation_7(W.toarray(), Y, observed), atol=1e-7)
    assert solution.status is Status.CONVERGED


@gaps
def test_the_large_route_of_eq_7_agrees_with_the_direct_one(graph, entries, monkeypatch):
    W, Y, observed, _ = graph(entries, 1e-3)
    direct = fixed_point(W, Y, clamp(observed), **SOLVE)
    monkeypatch.setattr("halflabel.numerics.graph.propagation.MAX_DIRECT", 0)
    krylov = fixed_point(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(krylov.x, direct.x, atol=1e-6)
    assert krylov.n_iter > 0


def test_eq_7_is_not_the_optimum_of_eq_5(graph):
    W, Y, observed, _ = graph(ridge=1e-3)
    printed, true = (solve(W, Y, clamp(observed), **SOLVE).x for solve in (fixed_point, minimizer))
    assert objective(W, printed) > 1.5 * objective(W, true)


def test_eq_7_leaves_no_residual_and_never_reads_labelled_rows(graph, rng):
    W, Y, observed, _ = graph()
    F = fixed_point(W, Y, clamp(observed), **SOLVE).x
    np.testing.assert_allclose((F - W @ F)[~observed], 0, atol=1e-12)
    other = W.toarray()
    other[observed[:, 0]] = rng.normal(size=(observed[:, 0].sum(), 60))
    np.testing.assert_array_equal(fixed_point(sparse.csr_array(other), Y, clamp(observed), **SOLVE).x, F)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_iteration_2_equals_iteration_1_without_rounding(rng, alpha):
    """Under eq. (7), ridge 0 and k < m, W from the features also rebuilds the labels: alpha does nothing."""
    X = rng.normal(size=(50, 12))
    Y = (rng.random((50, 3)) < 0.5).astype(float)
    observed = np.repeat(rng.random((50, 1)) < 0.5, 3, axis=1)
    indices, _ = neighbors(X, 5)
    F1 = fixed_point(reconstruction_weights(X, indices, 0.0), Y, clamp(observed), **SOLVE).x
    W2 = reconstruction_weights(X, indices, 0.0, scores=F1, alpha=alpha)
    F2 = fixed_point(W2, Y, clamp(observed), **SOLVE).x
    np.testing.assert_allclose(F2, F1, atol=1e-9 * np.abs(F1).max())


class TestFittingTerm:
    def test_masked_its_limit_is_eq_5(self, graph):
        W, Y, observed, _ = graph()
        strong = minimizer(W, Y, np.where(observed, 1e7, 0.0), tol=1e-13, max_iter=5000).x
        np.testing.assert_allclose(strong, equation_5(W.toarray(), Y, observed), atol=1e-4)

    def test_masked_its_limit_is_eq_7(self, graph):
        W, Y, observed, _ = graph()
        strong = fixed_point(W, Y, np.where(observed, 1e9, 0.0), **SOLVE).x
        np.testing.assert_allclose(strong, equation_7(W.toarray(), Y, observed), atol=1e-6)

    def test_weak_its_limit_is_a_constant(self, rng):
        X = rng.normal(size=(60, 3))  # one component
        W, Y = reconstruction_weights(X, neighbors(X, 6)[0]), (rng.random((60, 2)) < 0.5).astype(float)
        observed = np.repeat(rng.random((60, 1)) < 0.5, 2, axis=1)
        weak = fixed_point(W, Y, np.where(observed, 1e-7, 0.0), **SOLVE).x
        assert np.ptp(weak, axis=0).max() < 1e-3

    def test_as_printed_it_pulls_unlabelled_items_to_0_and_its_limit_is_the_filled_table(self, graph):
        W, Y, observed, _ = graph()
        filled = np.where(observed, Y, np.nan)
        printed = equation_12(W.toarray(), filled, beta=1.0)
        masked = fixed_point(W, Y, np.where(observed, 1.0, 0.0), **SOLVE).x
        assert printed[~observed].mean() < 0.4 * masked[~observed].mean()
        np.testing.assert_allclose(equation_12(W.toarray(), filled, beta=1e9), np.nan_to_num(filled), atol=1e-6)


class TestWeights:
    def test_dropped_negatives_make_it_contract(self, rng):
        X, Y, _ = half_labelled(rng, n=200)
        W = reconstruction_weights(X, neighbors(X, 6)[0], 1e-3, drop_negative=True)
        assert W.data.min() >= 0
        np.testing.assert_allclose(W.sum(axis=1), 1)
        u = np.isnan(Y[:, 0])
        assert np.abs(np.linalg.eigvals(W.toarray()[np.ix_(u, u)])).max() < 1


def test_the_preconditioner_is_the_diagonal_of_the_system(rng):
    """Where (I - W)'(I - W) is diagonal, one step of conjugate gradients solves the system."""
    rotation, _ = np.linalg.qr(rng.normal(size=(12, 12)))
    A = rotation * np.linspace(1, 10, 12)  # orthogonal columns of different length; rows are neither
    target, pull = rng.normal(size=(12, 3)), rng.uniform(0.1, 2, (12, 3))
    W = sparse.csr_array(np.eye(12) - A)
    assert minimizer(W, target, pull, start=np.zeros((12, 3)), tol=1e-10, max_iter=50).n_iter == 1


@pytest.mark.parametrize("max_direct", [11, 12])
def test_a_fixed_point_with_a_diagonal_of_its_own(max_direct, rng, monkeypatch):
    """Labels differ in what is clamped and pulled; one is 0 everywhere, and its residual is 0, not 0/0."""
    monkeypatch.setattr("halflabel.numerics.graph.propagation.MAX_DIRECT", max_direct)
    W = 0.1 * rng.random((12, 12)) * ~np.eye(12, dtype=bool)
    target = rng.normal(size=(12, 4)) * [1, 1, 1, 0]
    weight = rng.uniform(0.1, 2, (12, 4))
    weight[:4, 1], weight[6:, 2], weight[:6, 3] = np.inf, 0.0, np.inf
    solution = fixed_point(sparse.csr_array(W), target, weight, **SOLVE)
    for f, t, d in zip(solution.x.T, target.T, weight.T, strict=True):
        clamped = np.isinf(d)
        np.testing.assert_allclose(f[clamped], t[clamped])
        residual = f - W @ f + np.where(clamped, 0, d) * (f - t)
        np.testing.assert_allclose(residual[~clamped], 0, atol=1e-10)
    assert solution.status is Status.CONVERGED
    assert solution.residual < 1e-11
    assert (solution.n_iter == 0) == (max_direct == 12)


def test_the_residual_of_a_direct_solve_is_that_of_the_worst_label_relative_to_its_right_hand_side():
    """The operator is not the factorised matrix, as if the factorisation were wrong; 0 is compared with 1."""
    rhs, weight = np.array([[3.0, 0.2, 0.0], [4.0, 0.0, 0.0]]), np.zeros((2, 3))
    for shift, residual in ((0.1, 0.2), (0.3, 0.3)):
        wrong = lambda F, shift=shift: F * [0.9, 0.8, 1] + [[0, 0, shift], [0, 0, 0]]  # noqa: E731
        solution = _solve_directly(sparse.eye_array(2).tocsr(), rhs, weight, wrong, rhs, 1e-3)
        assert solution.residual == pytest.approx(residual)
    assert solution.status is Status.MAX_ITER
