"""The smallest eigenpairs of A^T A, matrix-free: block Krylov spaces of a Chebyshev filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from halflabel._arrays import Floats
from halflabel.numerics.solvers.solution import Status

#: Maximum number of rows of a dense decomposition, which is exact and up to here as fast.
MAX_DENSE = 1000

#: Maximum number of rows of a dense decomposition after an iteration that did not converge: seconds, and 200 MB.
MAX_FALLBACK = 4000

#: Number of vectors in addition to the wanted vectors, so that the last wanted vectors converge too.
N_GUARD = 4

#: Number of filtered blocks that span one Krylov space.
DEPTH = 8

#: Degree of the filter in units of sqrt(high / low): it enlarges eigenvalue 0 by cosh(2 * SHARPNESS) against
#: the eigenvalues that are not wanted.
SHARPNESS = 2.0


@dataclass(frozen=True, eq=False)
class EigenSolution:
    r"""Eigenpairs of :math:`M = A^T A` and their certificate."""

    #: Shape (n, k). Orthonormal. The entry of largest magnitude of each vector is positive.
    vectors: Floats
    #: Shape (k,). Ascending, :math:`\|Av\|^2`.
    values: Floats
    #: Shape (k,). :math:`\|Mv - \lambda v\|`, recomputed from the definition.
    residuals: Floats
    status: Status
    #: Products of M with a block of vectors. 0 for a dense decomposition.
    n_iter: int


def bottom_eigenvectors(
    A: sparse.csr_array, k: int, *, tol: float = 1e-5, max_iter: int = 5000, rng: np.random.Generator
) -> EigenSolution:
    r"""Return the ``k`` eigenvectors of :math:`M = A^T A` with the smallest eigenvalues.

    A matrix of at most 1000 rows is decomposed densely. For a larger matrix M is not formed. Each round spans a block
    Krylov space of a Chebyshev polynomial in M that is large on the wanted end of the spectrum and at most 1 beyond,
    and keeps the best vectors in this space (Rayleigh-Ritz). A Ritz value is never below its eigenvalue, so that the
    largest one is a safe edge for the next filter. The edge falls until the wanted vectors converge. The method uses a
    block and not a single Lanczos vector, because the latter misses copies of a multiple eigenvalue (0, once for each
    closed group of items) although every residual is small.

    Parameters
    ----------
    A : csr_array of shape (n, n)
    k : int
        Between 1 and n.
    tol : float
        The iteration has converged when every residual is at most ``tol`` times the largest eigenvalue returned. The
        scale comes from the wanted eigenvalues, not from M: vectors can be wrong in every digit while their residuals
        are tiny relative to M. Residuals below ``100 * eps`` times the norm of M are rounding and count as converged.
    max_iter : int
        Maximum number of products with M. If it is reached, a matrix of at most 4000 rows is decomposed densely.
    rng : Generator
        Draws the first block.

    References
    ----------
    .. [1] Y. Zhou, Y. Saad, M. Tiago, J. Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered
       subspace iteration", Journal of Computational Physics 219 (2006) 172-184.

    Examples
    --------
    >>> A = sparse.diags_array([3.0, 0.0, 1.0, 2.0]).tocsr()
    >>> bottom_eigenvectors(A, 2, rng=np.random.default_rng(0)).values
    array([0., 1.])
    """
    n = A.shape[0]
    if not 1 <= k <= n:
        raise ValueError(f"a matrix of {n} rows has between 1 and {n} eigenvectors, not {k}.")
    if n <= MAX_DENSE or (k + N_GUARD) * (DEPTH + 1) > n:
        return _decompose_densely(A, k, tol)
    solution = _iterate_filter(A, k, tol, max_iter, rng)
    stuck = solution.status is not Status.CONVERGED and n <= MAX_FALLBACK
    return _decompose_densely(A, k, tol) if stuck else solution


def _decompose_densely(A: sparse.csr_array, k: int, tol: float) -> EigenSolution:
    M = (A.T @ A).toarray()
    vectors = linalg.eigh(M, subset_by_index=[0, k - 1])[1]
    return _certify(A, A.T.tocsr(), vectors, tol, float(np.abs(M).sum(axis=0).max()), 0)


def _iterate_filter(A: sparse.csr_array, k: int, tol: float, max_iter: int, rng: np.random.Generator) -> EigenSolution:
    At = A.T.tocsr()
    X = rng.standard_normal((A.shape[0], k + N_GUARD))
    high = _bound_largest(A, At, X[:, 0])
    low, n_iter = high / 10, 0
    while True:
        degree = min(int(np.ceil(SHARPNESS * np.sqrt(high / low))), (max_iter - n_iter) // DEPTH)
        if degree < 1:
            return _certify(A, At, X[:, :k], tol, high, n_iter)
        n_iter += degree * DEPTH
        values, X = _project_ritz(A, _span_krylov(A, At, X, low, high, degree), k + N_GUARD)
        low = max(float(values[-1]), np.finfo(float).eps * high)
        solution = _certify(A, At, X[:, :k], tol, high, n_iter)
        if solution.status is Status.CONVERGED:
            return solution


def _bound_largest(A: sparse.csr_array, At: sparse.csr_array, start: Floats) -> float:
    """Return an upper bound of the largest eigenvalue of M, 5 % above a Lanczos estimate that is accurate to 1 %."""
    M: Any = LinearOperator(At.shape, matvec=lambda x: At @ (A @ x), dtype=np.float64)
    return 1.05 * float(eigsh(M, k=1, which="LA", tol=1e-2, v0=start, return_eigenvectors=False)[0])


def _span_krylov(A: sparse.csr_array, At: sparse.csr_array, X: Floats, low: float, high: float, degree: int) -> Floats:
    """Return the columns of X, p(M)X, p(M)^2 X, ..., p the Chebyshev polynomial that is within 1 on [low, high]."""
    center, half = (high + low) / 2, (high - low) / 2
    blocks = [X]
    for _ in range(DEPTH):
        last, now = blocks[-1], (center * blocks[-1] - At @ (A @ blocks[-1])) / half
        for _ in range(degree - 1):
            last, now = now, (center * now - At @ (A @ now)) * (2 / half) - last
        blocks.append(now / np.linalg.norm(now, axis=0))
    return np.hstack(blocks)


def _project_ritz(A: sparse.csr_array, span: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the k smallest Ritz values of M on the span of the columns, and their vectors."""
    Q = linalg.qr(span, mode="economic", overwrite_a=True, check_finite=False)[0]
    AQ = A @ Q
    values, U = linalg.eigh(AQ.T @ AQ, subset_by_index=[0, k - 1])
    return values, Q @ U


def _certify(
    A: sparse.csr_array, At: sparse.csr_array, vectors: Floats, tol: float, norm: float, n_iter: int
) -> EigenSolution:
    """Fix lengths and signs of the vectors, and compute values and residuals from the definition."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None, :], axis=0)
    V = vectors * np.sign(largest) / np.linalg.norm(vectors, axis=0)
    AV = A @ V
    values = np.einsum("ij,ij->j", AV, AV)
    residuals = np.linalg.norm(At @ AV - values * V, axis=0)
    rounding = 100 * np.finfo(float).eps * norm
    converged = residuals.max() <= max(tol * values.max(), rounding)
    return EigenSolution(V, values, residuals, Status.CONVERGED if converged else Status.MAX_ITER, n_iter)
