"""Neighbours, reconstruction weights, Laplacians and what a graph can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from halflabel.arrays import Floats, Ints, Mask, Matrix, is_sparse, stored
from halflabel.progress import step

__all__ = ["affinity", "components", "laplacian", "neighbors", "reachable", "reconstruction_weights", "supported"]


#: Rows of one batch of local Gram matrices: few enough for the cache, many enough to hide the loop.
BLOCK = 32

#: Rows of one neighbour query: a few seconds' work at most.
QUERIES = 8192

#: Neighbours asked for beyond k, so that a tie of a few at the k-th is settled without a second look.
MORE = 32

#: Distances of one block of whole rows, 16 MB.
CELLS = 2**21


def neighbors(
    X: Matrix,
    k: int,
    metric: Literal["euclidean", "cosine"] = "euclidean",
    query: Matrix | None = None,
    *,
    ties: Literal["any", "index"] = "any",
) -> tuple[Ints, Floats]:
    r"""Return the ``k`` nearest rows of ``X`` for every row of ``query`` (default: of ``X`` itself), exactly.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    k : int
        At most the number of rows that can be neighbours; more is cut to that.
    metric : {"euclidean", "cosine"}
        Cosine is Euclidean distance between rows of unit length.
    query : matrix of shape (n_queries, n_features), optional
        When it is None, a row is never its own neighbour: it is left out by
        index, so that a duplicate of it still counts.
    ties : {"any", "index"}
        Which of several rows at equal distance come first: whichever rounding and the search leave in front, or those
        with the lowest index. With "index", the answer is the same for sparse and dense ``X`` and after a rotation.

    Returns
    -------
    indices, distances : ndarray of shape (n_queries, k)
        Nearest first; with ``ties="index"``, equal distances in the order of their indices.

    Notes
    -----
    For ``ties="index"``, two squared distances next to each other in the sorted row of a query x are equal if they
    differ by at most :math:`10^{-9} d^2 + 10^{-12} \|x\|^2`, d the smaller distance; a chain of equal ones is equal as
    a whole. The second term is there because distances come from inner products, :math:`\|x\|^2 + \|y\|^2 - 2x^Ty`,
    which rounding blurs by a few :math:`10^{-16}(\|x\|^2 + \|y\|^2)` however small they are. Dense rows are centred
    first, so that :math:`\|x\|` knows no offset; sparse ones are not.

    The search asks for a few more than k neighbours. Where the k-th equals the last of them, all distances of the
    row are computed once more and sorted, in blocks of 16 MB of distances: in the worst case, every row tied,
    O(n_queries n_items (n_features + log n_items)), a few times the plain search.
    """
    if metric == "cosine":
        X = normalize(X)
        query = None if query is None else normalize(query)
    k = min(k, X.shape[0] - (query is None))
    if k < 1:
        raise ValueError(f"neighbours need at least {1 + (query is None)} items, but there are {X.shape[0]}.")
    return _by_index(X, k, query) if ties == "index" else _nearest(X, k, query)


def _nearest(X: Matrix, k: int, query: Matrix | None) -> tuple[Ints, Floats]:
    # Offered k + 1 and dropped by index: scikit-learn's own exclusion of the first hit fails on duplicates.
    search = NearestNeighbors(n_neighbors=k + (query is None), algorithm="brute").fit(X)
    distances, indices = _search(search, X if query is None else query)
    if query is not None:
        return indices, distances
    own = indices == np.arange(len(indices))[:, None]
    own[~own.any(axis=1), -1] = True  # crowded out by duplicates: drop the farthest instead
    return indices[~own].reshape(-1, k), distances[~own].reshape(-1, k)


def _search(search: NearestNeighbors, rows: Matrix) -> tuple[Floats, Ints]:
    """Ask block by block, so that a long search can say how far it is."""
    n, found = rows.shape[0], []
    for start in range(0, n, QUERIES):
        step("finding neighbours", start, n)
        found.append(search.kneighbors(rows[start : start + QUERIES]))
    step("finding neighbours", n, n)
    distances, indices = (np.concatenate(part) for part in zip(*found, strict=True))
    return distances, indices


def _by_index(X: Matrix, k: int, query: Matrix | None) -> tuple[Ints, Floats]:
    """Search for a few more than k; where a tie may go on beyond them, look at the whole row."""
    center = 0.0 if is_sparse(X) else X.mean(axis=0, dtype=np.float64)
    X, query = _offsets(X, center), None if query is None else _offsets(query, center)
    rows = X if query is None else query
    blur = 1e-12 * row_norms(rows, squared=True)[:, None]
    available = X.shape[0] - (query is None)
    indices, distances = _nearest(X, min(k + MORE, available), query)
    group = _groups(distances**2, blur)
    undecided = np.flatnonzero(group[:, -1] == group[:, k - 1]) if k + MORE < available else np.empty(0, np.intp)
    indices, square = _ordered(indices, distances**2, blur, k)
    for done, at in _blocks(undecided, X.shape[0]):
        step("telling equal distances apart", done, len(undecided))
        every = euclidean_distances(rows[at], X, squared=True)
        if query is None:
            every[np.arange(len(at)), at] = np.inf
        first = _first(every, blur[at], k)
        indices[at], square[at] = _ordered(first, np.take_along_axis(every, first, axis=1), blur[at], k)
    return indices, np.sqrt(square)


def _offsets(X: Matrix, center: Any) -> Matrix:
    """Return the rows in double precision, dense ones seen from ``center``."""
    return X.astype(np.float64, copy=False) if is_sparse(X) else X - center


def _blocks(rows: Ints, n: int) -> Iterator[tuple[int, Ints]]:
    """Cut ``rows`` so that n numbers for each fit into a block."""
    size = max(1, CELLS // n)
    for start in range(0, len(rows), size):
        yield start, rows[start : start + size]


def _groups(ascending: Floats, blur: Floats) -> Ints:
    """Return the number of the group of equal squared distances, along each ascending row."""
    apart = np.diff(ascending, axis=1) > 1e-9 * ascending[:, :-1] + blur
    return np.pad(apart.cumsum(axis=1), ((0, 0), (1, 0)))


def _first(square: Floats, blur: Floats, k: int) -> Ints:
    """Return the k columns of each row that come first by (group of equal squared distances, column), by column."""
    ascending = np.sort(square, axis=1)
    group = _groups(ascending, blur)
    tied = group == group[:, k - 1, None]
    nearer = tied.argmax(axis=1)[:, None]
    least, most = (np.take_along_axis(ascending, at, axis=1) for at in (nearer, nearer + tied.sum(axis=1)[:, None] - 1))
    tied = (square >= least) & (square <= most)
    chosen = (square < least) | (tied & (tied.cumsum(axis=1) <= k - nearer))
    return np.nonzero(chosen)[1].reshape(-1, k)


def _ordered(indices: Ints, square: Floats, blur: Floats, k: int) -> tuple[Ints, Floats]:
    """Order each row by (group of equal squared distances, index) and keep the first k."""
    rank = np.argsort(square, axis=1)
    indices, square = np.take_along_axis(indices, rank, axis=1), np.take_along_axis(square, rank, axis=1)
    order = np.lexsort((indices, _groups(square, blur)))[:, :k]
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(square, order, axis=1)


def reconstruction_weights(
    X: Matrix,
    indices: Ints,
    ridge: float = 1.0,
    query: Matrix | None = None,
    *,
    scores: Floats | None = None,
    alpha: float = 0.0,
    drop_negative: bool = False,
) -> sparse.csr_array:
    r"""Return the weights that rebuild each row from its neighbours (Qian & Davidson 2010, eq. 4 and 13).

    Row i minimises :math:`\|x_i - \sum_j w_{ij} x_j\|^2` over the neighbours j with weights that
    sum to 1, its local Gram matrix loaded as in eq. (13), :math:`L_i + \xi\,\mathrm{tr}(L_i)/k\, I`.
    Where all neighbours coincide with the row, :math:`L_i = 0` and the weights are 1/k.

    Parameters
    ----------
    X : matrix of shape (n_items, n_features)
    indices : ndarray of shape (n_queries, k)
        Neighbours, from :func:`neighbors`.
    ridge : float
        :math:`\xi`. The paper advises less than 0.1; 1 gives better scores, hardly any
        negative weight and a well-conditioned solve.
    query : matrix of shape (n_queries, n_features), optional
        Rows to rebuild; by default those of ``X``.
    scores : ndarray of shape (n_items, n_labels), optional
        F: the same weights are to rebuild the scores as well, with share ``alpha``,
        :math:`L_i = (1 - \alpha) P_i + \alpha Q_i`. P and Q are divided by their mean traces first: otherwise
        alpha would mean something else after every change of units.
    alpha : float
        :math:`\alpha` of eq. (1) and (4), between 0 and 1.
    drop_negative : bool
        Set negative weights to 0 and rescale the rest to sum 1.

    Returns
    -------
    csr_array of shape (n_queries, n_items), rows sum to 1.
    """
    n, k = indices.shape
    weights = np.empty((n, k))
    own = X if query is None else query
    grams = _local_grams(X, indices, own) if scores is None else _mixed_grams(X, scores, indices, alpha)
    for rows, gram in grams:
        trace = np.trace(gram, axis1=1, axis2=2)
        # An absolute floor where the trace is 0: the solution of I w = 1 is uniform.
        load = np.where(trace > 0, (ridge or np.finfo(float).eps) * trace / k, 1.0)
        gram[:, range(k), range(k)] += load[:, None]
        raw = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[..., 0]
        weights[rows] = raw / raw.sum(axis=1, keepdims=True)
    if drop_negative:
        weights = np.maximum(weights, 0)
        weights /= weights.sum(axis=1, keepdims=True)
    indptr = np.arange(0, n * k + 1, k)
    W = sparse.csr_array((weights.ravel(), indices.ravel(), indptr), shape=(n, X.shape[0]))
    W.sort_indices()
    return W


def _local_grams(X: Matrix, indices: Ints, query: Matrix) -> Iterator[tuple[slice, Floats]]:
    """Yield (rows, Gram matrices of the neighbours seen from each row) block by block."""
    for start in range(0, len(indices), BLOCK):
        rows = slice(start, min(start + BLOCK, len(indices)))
        own = stored(query[rows], as_sparse=is_sparse(X))
        if is_sparse(X):
            yield rows, _sparse_gram(X, indices[rows], own)
        else:
            offsets = np.take(X, indices[rows], axis=0)
            offsets -= own[:, None, :]
            # From a copy: on one and the same buffer NumPy takes the symmetric product, slower at this size.
            yield rows, (offsets @ offsets.copy().transpose(0, 2, 1)).astype(np.float64)


def _mixed_grams(X: Matrix, scores: Floats, indices: Ints, alpha: float) -> Iterator[tuple[slice, Floats]]:
    """Yield the local Gram matrices of eq. (4), features and scores each in units of their mean trace."""
    unit_P, unit_Q = (_mean_trace(A, indices) for A in (X, scores))
    both = zip(_local_grams(X, indices, X), _local_grams(scores, indices, scores), strict=True)
    for (rows, P), (_, Q) in both:
        yield rows, (1 - alpha) / unit_P * P + alpha / unit_Q * Q


def _mean_trace(A: Matrix, indices: Ints) -> float:
    total = sum(np.trace(gram, axis1=1, axis2=2).sum() for _, gram in _local_grams(A, indices, A))
    return float(total) / len(indices) or 1.0


def _sparse_gram(X: sparse.csr_array, indices: Ints, query: sparse.csr_array) -> Floats:
    """Local Gram matrices from inner products: <a - x, b - x> = <a, b> - <a, x> - <b, x> + <x, x>."""
    used, position = np.unique(indices, return_inverse=True)
    position = position.reshape(indices.shape)
    among = (X[used] @ X[used].T).toarray()
    across = (query @ X[used].T).toarray()
    norms = np.asarray(query.multiply(query).sum(axis=1)).ravel()
    to_own = np.take_along_axis(across, position, axis=1)
    inner = among[position[:, :, None], position[:, None, :]]
    return np.asarray(inner - to_own[:, :, None] - to_own[:, None, :] + norms[:, None, None], dtype=np.float64)


def affinity(indices: Ints, distances: Floats, bandwidth: float | None = None) -> sparse.csr_array:
    r"""Return the symmetric heat-kernel graph :math:`\exp(-d^2 / 2\sigma^2)`; an edge exists if either end names it.

    ``bandwidth`` (:math:`\sigma`) defaults to the mean distance to the farthest neighbour kept
    (Qian & Davidson 2010, section 4, for ML-GFHF).
    """
    n, k = indices.shape
    sigma = bandwidth or float(distances[:, -1].mean()) or 1.0
    values = np.exp(-(distances**2) / (2 * sigma**2))
    W = sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return W.maximum(W.T).tocsr()


def laplacian(W: sparse.csr_array, *, normalized: bool = False) -> sparse.csr_array:
    """Return D - W, or I - D^-1/2 W D^-1/2; an isolated item has a zero row in both."""
    graph: Any = sparse.csgraph.laplacian(W, normed=normalized)
    return sparse.csr_array(graph)


def components(W: sparse.csr_array) -> Ints:
    """Return the weakly connected component of each item, numbered from 0."""
    _, labels = sparse.csgraph.connected_components(W, directed=True, connection="weak")
    return np.asarray(labels, dtype=np.intp)


def supported(component: Ints, observed: Mask) -> Mask:
    """Tell, per item and label, whether the item's component holds an observed entry of the label.

    Where it does not, propagation alone has no evidence (the system is singular there).
    """
    evidence = np.zeros((component.max() + 1, observed.shape[1]), dtype=bool)
    np.logical_or.at(evidence, component, observed)
    return evidence[component]


def reachable(W: sparse.csr_array, observed: Mask) -> Mask:
    """Tell, per item and label, whether a walk along the rows of W comes from the item to an observed entry.

    Where it does not, eq. (7) of Qian & Davidson is singular: the item's score depends on no label.
    """
    pattern = sparse.csr_array(((W.data != 0).astype(np.float32), W.indices, W.indptr), shape=W.shape)
    reached = observed.copy()
    while True:
        further = reached | (pattern @ reached.astype(np.float32) > 0)
        if (further == reached).all():
            return reached
        reached = further
