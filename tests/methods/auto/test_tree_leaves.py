"""From rows to leaves: compiled code against NumPy, a tree by hand, and damaged trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halflabel.methods.auto import tree_leaves
from halflabel.methods.auto.trees import Trees

LEAF = np.inf


@pytest.fixture
def two_trees():
    """A root with two leaves, and a root whose right child has two leaves; in the first one a row of 0.5 goes left."""
    return Trees(
        feature=np.array([1, 0, 0, 0, 0, 1, 0, 0], dtype=np.int32),
        threshold=np.array([0.5, LEAF, LEAF, 0.0, LEAF, 2.0, LEAF, LEAF]),
        left=np.array([1, 1, 2, 4, 4, 6, 6, 7], dtype=np.int32),
        right=np.array([2, 1, 2, 5, 4, 7, 6, 7], dtype=np.int32),
        leaf=np.array([0, 0, 1, 0, 2, 0, 3, 4], dtype=np.int32),
        roots=np.array([0, 3], dtype=np.int32),
        values=np.arange(5.0, dtype=np.float32)[:, None],
    )


ROWS = np.array([[0.0, 0.5], [1.0, 0.6], [1.0, 2.0], [1.0, 2.5], [-1.0, 9.0], [np.nan, np.nan]], dtype=np.float32)
LEAVES = [[0, 2], [1, 3], [1, 3], [1, 4], [1, 2], [1, 4]]


def test_a_value_up_to_the_threshold_goes_left_and_a_missing_one_right(two_trees):
    assert tree_leaves.find_leaves(two_trees, ROWS).tolist() == LEAVES
    assert np.column_stack([*tree_leaves._compile(two_trees, 2)(ROWS)]).tolist() == LEAVES


@pytest.mark.parametrize(("cells", "sizes"), [(2**16, [6]), (7, [3, 3]), (5, [2, 2, 2]), (8, [4, 2]), (1, [1] * 6)])
def test_leaves_are_searched_in_blocks_of_rows(two_trees, cells, sizes, monkeypatch):
    found, find = [], tree_leaves.find_leaves
    monkeypatch.setattr(tree_leaves, "CELLS", cells)
    monkeypatch.setattr(tree_leaves, "find_leaves", lambda trees, X: found.append(len(X)) or find(trees, X))
    columns = [*tree_leaves._find_in_blocks(two_trees, ROWS)]
    assert found == sizes
    assert np.column_stack(columns).tolist() == LEAVES


def test_compiled_code_is_for_many_rows_of_sound_trees(two_trees, monkeypatch):
    monkeypatch.setattr(tree_leaves, "_compile", lambda *_: "compiled")
    monkeypatch.setattr(tree_leaves, "MIN_ROWS", 6)
    assert tree_leaves.choose_search(two_trees, 6, 2) == "compiled"
    assert tree_leaves.choose_search(two_trees, 5, 2) != "compiled"
    assert tree_leaves.choose_search(two_trees, 6, 1) != "compiled"  # feature 1 does not exist


def test_compiled_code_finds_the_leaves_that_numpy_finds(grown):
    X, trees = grown
    X = np.vstack([X, np.full((1, 9), np.nan)]).astype(np.float32)
    compiled = np.column_stack([*tree_leaves._compile(trees, 9)(X)])
    np.testing.assert_array_equal(compiled, tree_leaves.find_leaves(trees, X))
    assert len(np.unique(compiled)) > 100


@pytest.mark.parametrize("error", [AttributeError, ValueError])
def test_leaves_of_trees_that_cannot_be_rebuilt_are_found_by_numpy(grown, error, monkeypatch):
    X, trees = grown
    expected = trees.predict(X)

    def fail(*_):
        raise error

    monkeypatch.setattr(tree_leaves, "_compile", fail)
    np.testing.assert_array_equal(trees.predict(X), expected)


@pytest.mark.parametrize(
    "damage",
    [
        lambda trees: {"feature": np.full_like(trees.feature, 9)},
        lambda trees: {"left": np.full_like(trees.left, 2**30)},
        lambda trees: {"right": np.zeros_like(trees.right)},
        lambda trees: {"roots": trees.roots[::-1]},
        lambda trees: {"roots": trees.roots + len(trees.feature)},
    ],
)
def test_compiled_code_does_not_get_damaged_trees(grown, damage):
    _, trees = grown
    assert tree_leaves._are_sound(trees, 9)
    assert not tree_leaves._are_sound(replace(trees, **damage(trees)), 9)


@pytest.mark.parametrize("side", ["left", "right"])
def test_compiled_code_gets_nodes_that_stay_in_their_tree_and_go_forward(side):
    """Two trees of three nodes each: a root and its leaves."""
    trees = Trees(
        feature=np.array([1, 0, 0, 1, 0, 0], dtype=np.int32),
        threshold=np.array([0.5, LEAF, LEAF, 0.5, LEAF, LEAF]),
        left=np.array([1, 1, 2, 4, 4, 5], dtype=np.int32),
        right=np.array([2, 1, 2, 5, 4, 5], dtype=np.int32),
        leaf=np.array([0, 0, 1, 0, 2, 3], dtype=np.int32),
        roots=np.array([0, 3], dtype=np.int32),
        values=np.arange(4.0, dtype=np.float32)[:, None],
    )

    def is_sound(**changes):
        damaged = {name: vars(trees)[name].copy() for name in changes}
        for name, (place, value) in changes.items():
            damaged[name][place] = value
        return tree_leaves._are_sound(replace(trees, **damaged), 2)

    assert is_sound()
    assert is_sound(feature=(1, 9))  # the feature of a leaf is not read
    assert not is_sound(**{side: (0, 0)})  # to itself
    assert not is_sound(**{side: (0, 3)})  # into the next tree
    assert not is_sound(**{side: (3, 6)})  # behind the last one
    assert not is_sound(**{side: (3, 2)})  # into the tree before
    assert not is_sound(feature=(3, 2))
    assert not is_sound(feature=(3, -1))
    assert not is_sound(roots=(1, 6))
    assert not is_sound(roots=(1, 0))
    assert not is_sound(roots=(0, 1))
    assert not tree_leaves._are_sound(replace(trees, roots=trees.roots[:0]), 2)


def test_trees_start_inside_the_table_one_after_the_other(two_trees):
    beyond = replace(two_trees, roots=np.array([0, 3, 8], dtype=np.int32))
    assert not tree_leaves._are_sound(beyond, 2)
    leaves = np.array([0, 1, 2], dtype=np.int32)  # three trees of one leaf each
    alone = replace(
        two_trees, feature=0 * leaves, threshold=np.full(3, LEAF), left=leaves, right=leaves, leaf=leaves, roots=leaves
    )
    assert tree_leaves._are_sound(alone, 1)
    assert not tree_leaves._are_sound(replace(alone, roots=leaves[[0, 1, 1]]), 1)
