"""Linear ranking of labels by the hinge loss of pairs, by ADMM with an exact proximal map and a duality gap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import linalg

from halflabel.numerics.solvers.solution import Solution, Status
from halflabel.plugins import Floats, Ints, Mask, step

#: Maximum number of cells of one block of the proximal map's tables, 16 MB.
MAX_CELLS = 2**21

#: Number of iterations between two computations of the gap.
CHECK_EVERY = 10

#: The step adapts up to this iteration; the proof of convergence needs a fixed one afterwards.
MAX_ADAPTIVE = 400

#: A denominator that is never 0.
TINY = 1e-300


class PairHinge:
    r"""Sum over rows of :math:`c_i \sum_{k \in P_i} \sum_{l \in Q_i} \max(0, 1 - f_{ik} + f_{il})`.

    Parameters
    ----------
    upper, lower : ndarray of bool, shape (n_rows, n_columns)
        Masks of P and Q, disjoint, neither empty in any row: the entries of P are to be above the entries of Q.
    weight : ndarray of shape (n_rows,)
        c.

    Notes
    -----
    The loss of a row is the Lovasz extension of :math:`S \mapsto c\,|Q \cap S|\,|P \setminus S|` at the point where
    the entries of P are lowered by 1. That set function depends on cardinalities only, so that its proximal map has a
    closed form: the sorted entries of the result are the slopes of the least concave majorant of

    .. math:: M(s) = \max_{a + b = s} q_{(1)} + \dots + q_{(a)} + p_{(1)} + \dots + p_{(b)} - \gamma c\,a\,(|P| - b)

    with q and p the entries of Q and the lowered ones of P in descending order. With each s either the best a or the
    best b grows by one, and the entry that joins at s gets the slope before s. All rows are computed at once, in
    :math:`O(nL^2)` for L columns.
    """

    def __init__(self, upper: Mask, lower: Mask, weight: Floats) -> None:
        self.upper, self.lower, self.weight = upper, lower, weight

    def value(self, F: Floats) -> float:
        """Return the loss at F."""
        total = 0.0
        for rows in self._blocks():
            shortfall = np.maximum(1 - F[rows, :, None] + F[rows, None, :], 0)
            pairs = self.upper[rows, :, None] & self.lower[rows, None, :]
            total += float(self.weight[rows] @ np.einsum("ikl,ikl->i", shortfall, pairs))
        return total

    def prox(self, V: Floats, scale: float) -> Floats:
        r"""Return the minimiser of :math:`\gamma\,` loss :math:`+ \tfrac12\|Z - V\|_F^2`, gamma the ``scale``."""
        Z = V.copy()
        for rows in self._blocks():
            Z[rows] = _prox(V[rows], self.upper[rows], self.lower[rows], scale * self.weight[rows])
        return Z

    def _blocks(self) -> Iterator[slice]:
        n, m = self.upper.shape
        size = max(1, MAX_CELLS // (m + 1) ** 2)
        for start in range(0, n, size):
            yield slice(start, start + size)


def _prox(V: Floats, upper: Mask, lower: Mask, charge: Floats) -> Floats:
    m = V.shape[1]
    by_p, p = _sort_masked(V - 1, upper)
    by_q, q = _sort_masked(V, lower)
    majorized, of_q = _split_best(p, q, upper.sum(axis=1), int(lower.sum(axis=1).max()), charge)
    slopes = _majorant_slopes(majorized)
    real, of_q = np.isfinite(majorized[:, 1:]), of_q[:, 1:]
    Z = V.copy()
    for mask, order, count, lowered in ((upper, by_p, np.arange(1, m + 1) - of_q, 1.0), (lower, by_q, of_q, 0.0)):
        # The entry of rank r (0 the largest) joins at the first s with more than r of its kind.
        joins = (np.where(real, count, m)[:, None, :] <= np.arange(m)[:, None]).sum(axis=2)
        ranked = np.take_along_axis(slopes, np.minimum(joins, m - 1), axis=1) + lowered
        placed = np.empty_like(V)
        np.put_along_axis(placed, order, ranked, axis=1)
        np.copyto(Z, placed, where=mask)
    return Z


def _sort_masked(V: Floats, mask: Mask) -> tuple[Ints, Floats]:
    """Return the order of the masked entries of each row, largest first, and the sums of the first 0, 1, 2, ..."""
    among = np.where(mask, V, -np.inf)
    order = np.argsort(-among, axis=1, kind="stable")
    return order, np.pad(np.take_along_axis(among, order, axis=1).cumsum(axis=1), ((0, 0), (1, 0)))


def _split_best(p: Floats, q: Floats, n_p: Ints, max_q: int, charge: Floats) -> tuple[Floats, Ints]:
    """Return M(s) for every row and s, and the a that attains it."""
    m = p.shape[1]
    best, of_q = np.full(p.shape, -np.inf), np.zeros(p.shape, dtype=np.intp)
    price = charge[:, None] * (n_p[:, None] - np.arange(m))
    for a in range(max_q + 1):
        value = q[:, [a]] + p[:, : m - a] - a * price[:, : m - a]
        np.copyto(of_q[:, a:], a, where=value > best[:, a:])
        np.maximum(best[:, a:], value, out=best[:, a:])
    return best, of_q


def _majorant_slopes(M: Floats) -> Floats:
    r"""Return the slopes of the least concave majorant of each row up to its last finite value.

    The slope before s is :math:`\min_{i < s} \max_{j \ge s} (M_j - M_i)/(j - i)`.
    """
    at = np.arange(M.shape[1])
    ahead = at - at[:, None]
    with np.errstate(invalid="ignore"):  # -inf minus -inf, beyond the end
        chord = (M[:, None, :] - M[:, :, None]) / np.where(ahead > 0, ahead, 1)
    chord[(ahead <= 0) | np.isnan(chord)] = -np.inf
    steepest = np.maximum.accumulate(chord[:, :, ::-1], axis=2)[:, :, ::-1]
    steepest[:, ahead <= 0] = np.inf
    return np.asarray(steepest.min(axis=1)[:, 1:])


def pair_ranking(Phi: Floats, loss: PairHinge, *, tol: float = 1e-3, max_iter: int = 2000) -> Solution:
    r"""Minimise :math:`P(W) = \tfrac12\|W\|_F^2 + h(\Phi W)` with h a :class:`PairHinge`.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_features)
    loss : PairHinge
        h.
    tol : float
        Stop when the duality gap is at most this share of the objective (of 1, if the objective is smaller).

    Returns
    -------
    Solution
        ``x`` is W, shape (n_features, n_columns), the best of the iterates at which the gap was computed; ``objective``
        has its values there; ``residual`` is the relative duality gap.

    Notes
    -----
    ADMM on :math:`\Phi W = Z`: a ridge regression, the proximal map of h, and the scaled multipliers U, over-relaxed by
    1.6. The multipliers are a point of the dual without further work: :math:`B = -\rho U` lies in the polytope
    :math:`\beta_{ik} = \sum_l \alpha_{ikl}`, :math:`\beta_{il} = -\sum_k \alpha_{ikl}`,
    :math:`0 \le \alpha_{ikl} \le c_i`, so that

    .. math:: D(B) = \sum_i \sum_{k \in P_i} \beta_{ik} - \tfrac12\|\Phi^T B\|_F^2 \le \min P

    is a bound at every iteration. The variables alpha of the pairs are never formed. One eigendecomposition of
    :math:`\Phi^T\Phi` serves every step size: O(n r L + n L^2) per iteration for r features and L columns.

    References
    ----------
    .. [1] S. Boyd et al., "Distributed optimization and statistical learning via the alternating direction method of
       multipliers", Foundations and Trends in Machine Learning 3 (2011), sections 3.4 and 6.

    Examples
    --------
    >>> loss = PairHinge(np.array([[True, False]]), np.array([[False, True]]), np.array([10.0]))
    >>> pair_ranking(np.ones((1, 1)), loss, tol=1e-9).x.round(6)
    array([[ 0.5, -0.5]])
    """
    state = _State(Phi, loss)
    objective, n_iter = [loss.value(np.zeros(loss.upper.shape))], 0
    while state.gap > tol and n_iter < max_iter:
        for _ in range(CHECK_EVERY):
            state.advance()
        n_iter += CHECK_EVERY
        state.update_best()
        objective.append(state.best)
        step("ranking pairs of labels", n_iter, max_iter)
        if n_iter < MAX_ADAPTIVE:
            state.adapt()
    status = Status.CONVERGED if state.gap <= tol else Status.MAX_ITER
    return Solution(state.vectors @ state.W, tuple(objective), state.gap, n_iter, status)


def _norm(A: Floats) -> float:
    return float(np.linalg.norm(A))


class _State:
    """Iterates of ADMM in the basis in which Phi'Phi is diagonal, and the best of them."""

    def __init__(self, Phi: Floats, loss: PairHinge) -> None:
        self.loss = loss
        self.curvature, self.vectors = linalg.eigh(Phi.T @ Phi, check_finite=False)
        self.Phi = Phi @ self.vectors
        self.rho = float(loss.weight.sum()) / max(len(Phi), 1) or 1.0  # alpha and the scores are in units of c and 1
        self.Z, self.U = np.zeros(loss.upper.shape), np.zeros(loss.upper.shape)
        self.W = np.zeros((Phi.shape[1], loss.upper.shape[1]))
        self.best, self.bound = loss.value(self.Z), 0.0

    @property
    def gap(self) -> float:
        """Duality gap over the objective."""
        return max(self.best - self.bound, 0.0) / max(self.best, 1.0)

    def advance(self) -> None:
        self.trial = (self.Phi.T @ (self.Z - self.U)) / (np.maximum(self.curvature, 0) + 1 / self.rho)[:, None]
        self.F = self.Phi @ self.trial
        relaxed = 1.6 * self.F - 0.6 * self.Z + self.U
        self.before, self.Z = self.Z, self.loss.prox(relaxed, 1 / self.rho)
        self.U = relaxed - self.Z

    def update_best(self) -> None:
        """Keep the trial point, and the bound of the multipliers, if they are better than the best so far."""
        value = 0.5 * float((self.trial**2).sum()) + self.loss.value(self.F)
        if value < self.best:
            self.best, self.W = value, self.trial
        B = -self.rho * self.U
        dual = float(B[self.loss.upper].sum()) - 0.5 * float(((self.Phi.T @ B) ** 2).sum())
        self.bound = max(self.bound, dual)

    def adapt(self) -> None:
        """Balance the relative residuals of Phi W = Z and of stationarity."""
        primal = _norm(self.F - self.Z) / max(_norm(self.F), _norm(self.Z), TINY)
        dual = _norm(self.Z - self.before) / max(_norm(self.U), TINY)
        factor = float(np.clip(np.sqrt(primal / max(dual, TINY)), 0.2, 5))
        if not 2 / 3 <= factor <= 1.5:
            self.rho *= factor
            self.U /= factor
