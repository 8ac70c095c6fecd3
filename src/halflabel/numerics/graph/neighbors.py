"""The nearest neighbours of every item, with ties resolved by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel._progress import step
from halflabel.numerics.graph.dense_search import is_large, nearest_rows
from halflabel.numerics.threads import limit_threads

#: Maximum number of rows of one neighbour query, which then takes a few seconds.
MAX_QUERY_ROWS = 8192

#: Size of the blocks in which scikit-learn computes the distances of sparse rows, in MiB: with its 1 GiB, most of the
#: time goes into memory that is allocated and leaves the cache.
SPARSE_BLOCK = 16

#: Neighbours searched beyond k, so that a tie of a few at the k-th is resolved without a second search.
N_EXTRA = 32

#: Maximum number of distances in one block of whole rows, 16 MB.
MAX_CELLS = 2**21


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
        A value above the number of rows that can be neighbours is reduced to it.
    metric : {"euclidean", "cosine"}
        Cosine is Euclidean distance between rows of unit length.
    query : matrix of shape (n_queries, n_features), optional
        If it is None, a row is never its own neighbour: it is left out by index, so that a duplicate of the row is a
        neighbour.
    ties : {"any", "index"}
        The order of rows at equal distance: "any" depends on rounding and on the search, "index" puts the lowest index
        first. With "index", the result is the same for sparse and dense ``X`` and after a rotation.

    Returns
    -------
    indices, distances : ndarray of shape (n_queries, k)
        Nearest first. With ``ties="index"``, equal distances are in the order of their indices.

    Notes
    -----
    For ``ties="index"``, two squared distances next to each other in the sorted row of a query x are equal if they
    differ by at most :math:`10^{-9} d^2 + 10^{-12} \|x\|^2`, d the smaller distance. A chain of equal distances is
    equal as a whole. The second term is there because distances come from inner products,
    :math:`\|x\|^2 + \|y\|^2 - 2x^Ty`, whose rounding error is a few :math:`10^{-16}(\|x\|^2 + \|y\|^2)`, however small
    the distance. Dense rows are centred first, so that :math:`\|x\|` contains no offset. Sparse rows are not centred.

    The search finds a few more than k neighbours. Where the k-th is tied with the last of them, all distances of the
    row are computed again and sorted, in blocks of 16 MB of distances. In the worst case, with a tie in every row,
    that costs O(n_queries n_items (n_features + log n_items)), a few times the plain search.
    """
    if metric == "cosine":
        X = normalize(X)
        query = None if query is None else normalize(query)
    k = min(k, X.shape[0] - (query is None))
    if k < 1:
        raise ValueError(f"neighbours need at least {1 + (query is None)} items, but there are {X.shape[0]}.")
    return _search_by_index(X, k, query) if ties == "index" else _search_nearest(X, k, query)


def _search_nearest(X: Matrix, k: int, query: Matrix | None) -> tuple[Ints, Floats]:
    # Search k + 1 and drop the row itself by its index: scikit-learn drops the first hit, which may be a duplicate.
    number, rows = k + (query is None), X if query is None else query
    if is_sparse(X) or is_sparse(rows) or not is_large(len(X), number):
        indices, distances = _search_in_blocks(X, number, rows)
    else:
        indices, distances, uncertain = nearest_rows(X, number, rows)
        if len(uncertain):
            indices[uncertain], distances[uncertain] = _search_in_blocks(X, number, rows[uncertain])
    if query is not None:
        return indices, distances
    own = indices == np.arange(len(indices))[:, None]
    own[~own.any(axis=1), -1] = True  # k + 1 duplicates precede the row itself: drop the farthest
    return indices[~own].reshape(-1, k), distances[~own].reshape(-1, k)


def _search_in_blocks(X: Matrix, k: int, rows: Matrix) -> tuple[Ints, Floats]:
    """Search in double precision, block by block, and report the progress."""
    search, n, parts = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X), rows.shape[0], []
    for start in range(0, n, MAX_QUERY_ROWS):
        step("finding neighbours", start, n)
        with config_context(working_memory=SPARSE_BLOCK), limit_threads(n, X.shape[0]):
            parts.append(search.kneighbors(rows[start : start + MAX_QUERY_ROWS]))
    step("finding neighbours", n, n)
    distances, indices = (np.concatenate(part) for part in zip(*parts, strict=True))
    return indices, distances


def _search_by_index(X: Matrix, k: int, query: Matrix | None) -> tuple[Ints, Floats]:
    """Search a few more neighbours than k. Sort the whole row where a tie may continue beyond them."""
    center = 0.0 if is_sparse(X) else X.mean(axis=0, dtype=np.float64)
    X, query = _center(X, center), None if query is None else _center(query, center)
    rows = X if query is None else query
    blur = 1e-12 * row_norms(rows, squared=True)[:, None]
    available = X.shape[0] - (query is None)
    indices, distances = _search_nearest(X, min(k + N_EXTRA, available), query)
    group = _number_ties(distances**2, blur)
    undecided = np.flatnonzero(group[:, -1] == group[:, k - 1]) if k + N_EXTRA < available else np.empty(0, np.intp)
    indices, square = _sort_by_index(indices, distances**2, blur, k)
    for done, at in _split_rows(undecided, X.shape[0]):
        step("resolving equal distances", done, len(undecided))
        every = euclidean_distances(rows[at], X, squared=True)
        if query is None:
            every[np.arange(len(at)), at] = np.inf
        first = _choose_first(every, blur[at], k)
        indices[at], square[at] = _sort_by_index(first, np.take_along_axis(every, first, axis=1), blur[at], k)
    return indices, np.sqrt(square)


def _center(X: Matrix, center: Any) -> Matrix:
    """Return the rows in double precision. Subtract ``center`` from dense rows."""
    return X.astype(np.float64, copy=False) if is_sparse(X) else X - center


def _split_rows(rows: Ints, n: int) -> Iterator[tuple[int, Ints]]:
    """Yield (first position, rows) of blocks that hold n numbers for each row."""
    size = max(1, MAX_CELLS // n)
    for start in range(0, len(rows), size):
        yield start, rows[start : start + size]


def _number_ties(ascending: Floats, blur: Floats) -> Ints:
    """Return the number of the group of equal squared distances, in each ascending row."""
    apart = np.diff(ascending, axis=1) > 1e-9 * ascending[:, :-1] + blur
    return np.pad(apart.cumsum(axis=1), ((0, 0), (1, 0)))


def _choose_first(square: Floats, blur: Floats, k: int) -> Ints:
    """Return the k columns of each row that come first by (group of equal squared distances, column), by column."""
    ascending = np.sort(square, axis=1)
    group = _number_ties(ascending, blur)
    tied = group == group[:, k - 1, None]
    nearer = tied.argmax(axis=1)[:, None]
    least, most = (np.take_along_axis(ascending, at, axis=1) for at in (nearer, nearer + tied.sum(axis=1)[:, None] - 1))
    tied = (square >= least) & (square <= most)
    chosen = (square < least) | (tied & (tied.cumsum(axis=1) <= k - nearer))
    return np.nonzero(chosen)[1].reshape(-1, k)


def _sort_by_index(indices: Ints, square: Floats, blur: Floats, k: int) -> tuple[Ints, Floats]:
    """Sort each row by (group of equal squared distances, index) and keep the first k."""
    rank = np.argsort(square, axis=1)
    indices, square = np.take_along_axis(indices, rank, axis=1), np.take_along_axis(square, rank, axis=1)
    order = np.lexsort((indices, _number_ties(square, blur)))[:, :k]
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(square, order, axis=1)
