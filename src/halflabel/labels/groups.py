"""Groups of items, such as threads, authors or duplicates: a label hidden in one item must not be shown in another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse

#: Minimum number of items that have copies, share of these rows, and their share of known items with equal features.
MIN_COPIES, MIN_SHARE, MIN_ALIKE = 10, 0.02, 0.95


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
    order, starts = _sort_by_group(groups)
    parts = np.split(order, starts[1:])
    return np.concatenate([parts[k] for k in rng.choice(len(parts), len(parts))])


def count_units(observed: Mask, groups: Ints | None) -> Ints:
    """Return, per column, the number of items with an observed entry, or of groups with such an item.

    Examples
    --------
    >>> observed = np.array([[1, 1], [1, 0], [1, 0]], dtype=bool)
    >>> count_units(observed, np.array([7, 7, 9])).tolist()
    [2, 1]
    """
    if groups is not None:
        order, starts = _sort_by_group(groups)
        observed = np.logical_or.reduceat(observed[order], starts)
    return np.asarray(observed.sum(axis=0))


def _sort_by_group(groups: Ints) -> tuple[Ints, Ints]:
    """Return the order of the items by group, and where each group starts in it."""
    order = np.argsort(groups, kind="stable")
    return order, np.unique(groups[order], return_index=True)[1]


def find_copies(X: Matrix, state: NDArray[np.int8]) -> Ints | None:
    """Return the number of each item's group, where copies of an item are one group, or None if they are too few.

    Copies have equal features and equal labels, of which some are known. Items with equal features that often
    have other labels, as in tables of a few categories, do not count.

    Examples
    --------
    >>> state = np.ones((20, 1), dtype=np.int8)
    >>> find_copies(np.repeat(np.arange(10.0), 2)[:, None], state)[:6].tolist()
    [0, 0, 1, 1, 2, 2]
    """
    sums = pd.Series(np.asarray(X.sum(axis=1)).ravel())  # equal in equal rows
    repeated = np.flatnonzero(sums.duplicated(keep=False))
    if len(repeated) < MIN_COPIES:
        return None
    twins = pd.factorize(_weigh(X[repeated]))[0]
    whole = pd.factorize(_weigh(np.column_stack([twins, state[repeated]])))[0]
    number, alike = np.bincount(twins)[twins], np.bincount(whole)[whole]
    known = (state[repeated] != 0).any(axis=1) & (number > 1)
    copies = known & (alike == number)
    is_rare = copies.sum() < MIN_SHARE * len(sums) or len(np.unique(twins[copies])) < MIN_COPIES
    if is_rare or copies.sum() < MIN_ALIKE * known.sum():
        return None
    groups = np.arange(len(sums))
    groups[repeated[copies]] = len(sums) + twins[copies]
    return number_groups(groups, len(sums))


def _weigh(rows: Matrix) -> Floats:
    """Return a weighted sum of each row, which is equal in equal rows only."""
    weights = np.random.default_rng(0).random(rows.shape[1])
    weighted = rows.multiply(weights[None]) if is_sparse(rows) else np.nan_to_num(rows, nan=0.5) * weights
    return np.asarray(weighted.sum(axis=1)).ravel()
