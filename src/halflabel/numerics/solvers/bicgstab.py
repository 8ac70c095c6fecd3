"""Stabilised bi-conjugate gradients on many right-hand sides at once, for operators that are not symmetric."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.numerics.solvers.pcg import column_dots
from halflabel.numerics.solvers.solution import Solution, Status


def bicgstab(
    apply: Callable[[Floats], Floats],
    B: Floats,
    diagonal: Floats,
    *,
    start: Floats | None = None,
    tol: float = 1e-5,
    max_iter: int = 300,
) -> Solution:
    r"""Solve :math:`A_j x_j = b_j` for every column j, preconditioned by the diagonals (van der Vorst 1992).

    Parameters and shapes are as in :func:`halflabel.numerics.solvers.pcg.pcg`. The :math:`A_j` need not be symmetric.

    Returns
    -------
    Solution
        ``objective`` is the largest relative residual of a column after each iteration, by the recurrence;
        ``residual`` is the same at the end, recomputed from the definition.
    """
    X = np.zeros_like(B) if start is None else start.copy()
    R = B - apply(X)
    shadow, P = R.copy(), R.copy()
    rho = column_dots(shadow, R)
    norms = np.linalg.norm(B, axis=0)
    scale = np.where(norms > 0, norms, 1.0)
    history = [_worst(R, scale)]
    for _ in range(max_iter):
        active = (np.linalg.norm(R, axis=0) > tol * scale) & (rho != 0)
        if not active.any():
            break
        AP = apply(P / diagonal)
        alpha = _ratio(rho, column_dots(shadow, AP), active)
        S = R - alpha * AP
        AS = apply(S / diagonal)
        omega = _ratio(column_dots(AS, S), column_dots(AS, AS), active)
        X += (alpha * P + omega * S) / diagonal
        R = np.where(active, S - omega * AS, R)
        rho_new = column_dots(shadow, R)
        beta = _ratio(rho_new * alpha, rho * omega, active)
        P = R + beta * (P - omega * AP)
        rho = rho_new
        history.append(_worst(R, scale))
    residual = _worst(B - apply(X), scale)
    status = Status.CONVERGED if residual <= 10 * tol else Status.MAX_ITER
    return Solution(X, tuple(history), residual, len(history) - 1, status)


def _ratio(numerator: Floats, denominator: Floats, active: Mask) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=active & (denominator != 0))


def _worst(R: Floats, scale: Floats) -> float:
    return float((np.linalg.norm(R, axis=0) / scale).max(initial=0.0))
