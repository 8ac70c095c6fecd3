"""Orders of the items and features that follow from their content, not from their positions.

Folds, samples, trees and ties depend on positions. A method is fitted to items in canonical order, so that the same
items in another order are the same input, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.sparsefuncs import min_max_axis

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel.labels import PartialLabels
from halflabel.numerics.scaling import ROUNDING

#: Number of cells (items x features) that are projected at a time.
CELLS = 2**18

#: Number of steps in the range of a feature.
UNIT = 2**20


def order_items(
    X: Matrix, labels: PartialLabels | None = None, groups: Ints | None = None, prior: Floats | None = None
) -> Ints:
    """Return the positions of the items in their canonical order.

    Items are ranked by one combination of their features, and the ranks are shuffled, so that no method is given items
    that are sorted by a feature. A small change of the features changes few ranks, which a digest of their bytes would
    not have. Another unit or origin of a feature changes ranks only by rounding, and another order of the features
    changes nothing.

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
    Items that are equal in everything can change places, and so can their results. Everything that is summed is a
    whole number, so that the order is exact. Costs O(n_items n_features).

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [0.0, 2.0], [3.0, 3.0], [4.0, 1.0]])
    >>> moved = [2, 0, 3, 1]
    >>> bool((X[order_items(X)] == X[moved][order_items(X[moved])]).all())
    True
    """
    rng = np.random.default_rng(0)
    rank, shuffle = _rank(X), rng.permutation(X.shape[0])
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


def order_features(X: Matrix) -> Ints:
    """Return the positions of the features in their canonical order, for items in canonical order.

    Features are ranked by one random combination of the items, so that a small change of the features changes few
    ranks. Features of equal content keep their order.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 2.0], [0.0, 2.0, 9.0], [3.0, 3.0, 4.0]])
    >>> moved = [2, 0, 1]
    >>> bool((X[:, order_features(X)] == X[:, moved][:, order_features(X[:, moved])]).all())
    True
    """
    weights = np.random.default_rng(0).integers(-UNIT, UNIT, size=X.shape[0])
    steps = Steps.of(X)
    return np.lexsort((steps.low, steps.span, steps.add_rows(X, weights)))  # copies in other units differ by these


@dataclass(frozen=True, eq=False)
class Steps:
    """The features in whole steps: a millionth of the range of each, above its lowest value.

    A sum of whole numbers is exact, so that it does not depend on the order of the items or of the features.
    """

    #: ``low``, ``span``: shape (n_features,). The lowest value of each feature, and its range. The span is 0 for a
    #: feature that is constant except for rounding, or not finite.
    low: Floats
    span: Floats

    @classmethod
    def of(cls, X: Matrix) -> Steps:
        """Return the ranges of the features of ``X``."""
        if is_sparse(X):
            low, high = min_max_axis(X, axis=0, ignore_nan=True)
        else:
            low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            span = np.subtract(high, low, dtype=np.float64)
        usable = np.isfinite(span)
        with np.errstate(invalid="ignore"):
            varies = usable & (span > ROUNDING * np.fmax(np.abs(low), np.abs(high)))
        return cls(np.where(usable, low, 0.0).astype(np.float64), np.where(varies, span, 0.0))

    def add_features(self, X: Matrix, weights: Ints) -> Ints:
        """Return one number per item: its features times their weights."""
        if is_sparse(X):
            return np.asarray(self._count_sparse(X) @ weights)
        return np.asarray(np.concatenate([self._count(X[rows]) @ weights for rows in self._list_batches(X)]))

    def add_rows(self, X: Matrix, weights: Ints) -> Ints:
        """Return one number per feature: the items times their weights."""
        if is_sparse(X):
            return np.asarray(weights @ self._count_sparse(X) + weights.sum() * self._count_zero())
        return np.asarray(np.sum([weights[rows] @ self._count(X[rows]) for rows in self._list_batches(X)], axis=0))

    def _list_batches(self, X: Matrix) -> list[slice]:
        return list(gen_batches(X.shape[0], max(1, CELLS // max(1, X.shape[1]))))

    def _count(self, X: Floats) -> Ints:
        """Return dense features in steps. A missing value is outside the range."""
        share = np.divide(X - self.low, self.span, out=np.zeros(X.shape), where=self.span > 0)
        share[np.isnan(X)] = 2.0
        return np.asarray(np.rint(share * UNIT).astype(np.int64))

    def _count_zero(self) -> Ints:
        return np.asarray(self._count(np.zeros((1, len(self.low))))[0])

    def _count_sparse(self, X: Matrix) -> sparse.csr_array:
        """Return the stored values in steps above the steps of 0, which is not stored."""
        low, span = self.low[X.indices], self.span[X.indices]
        share = np.divide(X.data - low, span, out=np.zeros(len(X.data)), where=span > 0)
        share[np.isnan(X.data)] = 2.0
        steps = np.rint(share * UNIT).astype(np.int64) - self._count_zero()[X.indices]
        return sparse.csr_array((steps, X.indices, X.indptr), X.shape)


def _rank(X: Matrix) -> Ints:
    """Return one number per item, whatever the order of its features: equal features, equal numbers.

    A feature weighs its mean. Features of equal means, such as words of equal frequency, differ by the ranks of their
    items, as long as this separates further items.
    """
    steps, n = Steps.of(X), X.shape[0]
    position = steps.add_features(X, steps.add_rows(X, np.ones(n, dtype=np.int64)) // n)
    by_rank = np.random.default_rng(1).integers(UNIT, size=n)
    values, rank = np.unique(position, return_inverse=True)
    n_before = 0
    while n_before < len(values) < n:
        n_before = len(values)
        again = steps.add_features(X, steps.add_rows(X, by_rank[rank]) % (UNIT - 3))
        values, rank = np.unique(rank + 1j * again, return_inverse=True)
    return rank


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
