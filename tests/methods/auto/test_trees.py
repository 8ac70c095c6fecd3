"""Flat trees: mixtures of labels, bounded leaves, and the words that a tree sees."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from halflabel.methods.auto import tree_leaves, words
from halflabel.methods.auto.tree_paths import attribute_to_features
from halflabel.methods.auto.trees import grow


def test_splits_are_chosen_on_mixtures_only_of_more_labels_than_there_are_mixtures(rng, monkeypatch):
    X, Y = rng.normal(size=(60, 5)), (rng.random((60, 3)) < 0.4) * 1.0
    bags, seeds = [np.arange(60)] * 2, np.arange(2)

    def predict(mixtures):
        monkeypatch.setattr(sys.modules["halflabel.methods.auto.trees"], "MIXTURES", mixtures)
        return grow(X, Y, bags, seeds, min_leaf=5, max_leaves=None, max_features=5).predict(X)

    np.testing.assert_array_equal(predict(3), predict(99))
    assert not np.array_equal(predict(2), predict(99))


@pytest.mark.parametrize(("rows", "leaves"), [(1, [1]), (2, [1, 1]), (3, [1, 1, 1]), (4, [2, 2])])
def test_a_small_bag_may_have_leaves_of_half_its_rows(rows, leaves):
    X, bags = np.array([[0.0], [0.1], [0.9], [1.0]]), [np.arange(rows)] * 9
    trees = grow(X, X, bags, np.arange(9), min_leaf=6, max_leaves=None)
    sizes = [np.bincount(column, minlength=len(trees.values)) for column in tree_leaves.find_leaves(trees, X[:rows]).T]
    largest = max((np.sort(each[each > 0]) for each in sizes), key=len)  # thresholds are random
    assert largest.tolist() == leaves


def test_a_sparse_row_has_the_leaves_of_a_dense_one(grown):
    X, trees = grown
    np.testing.assert_array_equal(trees.predict(sparse.csr_array(X)), trees.predict(X))


@pytest.fixture
def few_words(monkeypatch):
    for module in ("trees", "words"):
        monkeypatch.setattr(sys.modules[f"halflabel.methods.auto.{module}"], "MAX_WORDS", 5)


def make_words(rng, n=300, n_words=80):
    X = sparse.random_array((n, n_words), density=0.1, rng=rng, format="csr")
    Y = np.stack([X[:, [3]].toarray()[:, 0] > 0, X[:, [70]].toarray()[:, 0] > 0], axis=1) * 1.0
    return X, Y


def test_trees_see_the_words_that_go_with_a_label(few_words, rng):
    X, Y = make_words(rng)
    assert {3, 70} <= set(words.choose_words(X, Y, 2).tolist())
    bags = [np.arange(300)] * 4
    trees = grow(X, Y, bags, np.arange(4), min_leaf=2, max_leaves=None, max_features=50)
    inner = np.isfinite(trees.threshold)
    assert {3, 70} <= set(trees.feature[inner].tolist()) <= set(words.choose_words(X, Y, 2).tolist())
    assert ((trees.predict(X) > 0.5) == Y).mean() > 0.99


def test_words_are_chosen_by_the_rows_of_the_bags_only(few_words, rng):
    X, Y = make_words(rng)
    other = Y.copy()
    other[200:] = 1 - other[200:]  # held out
    bags = [np.arange(200)] * 3
    grown = [grow(X, table, bags, np.arange(3), min_leaf=2, max_leaves=None) for table in (Y, other)]
    np.testing.assert_array_equal(grown[0].predict(X), grown[1].predict(X))


def test_a_sparse_bag_that_stays_sparse_may_have_indices_of_64_bits(rng, monkeypatch):
    X, Y = make_words(rng)
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    monkeypatch.setattr(sys.modules["halflabel.methods.auto.trees"], "MAX_DENSE", 2**10)
    bags, options = [np.arange(300)] * 2, {"min_leaf": 2, "max_leaves": None}
    expected = grow(X, Y, bags, np.arange(2), **options).predict(X)
    np.testing.assert_array_equal(grow(wide, Y, bags, np.arange(2), **options).predict(wide), expected)


def test_the_shares_of_features_add_up_to_the_prediction(grown):
    X, trees = grown
    roots = [_mean_leaf(trees, int(root), 1) for root in trees.roots]
    for row in X[:5]:
        shares = attribute_to_features(trees, row[None], 1)
        assert shares.shape == (9,)
        assert shares.sum() == pytest.approx(trees.predict(row[None])[0, 1] - np.mean(roots))
        np.testing.assert_allclose(attribute_to_features(trees, sparse.csr_array(row[None]), 1), shares)
    # The second label is the sign of the second feature, with noise.
    all_shares = np.array([np.abs(attribute_to_features(trees, row[None], 1)) for row in X[:50]]).mean(axis=0)
    assert all_shares.argmax() == 1


def _mean_leaf(trees, node, target):
    values = []
    stack = [node]
    while stack:
        at = stack.pop()
        if np.isfinite(trees.threshold[at]):
            stack += [int(trees.left[at]), int(trees.right[at])]
        else:
            values.append(float(trees.values[trees.leaf[at], target]))
    return np.mean(values)


@pytest.mark.parametrize("feature", [3, 2**31 - 1])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_a_tree_that_splits_on_a_feature_of_no_row_is_named(grown, feature, as_rows):
    X, trees = grown
    trees = replace(trees, feature=np.full_like(trees.feature, feature))
    with pytest.raises(ValueError, match=f"splits on feature {feature}, and the rows have 3"):
        trees.predict(as_rows(X[:, :3]))
