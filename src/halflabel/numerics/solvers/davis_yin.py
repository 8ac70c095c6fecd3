"""Three-operator splitting: a smooth term, a spectral penalty and a convex set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats
from halflabel.numerics.losses import Smooth
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers.proximal_gradient import Certificate, bound
from halflabel.numerics.solvers.solution import Solution, Status


def davis_yin(
    smooth: Smooth,
    penalty: NuclearNorm,
    project: Callable[[Floats], Floats],
    start: Floats,
    *,
    tol: float = 1e-5,
    max_iter: int = 10000,
    check_every: int = 20,
) -> Solution:
    r"""Minimise :math:`f(Z) + \alpha\|Z\|_*` over a convex set.

    Parameters
    ----------
    smooth : Smooth
        f, never negative.
    project : callable
        Projection on the set. It does not change its argument.
    start : ndarray of shape (n, m)
    tol : float
        Stop when the bound of the relative gap is at most this.
    check_every : int
        Number of iterations between two computations of the bound.

    Returns
    -------
    Solution
        ``x`` lies in the set. ``objective`` has its values at the start and at every check, ``residual`` is the bound
        of the relative gap.

    Notes
    -----
    Each iteration takes one projection, one gradient and one shrinkage, with the step 1.8/L, without inner loop. The
    distance that the projection moves the point, over the step, is a multiplier of the set: with it added to the
    gradient, the bound of :func:`halflabel.numerics.solvers.proximal_gradient.certify` holds for points of the set.

    References
    ----------
    .. [1] D. Davis and W. Yin, "A three-operator splitting scheme and its optimization applications", Set-Valued and
       Variational Analysis 25 (2017) 829-858, Algorithm 1.

    Examples
    --------
    >>> from halflabel.numerics.losses import Squared
    >>> def first_is_one(Z):
    ...     return np.vstack([np.ones_like(Z[:1]), Z[1:]])
    >>> solution = davis_yin(Squared(np.zeros((2, 2)), None, 1.0), NuclearNorm(1.0), first_is_one, np.ones((2, 2)))
    >>> np.abs(solution.x.round(4))
    array([[1., 1.],
           [0., 0.]])
    """
    step = 1.8 / (smooth.lipschitz or 1.0)
    point = start.copy()
    inside = project(point)
    here, gradient = _certificate(smooth, penalty, inside, point, step)
    objective, n_iter = [here.objective], 0
    while here.gap > tol and n_iter < max_iter:
        point += penalty.prox(2 * inside - point - step * gradient, step) - inside
        inside = project(point)
        n_iter += 1
        if n_iter % check_every and n_iter < max_iter:
            gradient = smooth.value_and_grad(inside)[1]
        else:
            here, gradient = _certificate(smooth, penalty, inside, point, step)
            objective.append(here.objective)
    status = Status.CONVERGED if here.gap <= tol else Status.MAX_ITER
    return Solution(inside, tuple(objective), here.gap, n_iter, status)


def _certificate(
    smooth: Smooth, penalty: NuclearNorm, inside: Floats, point: Floats, step: float
) -> tuple[Certificate, Floats]:
    value, gradient = smooth.value_and_grad(inside)
    held = gradient + (point - inside) / step
    top = float(linalg.svdvals(held, check_finite=False)[0])
    norm = penalty.value(inside) / penalty.weight
    return bound(value, float(np.vdot(held, inside)), top, penalty.weight, norm), gradient
