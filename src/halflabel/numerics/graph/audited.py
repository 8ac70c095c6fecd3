"""Neighbours of many items: looked for in a few lists only, and measured how many of the true ones that finds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel._progress import step
from halflabel.numerics.graph.neighbors import neighbors

#: Up to so many items the search is exact: 10 to 20 seconds of one core at 128 features.
EXACT_UP_TO = 50_000

#: Lists that the items are dealt into, in units of the square root of their number.
LISTS = 2

#: Lists searched for an item at first, and the share of all lists beyond which the exact search is as fast.
PROBES, MOST = 8, 0.05

#: Items on which the number of lists is chosen, and as many others on which the recall is measured.
AUDIT = 500

#: Recall below which more lists are searched.
LEAST = 0.95

#: Candidates beyond k, so that single precision does not decide who is the k-th.
SPARE = 8

#: Rows of one query, and numbers of one block of differences, 16 MB.
QUERIES, CELLS = 8192, 2**21


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Neighbours, and how far they can be trusted.

    Attributes
    ----------
    indices, distances : ndarray of shape (n_items, k)
        Nearest first; an approximate search puts equal distances in the order of their indices.
    recall : float
        Share of the k nearest items that were found, over a sample: a found item counts if it is no farther than the
        true k-th. 1 for an exact search.
    how : str
        How they were searched, in words for a report.
    """

    indices: Ints
    distances: Floats
    recall: float
    how: str


def audited_neighbors(
    X: Matrix,
    k: int,
    metric: Literal["euclidean", "cosine"] = "euclidean",
    *,
    method: Literal["auto", "exact", "approximate"] = "auto",
) -> Neighbors:
    r"""Return the ``k`` nearest other rows of every row of ``X``, and the share of them that was found.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
        Finite.
    k : int
        At most n_items - 1; more is cut to that.
    metric : {"euclidean", "cosine"}
        As in :func:`halflabel.numerics.graph.neighbors.neighbors`.
    method : {"auto", "exact", "approximate"}
        "exact" is :func:`halflabel.numerics.graph.neighbors.neighbors`, bit for bit. "auto" is "approximate" for more
        than 50 000 items, dense and with faiss installed (``pip install 'halflabel[ann]'``), otherwise "exact".

    Returns
    -------
    Neighbors

    Raises
    ------
    ValueError
        For an unknown method, sparse ``X`` with "approximate", and fewer than two items.
    ImportError
        For "approximate" without faiss.

    Notes
    -----
    The approximate search deals the items into :math:`2\sqrt{n}` lists by k-means (10 rounds on at most 64 items a
    list, a fixed seed, one thread) and looks for the neighbours of an item in the 8 lists whose centres are nearest.
    While that finds less than 95 % of the true neighbours of 500 items, it is doubled. Where 5 % of all lists do
    not suffice, the exact search costs no more, and is used. The recall returned is measured on 500 other items.

    Lists are searched in single precision, for 8 candidates more than asked; the order and the distances returned
    come from differences in double precision. Rows whose lists hold too few items are searched exactly. Costs
    O(n^1.5 n_features) and, beside ``X``, at most one and a half times the memory of ``X`` in double precision. Answers
    depend on nothing random, and on the number of threads at most where two centres are equally near to within
    rounding.

    There is no ``query`` here: what is said about a new item should depend on this item alone, not on a sample of its
    companions, so that new items are searched for exactly.

    Examples
    --------
    >>> found = audited_neighbors(np.arange(6.0)[:, None] ** 2, 1)
    >>> found.indices.ravel().tolist(), found.recall
    ([1, 0, 1, 2, 3, 4], 1.0)
    >>> found.how
    'exact: 6 items are searched one by one up to 50000'
    """
    if method not in ("auto", "exact", "approximate"):
        raise ValueError(f"method must be 'auto', 'exact' or 'approximate', not {method!r}.")
    if reason := _reason_for_exact(X, method):
        return _exact(X, k, metric, reason)
    return _approximate(normalize(X) if metric == "cosine" else X, k)


def _reason_for_exact(X: Matrix, method: str) -> str | None:
    """Return why the search is exact, if it is; an approximate one that was asked for and cannot be is refused."""
    n = X.shape[0]
    if method == "exact":
        return "as asked for"
    if n < 2 or (method == "auto" and n <= EXACT_UP_TO):
        return f"{n} items are searched one by one up to {EXACT_UP_TO}"
    if is_sparse(X):
        if method == "auto":
            return "sparse items are not searched approximately"
        raise ValueError(
            "an approximate search needs dense items, but these are sparse: reduce them first "
            "(sklearn.decomposition.TruncatedSVD), or use method='exact'."
        )
    if find_spec("faiss") is None:
        if method == "auto":
            return "faiss is not installed (pip install 'halflabel[ann]')"
        raise ImportError("an approximate search needs faiss: pip install 'halflabel[ann]', or use method='exact'.")
    return None


def _exact(X: Matrix, k: int, metric: Literal["euclidean", "cosine"], reason: str) -> Neighbors:
    return Neighbors(*neighbors(X, k, metric), recall=1.0, how=f"exact: {reason}")


def _approximate(X: Floats, k: int) -> Neighbors:
    n = len(X)
    k = min(k, n - 1)
    first, second = np.array_split(np.random.default_rng(0).permutation(n)[: 2 * AUDIT], 2)
    true = _true_nearest(X, first, k)[1]  # before the lists: it refuses what is not finite
    lists = _Lists(X)
    if (why_not := lists.probe_enough(first, true)) is not None:
        return _exact(X, k, "euclidean", why_not)
    indices, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    for start in range(0, n, QUERIES):
        step("finding neighbours", start, n)
        rows = np.arange(start, min(start + QUERIES, n))
        indices[rows], distances[rows] = lists.nearest(rows, k)
    step("finding neighbours", n, n)
    if len(short := np.flatnonzero(np.isinf(distances[:, -1]))):
        indices[short], distances[short] = _true_nearest(X, short, k)
    recall = _recall(distances[second], _true_nearest(X, second, k)[1])
    how = (
        f"approximate: {lists.probes} of {lists.count} lists searched for each item, {recall:.1%} of the nearest found"
    )
    return Neighbors(indices, distances, recall, how)


class _Lists:
    """Items dealt into lists by k-means, and how many of the lists are searched for each item."""

    def __init__(self, X: Floats) -> None:
        import faiss  # here, because it is an extra and brings an OpenMP of its own

        self.X = X
        self.items = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float32)
        self.items /= np.abs(self.items).max() or 1  # squares in single precision shall neither vanish nor overflow
        self.count = min(round(LISTS * len(X) ** 0.5), len(X))
        self.probes = PROBES
        self.index: Any = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], self.count)
        clustering = self.index.cp
        clustering.seed, clustering.niter = 1, 10
        clustering.min_points_per_centroid, clustering.max_points_per_centroid = 1, 64
        with threadpool_limits(1):  # the same lists on every machine
            self.index.train(self.items)
            self.index.add(self.items)

    def nearest(self, rows: Ints, k: int) -> tuple[Ints, Floats]:
        """Return the k nearest others in the lists searched; index -1 at infinite distance where they hold fewer."""
        self.index.nprobe = self.probes
        _, found = self.index.search(self.items[rows], min(k + 1 + SPARE, len(self.X)))
        return _ranked(self.X, rows, found, k)

    def probe_enough(self, sample: Ints, true: Floats) -> str | None:
        """Search as many lists as the sample, with its true distances, takes, or say why it takes too many."""
        while (recall := _recall(self.nearest(sample, true.shape[1])[1], true)) < LEAST:
            if 2 * self.probes > MOST * self.count:
                return f"{self.probes} of {self.count} lists held only {recall:.1%} of the nearest items"
            self.probes *= 2
        return None


def _true_nearest(X: Floats, rows: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the k nearest others of some rows."""
    found, _ = neighbors(X, k + 1, query=X[rows])
    return _ranked(X, rows, found, k)


def _ranked(X: Floats, rows: Ints, found: Ints, k: int) -> tuple[Ints, Floats]:
    """Order what was found for each row by (distance in double precision, index), without the row itself."""
    square = np.empty(found.shape)
    size = max(1, CELLS // (found.shape[1] * X.shape[1]))
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        offsets = np.take(X, found[block], axis=0) - X[rows[block], None].astype(np.float64)
        square[block] = np.einsum("ijk,ijk->ij", offsets, offsets)
    square[(found < 0) | (found == rows[:, None])] = np.inf
    order = np.lexsort((found, square))[:, :k]
    return np.take_along_axis(found, order, axis=1), np.sqrt(np.take_along_axis(square, order, axis=1))


def _recall(distances: Floats, true: Floats) -> float:
    """Return the share of found items no farther than the true k-th: of equal ones, any will do."""
    return float((distances <= true[:, -1:]).mean())
