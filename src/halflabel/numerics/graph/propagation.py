"""Inference of SSDR-MC (Qian & Davidson 2010): scores F from weights W.

Every inference takes a target T and a weight D of the same shape as F. An entry of weight ``inf`` is clamped to its
target, an entry of weight 0 is free, and one in between is pulled towards its target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import linalg, sparse

from halflabel._arrays import Floats, Ints
from halflabel.numerics.solvers import Solution, Status
from halflabel.numerics.solvers.bicgstab import bicgstab
from halflabel.numerics.solvers.pcg import pcg

#: Maximum number of items for which eq. (7) is solved directly, with one factorisation per pattern of clamped entries.
MAX_DIRECT = 3000

Apply = Callable[[Floats], Floats]


def minimizer(
    W: sparse.csr_array, target: Floats, weight: Floats, *, start: Floats | None = None, tol: float, max_iter: int
) -> Solution:
    r"""Minimise :math:`\|(I - W)F\|_F^2 + \sum_{ij} d_{ij} (F_{ij} - T_{ij})^2` by matrix-free conjugate gradients.

    Clamped and free entries give the true minimiser of eq. (5), :math:`M_{uu} F_u = -M_{ul} Y`, unlike eq. (7). Pulled
    and free entries give the minimiser of eq. (10) with its fitting term masked, :math:`(M + D_j) f_j = D_j t_j`.
    :math:`M = (I - W)^T(I - W)` is not formed, because it has the square of the number of entries per row. The solver
    starts at the target.
    """
    A = _residual_operator(W)
    At = sparse.csr_array(A.T)
    squares = np.asarray(A.multiply(A).sum(axis=0)).ravel()[:, None]
    apply, rhs, diagonal = _clamp(lambda F: At @ (A @ F), squares, target, weight)
    return pcg(apply, rhs, diagonal, start=target if start is None else start, tol=tol, max_iter=max_iter)


def fixed_point(
    W: sparse.csr_array, target: Floats, weight: Floats, *, start: Floats | None = None, tol: float, max_iter: int
) -> Solution:
    r"""Solve :math:`(I - W + D_j) f_j = D_j t_j`: every free score is exactly the mean of its neighbours' by W.

    Clamped and free entries give eq. (7), :math:`F_u = (I - W_{uu})^{-1} W_{ul} Y`. Pulled and free entries give eq.
    (12) with its fitting term masked. The rows of W of clamped entries are not read. With signed weights the spectral
    radius of :math:`W_{uu}` exceeds 1, so that iterating :math:`F \leftarrow WF` diverges: a small system is solved
    directly, a large one by BiCGSTAB.
    """
    A = _residual_operator(W)
    apply, rhs, diagonal = _clamp(lambda F: A @ F, np.ones((W.shape[0], 1)), target, weight)
    if W.shape[0] <= MAX_DIRECT:
        return _solve_directly(A, target, weight, apply, rhs, tol)
    return bicgstab(apply, rhs, diagonal, start=start, tol=tol, max_iter=max_iter)


def _residual_operator(W: sparse.csr_array) -> sparse.csr_array:
    """Return I - W."""
    return sparse.csr_array(sparse.eye_array(W.shape[0], format="csr") - W)


def _clamp(base: Apply, base_diagonal: Floats, target: Floats, weight: Floats) -> tuple[Apply, Floats, Floats]:
    """Return (operator, right-hand side, diagonal) of ``base + D``, the identity on clamped entries."""
    clamped = np.isinf(weight)
    if not clamped.any():

        def plain(F: Floats) -> Floats:
            G = base(F)
            G += weight * F
            return G

        return plain, weight * target, base_diagonal + weight
    pull = np.where(clamped, 0.0, weight)

    def apply(F: Floats) -> Floats:
        return np.where(clamped, F, base(np.where(clamped, 0.0, F)) + pull * F)

    fixed = np.where(clamped, target, 0.0)
    rhs = np.where(clamped, target, pull * target - base(fixed))
    return apply, rhs, np.where(clamped, 1.0, base_diagonal + pull)


def _solve_directly(
    A: sparse.csr_array, target: Floats, weight: Floats, apply: Apply, rhs: Floats, tol: float
) -> Solution:
    """Solve by dense factorisations, and compute the residual from the operator."""
    F = target.copy()
    dense = A.toarray()
    for free, columns in _group_by_weights(weight):
        system = dense[np.ix_(free, free)] + np.diag(weight[free, columns[0]])
        F[np.ix_(free, columns)] = linalg.solve(system, rhs[np.ix_(free, columns)], check_finite=False)
    norms = np.linalg.norm(rhs, axis=0)
    error = np.linalg.norm(rhs - apply(F), axis=0) / np.where(norms > 0, norms, 1.0)
    residual = float(error.max(initial=0.0))
    return Solution(F, (residual,), residual, 0, Status.CONVERGED if residual <= tol else Status.MAX_ITER)


def _group_by_weights(weight: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield (items not clamped, labels) for every group of labels with the same weights."""
    patterns, group = np.unique(weight, axis=1, return_inverse=True)
    for g, pattern in enumerate(patterns.T):
        yield np.flatnonzero(~np.isinf(pattern)), np.flatnonzero(group.ravel() == g)
