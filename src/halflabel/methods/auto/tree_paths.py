"""The share of each feature in the prediction of trees: the changes of the prediction on the ways to the leaves."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Matrix, is_sparse
from halflabel.methods.auto.trees import Trees


def attribute_to_features(trees: Trees, X: Matrix, target: int) -> Floats:
    """Return the contribution of each feature to the prediction of one row for one target, shape (n_features,).

    The value of a node is the mean of its leaves. A split changes the value from that of its node to that of the next
    node, and the change belongs to the feature of the split [1]_. The sum over features is the prediction minus the
    mean value of the roots.

    References
    ----------
    .. [1] A. Saabas, "Interpreting random forests", 2014.
    """
    row = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float32)[0]
    values, shares = _average_leaves(trees, target), np.zeros(len(row))
    at = trees.roots
    while len(at := at[np.isfinite(trees.threshold[at])]):
        features = trees.feature[at]
        following = np.where(row[features] <= trees.threshold[at], trees.left[at], trees.right[at])
        np.add.at(shares, features, values[following] - values[at])
        at = following
    return shares / len(trees.roots)


def _average_leaves(trees: Trees, target: int) -> Floats:
    """Return for each node the mean value of the leaves below it."""
    n, inner = len(trees.feature), np.isfinite(trees.threshold)
    parent = np.full(n, -1)
    for child in (trees.left, trees.right):
        parent[child[inner]] = np.flatnonzero(inner)
    at = np.flatnonzero(~inner)
    value = trees.values[trees.leaf[at], target].astype(np.float64)
    total, count = np.zeros(n), np.zeros(n)
    while len(at):
        total += np.bincount(at, value, n)
        count += np.bincount(at, minlength=n)
        is_below = parent[at] >= 0
        at, value = parent[at][is_below], value[is_below]
    return total / count
