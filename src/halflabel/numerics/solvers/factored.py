r"""Nuclear norm problems in factored form, Z = U V^T: alternating ridge regressions, with a convex certificate.

:math:`\|Z\|_* = \min \tfrac12(\|U\|_F^2 + \|V\|_F^2)` over all factors of Z, so that
:math:`f(UV^T) + \tfrac{\alpha}{2}(\|U\|_F^2 + \|V\|_F^2)` has the minimum of :math:`f(Z) + \alpha\|Z\|_*` once the
factors have enough columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, aslinearoperator, svds

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.numerics.losses import BiasedLogistic, Loss, SideBySide, SparseSquared, Squared, Squares
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers.packed import products, solve_packed, start_systems, weighted
from halflabel.numerics.solvers.proximal_gradient import Certificate, bound
from halflabel.numerics.solvers.solution import Status

#: Maximum numbers of rows, and of cells, of a block whose small systems are built and solved at once.
MAX_ROWS, MAX_CELLS = 2048, 1 << 22

#: Maximum number of columns with gaps for which rows with the same gaps share one system.
MAX_PATTERN_COLUMNS = 64

#: Maximum number of columns for which the gradient is decomposed by its Gram matrix, not by Lanczos iteration.
MAX_GRAM = 2000

#: Number of sweeps between two certificates.
CHECK_EVERY = 4


@dataclass(frozen=True, eq=False)
class Factors:
    """A matrix as left @ right.T, with left.T @ left = right.T @ right diagonal."""

    #: Shape (n, rank).
    left: Floats
    #: Shape (m, rank).
    right: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return len(self.left), len(self.right)

    @property
    def norm(self) -> float:
        """The nuclear norm."""
        return float(np.sum(self.right**2))

    def __getitem__(self, index: tuple[slice, slice]) -> Floats:
        """Return a block of the matrix."""
        return np.asarray(self.left[index[0]] @ self.right[index[1]].T)


def factorize(Z: Floats, tol: float = 1e-12) -> Factors:
    """Return the factors of a matrix, without the singular values below ``tol`` times the largest."""
    U, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    kept = s > tol * s.max(initial=0.0)
    root = np.sqrt(s[kept])
    return Factors(U[:, kept] * root, Vt[kept].T * root)


def balance(left: Floats, right: Floats, tol: float = 1e-10) -> Factors:
    """Return the same product with balanced factors, without directions far below the largest one."""
    Q, R = linalg.qr(left, mode="economic", check_finite=False)
    P, S = linalg.qr(right, mode="economic", check_finite=False)
    core = factorize(R @ S.T, tol)
    return Factors(Q @ core.left, P @ core.right)


@dataclass(frozen=True, eq=False)
class FactoredSolution:
    """Factors of the solution and their certificate."""

    factors: Factors
    #: Values of the convex objective where the gap was computed.
    objective: tuple[float, ...]
    #: Bound of the relative gap of the *convex* problem, as in :func:`halflabel.numerics.solvers.certify`.
    residual: float
    #: Number of sweeps.
    n_iter: int
    status: Status


def factored(
    smooth: SideBySide,
    penalty: NuclearNorm,
    n: int,
    *,
    start: Factors | None = None,
    rank: int = 12,
    max_rank: int = 100,
    tol: float = 1e-3,
    max_iter: int = 100,
) -> FactoredSolution:
    r"""Minimise :math:`f(Z) + \alpha\|Z\|_*` by alternating least squares on factors whose rank grows.

    Each term is replaced by squares that lie above it and touch it (for the logistic loss with curvature 1/4). The
    rows of U, and then the rows of V, therefore follow from small ridge regressions. A sweep never increases the
    objective.
    Directions in which the gradient is larger than :math:`\alpha` would reduce the objective: as long as there are any
    outside the span of V, they are added. When there are none, the convex certificate holds.

    Parameters
    ----------
    smooth : SideBySide
        f, never negative.
    n : int
        Number of rows.
    rank : int
        Number of directions that are added at once.
    max_rank : int
        Maximum rank. If it is reached, the solution is one of the factored problem only, and its residual shows that.
    tol : float
        Stop when the bound of the relative gap of the convex problem is at most this.
    max_iter : int
        Maximum number of sweeps.

    Notes
    -----
    With k the rank, a sweep costs about :math:`2 n m k^2` operations for terms with gaps and :math:`4 n m k` (sparse:
    4 k per stored entry) for complete terms, in one pass over the rows. Memory holds the data, (n + m) k numbers and
    one block.

    References
    ----------
    .. [1] T. Hastie, R. Mazumder, J. Lee, R. Zadeh, "Matrix completion and low-rank SVD via fast alternating least
       squares", Journal of Machine Learning Research 16 (2015) 3367-3402.
    """
    m = sum(smooth.widths)
    Z = start if start is not None else Factors(np.zeros((n, 0)), np.zeros((m, 0)))
    slope = _compute_slope(smooth, penalty, Z, rank)
    objective, n_iter = [slope.certificate.objective], 0
    while slope.certificate.gap > tol and n_iter < max_iter:
        Z = _grow(Z, slope, min(rank, max_rank - Z.right.shape[1]), 1 / smooth.lipschitz, penalty.weight)
        for _ in range(min(CHECK_EVERY, max_iter - n_iter)):
            Z = _sweep(smooth, penalty.weight, Z)
            n_iter += 1
        step("completing the matrix", n_iter, max_iter)
        slope = _compute_slope(smooth, penalty, Z, rank)
        objective.append(slope.certificate.objective)
    status = Status.CONVERGED if slope.certificate.gap <= tol else Status.MAX_ITER
    return FactoredSolution(Z, tuple(objective), slope.certificate.gap, n_iter, status)


def gradient_norm(smooth: SideBySide, n: int) -> float:
    """Return the spectral norm of the gradient at 0: from this weight of the nuclear norm on, the minimum is 0."""
    empty = Factors(np.zeros((n, 0)), np.zeros((sum(smooth.widths), 0)))
    return float(_decompose_gradient(smooth, empty, 1)[3].max(initial=0.0))


def row_block(smooth: SideBySide) -> int:
    """Return the number of rows of one block."""
    return max(min(MAX_ROWS, MAX_CELLS // sum(smooth.widths)), 1)


# -- one sweep -----------------------------------------------------------------


def _sweep(smooth: SideBySide, alpha: float, Z: Factors) -> Factors:
    """Update all rows of U and, from the same pass over the data, all rows of V."""
    terms = [
        term.at(Z[:, c]) if isinstance(term, BiasedLogistic) else term
        for term, c in zip(smooth.terms, smooth.columns, strict=True)
    ]
    k = Z.right.shape[1]
    left, pairs = np.empty_like(Z.left), products(Z.right)
    systems = [
        start_systems(alpha, k, 1 if _is_uniform(term) else width)
        for term, width in zip(terms, smooth.widths, strict=True)
    ]
    sides = [np.zeros((k, width)) for width in smooth.widths]
    for rows, block in SideBySide(terms, smooth.widths).split(row_block(smooth)):
        quadratic = [None if term.roughness.any() else term.majorizer(np.empty(0)) for term in block.terms]
        squares = _majorize(block, quadratic, Z.left[rows], Z.right)
        left[rows] = _solve_rows(block.columns, squares, alpha, Z.right, pairs)
        own = products(left[rows])
        squares = _majorize(block, quadratic, left[rows], Z.right)
        for H, R, (C, CT) in zip(systems, sides, squares, strict=True):
            H += weighted(C.T if isinstance(C, np.ndarray) else C, own)
            R += (CT.T @ left[rows]).T
    right = [solve_packed(H, R) for H, R in zip(systems, sides, strict=True)]
    return balance(left, np.hstack(right).T)


def _is_uniform(term: Loss) -> bool:
    """Return whether all entries have the same weight, so that all columns share one system."""
    return isinstance(term, SparseSquared) or (isinstance(term, Squared) and term.observed is None)


def _majorize(block: SideBySide, quadratic: Sequence[Squares | None], U: Floats, V: Floats) -> list[Squares]:
    """Return (C, C * T) of the squares above each term at U V^T. Quadratic terms have theirs in ``quadratic``."""
    triples = zip(block.terms, block.columns, quadratic, strict=True)
    return [term.majorizer(U @ V[c].T) if given is None else given for term, c, given in triples]


def _solve_rows(columns: Sequence[slice], squares: Sequence[Squares], alpha: float, V: Floats, pairs: Floats) -> Floats:
    """Return the best rows of U for squares in these columns."""
    right = [(CT @ V[c]).T for c, (_, CT) in zip(columns, squares, strict=True)]
    weights = [(c, C) for c, (C, _) in zip(columns, squares, strict=True)]
    varying = [(np.arange(c.start, c.stop), C) for c, C in weights if isinstance(C, np.ndarray)]
    where = np.concatenate([np.arange(0), *(c for c, _ in varying)])
    patterns, group = _find_patterns(np.hstack([np.empty((right[0].shape[1], 0)), *(C for _, C in varying)]))
    H = start_systems(alpha, V.shape[1], len(patterns))
    H += weighted(patterns, pairs[where])
    for c, C in weights:
        if not isinstance(C, np.ndarray):
            H += weighted(C, pairs[c])
    return solve_packed(H, np.sum(right, axis=0), group).T


def _find_patterns(C: Floats) -> tuple[Floats, Ints | None]:
    """Return the distinct rows and the number of each row among them, if that saves half of the work."""
    if C.shape[1] > MAX_PATTERN_COLUMNS:
        return C, None
    different, group = np.unique(C, axis=0, return_inverse=True)
    return (different, group.ravel()) if 2 * len(different) <= len(C) else (C, None)


# -- directions in which the gradient is larger than the penalty -----------------


@dataclass(frozen=True, eq=False)
class _Slope:
    """Certificate at a point, and the leading singular triples of the negative gradient."""

    certificate: Certificate
    left: Floats
    values: Floats
    right: Floats


def _compute_slope(smooth: SideBySide, penalty: NuclearNorm, Z: Factors, count: int) -> _Slope:
    value, inner, left, values, right = _decompose_gradient(smooth, Z, count)
    top = float(values.max(initial=0.0))
    return _Slope(bound(value, inner, top, penalty.weight, Z.norm), -left, values, right)


_Spectrum = tuple[float, float, Floats, Floats, Floats]


def _decompose_gradient(smooth: SideBySide, Z: Factors, count: int) -> _Spectrum:
    """Return the value, <g, Z> and leading singular triples of the gradient."""
    return (_decompose_by_gram if sum(smooth.widths) <= MAX_GRAM else _decompose_by_lanczos)(smooth, Z, count)


def _decompose_by_gram(smooth: SideBySide, Z: Factors, count: int) -> _Spectrum:
    """Return the spectrum by two passes over blocks of rows: for the Gram matrix, and for left singular vectors."""
    n, m = Z.shape
    value, inner, gram = 0.0, 0.0, np.zeros((m, m))
    blocks = smooth.split(row_block(smooth))
    for rows, block in blocks:
        here = Z[rows, :]
        part, g = block.value_and_grad(here)
        value, inner = value + part, inner + float(np.vdot(g, here))
        gram += g.T @ g
    squares, V = linalg.eigh(gram, subset_by_index=[max(m - count, 0), m - 1], check_finite=False)
    values, left = np.sqrt(np.maximum(squares, 0)), np.empty((n, len(squares)))
    for rows, block in blocks:
        left[rows] = block.value_and_grad(Z[rows, :])[1] @ V
    left /= np.where(values > 0, values, 1.0)
    return value, inner, left, values, V


def _decompose_by_lanczos(smooth: SideBySide, Z: Factors, count: int) -> _Spectrum:
    """Return the same for many columns: the gradient is only multiplied by vectors."""
    n, m = Z.shape
    value, inner, operators = 0.0, 0.0, []
    for term, c in zip(smooth.terms, smooth.columns, strict=True):
        part, g = _differentiate(term, Z.left, Z.right[c])
        value, inner = value + part, inner + float(np.vdot(g @ Z.right[c], Z.left))
        operators.append((c, g))
    whole = LinearOperator(
        dtype=np.float64,
        shape=(n, m),
        matvec=lambda v: np.sum([g @ v.ravel()[c] for c, g in operators], axis=0),
        rmatvec=lambda u: np.concatenate([g.T @ u.ravel() for _, g in operators]),
    )
    left, values, right = svds(whole, k=min(count, n - 1), tol=1e-6, v0=np.ones(min(n, m)))
    return value, inner, left, np.asarray(values, dtype=np.float64), right.T


def _differentiate(term: Loss, U: Floats, V: Floats) -> tuple[float, LinearOperator]:
    if isinstance(term, SparseSquared):
        low_rank = aslinearoperator(U) @ aslinearoperator(V.T)
        return term.value(U, V), term.weight * (low_rank - term.target)
    value, g = term.value_and_grad(U @ V.T)
    return value, aslinearoperator(g)


def _grow(Z: Factors, slope: _Slope, max_new: int, step_size: float, alpha: float) -> Factors:
    """Add the directions outside the span in which the gradient exceeds the penalty, with a proximal step each."""
    added = slope.values > alpha
    if Z.right.shape[1]:
        span = Z.right / np.linalg.norm(Z.right, axis=0)  # orthogonal: the factors are balanced
        added &= np.sum((span.T @ slope.right) ** 2, axis=0) < 0.5
    chosen = np.flatnonzero(added)[::-1][: max(max_new, 0)]  # the steepest directions
    chosen = chosen[np.argsort(-slope.values[chosen])]
    root = np.sqrt(step_size * (slope.values[chosen] - alpha))
    left, right = slope.left[:, chosen] * root, slope.right[:, chosen] * root
    return balance(np.hstack([Z.left, left]), np.hstack([Z.right, right]))
