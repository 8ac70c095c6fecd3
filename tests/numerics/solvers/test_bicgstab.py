"""Stabilised bi-conjugate gradients: step by step as SciPy takes them, certificate, status."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator
from scipy.sparse.linalg import bicgstab as scipy_bicgstab

from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.bicgstab import bicgstab


@pytest.fixture
def system(rng):
    A = 4 * np.eye(12) + rng.normal(size=(12, 12))
    D = rng.uniform(0.5, 3, size=(12, 3))
    return A, D, rng.normal(size=(12, 3)), np.diag(A)[:, None] + D


def apply(A, D):
    return lambda X: A @ X + D * X


@pytest.mark.parametrize("warm", [False, True])
def test_each_step_is_scipys(system, warm, rng):
    A, D, B, diagonal = system
    start = rng.normal(size=B.shape) if warm else None
    for steps in (1, 2, 5):
        found = bicgstab(apply(A, D), B, diagonal, start=start, tol=0, max_iter=steps)
        for j in range(3):
            by_diagonal = LinearOperator(A.shape, lambda r, j=j: r / diagonal[:, j])
            first = None if start is None else start[:, j]
            expected, _ = scipy_bicgstab(A + np.diag(D[:, j]), B[:, j], first, rtol=0, maxiter=steps, M=by_diagonal)
            np.testing.assert_allclose(found.x[:, j], expected, rtol=1e-7)
        true = np.linalg.norm(B - apply(A, D)(found.x), axis=0) / np.linalg.norm(B, axis=0)
        assert found.residual == pytest.approx(true.max())
        assert found.objective[-1] == pytest.approx(true.max(), rel=1e-6)
        assert (found.n_iter, len(found.objective)) == (steps, steps + 1)
        assert found.status is Status.MAX_ITER


def test_columns_end_by_themselves(system):
    A, D, B, diagonal = system
    B = B.copy()
    B[:, 1] = 0
    found = bicgstab(apply(A, D), B, diagonal, tol=1e-10)
    expected = [np.linalg.solve(A + np.diag(d), b) for d, b in zip(D.T, B.T, strict=True)]
    np.testing.assert_allclose(found.x.T, expected, atol=1e-8)
    assert found.status is Status.CONVERGED
    assert found.objective[-1] <= 1e-10 < found.objective[-2]
    assert bicgstab(apply(A, D), B, diagonal, start=found.x, tol=1e-6).n_iter == 0


def test_the_residual_of_a_column_of_zeros_is_absolute(system):
    A, D, _, diagonal = system
    start = np.ones((12, 3))
    found = bicgstab(apply(A, D), np.zeros((12, 3)), diagonal, start=start, max_iter=0)
    assert found.residual == found.objective[0] == pytest.approx(np.linalg.norm(apply(A, D)(start), axis=0).max())
    assert (found.n_iter, found.status) == (0, Status.MAX_ITER)


@pytest.mark.parametrize(("size", "status"), [(0.9, Status.CONVERGED), (1.1, Status.MAX_ITER)])
def test_ten_times_the_tolerance_is_converged(size, status):
    """The recurrence loses digits against the definition: the residual at the end may be larger than the tolerance."""
    B = np.ones((4, 1))
    found = bicgstab(lambda X: X, B, np.ones((4, 1)), start=B * (1 - 1e-3 * size), tol=1e-4, max_iter=0)
    assert found.residual == pytest.approx(1e-3 * size)
    assert found.status is status
