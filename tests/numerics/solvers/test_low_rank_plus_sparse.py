"""Eq. (11) in Z alone: dense matrices, non-negative least squares, a plain ADMM loop, weak and strong duality."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg, optimize

from halflabel.numerics.solvers.low_rank_plus_sparse import (
    RecoveryProblem,
    _Copies,
    recover,
    recover_by_davis_yin,
)
from halflabel.numerics.solvers.row_kernel import Group, RowKernel, row_basis
from halflabel.numerics.solvers.solution import Status


def problem_of(rng, *, trace=0.3, slope=0.05, rows=6, labels=3, r=4):
    """Return a problem whose labels share one kernel, and its dense form K."""
    W, shrink = rng.normal(size=(rows, r)), rng.uniform(0.2, 1, r)
    kernel = RowKernel([Group(np.arange(labels), np.full(labels, 3.0), row_basis(W, shrink))], None, rows)
    Y = np.where(rng.random((rows, labels)) < 0.4, 1.0, -1.0)
    return RecoveryProblem(kernel, Y, Y < 0, trace, slope), 3.0 * (W * shrink) @ W.T


def feasible(problem, rng):
    return problem.Y + problem.free * rng.exponential(size=problem.Y.shape)


# -- the terms ---------------------------------------------------------------------


@pytest.mark.parametrize("trace", [0.0, 0.3])
def test_the_objective_is_that_of_dense_matrices(trace, rng):
    problem, K = problem_of(rng, trace=trace)
    Z = feasible(problem, rng)
    M = linalg.inv(K + 6 * np.eye(6))
    smooth = np.trace(Z.T @ M @ Z) + 0.05 * (Z - problem.Y).sum()
    assert problem.value(Z) == pytest.approx(smooth + trace * linalg.svdvals(Z).sum())
    out = np.full_like(Z, np.nan)
    value, gradient = problem.value_and_grad(Z, out)
    assert gradient is out
    assert value == pytest.approx(smooth)
    np.testing.assert_allclose(gradient, 2 * M @ Z + 0.05, atol=1e-14)
    np.testing.assert_array_equal(problem.value_and_grad(Z)[1], gradient)


def test_the_lipschitz_constant_is_the_largest_curvature(rng):
    problem, K = problem_of(rng)  # K has less than full rank
    assert problem.lipschitz == pytest.approx(linalg.eigvalsh(2 * linalg.inv(K + 6 * np.eye(6)))[-1])
    (block, whole), *others = problem.split(2)
    assert (block, whole, others) == (slice(0, 6), problem, [])


def test_a_multiplier_is_clipped_to_the_trace_weight(rng):
    U, V = (linalg.qr(rng.normal(size=(n, 3)), mode="economic")[0] for n in (6, 3))
    problem, _ = problem_of(rng, trace=0.7)
    np.testing.assert_allclose(problem.clip((U * [2.0, 0.8, 0.1]) @ V.T), (U * [0.7, 0.7, 0.1]) @ V.T, atol=1e-14)
    assert not problem_of(rng, trace=0.0)[0].clip(V).any()


def test_the_projection_raises_free_entries_to_their_bounds_and_fixes_the_others():
    Y, free = np.array([[-1.0, -1, 1]]), np.array([[True, True, False]])
    problem = RecoveryProblem(SimpleNamespace(n_rows=1), Y, free, 0.0, 0.0)
    np.testing.assert_array_equal(problem.project(np.array([[-3.0, 0.5, 7]])), [[-1, 0.5, 1]])


@pytest.mark.parametrize("trace", [0.0, 0.3])
def test_the_bound_is_the_dual_value_of_a_feasible_pair(trace, rng):
    problem, K = problem_of(rng, trace=trace)
    Z, R = feasible(problem, rng), rng.normal(size=(6, 3))
    A = K + 6 * np.eye(6)
    U, s, Vt = linalg.svd(R, full_matrices=False)
    R_clipped = (U * np.minimum(s, trace)) @ Vt
    P = 2 * linalg.solve(A, Z)  # the gradient of the quadratic, raised where the sum is negative on free entries
    P = np.where(problem.free, np.maximum(P, -R_clipped - 0.05), P)
    expected = -np.vdot(P, A @ P) / 4 + np.vdot(P + R_clipped, problem.Y)
    assert problem.bound(Z, R) == pytest.approx(expected)
    assert all(problem.bound(Z, R) <= problem.value(feasible(problem, rng)) for _ in range(20))


# -- the minimum -------------------------------------------------------------------


def test_without_a_trace_norm_each_label_is_non_negative_least_squares(rng):
    """For Z = Y + E, M = LL^T and E >= 0: the objective is |L^T E + L^-1 (M Y + slope / 2)|^2 and a constant."""
    problem, K = problem_of(rng, trace=0.0, slope=0.02)
    recovery = recover(problem, tol=1e-12, max_iter=3000)
    M = linalg.inv(K + 6 * np.eye(6))
    L = linalg.cholesky(M, lower=True)
    expected = problem.Y.copy()
    for j, free in enumerate(problem.free.T):
        target = -linalg.solve(L, M @ problem.Y[:, j] + 0.01)
        expected[free, j] += optimize.nnls(L.T[:, free], target)[0]
    assert (expected > problem.Y).any()
    np.testing.assert_allclose(recovery.solution.x, expected, atol=1e-5)
    assert recovery.solution.status is Status.CONVERGED
    assert not recovery.dual.any()


def test_the_minimum_meets_its_optimality_conditions(rng):
    problem, K = problem_of(rng)
    recovery = recover(problem, tol=1e-9, max_iter=20000)
    Z, R = recovery.solution.x, recovery.dual
    assert recovery.solution.residual <= 1e-9
    assert recovery.solution.status is Status.CONVERGED
    np.testing.assert_array_equal(Z, problem.project(Z))
    assert np.vdot(R, Z) == pytest.approx(0.3 * linalg.svdvals(Z).sum(), rel=1e-5)  # a subgradient of the norm
    assert linalg.svdvals(R)[0] <= 0.3 * (1 + 1e-12)
    gradient = 2 * linalg.solve(K + 6 * np.eye(6), Z) + R + 0.05
    assert gradient[problem.free].min() > -1e-4
    assert np.abs(gradient[problem.free & (Z > problem.Y)]).max() < 1e-4
    assert problem.bound(Z, R) == pytest.approx(problem.value(Z), rel=1e-6)
    other = recover_by_davis_yin(problem, tol=1e-9, max_iter=20000)
    np.testing.assert_allclose(other.x, Z, atol=1e-4)
    assert other.residual <= 1e-9


def test_a_problem_without_an_objective_is_solved_at_once():
    kernel = RowKernel([Group(np.arange(1), np.ones(1), row_basis(np.eye(2), np.ones(2)))], None, 2)
    problem = RecoveryProblem(kernel, np.zeros((2, 1)), np.ones((2, 1), dtype=bool), 0.0, 0.1)
    solution = recover(problem, tol=0.0).solution
    assert not solution.x.any()
    assert (solution.objective, solution.residual, solution.n_iter) == ((0.0, 0.0), 0.0, 5)


# -- iterations --------------------------------------------------------------------


def iterate_plainly(problem, K, n_iter):
    """Over-relaxed ADMM with two copies (Boyd et al. 2011, 3.4.3), and the balance of residuals every 20 steps."""
    n = len(K)
    step, M = 0.3 / n, linalg.inv(K + n * np.eye(n))
    Z, C, T = problem.Y, problem.Y, problem.Y
    u, v = np.zeros_like(Z), np.zeros_like(Z)
    for k in range(1, n_iter + 1):
        Z = linalg.solve(2 * M + 2 * step * np.eye(n), step * (C - u + T - v))
        box, low = 1.6 * Z - 0.6 * C + u, 1.6 * Z - 0.6 * T + v
        old, C = (C, T), np.where(problem.free, np.maximum(box - problem.slope / step, problem.Y), problem.Y)
        U, s, Vt = linalg.svd(low, full_matrices=False)
        T = (U * np.maximum(s - problem.trace / step, 0)) @ Vt
        u, v = box - C, low - T
        if k % 20 == 0:
            norm = lambda a, b: np.hypot(linalg.norm(a), linalg.norm(b))  # noqa: E731
            ratio = norm(Z - C, Z - T) / norm(C, T) * norm(u, v) / norm(C - old[0], T - old[1])
            if not 1 / 5 < ratio < 5:
                factor = np.clip(np.sqrt(ratio), 0.1, 10)
                step, u, v = step * factor, u / factor, v / factor
    return C, step * v, step


@pytest.mark.parametrize("n_iter", [3, 19, 40, 43])
def test_the_iterations_are_those_of_a_plain_loop(n_iter, rng):
    problem, K = problem_of(rng, trace=0.02, slope=1e-3)
    recovery = recover(problem, tol=0.0, max_iter=n_iter, rescue=False)
    C, dual, step = iterate_plainly(problem, K, n_iter)
    assert n_iter < 20 or step != 0.3 / 6  # the balance is part of this test
    np.testing.assert_allclose(recovery.solution.x, C, atol=1e-10)
    np.testing.assert_allclose(recovery.dual, problem.clip(dual), atol=1e-10)
    solution = recovery.solution
    assert (solution.status, solution.n_iter) == (Status.MAX_ITER, n_iter)
    assert len(solution.objective) == 1 + -(-n_iter // 5)  # the start, every fifth step and the last one
    assert solution.objective[0] == problem.value(problem.Y)
    assert solution.objective[-1] == problem.value(solution.x)
    assert solution.residual > 0


@pytest.mark.parametrize(
    ("ratio", "factor"),
    [(4.9, 1), (5.1, 5.1**0.5), (1 / 4.9, 1), (1 / 5.1, 5.1**-0.5), (99, 99**0.5), (200, 10), (0.005, 0.1)],
)
def test_the_step_follows_the_ratio_of_the_residuals(ratio, factor, rng):
    """By hand: the copy has norm 2 and moved by 0.5, its dual has norm 4; Z is at the distance ``ratio / 4``."""
    problem, _ = problem_of(rng, trace=0.0)
    state = _Copies(problem)
    unit = np.zeros((6, 3))
    unit[1, 2] = 1.0
    state.copies, state.before, state.duals, state.Z = [2 * unit], [1.5 * unit], [4 * unit], (2 + ratio / 4) * unit
    state.balance()
    assert state.step == pytest.approx(factor * 0.3 / 6)
    np.testing.assert_allclose(state.duals[0], 4 * unit / factor)


def test_an_unfinished_problem_is_continued_by_the_other_solver(rng):
    problem, _ = problem_of(rng)
    unfinished = recover(problem, tol=1e-12, max_iter=2, rescue=False).solution
    assert unfinished.status is Status.MAX_ITER
    continued = recover(problem, tol=1e-12, max_iter=2).solution
    assert continued.residual < unfinished.residual
    assert continued.n_iter == 20  # ten times the limit
    start = recover_by_davis_yin(problem, start=unfinished.x, tol=1e-12, max_iter=20)
    np.testing.assert_array_equal(continued.x, start.x)
    without = recover(problem_of(rng, trace=0.0)[0], tol=0.0, max_iter=2).solution
    assert (without.n_iter, without.status) == (2, Status.MAX_ITER)


def test_a_finished_problem_is_not_continued(rng):
    problem, _ = problem_of(rng)
    assert recover(problem, tol=1e-3).solution.n_iter == recover(problem, tol=1e-3, rescue=False).solution.n_iter


def test_three_operator_splitting_needs_a_trace_norm(rng):
    problem, _ = problem_of(rng, trace=0.0)
    with pytest.raises(ValueError, match=r"needs a positive trace weight: use recover\."):
        recover_by_davis_yin(problem)
    assert recover(problem).solution.status is Status.CONVERGED
