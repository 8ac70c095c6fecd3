"""Nearest neighbours: against loops, and on awkward data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.propagation import nearest

from halflabel.numerics.graph import neighbors as module
from halflabel.numerics.graph.neighbors import _choose_first, _number_ties, neighbors


def test_neighbors_equal_the_oracle(rng):
    X = rng.normal(size=(40, 3))
    indices, distances = neighbors(X, 5)
    np.testing.assert_array_equal(indices, nearest(X, 5))
    np.testing.assert_allclose(distances, np.linalg.norm(X[indices] - X[:, None], axis=2))


def test_duplicates_exclude_self_by_index():
    X = np.zeros((20, 2))
    X[10:] = 1.0
    indices, distances = neighbors(X, 4)
    assert (indices != np.arange(20)[:, None]).all()
    assert (distances == 0).all()
    assert (indices // 10 == np.arange(20)[:, None] // 10).all()
    assert all(len(set(row)) == 4 for row in indices)


def test_few_items_cut_k(rng):
    assert neighbors(rng.normal(size=(3, 2)), 15)[0].shape == (3, 2)
    with pytest.raises(ValueError, match="at least 2 items, but there are 1"):
        neighbors(np.ones((1, 2)), 3)


def test_cosine_ignores_length(rng):
    X = rng.normal(size=(30, 4))
    longer = X * rng.uniform(0.1, 9, size=(30, 1))
    np.testing.assert_array_equal(neighbors(X, 5, "cosine")[0], neighbors(longer, 5, "cosine")[0])


def test_queries_may_meet_themselves(rng):
    X = rng.normal(size=(30, 4))
    indices, distances = neighbors(X, 1, query=X)
    np.testing.assert_array_equal(indices.ravel(), np.arange(30))
    np.testing.assert_allclose(distances, 0, atol=1e-6)


def grid(seed, n_queries):
    """Points of whole numbers from 1 to 3 in three dimensions, each several times, and queries (or None)."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 4, size=(int(rng.integers(90, 200)), 3))
    return X, rng.integers(1, 4, size=(n_queries, 3)) if n_queries else None


def squared(X, query):
    """Squared distances in whole numbers."""
    return ((query[:, None] - X) ** 2).sum(axis=2)


def angle(X, query):
    """What grows as the cosine falls, in whole numbers: -(q'x)^2 / |x|^2 times all |x|^2; q'x is positive here."""
    lengths = (X**2).sum(axis=1)
    return -((query @ X.T) ** 2) * (np.lcm.reduce(lengths) // lengths)


def first_of_equal(exact, k, own):
    """The k nearest by (exact distance, index)."""
    order = np.argsort(exact, axis=1, kind="stable")
    return np.array([[j for j in row if not (own and i == j)][:k] for i, row in enumerate(order)])


FORMS = {
    "dense": lambda A: A.astype(float),
    "sparse": lambda A: sparse.csr_array(A.astype(float)),
    "turned": lambda A: A @ np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0],
    "turned, sparse": lambda A: sparse.csr_array(FORMS["turned"](A)),
}


@pytest.mark.parametrize(("metric", "exact"), [("euclidean", squared), ("cosine", angle)])
@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 40), n_queries=st.sampled_from([0, 12]))
def test_of_equal_distances_the_lowest_index_comes_first(form, metric, exact, seed, k, n_queries):
    X, query = grid(seed, n_queries)
    expected = first_of_equal(exact(X, X if query is None else query), k, own=query is None)
    enter = FORMS[form]
    indices, _ = neighbors(enter(X), k, metric, None if query is None else enter(query), ties="index")
    np.testing.assert_array_equal(indices, expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_queries", [0, 12])
def test_neither_blocks_nor_the_depth_of_the_search_decide(form, n_queries, monkeypatch):
    X, query = (None if A is None else FORMS[form](A) for A in grid(3, n_queries))
    whole = neighbors(X, 10, query=query, ties="index")
    np.testing.assert_array_equal(neighbors(X, 4, query=query, ties="index")[0], whole[0][:, :4])
    for n_extra, max_cells in [(1, 1), (1, 500), (500, 1)]:
        monkeypatch.setattr(module, "N_EXTRA", n_extra)
        monkeypatch.setattr(module, "MAX_CELLS", max_cells)
        indices, distances = neighbors(X, 10, query=query, ties="index")
        np.testing.assert_array_equal(indices, whole[0])
        np.testing.assert_allclose(distances, whole[1], atol=1e-6)


def test_distances_of_single_precision_are_compared_in_double():
    X = sparse.csr_array(np.array([[1.0, 2.0**-13], [1.0, 0.0]], dtype=np.float32))  # squared: 1 + 2**-26, and 1
    origin = sparse.csr_array(np.zeros((1, 2), dtype=np.float32))
    assert neighbors(X, 2, query=origin, ties="index")[0].tolist() == [[1, 0]]


def test_distances_belong_to_the_indices():
    X, _ = grid(4, 0)
    indices, distances = neighbors(X.astype(float), 7, ties="index")
    np.testing.assert_allclose(distances, np.linalg.norm(X[indices] - X[:, None], axis=2), atol=1e-6)


def test_all_others_can_be_neighbours_of_duplicates():
    indices, _ = neighbors(np.ones((80, 2)), 79, ties="index")
    np.testing.assert_array_equal(indices, [[j for j in range(80) if j != i] for i in range(80)])


@pytest.mark.parametrize(("nearer", "first"), [(1e-7, 1), (1e-13, 0)])
def test_equal_is_up_to_rounding(nearer, first):
    X = np.array([[1.0], [1 - nearer], [-3.0]])
    assert neighbors(X, 1, query=np.zeros((1, 1)), ties="index")[0].item() == first
    assert neighbors(X, 2, query=np.zeros((1, 1)), ties="index")[0].tolist() == [[first, 1 - first]]


def test_an_offset_makes_no_ties(rng):
    X = rng.normal(size=(60, 3))
    np.testing.assert_array_equal(neighbors(X + 1e6, 5, ties="index")[0], nearest(X, 5))


def test_squared_distances_are_equal_within_a_billionth_of_the_smaller_one():
    one = np.array([[1e-3, 1.0, 1 + 0.9e-9, 1 + 2.1e-9, 4.0], [0.0, 0.5, 0.75, 0.75, 3.0]])
    assert _number_ties(one, np.zeros((2, 1))).tolist() == [[0, 1, 1, 2, 3], [0, 1, 2, 2, 3]]
    assert _number_ties(one, np.array([[0.0], [0.5]])).tolist() == [[0, 1, 1, 2, 3], [0, 0, 0, 0, 1]]


@pytest.mark.parametrize("k", [1, 3, 6, 11])
def test_the_first_columns_are_those_of_a_stable_sort(k, rng):
    square = rng.integers(4, size=(30, 12)).astype(float)
    chosen = _choose_first(square, np.zeros((30, 1)), k)
    expected = [sorted(sorted(range(12), key=lambda j, row=row: (row[j], j))[:k]) for row in square]
    assert chosen.tolist() == expected
