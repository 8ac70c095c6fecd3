"""Orders of the items and of the labels that follow from their content, not from their positions.

Folds, samples, trees and ties depend on positions. A method is fitted to items in canonical order, so that the same
items in another order are the same input, to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils.sparsefuncs import min_max_axis

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel.labels import PartialLabels

#: Number of cells (items x features) that are projected at a time.
CELLS = 2**18


def order_items(
    X: Matrix, labels: PartialLabels | None = None, groups: Ints | None = None, prior: Floats | None = None
) -> Ints:
    """Return the positions of the items in their canonical order.

    Items are ranked by one random projection of their features, and the ranks are shuffled: the projection is fixed,
    and no method is given items that are sorted by a feature. A small change of the features changes few ranks, which
    a digest of their bytes would not have. Another unit or origin of a feature changes ranks only by rounding.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
        NaN is a missing feature.
    labels : PartialLabels of shape (n_items, n_labels), optional
    groups : ndarray of int, shape (n_items,), optional
    prior : ndarray of shape (n_items, n_labels), optional
        Labels, groups and prior decide between items with equal features.

    Returns
    -------
    ndarray of int, shape (n_items,)

    Notes
    -----
    Items that are equal in everything can change places, and so can their results. The projection of a row is
    summed in the order of the features, and everything that is summed over items is a whole number or an extreme
    value, so that the order is exact. Costs O(n_items n_features).

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [0.0, 2.0], [3.0, 3.0], [4.0, 1.0]])
    >>> moved = [2, 0, 3, 1]
    >>> bool((X[order_items(X)] == X[moved][order_items(X[moved])]).all())
    True
    """
    rng = np.random.default_rng(0)
    position, shuffle = _project(X, rng), rng.permutation(X.shape[0])
    rank = np.unique(position, return_inverse=True)[1]
    keys: list[NDArray[np.generic]] = [rank]
    if rank.max() + 1 < len(rank):
        content = rng.integers(2**63, size=len(rank))[rank]
        if prior is not None:
            keys.insert(0, np.nansum(prior, axis=1))
        if groups is not None:
            keys.insert(-1, _add_by_group(content, groups))
        if labels is not None:
            keys[-1:-1] = [labels.annotated, _number_label_sets(labels, content, rng)]
    return np.lexsort(keys)[shuffle]


def order_columns(table: NDArray[np.generic]) -> Ints:
    """Return the positions of a table's labels in their canonical order, for rows in canonical order.

    Columns of equal content keep their order.

    Examples
    --------
    >>> order_columns(np.array([[1, 0, 2], [0, 1, 1]], dtype=np.int8)).tolist()
    [1, 0, 2]
    """
    columns = np.ascontiguousarray(table.T)
    return np.array(sorted(range(len(columns)), key=lambda label: columns[label].tobytes()), dtype=np.intp)


def _project(X: Matrix, rng: np.random.Generator) -> Floats:
    """Return one number per item, its features in units of their range times random weights."""
    if is_sparse(X):
        low, high = min_max_axis(X, axis=0, ignore_nan=True)
    else:
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        span = np.subtract(high, low, dtype=np.float64)
    usable = np.isfinite(span)
    weights = np.where(usable, rng.normal(size=len(span)), 0.0) / np.where(usable & (span > 0), span, 1.0)
    if is_sparse(X):
        return np.asarray(X @ np.where(span > 0, weights, 0.0))
    low, position = np.where(usable, low, 0.0), np.empty(len(X))
    gap = np.where(usable, 2 * span + (span == 0), 0.0)  # outside the range of the values
    # A sum per row, because a product of matrices would round a row differently from place to place.
    for rows in gen_batches(len(X), max(1, CELLS // X.shape[1])):
        distance = X[rows] - low
        position[rows] = (np.where(np.isnan(distance), gap, distance) * weights).sum(axis=1)
    return position


def _number_label_sets(labels: PartialLabels, content: Ints, rng: np.random.Generator) -> Ints:
    """Return one number per item that follows from its labels, whatever their order."""
    order = np.argsort(np.einsum("i,ij->j", content, labels.state), kind="stable")
    weights = np.empty(len(order), dtype=np.int64)
    weights[order] = rng.integers(2**63, size=len(order))
    return np.asarray(np.einsum("ij,j->i", labels.state, weights))  # whole numbers: overflow is exact modulo 2^64


def _add_by_group(content: Ints, groups: Ints) -> Ints:
    """Return for each item the sum over its group."""
    sums = np.zeros(groups.max() + 1, dtype=np.int64)
    np.add.at(sums, groups, content)
    return sums[groups]
