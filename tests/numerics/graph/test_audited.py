"""Approximate neighbours: what is returned is true, what is missed is measured, and when the search stays exact."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from halflabel.numerics.graph import audited as nearest
from halflabel.numerics.graph.audited import audited_neighbors, search_approximately
from halflabel.numerics.graph.neighbors import neighbors

pytest.importorskip("faiss")


def clouds(rng, n=3000, m=12, count=30):
    """Items in well separated clouds, whose neighbours lie in few lists."""
    return 5 * rng.normal(size=(count, m))[rng.integers(count, size=n)] + rng.normal(size=(n, m))


def distances_between(X, indices):
    return np.linalg.norm(X[indices] - X[:, None], axis=2)


@pytest.fixture
def every_list(monkeypatch):
    """As many lists searched as there are: everything can be found."""
    monkeypatch.setattr(nearest, "FIRST_PROBES", 10_000)


def test_clouds_are_found_almost_all_and_in_true_distances(rng):
    X = clouds(rng)
    found = search_approximately(X, 10)
    _, distances = neighbors(X, 10)
    assert found.how.startswith("approximate: 8 of 110 lists searched for each item, ")
    assert 0.99 < (found.distances <= distances[:, -1:] + 1e-9).mean() <= 1
    np.testing.assert_allclose(found.distances, distances_between(X, found.indices), rtol=1e-12)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert (found.indices != np.arange(len(X))[:, None]).all()
    assert all(len(set(row)) == 10 for row in found.indices)


def test_the_recall_is_that_of_all_items(monkeypatch, rng):
    monkeypatch.setattr(nearest, "MIN_RECALL", 0.0)
    monkeypatch.setattr(nearest, "FIRST_PROBES", 2)
    X = rng.normal(size=(4000, 6))
    found = search_approximately(X, 10)
    share = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.indices, neighbors(X, 10)[0], strict=True)])
    assert 0.2 < share < 0.9
    assert found.recall == pytest.approx(share, abs=0.03)  # 5000 of 40000 entries: standard error about 0.01
    assert f"2 of 126 lists searched for each item, {found.recall:.1%} of the nearest found" in found.how


def test_more_lists_are_searched_until_it_is_enough(monkeypatch, rng):
    monkeypatch.setattr(nearest, "MAX_PROBED_SHARE", 1.0)
    X = rng.normal(size=(3000, 9))
    found = search_approximately(X, 10)
    probes = int(found.how.split()[1])
    assert probes in (16, 32, 64)
    assert found.recall > 0.93
    monkeypatch.setattr(nearest, "MIN_RECALL", 0.5)
    assert search_approximately(X, 10).how.startswith("approximate: 8 of 110 lists")


def test_where_lists_do_not_help_the_search_is_exact_and_the_reason_is_given(rng):
    X = rng.normal(size=(2000, 20))
    found = search_approximately(X, 5)
    np.testing.assert_array_equal(found.indices, neighbors(X, 5)[0])
    assert found.recall == 1
    assert found.how.startswith("exact: 8 of 89 lists hold only ")


def test_with_every_list_searched_nothing_is_missed(every_list, rng):
    X = rng.normal(size=(400, 5)) + 3
    found = search_approximately(X, 7)
    indices, distances = neighbors(X, 7)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, atol=1e-7)
    assert found.recall == 1


def test_of_equal_distances_the_lowest_index_comes_first(every_list):
    X = np.array([[0.0], [2.0], [1.0], [1.0], [3.0], [1.0]])
    found = search_approximately(X, 4)
    assert found.indices[0].tolist() == [2, 3, 5, 1]
    assert found.indices[1].tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("n", [2, 3, 40])
def test_duplicates_are_neighbours_but_no_item_is_its_own(n):
    found = search_approximately(np.ones((n, 3)), 5)
    assert found.indices.shape == (n, min(5, n - 1))
    assert (found.distances == 0).all()
    assert all(i not in row and len(set(row)) == len(row) for i, row in enumerate(found.indices))


def test_items_whose_lists_hold_too_few_are_searched_one_by_one(monkeypatch, rng):
    monkeypatch.setattr(nearest, "FIRST_PROBES", 1)
    monkeypatch.setattr(nearest, "MIN_RECALL", 0.0)
    X = clouds(rng, n=500)
    found = search_approximately(X, 300)  # none of 45 lists holds 300 items
    assert found.how == "approximate: 1 of 45 lists searched for each item, 100.0% of the nearest found"
    np.testing.assert_array_equal(found.indices, neighbors(X, 300)[0])


def test_single_precision_does_not_decide_which_item_is_the_kth(every_list, monkeypatch, rng):
    """Neighbours about 1e-5 apart and one item 1000 away, where single precision resolves 4e-6 at best."""
    monkeypatch.setattr(nearest, "MIN_RECALL", 0.5)  # seen from far away, all of them are at the same distance
    X = np.append(rng.uniform(0, 2e-4, 24), 1000.0)[:, None]
    found = search_approximately(X, 2)
    expected = np.sort(np.abs(X - X.T), axis=1)[:, 1:3]
    assert found.how.startswith("approximate")
    np.testing.assert_array_equal(found.distances[:24], expected[:24])


@pytest.mark.parametrize("unit", [2.0**-100, 2.0**100])
def test_units_do_not_matter(unit, rng):
    X = clouds(rng, n=400)
    one, other = (search_approximately(c * X, 5) for c in (1.0, unit))
    assert one.how == other.how
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.distances * unit, other.distances)


def test_the_same_answer_every_time_on_one_thread_or_two(rng):
    X = clouds(rng)
    with threadpool_limits(1):
        first = search_approximately(X, 5)
        second = search_approximately(X, 5)
    with threadpool_limits(2):
        third = search_approximately(X, 5)
    for other in (second, third):
        np.testing.assert_array_equal(first.indices, other.indices)
        np.testing.assert_array_equal(first.distances, other.distances)


def test_blocks_do_not_decide(monkeypatch, rng):
    X = clouds(rng, n=600)
    whole = search_approximately(X, 5)
    monkeypatch.setattr(nearest, "MAX_QUERY_ROWS", 7)
    monkeypatch.setattr(nearest, "MAX_CELLS", 1)
    parts = search_approximately(X, 5)
    np.testing.assert_array_equal(whole.indices, parts.indices)
    np.testing.assert_array_equal(whole.distances, parts.distances)


# -- which search ------------------------------------------------------------------


def test_few_items_are_searched_exactly_bit_for_bit(rng):
    X = rng.normal(size=(50, 4))
    found = audited_neighbors(X, 5)
    indices, distances = neighbors(X, 5)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.distances, distances)
    assert found.recall == 1
    assert found.how == "exact: 50 items; above 79555 of this width the search is approximate"


def test_many_items_are_searched_approximately_if_dense(monkeypatch, rng):
    monkeypatch.setattr(nearest, "MAX_WORK", 1e6)
    X = clouds(rng, n=400)
    assert audited_neighbors(X, 5).how.startswith("approximate")
    assert audited_neighbors(sparse.csr_array(X), 5).how == "exact: sparse items are not searched approximately"


@pytest.mark.parametrize(("n_features", "limit"), [(5, 10), (45, 8)])
def test_the_limit_of_the_exact_search_depends_on_the_width(n_features, limit, monkeypatch, rng):
    """100 pairs of items with 5 + 75 units of work each cost 8000, and so do 66.7 pairs with 45 + 75."""
    monkeypatch.setattr(nearest, "MAX_WORK", 8000.0)
    items = rng.normal(size=(limit + 1, n_features))
    assert (
        audited_neighbors(items[:-1], 1).how
        == f"exact: {limit} items; above {limit} of this width the search is approximate"
    )
    assert "the search is approximate" not in audited_neighbors(items, 1).how


def test_without_faiss_the_search_is_exact_and_names_what_to_install(monkeypatch, rng):
    monkeypatch.setattr(nearest, "MAX_WORK", 1e6)
    monkeypatch.setattr(nearest, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "faiss", None)
    X = clouds(rng, n=400)
    assert audited_neighbors(X, 5).how == "exact: faiss is not installed (pip install 'halflabel[ann]')"


def test_invalid_arguments_raise():
    with pytest.raises(ValueError, match="at least 2 items, but there are 1"):
        audited_neighbors(np.ones((1, 2)), 3)
    with pytest.raises(ValueError, match="contains NaN"):
        search_approximately(np.full((50, 2), np.nan), 3)


def test_ssdrmc_reports_the_recall_of_its_graph(monkeypatch, rng):
    from halflabel import SSDRMC

    X = clouds(rng, n=400)
    y = np.where(rng.random(400) < 0.3, X[:, 0] > 0, np.nan)
    exact = SSDRMC().fit(X, y)
    monkeypatch.setattr(nearest, "MAX_WORK", 1e6)
    monkeypatch.setattr(nearest, "FIRST_PROBES", 4)
    monkeypatch.setattr(nearest, "MIN_RECALL", 0.5)
    approximate = SSDRMC().fit(X, y)
    assert exact.neighbors_recall_ == 1
    assert 0.5 < approximate.neighbors_recall_ < 1
    assert (exact.transduction_ == approximate.transduction_).mean() > 0.95
