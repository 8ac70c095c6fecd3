"""The canonical order follows from content alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel import PartialLabels
from halflabel.methods.canonical_order import order_features, order_items
from halflabel.numerics.column_order import order_columns


@pytest.fixture
def words(rng):
    """Return sparse rows of few words, many of them equal, as a dense array."""
    return rng.integers(3, size=(200, 6)).astype(float) * (rng.random((200, 6)) < 0.3)


def label_some(rng, n, n_labels=4):
    return PartialLabels.from_observed(rng.integers(2, size=(n, n_labels)), rng.random((n, n_labels)) < 0.5)


def test_another_order_of_the_rows_is_the_same_input(rng):
    X = rng.normal(size=(100, 7))
    moved = rng.permutation(100)
    np.testing.assert_array_equal(X[moved][order_items(X[moved])], X[order_items(X)])


def test_missing_features_and_rows_without_any(rng):
    X = np.where(rng.random((100, 3)) < 0.4, np.nan, rng.normal(size=(100, 3)))
    X[:, 1] = np.nan
    moved = rng.permutation(100)
    np.testing.assert_array_equal(X[moved][order_items(X[moved])], X[order_items(X)])


def test_labels_groups_and_prior_decide_between_equal_features(words, rng):
    labels, groups = label_some(rng, 200), rng.integers(60, size=200)
    prior = np.where(rng.random((200, 4)) < 0.5, np.nan, rng.random((200, 4)))
    moved, renamed = rng.permutation(200), rng.permutation(60)
    a = order_items(words, labels, groups, prior)
    b = moved[order_items(words[moved], labels[moved], renamed[groups][moved], prior[moved])]
    for table in (words, labels.state, prior):
        np.testing.assert_array_equal(table[b], table[a])
    assert len(np.unique(words, axis=0)) < 150  # there were ties


def test_labels_groups_and_prior_decide_only_between_equal_features(words, rng):
    plain = words[order_items(words)]
    np.testing.assert_array_equal(words[order_items(words, prior=rng.random((200, 4)))], plain)
    np.testing.assert_array_equal(words[order_items(words, groups=rng.integers(60, size=200))], plain)
    np.testing.assert_array_equal(words[order_items(words, label_some(rng, 200))], plain)


def test_annotated_items_without_a_tag_differ_from_others(rng):
    labels = PartialLabels.from_tags([["a"], None, [], None, [], []], absent="unknown")
    moved = rng.permutation(6)
    a, b = order_items(np.zeros((6, 2)), labels), order_items(np.zeros((6, 2)), labels[moved])
    np.testing.assert_array_equal(labels[moved].annotated[b], labels.annotated[a])


def test_the_order_of_the_labels_has_no_effect(words, rng):
    labels, columns = label_some(rng, 200), rng.permutation(4)
    a, b = order_items(words, labels), order_items(words, labels.select(columns))
    np.testing.assert_array_equal(labels.state[a], labels.state[b])
    ordered = labels[a].select(order_columns(labels[a].state))
    other = labels[b].select(columns)
    np.testing.assert_array_equal(other.select(order_columns(other.state)).state, ordered.state)


def test_sparse_and_dense_rows_have_the_same_order(rng):
    X = rng.normal(size=(150, 9)) * (rng.random((150, 9)) < 0.4)
    np.testing.assert_array_equal(order_items(sparse.csr_array(X)), order_items(X))


@pytest.mark.parametrize("change", [lambda X: X + 1e6, lambda X: X * [1e-9, 3, 1e7], lambda X: X.astype(np.float32)])
def test_another_unit_origin_or_precision_keeps_the_order(change, rng):
    X = rng.normal(size=(80, 3))
    np.testing.assert_array_equal(order_items(change(X)), order_items(X))


def test_a_small_change_of_one_item_moves_that_item_only(rng):
    X = rng.uniform(size=(100, 3))
    other = X.copy()
    inner = int(np.argsort(np.abs(X - 0.5).max(axis=1))[0])  # not the range of a feature
    other[inner] += 0.05
    before, after = order_items(X), order_items(other)
    assert (before != after).mean() < 0.3


def test_values_whose_range_overflows_raise_nothing():
    X = np.array([[-1e308, 1.0], [1e308, 2.0], [0.0, 3.0]])
    assert sorted(order_items(X)) == [0, 1, 2]


def test_items_are_not_sorted_by_a_feature(rng):
    X = rng.normal(size=(2000, 1))
    assert abs(np.corrcoef(X[order_items(X), 0], np.arange(2000))[0, 1]) < 0.1


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_another_order_of_the_features_is_the_same_input(convert, rng):
    for density in (0.1, 1.0):
        X = np.round(rng.normal(size=(90, 60)) * (rng.random((90, 60)) < density), 1)
        X[:, :20] = X[:, :20] != 0  # words of equal frequency
        X[:, 20:30] = 3 * X[:, :10]  # copies in another unit
        rows, columns = rng.permutation(90), rng.permutation(60)
        moved = X[rows][:, columns]
        a, b = X[order_items(convert(X))], moved[order_items(convert(moved))]
        np.testing.assert_array_equal(a[:, order_features(convert(a))], b[:, order_features(convert(b))])


def test_a_feature_that_is_constant_except_for_rounding_has_no_effect(rng):
    X = rng.normal(size=(50, 3))
    noisy = np.column_stack([X, 7 + 1e-12 * rng.normal(size=50)])
    assert (order_items(noisy) == order_items(X)).all()
