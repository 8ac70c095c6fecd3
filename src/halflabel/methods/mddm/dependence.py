"""Dependence between features and labels: label factors, and the directions that carry the dependence."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse, stored
from halflabel.methods.validation import read_square
from halflabel.numerics.graph.output_kernel import output_kernel

EPS = float(np.finfo(np.float64).eps)

#: Maximum number of cells of an array in a step that needs dense features: 0.8 GB.
MAX_DENSE = 100_000_000

#: Share of the label graph in a learned correlation, the default of Zhao & Guo.
LABEL_GRAPH_WEIGHT = 0.5

#: Singular values above this share of the largest may come from the matrix of inner products, which squares them: the
#: directions are then orthonormal up to about 1e-10.
MIN_SQUARED = 1e-3

#: Maximum share of relevant entries for which the product with a sparse label matrix is faster than with a dense one.
MAX_RELEVANT = 1 / 16

#: Number of rows that are centred at a time, so that they stay in the cache.
BLOCK = 512


def linear_factor(Y: Floats, observed: Mask) -> Floats:
    r"""Return C with :math:`CC^T = HLH` for the linear label kernel, each label on its own observed entries.

    Column j is :math:`c_{ij} = \sqrt{\frac{N-1}{n_j-1}}\,(y_{ij} - \bar y_j)` where observed and 0 elsewhere, with
    :math:`n_j` observed entries, their mean :math:`\bar y_j`, and N rows with anything observed. Columns sum to 0,
    so that :math:`X^TC` is the same for any shift of X.

    The root gives every label sampling noise of the same size. Without it rarely observed labels have hardly any
    effect. With the whole factor :math:`(N-1)/(n_j-1)`, which estimates each covariance without bias, their noise
    dominates. Y is 0 where an entry is not observed.
    """
    n = observed.sum(axis=0)
    C = Y - Y.sum(axis=0) / np.maximum(n, 1)
    C *= np.sqrt((observed.any(axis=1).sum() - 1) / np.maximum(n - 1, 1))
    C *= observed
    return np.asarray(C)


def correlation_root(correlation: str | Floats, Y: Floats, observed: Mask) -> Floats:
    r"""Return R with :math:`RR^T = C`, so that :math:`L = YCY^T` has the factor YR.

    The correlation is Q from the graph of the labels ("learned"), the (pseudo-)inverse covariance of the labels
    ("whitened"), or C itself. Y and ``observed`` are as in :func:`linear_factor`.
    """
    if not isinstance(correlation, str):
        C, power = require_semidefinite("label_correlation", correlation, Y.shape[1]), 0.5
    elif correlation == "learned":
        known = observed.any(axis=1)
        C, power = output_kernel(np.where(Y > 0, 1.0, -1.0)[known], LABEL_GRAPH_WEIGHT, normalize=True).matrix(), 0.5
    else:
        A = linear_factor(Y, observed)
        C, power = A.T @ A, -0.5
    values, vectors = linalg.eigh(C, check_finite=False)
    kept = values > max(len(C), len(Y)) * EPS * values[-1]
    return np.asarray(vectors[:, kept] * values[kept] ** power)


def require_semidefinite(name: str, given: object, size: int) -> Floats:
    """Return a given kernel matrix. Raise if it has another shape, or is not symmetric and positive semidefinite."""
    matrix: Floats = stored(read_square(name, given, size), as_sparse=False)
    wanted = f"{name} must be a matrix of shape ({size}, {size})"
    largest = float(np.abs(matrix).max(initial=0.0))
    if not np.isfinite(largest) or not np.allclose(matrix, matrix.T, atol=1e-8 * largest, rtol=0):
        raise ValueError(f"{wanted}, symmetric and finite; this one is not: give (L + L.T) / 2.")
    if (lowest := float(linalg.eigvalsh(matrix, subset_by_index=[0, 0])[0])) < -1e-8 * size * largest:
        raise ValueError(f"{wanted} without negative eigenvalues; its smallest is {lowest:.2g}: give a kernel matrix.")
    return matrix


def label_sets(Y: Mask | Floats) -> tuple[Floats, sparse.csr_array]:
    """Return the distinct rows of Y, coded 1, 0 or a rate, and the indicator matrix Z of the rows of Y among them."""
    sets, member = np.unique(Y, axis=0, return_inverse=True)
    Z = sparse.csr_array((np.ones(len(Y)), member.ravel(), np.arange(len(Y) + 1)), shape=(len(Y), len(sets)))
    return sets.astype(np.float64), Z


def label_gram(sets: Floats, kernel: str, gamma: float | None) -> Floats:
    """Return the kernel matrix of label sets, shape (n_sets, n_sets).

    The kernel is "quadratic", (<y, y'> + 1)^2, or "rbf", exp(-gamma ||y - y'||^2), where None is 1 / n_labels. The sets
    are coded 1 and 0.
    """
    if kernel == "quadratic":
        return np.asarray((sets @ sets.T + 1) ** 2)
    return np.asarray(rbf_kernel(sets, gamma=gamma))


def label_factor(gram: Floats, counts: Floats) -> Floats:
    r"""Return A of shape (n_sets, rank of the Gram matrix) with :math:`(ZA)(ZA)^T = HLH` and :math:`L = Z L_U Z^T`.

    Pivoted Cholesky accepts a singular :math:`L_U` and stops at the rounding of its entries. H acts on label sets in
    the same way as on rows: :math:`HZA = Z(A - 1 w^TA)` for the shares w of the sets.
    """
    lower, pivots, rank, _ = linalg.lapack.dpstrf(gram, lower=1)
    A = np.empty((len(gram), rank))
    A[pivots - 1] = np.tril(lower)[:, :rank]
    return np.asarray(A - (counts / counts.sum()) @ A)


def cross_covariance(X: Matrix, C: Matrix) -> tuple[Matrix, float]:
    r"""Return :math:`X^TC` for sparse X, :math:`X_c^TC` for dense X, and the Frobenius norm of X or :math:`X_c`.

    The two are equal if the columns of C sum to 0, except for rounding: if the mean is large against the spread, the
    first one is lost in it. Sparse X has no such mean. One block of :math:`X_c` is in memory at a time. The first
    result is sparse if X and C are.

    Raises
    ------
    ValueError
        If features are too large to be squared.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        S, squares = (X.T @ C, np.vdot(X.data, X.data)) if is_sparse(X) else _multiply_centred(X, C)
    if not squares < 1e280:
        raise ValueError("features are too large to be squared: divide them by a constant first.")
    return S, float(np.sqrt(squares))


def label_covariance(X: Matrix, Y: Floats, observed: Mask) -> tuple[Floats, float]:
    r"""Return :math:`S = X^TC` for the factor C of :func:`linear_factor`, and the product of the norms of X and C.

    Sparse X needs no C if every label is observed on the same rows: with the number n of these rows and the mean
    :math:`\bar y` of their labels, :math:`S = X^TY - (X^T1)\bar y^T`, and C has the squared norm
    :math:`n\sum_j \bar y_j(1 - \bar y_j)`.
    """
    if not is_sparse(X) or not (observed == observed[:, :1]).all():
        C = linear_factor(Y, observed)
        S, size = cross_covariance(X, C)
        return S, size * float(np.linalg.norm(C))
    few = np.count_nonzero(Y) <= MAX_RELEVANT * Y.size
    product, size = cross_covariance(X, sparse.csr_array(Y) if few else Y)  # Y is 0 outside the rows
    rows = observed[:, 0].astype(np.float64)
    mean = rows @ Y / rows.sum()
    S = stored(product, as_sparse=False) - np.outer(X.T @ rows, mean)
    return S, size * float(np.sqrt(rows.sum() * (mean * (1 - mean)).sum()))


def _multiply_centred(X: Floats, C: Matrix) -> tuple[Floats, float]:
    mean = X.mean(axis=0)
    St, squares = np.zeros((C.shape[1], X.shape[1])), 0.0
    for rows in gen_batches(len(X), BLOCK):
        block = X[rows] - mean
        St += C[rows].T @ block
        squares += float(np.vdot(block, block))
    return St.T, squares


def directions(S: Floats, size: float) -> tuple[Floats, Floats]:
    r"""Return the left singular vectors and singular values of S that exceed rounding.

    Their squares are the eigenvalues of :math:`S^TS`, from which they come if none is small. Otherwise a thin SVD of S
    is used, because :math:`S^TS` would lose the directions whose singular value is less than 1e-8 of the largest.
    ``size`` is the product of the Frobenius norms of the two factors of S: singular values below 10 eps of it are
    rounding. The values are descending.
    """
    if not S.shape[1]:  # a label kernel of zeros has no factor
        return S, np.zeros(0)
    if S.shape[0] < S.shape[1]:
        S = np.asarray(linalg.qr(S.T, mode="r", check_finite=False)[0][: S.shape[0]].T)
    squares, rotation = linalg.eigh(S.T @ S, check_finite=False)
    if squares[0] > MIN_SQUARED**2 * squares[-1] and squares[0] > (10 * EPS * size) ** 2:
        values = np.sqrt(squares[::-1])
        return (S @ rotation[:, ::-1]) / values, values
    vectors, values, _ = linalg.svd(S, full_matrices=False, check_finite=False)
    rank = int((values > 10 * EPS * size).sum())
    return vectors[:, :rank], values[:rank]


def uncorrelated_directions(S: Floats, X: Matrix, mu: float) -> tuple[Floats, Floats]:
    r"""Maximise :math:`\mathrm{tr}(P^TSS^TP)` subject to :math:`P^T(\mu X_c^TX_c + (1-\mu)I)P = I`.

    The columns of S are independent and in the row space of :math:`X_c`, and ``mu`` is from 0 to 1. The values are
    square roots of the generalised eigenvalues, descending.

    Notes
    -----
    With the singular value decomposition :math:`X_c = U\Sigma V^T` the metric is :math:`\mu\Sigma^2 + (1-\mu)I` on the
    row space. Whitened by it, the problem is a thin SVD again.
    """
    _, spread, Vt = linalg.svd(_triangularize(X), full_matrices=False, check_finite=False)
    kept = spread > spread[0] * max(X.shape) * EPS
    root = np.sqrt(mu * spread[kept] ** 2 + (1 - mu))  # in this order no small spread is lost in the 1
    rotation, values, _ = linalg.svd((Vt[kept] @ S) / root[:, None], full_matrices=False, check_finite=False)
    return (Vt[kept].T / root) @ rotation, values


def principal_complement(P: Floats, X: Matrix, n_components: int) -> Floats:
    """Return the leading principal directions of X that are orthogonal to the orthonormal columns of P.

    Directions without variance come last, in the order of the factorisation. The columns of the result are orthonormal.
    """
    _require_small(X.shape[1] ** 2, "all directions of the feature space")
    basis = linalg.qr(P, check_finite=False)[0][:, P.shape[1] :]
    _, _, Vt = linalg.svd(_triangularize(X) @ basis, check_finite=False)
    return np.asarray(basis @ Vt[:n_components].T)


def fixed_signs(P: Floats) -> Floats:
    """Return P with the entry of largest size in each column positive."""
    largest: Ints = np.abs(P).argmax(axis=0)
    return P * np.copysign(1.0, P[largest, np.arange(P.shape[1])])


def _triangularize(X: Matrix) -> Floats:
    """Return R with R'R = Xc'Xc and at most as many rows as features. No step squares singular values."""
    _require_small(X.shape[0] * X.shape[1], "dense, centred features")
    Xc = X.toarray() if is_sparse(X) else X.copy()
    Xc -= Xc.mean(axis=0)
    return np.asarray(Xc if len(Xc) <= Xc.shape[1] else linalg.qr(Xc, mode="r", check_finite=False)[0][: Xc.shape[1]])


def _require_small(cells: int, what: str) -> None:
    if cells > MAX_DENSE:
        raise ValueError(
            f"{what} would take {8e-9 * cells:.1f} GB, more than the {8e-9 * MAX_DENSE:.1f} GB allowed here: reduce "
            "the features first (TruncatedSVD), or use the orthonormal projection with at most rank_ dimensions."
        )
