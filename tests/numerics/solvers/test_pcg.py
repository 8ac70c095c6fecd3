"""Conjugate gradients: dense solves as oracle, certificate, status."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg

from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.pcg import pcg


@pytest.fixture
def system(rng):
    A = rng.normal(size=(30, 30))
    A = A @ A.T
    D = rng.uniform(0.5, 2, size=(30, 4))
    B = rng.normal(size=(30, 4))
    B[:, 3] = 0
    exact = np.column_stack([np.linalg.solve(A + np.diag(d), b) for d, b in zip(D.T, B.T, strict=True)])
    return (lambda X: A @ X + D * X), B, np.diag(A)[:, None] + D, exact


def test_every_column_has_its_own_operator(system):
    apply, B, diagonal, exact = system
    solution = pcg(apply, B, diagonal, tol=1e-12)
    np.testing.assert_allclose(solution.x, exact, atol=1e-9)
    assert solution.status is Status.CONVERGED


def test_the_residual_is_the_true_one(system):
    apply, B, diagonal, _ = system
    solution = pcg(apply, B, diagonal, tol=1e-3)
    true = np.linalg.norm(B - apply(solution.x), axis=0)[:3] / np.linalg.norm(B[:, :3], axis=0)
    assert solution.residual == pytest.approx(true.max(), rel=1e-9)
    assert solution.residual <= 1e-3


def test_the_objective_falls_and_is_the_quadratic(system):
    apply, B, diagonal, _ = system
    solution = pcg(apply, B, diagonal, tol=1e-10)
    assert (np.diff(solution.objective) <= 1e-12).all()
    assert solution.objective[-1] == pytest.approx(
        0.5 * np.sum(solution.x * apply(solution.x)) - np.sum(solution.x * B)
    )


def test_a_warm_start_at_the_solution_takes_no_step(system):
    apply, B, diagonal, exact = system
    assert pcg(apply, B, diagonal, start=exact, tol=1e-8).n_iter == 0


def test_the_iteration_limit_is_reported(system):
    apply, B, diagonal, _ = system
    solution = pcg(apply, B, diagonal, tol=1e-12, max_iter=3)
    assert solution.status is Status.MAX_ITER
    assert solution.n_iter == 3
    assert solution.residual > 1e-12


def test_each_step_is_scipys(system, rng):
    apply, B, diagonal, _ = system
    start = rng.normal(size=B.shape)
    for steps in (1, 3):
        found = pcg(apply, B, diagonal, start=start, tol=1e-200, max_iter=steps)
        for j in range(4):
            own = LinearOperator((30, 30), lambda x, j=j: apply(np.repeat(x.reshape(-1, 1), 4, axis=1))[:, j])
            by_diagonal = LinearOperator((30, 30), lambda r, j=j: r.ravel() / diagonal[:, j])
            expected, _ = cg(own, B[:, j], start[:, j], rtol=0, maxiter=steps, M=by_diagonal)
            if B[:, j].any():  # SciPy returns 0 for b = 0 whatever the start
                np.testing.assert_allclose(found.x[:, j], expected, rtol=1e-8, atol=1e-12)
        assert (found.n_iter, len(found.objective), found.status) == (steps, steps + 1, Status.MAX_ITER)
