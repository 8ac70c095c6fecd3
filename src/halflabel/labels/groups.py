"""Groups of items, such as threads, authors or duplicates: a label hidden in one item must not be shown in another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from halflabel._arrays import Floats, Ints, Matrix, is_sparse

#: Minimum number of items that have copies, share of these rows, and their share of known items with equal features.
MIN_COPIES, MIN_SHARE, MIN_ALIKE = 10, 0.02, 0.95

#: Numbers of items that are searched for near copies, number of axes of the projection, and maximum share of items
#: whose distance is between that of copies and that of others.
MIN_NEAR, MAX_NEAR, N_AXES, MAX_BETWEEN = 50, 20_000, 8, 0.2

#: Number of items that are searched first: if copies are the minimum share, none is among these once in 10^8 tables.
MAX_FIRST = 1000


def number_groups(values: Any, n_items: int) -> Ints:
    """Return the number of each item's group, from 0 in the order in which groups appear.

    Items of equal value (numbers, text) are one group. An item whose value is missing (NaN, None, pandas.NA) is a group
    of its own. Raises if there is not one value for each of the ``n_items`` items.

    Examples
    --------
    >>> number_groups(["b", "a", None, "b", None], 5).tolist()
    [0, 1, 2, 0, 3]
    """
    column = pd.Series(values)
    if len(column) != n_items:
        raise ValueError(f"there are {n_items} items but groups for {len(column)}: give one group per item.")
    named, _ = pd.factorize(column)
    missing = named < 0
    named[missing] = n_items + np.arange(missing.sum())
    return np.asarray(pd.factorize(named)[0], dtype=np.intp)


def resample(n: int, groups: Ints | None, rng: np.random.Generator) -> Ints:
    """Return the positions of a bootstrap sample of n items: items of one group are drawn together.

    Examples
    --------
    >>> groups = np.array([0, 1, 0, 1, 2])
    >>> np.bincount(groups[resample(5, groups, np.random.default_rng(0))]).tolist()  # group 1 twice, group 2 once
    [0, 4, 1]
    """
    if groups is None:
        return rng.choice(n, n)
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.unique(groups[order], return_index=True)[1][1:])
    return np.concatenate([parts[k] for k in rng.choice(len(parts), len(parts))])


@np.errstate(over="ignore", invalid="ignore")  # of features near the largest number
def find_copies(X: Matrix, state: NDArray[np.int8]) -> Ints | None:
    """Return the number of each item's group, where copies of an item are one group, or None if they are too few.

    Copies have equal or nearly equal features, and equal labels or none. Known labels decide whether there are copies:
    items with equal features that often have other labels, as in tables of a few categories, do not count.

    Examples
    --------
    >>> state = np.ones((20, 1), dtype=np.int8)
    >>> find_copies(np.repeat(np.arange(10.0), 2)[:, None], state)[:6].tolist()
    [0, 0, 1, 1, 2, 2]
    """
    found = (_keep_copies(twins, state) for find in (_find_equal, _find_near) if (twins := find(X)) is not None)
    return next((groups for groups in found if groups is not None), None)


def _keep_copies(twins: Ints, state: NDArray[np.int8]) -> Ints | None:
    """Return twins whose labels are equal as groups, if they are many, and nearly all twins are so."""
    whole = pd.factorize(_weigh(np.column_stack([twins, state])))[0]
    number, alike = np.bincount(twins)[twins], np.bincount(whole)[whole]
    copies, known = (number > 1) & (alike == number), (state != 0).any(axis=1)
    sure = copies & known
    is_rare = sure.sum() < MIN_SHARE * len(twins) or len(np.unique(twins[sure])) < MIN_COPIES
    if is_rare or sure.sum() < MIN_ALIKE * (known & (number > 1)).sum():
        return None
    return number_groups(np.where(copies, len(twins) + twins, np.arange(len(twins))), len(twins))


def _find_equal(X: Matrix) -> Ints | None:
    """Return one number for all rows that are equal, or None if few are."""
    sums = pd.Series(np.asarray(X.sum(axis=1)).ravel())  # equal in equal rows
    repeated = np.flatnonzero(sums.duplicated(keep=False))
    if len(repeated) < MIN_COPIES:
        return None
    twins = np.arange(len(sums))
    twins[repeated] = len(sums) + pd.factorize(_weigh(X[repeated]))[0]
    return np.asarray(pd.factorize(twins)[0])


def _find_near(X: Matrix) -> Ints | None:
    """Return one number for rows much nearer to each other than to others, or None if many are nearly so.

    Distances are measured in a random projection, in which near rows stay near.
    """
    if is_sparse(X) or not MIN_NEAR <= len(X) <= MAX_NEAR or not X.shape[1]:
        return None
    spread = X.std(axis=0)
    Z = np.nan_to_num((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), posinf=0, neginf=0)
    Z = Z if Z.shape[1] <= N_AXES else Z @ np.random.default_rng(0).normal(size=(Z.shape[1], N_AXES))
    tree, first = cKDTree(Z), np.random.default_rng(0).permutation(len(Z))[:MAX_FIRST]
    for some in (first, np.arange(len(Z))):
        distance, nearest = map(np.asarray, tree.query(Z[some], k=11))  # the first one is the row itself
        near, nearly = (distance[:, 1] < share * distance[:, 10] for share in (0.05, 0.3))
        if not near.any():
            return None
    if near.sum() < 2 * MIN_COPIES or (nearly & ~near).sum() > MAX_BETWEEN * near.sum():
        return None
    graph = sparse.coo_array((near[near], (np.flatnonzero(near), nearest[near, 1])), shape=(len(X), len(X)))
    return np.asarray(connected_components(graph, directed=False)[1])


def _weigh(rows: Matrix) -> Floats:
    """Return a weighted sum of each row: the same number in equal rows, and almost never in other rows."""
    weights = np.random.default_rng(0).random(rows.shape[1])
    weighted = rows.multiply(weights[None]) if is_sparse(rows) else np.nan_to_num(rows, nan=0.5) * weights
    return np.asarray(weighted.sum(axis=1)).ravel()
