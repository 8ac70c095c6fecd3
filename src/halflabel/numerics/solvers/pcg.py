"""Preconditioned conjugate gradients on many right-hand sides at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.solvers.solution import Solution, Status


def pcg(
    apply: Callable[[Floats], Floats],
    B: Floats,
    diagonal: Floats,
    *,
    start: Floats | None = None,
    tol: float = 1e-5,
    max_iter: int = 300,
) -> Solution:
    r"""Solve :math:`A_j x_j = b_j` for every column j, each :math:`A_j` symmetric positive definite.

    The columns take their steps independently but share every product, so that a sparse operator is read once per
    iteration. A column that has converged does not change any more.

    Parameters
    ----------
    apply : callable
        Maps X of shape (n, c) to the columns :math:`A_j x_j`.
    B : ndarray of shape (n, c)
    diagonal : ndarray of shape (n, c)
        Diagonals of the :math:`A_j`, the Jacobi preconditioner.
    start : ndarray of shape (n, c), optional
    tol : float
        A column has converged when :math:`\|b_j - A_j x_j\| \le \mathrm{tol}\,\|b_j\|`.

    Returns
    -------
    Solution
        ``objective`` is :math:`\sum_j \tfrac12 x_j^T A_j x_j - b_j^T x_j`; ``residual`` is the largest
        relative residual of a column, recomputed from the definition at the end.
    """
    X = np.zeros_like(B) if start is None else start.copy()
    R = B - apply(X) if start is not None else B.copy()
    Z = R / diagonal
    P = Z.copy()
    rz = column_dots(R, Z)
    limit = tol * np.linalg.norm(B, axis=0)
    objective = [_objective(X, B, R)]
    for _ in range(max_iter):
        active = np.sqrt(column_dots(R, R)) > limit
        if not active.any():
            break
        # In place where possible: with a million items the passes over memory take most of the time.
        AP = apply(P)
        step = np.divide(rz, column_dots(P, AP), out=np.zeros_like(rz), where=active)
        X += step * P
        AP *= step
        R -= AP
        np.divide(R, diagonal, out=Z)
        rz_new = column_dots(R, Z)
        P *= np.divide(rz_new, rz, out=np.zeros_like(rz), where=active)
        P += Z
        rz = rz_new
        objective.append(_objective(X, B, R))
    true = np.linalg.norm(B - apply(X), axis=0)
    scale = np.where(limit > 0, limit / tol, 1.0)
    residual = float((true / scale).max(initial=0.0))
    # The true residual differs from the recurrence by rounding. Ten times the tolerance is more than rounding.
    status = Status.CONVERGED if residual <= 10 * tol else Status.MAX_ITER
    return Solution(X, tuple(objective), residual, len(objective) - 1, status)


def column_dots(A: Floats, B: Floats) -> Floats:
    """Return the inner product of every column of A with the same column of B, without a temporary of their size."""
    return np.asarray(np.einsum("ij,ij->j", A, B))


def _objective(X: Floats, B: Floats, R: Floats) -> float:
    return float(-0.5 * (np.einsum("ij,ij", X, B) + np.einsum("ij,ij", X, R)))
