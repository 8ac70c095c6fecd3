"""From rows to leaves: by the compiled code of scikit-learn, or by NumPy where its trees cannot be rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats

#: Minimum number of rows for compiled code: for fewer, it takes longer to rebuild the trees.
MIN_ROWS = 256

#: Number of cells (rows x trees) whose leaves are searched at a time without compiled code.
CELLS = 2**16

#: Yields, for rows in single precision and one tree after the other, the leaf of each row as a row of the values.
Search = Callable[[NDArray[np.float32]], Iterator[NDArray[np.int32]]]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of several trees. A leaf points to itself."""

    #: ``feature``, ``left``, ``right``, ``leaf``: shape (n_nodes,). Feature of the split, next node if its value is at
    #: most ``threshold``, next node if it is above, and number of the leaf.
    feature: NDArray[np.int32]
    #: Shape (n_nodes,). Infinity in a leaf. Features are compared in single precision, as in the growth of the trees.
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaf: NDArray[np.int32]
    #: Shape (n_trees,).
    roots: NDArray[np.int32]


def choose_search(trees: Nodes, n_rows: int, n_features: int) -> Search:
    """Return the faster search that is possible. Both searches find the same leaves."""
    if n_rows >= MIN_ROWS and _are_sound(trees, n_features):
        try:
            return _compile(trees, n_features)
        except (ImportError, AttributeError, KeyError, TypeError, ValueError):
            pass  # this version of scikit-learn stores trees in another form
    return lambda X: _find_in_blocks(trees, X)


def find_leaves(trees: Nodes, X: NDArray[np.float32]) -> NDArray[np.int32]:
    """Find the leaves level by level, in all trees at the same time."""
    at = np.repeat(trees.roots[None], len(X), axis=0).ravel()
    row = np.repeat(np.arange(len(X)), len(trees.roots))
    moving = np.arange(len(at))
    while len(moving):
        node = at[moving]
        low = X[row[moving], trees.feature[node]] <= trees.threshold[node]
        following = np.where(low, trees.left[node], trees.right[node])
        at[moving] = following
        moving = moving[np.isfinite(trees.threshold[following])]
    return trees.leaf[at].reshape(len(X), len(trees.roots))


def _find_in_blocks(trees: Nodes, X: NDArray[np.float32]) -> Iterator[NDArray[np.int32]]:
    size = max(1, CELLS // len(trees.roots))
    blocks = [find_leaves(trees, X[start : start + size]) for start in range(0, len(X), size)]
    yield from np.concatenate(blocks).T


def _are_sound(trees: Nodes, n_features: int) -> bool:
    """Return whether every path stays in its tree and ends: compiled code does not check it."""
    count = len(trees.feature)
    number, inner = np.arange(count), np.isfinite(trees.threshold)
    starts = trees.roots
    if not count or not len(starts) or starts[0] != 0 or (np.diff(starts) <= 0).any() or starts[-1] >= count:
        return False
    end = np.repeat(np.append(starts[1:], count), np.diff(np.append(starts, count)))
    forward = [(child > number) & (child < end) for child in (trees.left, trees.right)]
    in_range = (trees.feature >= 0) & (trees.feature < n_features)
    return bool((forward[0] & forward[1] & in_range)[inner].all())


def _compile(trees: Nodes, n_features: int) -> Search:
    """Rebuild the trees as private objects of scikit-learn. A test compares the leaves."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    inner = np.isfinite(trees.threshold)
    ends = np.append(trees.roots[1:], len(inner))
    first = np.repeat(trees.roots, ends - trees.roots)
    table: Any = np.zeros(len(inner), dtype=NODE_DTYPE)
    table["feature"], table["threshold"] = trees.feature, trees.threshold
    table["left_child"], table["right_child"] = (
        np.where(inner, child - first, -1) for child in (trees.left, trees.right)
    )
    compiled = []
    for start, end in zip(trees.roots, ends, strict=True):
        tree = Tree(n_features, np.ones(1, dtype=np.intp), 1)
        part, values = table[start:end], np.zeros((end - start, 1, 1))
        tree.__setstate__({"max_depth": len(part), "node_count": len(part), "nodes": part, "values": values})
        compiled.append((trees.leaf[start:end], tree))

    def apply(X: NDArray[np.float32]) -> Iterator[NDArray[np.int32]]:
        for leaf_of, tree in compiled:
            yield leaf_of[tree.apply(X)]

    return apply
