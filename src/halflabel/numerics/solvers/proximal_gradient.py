"""Accelerated proximal gradient for a smooth term plus a spectral penalty, with one pass over the state per step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses import Smooth
from halflabel.numerics.penalties import NuclearNorm, Shrinkage, spectral_norm
from halflabel.numerics.solvers.solution import Solution, Status

#: Number of entries of one block of rows: one iteration reads and writes it in the cache.
BLOCK = 1 << 16


@dataclass(frozen=True)
class Certificate:
    """Value of the objective at a point, and a bound of its distance to the minimum."""

    objective: float
    #: Bound of (objective - minimum) / objective.
    gap: float


def certify(smooth: Smooth, penalty: NuclearNorm, Z: Floats, norm: float | None = None) -> Certificate:
    r"""Bound the distance of the objective at Z to its minimum, for a smooth term that is never negative.

    By convexity :math:`F(Z) - F(Z^*) \le \langle g, Z\rangle + \alpha\|Z\|_* + (\|g\|_2 - \alpha)_+ \|Z^*\|_*` with g
    the gradient of the smooth term, and :math:`\|Z^*\|_* \le F(Z)/\alpha`. ``norm`` is :math:`\|Z\|_*`, if it is known.
    """
    if norm is None:
        norm = penalty.value(Z) / penalty.weight
    value, inner, gram = 0.0, 0.0, np.zeros((min(Z.shape),) * 2)
    for rows, term in _split_rows(smooth, Z.shape):
        part, g = term.value_and_grad(Z[rows])
        value += part
        inner += float(np.einsum("ij,ij", g, Z[rows]))
        gram += _gram(g, Z.shape)
    return bound(value, inner, float(np.sqrt(spectral_norm(gram))), penalty.weight, norm)


def bound(value: float, inner: float, top: float, weight: float, norm: float) -> Certificate:
    r"""Return the certificate from its parts.

    ``value`` is the smooth term at Z, ``inner`` is :math:`\langle g, Z\rangle`, ``top`` is :math:`\|g\|_2`, and
    ``weight`` and ``norm`` are :math:`\alpha` and :math:`\|Z\|_*`.
    """
    objective = value + weight * norm
    gap = (inner + weight * norm) / (objective or 1.0) + max(top / weight - 1, 0.0)
    return Certificate(objective, max(gap, 0.0))


def proximal_gradient(
    smooth: Smooth,
    penalty: NuclearNorm,
    start: Floats,
    *,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> Solution:
    r"""Minimise :math:`F(Z) = f(Z) + \alpha\|Z\|_*` by FISTA with adaptive restart.

    Parameters
    ----------
    smooth : Smooth
        f, never negative. The step is 1 over its Lipschitz constant.
    start : ndarray of shape (n, m)
        Not changed. A path of weights is a sequence of calls, each of which starts at the last solution.
    tol : float
        Stop when the bound of the relative gap, see :func:`certify`, is at most this.

    Returns
    -------
    Solution
        ``objective`` is the value of F at the start and wherever the gap was computed (after 5 iterations, and then
        each time that the number of iterations has grown by a fifth). ``residual`` is the bound of the relative gap at
        ``x``.

    Notes
    -----
    With n rows and m columns, n >= m, an iteration is one pass over blocks of rows that fit into the cache. It shrinks
    the block with the singular vectors of the last pass, extrapolates, takes the gradient step, and adds the block to
    the m x m Gram matrix for the next pass. That takes :math:`3 m^2 n` operations (less at low rank), one
    eigendecomposition, and three arrays of the size of Z in addition to the data. The restart (when the step turns
    against the gradient map) acts one iteration late, because the pass that detects the turn has already extrapolated.

    References
    ----------
    .. [1] A. Beck and M. Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse problems",
       SIAM Journal on Imaging Sciences 2 (2009) 183-202.
    .. [2] B. O'Donoghue and E. Candes, "Adaptive restart for accelerated gradient schemes", Foundations of
       Computational Mathematics 15 (2015) 715-732.

    Examples
    --------
    >>> from halflabel.numerics.losses import Squared
    >>> solution = proximal_gradient(Squared(np.diag([3.0, 1.0]), None, 1.0), NuclearNorm(1.0), np.zeros((2, 2)))
    >>> solution.x.round(6)
    array([[2., 0.],
           [0., 0.]])
    """
    state = _State(smooth, penalty, start)
    here = certify(smooth, penalty, start)
    objective, n_iter, check = [here.objective], 0, 5
    while here.gap > tol and n_iter < max_iter:
        state.advance()
        n_iter += 1
        if n_iter in (check, max_iter):
            here = certify(smooth, penalty, state.Z, state.norm)
            objective.append(here.objective)
            check = n_iter + max(5, n_iter // 5)
    status = Status.CONVERGED if here.gap <= tol else Status.MAX_ITER
    return Solution(state.Z, tuple(objective), here.gap, n_iter, status)


class _State:
    """Z, the extrapolated M, the gradient step A = M - g/L, and the Gram matrix of A."""

    def __init__(self, smooth: Smooth, penalty: NuclearNorm, start: Floats) -> None:
        self.step = 1 / (smooth.lipschitz or 1.0)
        self.penalty = penalty
        self.parts = _split_rows(smooth, start.shape)
        self.Z, self.M, self.A = start.copy(), start.copy(), np.empty_like(start)
        self.norm, self.t = np.nan, 1.0
        self.gram = np.zeros((min(start.shape),) * 2)
        for rows, term in self.parts:
            self._gradient_step(rows, term)

    def advance(self) -> None:
        shrinkage = self.penalty.shrink(self.gram, self.step)
        self.norm = float(shrinkage.values.sum())
        following = (1 + np.sqrt(1 + 4 * self.t**2)) / 2
        momentum, turned = (self.t - 1) / following, 0.0
        self.gram[:] = 0
        for rows, term in self.parts:
            turned += self._shrink_step(rows, shrinkage, momentum)
            self._gradient_step(rows, term)
        self.t = 1.0 if turned > 0 else following

    def _shrink_step(self, rows: slice, shrinkage: Shrinkage, momentum: float) -> float:
        """Move Z and M, and return the inner product of the move of Z with the gradient map."""
        Z, M = self.Z[rows], self.M[rows]
        shrunk = _shrink(shrinkage, self.A[rows], self.Z.shape)
        np.subtract(shrunk, Z, out=Z)  # the move
        M -= shrunk
        turned = float(np.einsum("ij,ij", M, Z))
        np.multiply(Z, momentum, out=M)
        M += shrunk
        Z[:] = shrunk
        return turned

    def _gradient_step(self, rows: slice, term: Smooth) -> None:
        A = term.value_and_grad(self.M[rows], self.A[rows])[1]
        A *= -self.step
        A += self.M[rows]
        self.gram += _gram(A, self.Z.shape)


def _split_rows(smooth: Smooth, shape: tuple[int, ...]) -> Sequence[tuple[slice, Smooth]]:
    """Return the blocks of rows. A wide matrix is one block, because its Gram matrix needs all rows."""
    n, m = shape
    return smooth.split(max(BLOCK // max(m, 1), 64)) if n >= m else [(slice(0, n), smooth)]


def _gram(A: Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(A.T @ A if shape[0] >= shape[1] else A @ A.T)


def _shrink(shrinkage: Shrinkage, A: Floats, shape: tuple[int, ...]) -> Floats:
    return shrinkage(A) if shape[0] >= shape[1] else np.asarray(shrinkage(A.T).T)
