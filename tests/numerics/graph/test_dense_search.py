import numpy as np
import pytest
from scipy import sparse

from halflabel.numerics.graph import dense_search
from halflabel.numerics.graph.dense_search import nearest_rows
from halflabel.numerics.graph.neighbors import neighbors


def compute_true_distances(X, query, k):
    return np.sort(np.sqrt(((query[:, None] - X[None]) ** 2).sum(axis=2)), axis=1)[:, :k]


def check_nearest(X, query, k):
    indices, distances = nearest_rows(X, k, query)
    true = compute_true_distances(X, query, k)
    np.testing.assert_allclose(distances, true, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(((query[:, None] - X[indices]) ** 2).sum(axis=2)), true, rtol=1e-9)
    assert all(len(set(row)) == k for row in indices.tolist())


@pytest.fixture
def made_up(rng):
    return rng.normal(size=(1300, 7)), rng.normal(size=(90, 7))


@pytest.mark.parametrize("case", ["plain", "offset", "outlier", "tiny", "huge", "equal rows", "ties", "one place"])
def test_the_nearest_rows_are_found_whatever_the_values(made_up, case):
    X, query = made_up
    if case == "offset":
        X, query = X + 1e6, query + 1e6
    elif case == "outlier":
        X[5], query[3] = 1e9, -1e7
    elif case in ("tiny", "huge"):
        factor = {"tiny": 1e-30, "huge": 1e25}[case]
        X, query = X * factor, query * factor
    elif case == "equal rows":
        X[:700] = X[:1].copy()
    elif case == "ties":
        X, query = np.round(X), np.round(query)
    elif case == "one place":
        X[:] = query[0]
    check_nearest(X, query, 10)


def test_single_precision_does_not_decide_about_rows_that_are_almost_equally_far(rng):
    """A hundred rows at distances that differ by 1e-9 of their value, which single precision cannot hold."""
    X = np.vstack([rng.normal(size=(1200, 4)), np.eye(4)[:1] * (1 + 1e-9 * np.arange(100))[:, None]])
    check_nearest(X, np.zeros((1, 4)), 12)


def test_plain_queries_are_not_searched_again(made_up, monkeypatch):
    X, query = made_up
    expected = neighbors(X, 10, query=query)

    def fail(*_, **__):
        raise AssertionError("searched again")

    monkeypatch.setattr(dense_search, "neighbors", fail)
    monkeypatch.setattr(dense_search, "MAX_CELLS", 20 * len(X))  # several blocks, and the last one is shorter
    indices, distances = nearest_rows(X, 10, query)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_allclose(distances, expected[1])


@pytest.mark.parametrize("n", [1, 4, 300])
def test_small_and_sparse_tables_are_searched_in_double_precision(rng, n):
    X, query = rng.normal(size=(n, 3)), rng.normal(size=(5, 3))
    expected = neighbors(X, 4, query=query)
    for each in (nearest_rows(X, 4, query), nearest_rows(sparse.csr_array(X), 4, sparse.csr_array(query))):
        np.testing.assert_array_equal(each[0], expected[0])
        np.testing.assert_allclose(each[1], expected[1], atol=1e-7)


@pytest.mark.parametrize("n_features", [1, 7, 40])
@pytest.mark.parametrize(("length", "distance"), [(3.0, 0.5), (0.25, 2.0), (1.0, 1.0)])
def test_a_query_is_certain_up_to_the_error_of_single_precision(n_features, length, distance):
    """The bound of the notes, with the longest row that can matter: of length |q| + d."""
    query = np.zeros((1, n_features))
    query[0, 0] = length
    longest = length + distance
    bound = (n_features + 8) * 2.0**-24 * (length * longest + longest**2 / 2)
    exact = (length**2 - distance**2) / 2

    def is_certain(lowest):
        return dense_search._are_certain(query, np.array([distance]), np.array([lowest])).item()

    assert is_certain(exact - 1.03 * bound)  # the factor is a little above 1
    assert not is_certain(exact - bound)
    assert not is_certain(-np.inf)
