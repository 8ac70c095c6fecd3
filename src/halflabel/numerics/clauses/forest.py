"""The closest log odds that obey implications in a forest, where each label implies at most one other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel.numerics.clauses.clause import Clause


def find_parents(clauses: Sequence[Clause], n_labels: int) -> Ints | None:
    """Return the label that each label implies, -1 for none, or None if the clauses are not such a forest."""
    parents = np.full(n_labels, -1)
    for clause in clauses:
        if clause.exact or sorted(clause.signs.tolist()) != [-1, 1]:
            return None
        child, parent = clause.columns[np.argsort(-clause.signs)]
        if parents[child] not in (-1, parent):
            return None
        parents[child] = parent
    return parents if len(list_levels(parents)) or not n_labels else None


def list_levels(parents: Ints) -> list[Ints]:
    """Return the labels by their distance from the root, the roots first, or nothing if there is a cycle."""
    depth, reached = np.zeros(len(parents), dtype=int), parents.copy()
    while (reached >= 0).any():
        depth += reached >= 0
        reached = np.where(reached >= 0, parents[reached], -1)
        if depth.max() >= len(parents):
            return []
    return [np.flatnonzero(depth == level) for level in range(depth.max(initial=-1) + 1)]


def project_forest(log_odds: Floats, parents: Ints) -> Floats:
    """Return the closest log odds (squared distance) in which no label is above its parent.

    Recursive partitioning (Luss, Rosset and Shahar 2012): a block of labels has its mean. It is split where labels
    above the mean, together with all of their parents, have the largest sum of distances from it. Without such a split,
    the mean is the solution. The blocks of all items are split together. ``parents`` are from :func:`find_parents`.
    """
    z, levels = np.ascontiguousarray(log_odds.T), list_levels(parents)
    rows = np.flatnonzero(((z > z[parents]) & (parents >= 0)[:, None]).any(axis=0))
    result, active = z.copy(), rows
    joined = np.repeat((parents >= 0)[:, None], len(rows), axis=1)
    values = z[:, rows]
    while len(active):
        mean = _average(values, parents, levels, joined)
        gain = values - mean
        for level in levels[:0:-1]:
            _add_to_parents(gain, np.where(joined[level], np.maximum(gain[level], 0), 0), parents[level])
        above = gain > 1e-12
        for level in levels[1:]:
            above[level] &= above[parents[level]] | ~joined[level]
        cut = joined & (above != above[parents])
        result[:, active] = mean
        going_on = cut.any(axis=0)
        joined = (joined & ~cut)[:, going_on]
        values, active = values[:, going_on], active[going_on]
    return result.T


def _average(values: Floats, parents: Ints, levels: Sequence[Ints], joined: Mask) -> Floats:
    """Return the mean of the block of each label. A label that is joined is in the block of its parent."""
    total, number = values.copy(), np.ones_like(values)
    for level in levels[:0:-1]:
        for each in (total, number):
            _add_to_parents(each, np.where(joined[level], each[level], 0), parents[level])
    mean = total / number
    for level in levels[1:]:
        mean[level] = np.where(joined[level], mean[parents[level]], mean[level])
    return mean


def _add_to_parents(table: Floats, children: Floats, parents: Ints) -> None:
    """Add the rows of children to the rows of their parents, in place."""
    order = np.argsort(parents, kind="stable")
    different, first = np.unique(parents[order], return_index=True)
    table[different] += np.add.reduceat(children[order], first, axis=0)
