"""Randomised trees as flat arrays: scikit-learn grows them, prediction does without it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.tree import ExtraTreeRegressor

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel.methods.auto.tree_leaves import Nodes, choose_search
from halflabel.methods.auto.words import MAX_WORDS, choose_words

#: Maximum number of labels on which splits are chosen; with more labels, the number of their random mixtures.
MIXTURES = 32

#: Maximum number of rows that are predicted at a time: while one tree after the other finds their leaves, the nodes of
#: the tree and the sums of the rows stay in the cache.
BLOCK = 2**13

#: Maximum number of cells of a sparse bag that is made dense, which is several times as fast; in single precision,
#: 256 MB.
MAX_DENSE = 2**26


#: Features, thresholds, left and right nodes, and leaves of the nodes of one tree, and the values of its leaves.
FlatTree = tuple[NDArray[Any], ...]


@dataclass(frozen=True, eq=False)
class Trees(Nodes):
    """Regression trees for several targets.

    Attributes
    ----------
    feature, threshold, left, right, leaf, roots : ndarray
        As in :class:`halflabel.methods.auto.tree_leaves.Nodes`; ``leaf`` is a row of ``values``.
    values : ndarray of float32, shape (n_leaves, n_targets)
    """

    values: NDArray[np.float32]

    def predict(self, X: Matrix) -> Floats:
        """Return the mean of the trees, shape (n_rows, n_targets).

        Raises
        ------
        ValueError
            If a split is on a feature that the rows do not have: trees of a file need not fit its other parts.
        """
        result = np.zeros((X.shape[0], self.values.shape[1]))
        for rows, found in self._search(X):
            add_leaves(self.values, found, result[rows])
        result /= len(self.roots)
        return result

    def find(self, X: Matrix) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, as a row of ``values``, shape (n_trees, n_rows)."""
        leaves = np.empty((len(self.roots), X.shape[0]), dtype=np.int32)
        for rows, found in self._search(X):
            for tree, of_tree in enumerate(found):
                leaves[tree, rows] = of_tree
        return leaves

    def _search(self, X: Matrix) -> Iterator[tuple[slice, Iterator[NDArray[np.int32]]]]:
        """Yield blocks of rows, and their leaves in one tree after the other."""
        if (self.feature >= X.shape[1]).any():
            raise ValueError(f"a tree splits on feature {self.feature.max()}, and the rows have {X.shape[1]}.")
        trees = self
        if is_sparse(X):  # only the features of splits become dense
            used = np.unique(self.feature)
            trees, X = replace(self, feature=np.searchsorted(used, self.feature).astype(np.int32)), X[:, used]
        size = max(1, min(BLOCK, MAX_DENSE // (4 * X.shape[1])))
        find_leaves = choose_search(trees, *X.shape)
        for start in range(0, X.shape[0], size):
            yield slice(start, start + size), find_leaves(to_single(X[start : start + size]))


def add_leaves(values: NDArray[np.float32], found: Iterable[NDArray[np.int32]], total: Floats) -> Floats:
    """Add the values of the leaves in each tree to ``total``, in place, and return it."""
    one = np.empty(total.shape, dtype=np.float32)
    for leaves in found:
        np.take(values, leaves, axis=0, out=one, mode="clip")  # other modes copy ``out``
        total += one
    return total


def to_single(X: Matrix) -> NDArray[np.float32]:
    """Return dense rows in single precision."""
    return np.ascontiguousarray(X.astype(np.float32).toarray() if is_sparse(X) else X, dtype=np.float32)


def _take_bag(X: Matrix, rows: Ints) -> Matrix:
    """Return some rows in single precision, dense unless this would be large."""
    part = X[rows]
    if not is_sparse(part) or np.prod(part.shape) <= MAX_DENSE:
        return to_single(part)
    places = part.indices.astype(np.int32), part.indptr.astype(np.int32)  # scikit-learn's trees take no others
    return sparse.csr_array((part.data.astype(np.float32), *places), shape=part.shape)


def grow(
    X: Matrix,
    targets: Floats,
    bags: Sequence[Ints],
    seeds: Ints,
    *,
    max_features: int | None = None,
    min_leaf: int,
    max_leaves: int | None,
) -> Trees:
    """Grow one extremely randomised tree per bag of rows.

    With more than 2000 sparse features, the trees see the features with the highest correlation with some target in the
    rows of the bags.

    Parameters
    ----------
    X : matrix of shape (n_items, n_features)
    targets : ndarray of shape (n_items, n_targets)
        Between 0 and 1; the value of a leaf is their mean.
    bags : sequence of ndarray of int
        Rows of each tree.
    seeds : ndarray of int
        One per tree.
    max_features : int or None
        Number of features that are tried at each node, at most all that the trees see; None for the square root of
        their number.
    min_leaf : int
        Minimum number of rows in a leaf.
    max_leaves : int or None
        Maximum number of leaves of one tree; None for no limit.

    Notes
    -----
    With many labels a split is chosen on random mixtures of them [1]_: the summed variance is the same in expectation,
    and neither time nor memory grows with the number of labels.

    References
    ----------
    .. [1] A. Joly, P. Geurts and L. Wehenkel, "Random forests with random projections of the output space for high
       dimensional multi-label classification", ECML PKDD 2014.
    """
    if is_sparse(X) and X.shape[1] > MAX_WORDS:
        rows, places = np.unique(np.concatenate(bags), return_inverse=True)
        words = choose_words(X[rows], targets[rows], min_leaf)
        bags = np.split(places, np.cumsum([len(bag) for bag in bags])[:-1])
        trees = _grow_bags(X[rows][:, words], targets[rows], bags, seeds, max_features, min_leaf, max_leaves)
        return replace(trees, feature=words[trees.feature].astype(np.int32))
    return _grow_bags(X, targets, bags, seeds, max_features, min_leaf, max_leaves)


def _grow_bags(
    X: Matrix,
    targets: Floats,
    bags: Sequence[Ints],
    seeds: Ints,
    max_features: int | None,
    min_leaf: int,
    max_leaves: int | None,
) -> Trees:
    grow_one = delayed(_grow_tree)
    limits = (min(max_features or math.isqrt(X.shape[1]), X.shape[1]), min_leaf, max_leaves)
    jobs = (grow_one(X, targets, rows, int(seed), *limits) for rows, seed in zip(bags, seeds, strict=True))
    # One job unless the caller sets another number in a joblib context.
    return concatenate(Parallel(prefer="threads")(jobs))


def _grow_tree(
    X: Matrix,
    targets: Floats,
    rows: Ints,
    seed: int,
    max_features: int,
    min_leaf: int,
    max_leaves: int | None,
) -> FlatTree:
    """Grow a tree, and return the arrays of its part of :class:`Trees`."""
    rng = np.random.default_rng(seed)
    own = targets[rows]
    mixed = own @ rng.normal(size=(own.shape[1], MIXTURES)) if own.shape[1] > MIXTURES else own
    model = ExtraTreeRegressor(
        max_features=max_features,
        min_samples_leaf=min(min_leaf, max(1, len(rows) // 2)),
        max_leaf_nodes=max_leaves,
        random_state=int(rng.integers(2**31)),
    )
    part = _take_bag(X, rows)
    # A small tree takes less time than the checks of its input: those are left out where nothing can be wrong.
    with config_context(skip_parameter_validation=True):
        is_checked = not is_sparse(part) and bool(np.isfinite(part).all())
        tree = model.fit(part, np.ascontiguousarray(mixed), check_input=not is_checked).tree_
    leaf = number_leaves(tree)[tree.apply(part)]
    counts = np.bincount(leaf)
    ends = np.append(0, counts.cumsum())
    members = sparse.csr_array((np.ones(len(rows)), np.argsort(leaf, kind="stable"), ends), (len(counts), len(rows)))
    return flatten(tree, (members @ own) / counts[:, None])


def number_leaves(tree: Any) -> NDArray[np.int32]:
    """Return the number of each leaf of a tree of scikit-learn, in the order of its nodes, and 0 for other nodes."""
    is_leaf = tree.children_left < 0
    return np.where(is_leaf, is_leaf.cumsum() - 1, 0).astype(np.int32)


def flatten(tree: Any, values: Floats) -> FlatTree:
    """Return the arrays of a tree of scikit-learn, with other values in its leaves, shape (n_leaves, n_targets)."""
    inner = tree.children_left >= 0
    return (
        np.where(inner, tree.feature, 0).astype(np.int32),
        np.where(inner, tree.threshold, np.inf),
        tree.children_left.astype(np.int32),
        tree.children_right.astype(np.int32),
        number_leaves(tree),
        values.astype(np.float32),
    )


def concatenate(trees: Sequence[FlatTree]) -> Trees:
    """Concatenate the arrays of the trees."""
    sizes, leaves = [len(tree[0]) for tree in trees], [len(tree[-1]) for tree in trees]
    first, shift = (np.concatenate([[0], np.cumsum(n)[:-1]]).astype(np.int32) for n in (sizes, leaves))
    feature, threshold = (np.concatenate([tree[k] for tree in trees]) for k in (0, 1))
    own = np.arange(len(feature), dtype=np.int32)
    inner = np.isfinite(threshold)
    left, right = (
        np.where(inner, np.concatenate([tree[k] + start for tree, start in zip(trees, first, strict=True)]), own)
        for k in (2, 3)
    )
    leaf = np.concatenate([tree[4] + start for tree, start in zip(trees, shift, strict=True)])
    values = np.concatenate([tree[-1] for tree in trees])
    kinds = (left.astype(np.int32), right.astype(np.int32), leaf.astype(np.int32))
    return Trees(feature, threshold, *kinds, first, values)
