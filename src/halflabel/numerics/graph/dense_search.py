"""The nearest dense rows of many queries: candidates in single precision, the result exact in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel._progress import step

#: Candidates beyond k, so that single precision does not decide which row is the k-th.
N_SPARE = 8

#: Number of rows in a group: only the nearest rows of the groups are compared with each other.
GROUP = 32

#: Maximum number of products of one block of queries, 16 MB.
MAX_CELLS = 2**22

#: Relative error of rounding to single precision, and the smallest number that it holds with all its digits.
ROUNDING, TINY = 2.0**-24, float(np.finfo(np.float32).tiny)


def is_large(n_items: int, k: int) -> bool:
    """Return whether single precision takes less time than double precision."""
    return n_items >= 8 * GROUP * (k + N_SPARE)


def nearest_rows(X: Floats, k: int, query: Floats) -> tuple[Ints, Floats, Ints]:
    r"""Return the ``k`` nearest rows of ``X`` for every row of ``query``, and the queries that are not certain.

    Rows of X have to be many (:func:`is_large`). Indices and distances have the shape (n_queries, k), nearest first, in
    about half of the time of double precision.

    Notes
    -----
    Rows are ranked by :math:`q^Tx - \|x\|^2/2` in single precision, whose error is
    at most :math:`\epsilon = \gamma(\|q\|\|x\| + \|x\|^2/2)` with :math:`\gamma` a little above (n_features + 8)
    2^{-24}. The rows are split into groups. The k + 8 groups with the nearest rows contain the k + 8 nearest rows.
    These candidates are ranked again by their distances in double precision.

    A row outside the candidates cannot be nearer than the k-th distance d if it is longer than
    :math:`\|q\| + d`, and otherwise if :math:`d^2 \le \|q\|^2 - 2(t + \epsilon)`, t the lowest rank of a candidate.
    Queries for which this does not hold (among many equal rows, or where values differ by many orders of magnitude) are
    not certain.
    """
    center = X.mean(axis=0, dtype=np.float64)
    items, block_size = _Ranking(X, center), max(1, MAX_CELLS // len(X))
    indices, distances = np.empty((len(query), k), dtype=np.intp), np.empty((len(query), k))
    certain = np.empty(len(query), dtype=bool)
    for start in range(0, len(query), block_size):
        step("finding neighbours", start, len(query))
        rows = slice(start, start + block_size)
        block = query[rows].astype(np.float64, copy=False)
        candidates, last = items.choose(block - center, k + N_SPARE)
        indices[rows], distances[rows] = _sort_candidates(X, block, candidates, k)
        certain[rows] = _are_certain(block - center, distances[rows][:, -1], last)
    step("finding neighbours", len(query), len(query))
    return indices, distances, np.flatnonzero(~certain)


class _Ranking:
    """Rows in groups, in single precision, with an additional column for their lengths."""

    def __init__(self, X: Floats, center: Floats) -> None:
        n, d = X.shape
        self.n_groups = -(-n // GROUP)
        self.rows = np.zeros((GROUP * self.n_groups, d + 1), dtype=np.float32)
        centred = X - center
        self.rows[:, d] = -np.inf  # rows that fill the last group are never candidates
        with np.errstate(over="ignore"):
            self.rows[:n, :d] = centred
            self.rows[:n, d] = -np.einsum("ij,ij->i", centred, centred) / 2

    def choose(self, query: Floats, k: int) -> tuple[Ints, Floats]:
        """Return the ``k`` rows of the highest rank for each query, in any order, and the lowest rank among them."""
        with np.errstate(over="ignore", invalid="ignore"):
            extended = np.column_stack([query, np.ones(len(query))]).astype(np.float32)
            rank = self.rows @ extended.T
        rank = rank.reshape(GROUP, self.n_groups, len(query))  # a group is spread over the first axis
        groups = _choose_highest(np.ascontiguousarray(rank.max(axis=0).T), k)
        among = rank[:, groups, np.arange(len(query))[:, None]]
        among = np.ascontiguousarray(among.transpose(1, 0, 2)).reshape(len(query), -1)
        best = _choose_highest(among, k)
        place, column = np.divmod(best, k)
        lowest = np.take_along_axis(among, best, axis=1).min(axis=1)
        return place * self.n_groups + np.take_along_axis(groups, column, axis=1), lowest.astype(np.float64)


def _choose_highest(values: NDArray[np.float32], k: int) -> Ints:
    """Return the columns of the ``k`` highest values of each row."""
    return np.argpartition(values, values.shape[1] - k, axis=1)[:, -k:]


def _sort_candidates(X: Floats, query: Floats, candidates: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the first k candidates of each query by (distance in double precision, index), and their distances."""
    offsets = np.take(X, candidates, axis=0) - query[:, None].astype(np.float64, copy=False)
    square = np.einsum("ijk,ijk->ij", offsets, offsets)
    order = np.lexsort((candidates, square))[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(square, order, axis=1))


def _are_certain(query: Floats, distance: Floats, lowest: Floats) -> Mask:
    """Return whether every row outside the candidates is at least as far as the k-th distance, for each query."""
    length = np.sqrt(np.einsum("ij,ij->i", query, query))
    longest, n = length + distance, query.shape[1] + 8
    error = 1.01 * n * (ROUNDING * (length * longest + longest**2 / 2) + TINY)
    return np.asarray(np.isfinite(lowest) & (distance**2 <= length**2 - 2 * (lowest + error)))
