"""Trustworthiness, continuity and the vote of neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from halflabel.numerics.layout import quality
from halflabel.numerics.layout.quality import measure_trust, score_share, score_vote, share_of_neighbors


@pytest.mark.parametrize("n", [60, 20])
def test_both_figures_are_those_of_scikit_learn(n, rng):
    space, drawn = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    k = min(15, (n - 1) // 2)
    expected = trustworthiness(space, drawn, n_neighbors=k), trustworthiness(drawn, space, n_neighbors=k)
    assert measure_trust(space, drawn, rng) == pytest.approx(expected)


def test_a_sample_estimates_the_figures_of_all_items(rng, monkeypatch):
    space = rng.normal(size=(400, 4))
    exact = measure_trust(space, space[:, :2], rng)
    monkeypatch.setattr(quality, "MAX_QUERIES", 150)
    assert measure_trust(space, space[:, :2], rng) == pytest.approx(exact, abs=0.02)
    monkeypatch.setattr(quality, "MAX_ITEMS", 300)
    assert measure_trust(space, space[:, :2], rng) == pytest.approx(exact, abs=0.05)


def vote_by_loops(places, relevant, observed, k=15):
    """Return micro-F1 by the definition, item by item and label by label."""
    hits = taken = there = 0
    for i in range(len(places)):
        others = sorted((j for j in range(len(places)) if j != i), key=lambda j: np.sum((places[i] - places[j]) ** 2))
        for label in range(relevant.shape[1]):
            seen = [relevant[j, label] for j in others[:k] if observed[j, label]]
            if observed[i, label]:
                is_taken = bool(seen) and sum(seen) / len(seen) >= 0.3
                taken, there = taken + is_taken, there + relevant[i, label]
                hits += is_taken and relevant[i, label]
    return 2 * hits / (taken + there)


def test_the_vote_is_that_of_loops_and_hides_the_own_labels(rng):
    places = rng.normal(size=(40, 2))
    observed = rng.random((40, 3)) < 0.7
    relevant = observed & (places[:, :1] > np.array([0.0, 0.5, 9.0]))
    assert score_vote(places, relevant, observed) == pytest.approx(vote_by_loops(places, relevant, observed))
    assert score_vote(places, relevant, observed) > score_vote(places, relevant, observed, rng) + 0.2
    assert np.isnan(score_vote(places[:1], relevant[:1], observed[:1]))


def test_the_smallest_tables(rng):
    assert measure_trust(np.arange(3.0)[:, None], np.arange(3.0)[:, None], rng) == (1, 1)
    assert np.isnan(measure_trust(np.arange(2.0)[:, None], np.arange(2.0)[:, None], rng)).all()
    both = np.ones((2, 1), dtype=bool)
    assert score_vote(np.arange(2.0)[:, None], both, both) == 1


def test_neighbours_without_an_observed_entry_have_no_share():
    relevant, observed = np.array([[True], [False], [False]]), np.array([[True], [True], [False]])
    near = np.array([[0, 1], [0, 2], [2, 2]])
    np.testing.assert_array_equal(share_of_neighbors(near, relevant, observed), [[0.5], [1], [0]])


def test_three_of_ten_neighbours_are_enough():
    observed = np.array([[True], [True], [True], [False]])
    relevant = np.array([[True], [True], [False], [False]])
    share = np.array([[3 / 10], [0.29], [1.0], [1.0]])
    assert score_share(share, relevant, observed) == 2 * 1 / (2 + 2)
    assert np.isnan(score_share(np.zeros((2, 1)), np.zeros((2, 1), bool), np.ones((2, 1), bool)))
    assert score_share(np.zeros((2, 1)), np.ones((2, 1), bool), np.eye(2, 1, dtype=bool)) == 0


def test_chance_is_the_labels_of_random_others():
    relevant, observed = np.array([[True], [False]]), np.ones((2, 1), dtype=bool)
    for seed in range(4):
        assert score_vote(np.zeros((2, 1)), relevant, observed, np.random.default_rng(seed)) == 0


@pytest.mark.parametrize("rows", [1, 4, 20])
def test_trust_does_not_depend_on_the_blocks_of_distances(rows, rng, monkeypatch):
    space, drawn = rng.normal(size=(41, 4)), rng.normal(size=(41, 2))
    expected = quality.measure_trust(space, drawn, rng)

    monkeypatch.setattr(quality, "CELLS", 41 * rows)
    assert quality.measure_trust(space, drawn, rng) == pytest.approx(expected, abs=1e-12)


def test_the_order_of_equal_items_changes_nothing(rng):
    space = rng.integers(3, size=(60, 2)).astype(float)
    drawn, order = rng.normal(size=(60, 2)), rng.permutation(60)
    assert measure_trust(space[order], drawn[order], rng)[0] == pytest.approx(measure_trust(space, drawn, rng)[0])
