"""Approximate neighbours of many items, with the share of the true neighbours that the search finds (its recall)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel._progress import step
from halflabel.numerics.graph.dense_search import sort_candidates
from halflabel.numerics.graph.neighbors import neighbors

#: Maximum work of an exact search, pairs of items times (features + 75): to choose the nearest costs as much as the
#: products of 75 features. It takes 10 to 25 seconds of one core.
MAX_WORK, WORK_OF_CHOICE = 5e11, 75

#: Number of lists into which the items are split, in units of the square root of the number of items.
LISTS_PER_ROOT = 2

#: Number of lists that are searched for an item at first.
FIRST_PROBES = 8

#: Maximum share of the lists that are searched for an item. Above this share the exact search is as fast.
MAX_PROBED_SHARE = 0.05

#: Size of the sample on which the number of searched lists is chosen, and of the one on which recall is measured.
AUDIT_SIZE = 500

#: Recall below which more lists are searched.
MIN_RECALL = 0.95

#: Candidates beyond k, so that single precision does not decide which item is the k-th.
N_SPARE = 8

#: Maximum number of rows of one query.
MAX_QUERY_ROWS = 8192

#: Maximum number of cells of one block of differences, 16 MB.
MAX_CELLS = 2**21


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Neighbours and their recall."""

    #: ``indices``, ``distances``: shape (n_items, k). Nearest first. An approximate search puts equal distances in the
    #: order of their indices.
    indices: Ints
    distances: Floats
    #: Share of the k nearest items that the search found, over a sample: an item counts if its distance is at most
    #: the distance of the true k-th neighbour. 1 for an exact search.
    recall: float
    #: A description of the search, for a report.
    how: str


def audited_neighbors(X: Matrix, k: int) -> Neighbors:
    r"""Return the ``k`` nearest other rows of every row of ``X``, and the share of these rows that the search found.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
        Finite values.
    k : int
        A value above n_items - 1 is reduced to it.

    Raises
    ------
    ValueError
        If there are fewer than two items.

    Notes
    -----
    The search is approximate for many dense items (above 81 000 of one feature, 50 000 of 128, 29 000 of 512) if faiss
    is installed (``pip install 'halflabel[ann]'``). Otherwise, the result is that of
    :func:`halflabel.numerics.graph.neighbors.neighbors`, bit for bit.

    The approximate search splits the items into :math:`2\sqrt{n}` lists by k-means (10 rounds on at most 64 items per
    list, a fixed seed, one thread) and searches the 8 lists whose centres are nearest to an item. As long as that
    finds less than 95 % of the true neighbours of 500 items, the number of searched lists is doubled. If 5 % of the
    lists are not enough, the exact search costs no more and is used. The recall is measured on 500 other items.

    Lists are searched in single precision, for 8 candidates more than k. Order and distances are computed again from
    differences in double precision. Rows whose lists hold fewer than k items are searched exactly. Costs O(n^1.5
    n_features) and, in addition to ``X``, at most one and a half times the memory of ``X`` in double precision. The
    result does not depend on chance, and on the number of threads only where two centres are equally near to within
    rounding.

    There is no ``query``: the prediction for a new item should depend on this item alone, not on the sample of items
    that comes with it. New items are therefore searched exactly.

    Examples
    --------
    >>> nearest = audited_neighbors(np.arange(6.0)[:, None] ** 2, 1)
    >>> nearest.indices.ravel().tolist(), nearest.recall
    ([1, 0, 1, 2, 3, 4], 1.0)
    >>> nearest.how
    'exact: 6 items; above 81110 of this width the search is approximate'
    """
    reason = _find_reason_for_exact(X)
    return search_approximately(X, k) if reason is None else _search_exactly(X, k, reason)


def _find_reason_for_exact(X: Matrix) -> str | None:
    """Return the reason for an exact search, or None."""
    n = X.shape[0]
    limit = int((MAX_WORK / (X.shape[1] + WORK_OF_CHOICE)) ** 0.5)
    if n <= max(limit, 1):
        return f"{n} items; above {limit} of this width the search is approximate"
    if is_sparse(X):
        return "sparse items are not searched approximately"
    return "faiss is not installed (pip install 'halflabel[ann]')" if find_spec("faiss") is None else None


def _search_exactly(X: Matrix, k: int, reason: str) -> Neighbors:
    return Neighbors(*neighbors(X, k), recall=1.0, how=f"exact: {reason}")


def search_approximately(X: Floats, k: int) -> Neighbors:
    """Return the nearest other rows as :func:`audited_neighbors` finds them for many items. It needs faiss."""
    n = len(X)
    k = min(k, n - 1)
    first, second = np.array_split(np.random.default_rng(0).permutation(n)[: 2 * AUDIT_SIZE], 2)
    true = _search_true_nearest(X, first, k)[1]  # before the lists, because this search raises if a value is not finite
    lists = _Lists(X)
    if (reason := lists.set_probes(first, true)) is not None:
        return _search_exactly(X, k, reason)
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    for start in range(0, n, MAX_QUERY_ROWS):
        step("finding neighbours", start, n)
        rows = np.arange(start, min(start + MAX_QUERY_ROWS, n))
        indices[rows], distances[rows] = lists.nearest(rows, k)
    step("finding neighbours", n, n)
    if len(short := np.flatnonzero(np.isinf(distances[:, -1]))):
        indices[short], distances[short] = _search_true_nearest(X, short, k)
    recall = _measure_recall(distances[second], _search_true_nearest(X, second, k)[1])
    how = (
        f"approximate: {lists.probes} of {lists.count} lists searched for each item, {recall:.1%} of the nearest found"
    )
    return Neighbors(indices, distances, recall, how)


class _Lists:
    """Items split into lists by k-means, and the number of lists that are searched for each item."""

    def __init__(self, X: Floats) -> None:
        import faiss  # here, because it is an extra and brings an OpenMP of its own

        self.X = X
        self.items = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float32)
        self.items /= np.abs(self.items).max() or 1  # so that squares in single precision neither vanish nor overflow
        self.count = min(round(LISTS_PER_ROOT * len(X) ** 0.5), len(X))
        self.probes = FIRST_PROBES
        self.index: Any = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], self.count)
        clustering = self.index.cp
        clustering.seed, clustering.niter = 1, 10
        clustering.min_points_per_centroid, clustering.max_points_per_centroid = 1, 64
        with threadpool_limits(1):  # the same lists on every machine
            self.index.train(self.items)
            self.index.add(self.items)

    def nearest(self, rows: Ints, k: int) -> tuple[Ints, Floats]:
        """Return the k nearest other items in the searched lists. Index -1 at infinite distance fills a short row."""
        self.index.nprobe = self.probes
        _, found = self.index.search(self.items[rows], min(k + 1 + N_SPARE, len(self.X)))
        return _sort_candidates(self.X, rows, found, k)

    def set_probes(self, sample: Ints, true: Floats) -> str | None:
        """Double the number of searched lists until a sample has enough recall. Return the reason if it never has."""
        while (recall := _measure_recall(self.nearest(sample, true.shape[1])[1], true)) < MIN_RECALL:
            if 2 * self.probes > MAX_PROBED_SHARE * self.count:
                return f"{self.probes} of {self.count} lists hold only {recall:.1%} of the nearest items"
            self.probes *= 2
        return None


def _search_true_nearest(X: Floats, rows: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the k nearest other items of some rows."""
    found, _ = neighbors(X, k + 1, query=X[rows])
    return _sort_candidates(X, rows, found, k)


def _sort_candidates(X: Floats, rows: Ints, found: Ints, k: int) -> tuple[Ints, Floats]:
    """Sort the candidates of each row by (distance in double precision, index), without the row itself."""
    indices, distances = np.empty((len(rows), k), dtype=found.dtype), np.empty((len(rows), k))
    size = max(1, MAX_CELLS // (found.shape[1] * X.shape[1]))
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        own, among = rows[block], found[block]
        excluded = (among < 0) | (among == own[:, None])
        indices[block], distances[block] = sort_candidates(X, X[own], among, k, excluded)
    return indices, distances


def _measure_recall(distances: Floats, true: Floats) -> float:
    """Return the share of the found items whose distance is at most the distance of the true k-th neighbour."""
    return float((distances <= true[:, -1:]).mean())
