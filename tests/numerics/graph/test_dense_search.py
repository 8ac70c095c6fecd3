import numpy as np
import pytest

from halflabel.numerics.graph import dense_search
from halflabel.numerics.graph import neighbors as searching
from halflabel.numerics.graph.dense_search import nearest_rows
from halflabel.numerics.graph.neighbors import neighbors


def compute_true_distances(X, query, k):
    return np.sort(np.sqrt(((query[:, None] - X[None]) ** 2).sum(axis=2)), axis=1)[:, :k]


def check_nearest(X, query, k):
    indices, distances = neighbors(X, k, query=query)
    true = compute_true_distances(X, query, k)
    np.testing.assert_allclose(distances, true, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(((query[:, None] - X[indices]) ** 2).sum(axis=2)), true, rtol=1e-9)
    assert all(len(set(row)) == k for row in indices.tolist())


@pytest.fixture
def made_up(rng):
    return rng.normal(size=(4700, 7)), rng.normal(size=(90, 7))


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
        X[:3000] = X[:1].copy()
    elif case == "ties":
        X, query = np.round(X), np.round(query)
    elif case == "one place":
        X[:] = query[0]
    check_nearest(X, query, 10)


def test_single_precision_does_not_decide_about_rows_that_are_almost_equally_far(rng):
    """A hundred rows at distances that differ by 1e-9 of their value, which single precision cannot hold."""
    X = np.vstack([rng.normal(size=(5200, 4)), np.eye(4)[:1] * (1 + 1e-9 * np.arange(100))[:, None]])
    check_nearest(X, np.zeros((1, 4)), 12)


@pytest.mark.parametrize("own", [True, False])
def test_single_and_double_precision_find_the_same_rows(made_up, own, monkeypatch):
    X, query = made_up[0], None if own else made_up[1]
    monkeypatch.setattr(dense_search, "MAX_CELLS", 20 * len(X))  # several blocks, and the last one is shorter
    found = neighbors(X, 10, query=query)
    monkeypatch.setattr(searching, "is_large", lambda *_: False)
    expected = neighbors(X, 10, query=query)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1])


def test_plain_queries_are_certain_and_those_among_equal_rows_are_not(made_up):
    X, query = made_up
    assert len(nearest_rows(X, 10, query)[2]) == 0
    X[:700] = query[0]
    assert 0 in nearest_rows(X, 10, query)[2]


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
