"""Fixed point continuation as published: Algorithms 1 and 2 of Goldberg et al. (2010), for comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats
from halflabel.numerics.losses import Smooth
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers.proximal_gradient import certify
from halflabel.numerics.solvers.solution import Solution, Status


def fpc(
    smooth: Callable[[Floats], Smooth],
    penalty: NuclearNorm,
    start: Floats,
    bias: Floats,
    *,
    step: float,
    bias_step: float,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> tuple[Solution, Floats]:
    r"""Alternate gradient and shrinkage steps at one :math:`\mu`: the inner loop of Algorithm 1.

    Algorithm 2 is the same iteration. Its last line sets the row of ones after every shrinkage. A gradient step of
    length :math:`\tau_Z` on :math:`\tfrac{1}{2\tau_Z}\|z_\mathrm{row} - 1\|^2` sets this row to 1 exactly, so that with
    this term in ``smooth`` all other rows have the same iterates. Algorithm 2 therefore converges for every
    :math:`\tau_Z < 2/L`, but to the minimiser with this soft row, which differs from the minimiser of eq. (3) and
    depends on the step.

    Parameters
    ----------
    smooth : callable
        Maps the bias to the smooth term.
    penalty : NuclearNorm
        With weight :math:`\mu`.
    start : ndarray of shape (n, m)
    bias : ndarray of shape (t,)
        b at the start, of the first t columns. Length 0 means without bias (Algorithm 2).
    step, bias_step : float
        :math:`\tau_Z` and :math:`\tau_b`.
    tol : float
        Stop when the objective changes by at most this share: the published rule, which does not bound the gap.

    Returns
    -------
    solution : Solution
        ``objective`` has a value for each iteration. ``residual`` is the bound of the relative gap in Z at the last
        bias, which is often far above ``tol``.
    bias : ndarray of shape (t,)

    Notes
    -----
    Each iteration costs one full SVD, as published. The objective has the soft row: the objective of the published
    rule, after the row is set, would cost a second SVD.
    """
    Z, t = start, len(bias)
    value, grad = smooth(bias).value_and_grad(Z)
    objective, status = [value + penalty.value(Z)], Status.MAX_ITER
    for _ in range(max_iter):
        bias = bias - bias_step * grad[:, :t].sum(axis=0)
        U, s, Vt = linalg.svd(Z - step * grad, full_matrices=False, check_finite=False)
        s = np.maximum(s - step * penalty.weight, 0)
        Z = (U * s) @ Vt
        value, grad = smooth(bias).value_and_grad(Z)
        objective.append(value + penalty.weight * float(s.sum()))
        if abs(objective[-1] - objective[-2]) <= tol * objective[-2]:
            status = Status.CONVERGED
            break
    residual = certify(smooth(bias), penalty, Z).gap
    return Solution(Z, tuple(objective), residual, len(objective) - 1, status), bias
