"""Slow, obvious forms of the computations of the ensemble's members."""

from __future__ import annotations

import numpy as np


def leaf_of(tree, row):
    """Return the leaf of a row in a scikit-learn tree, step by step from the root, in single precision."""
    node = 0
    while tree.children_left[node] >= 0:
        low = np.float32(row[tree.feature[node]]) <= tree.threshold[node]
        node = tree.children_left[node] if low else tree.children_right[node]
    return node
