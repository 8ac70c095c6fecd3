"""The nearest neighbours of every item, ties settled by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel._progress import step

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
