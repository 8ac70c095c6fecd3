"""Which items are asked next."""

import numpy as np

from halflabel.completion.questions import choose_typical, rank_questions
from halflabel.labels import PartialLabels


def test_with_enough_labels_the_sum_of_the_bits_decides():
    labels = PartialLabels.from_table([[1, 0], [np.nan, 1], [np.nan, np.nan], [np.nan, np.nan]])
    p = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.9], [0.5, 0.25]])
    table = rank_questions(labels, p, np.zeros((4, 1)), 10, np.random.default_rng(0))
    assert table["position"].tolist() == [3, 1, 2]
    assert table["unknown"].tolist() == [2, 1, 2]
    entropy = [-(q * np.log2(q) + (1 - q) * np.log2(1 - q)) for q in (0.25, 0.9)]
    np.testing.assert_allclose(table["bits"], [1 + entropy[0], 1, 2 * entropy[1]])
    assert len(rank_questions(labels, p, np.zeros((4, 1)), 2, np.random.default_rng(0))) == 2


def clusters(rng, sizes):
    """Return points around distant centres, the points of a centre one after the other."""
    centres = zip(100 * np.eye(len(sizes)), sizes, strict=True)
    return np.concatenate([centre + rng.normal(0, 0.1, (n, len(sizes))) for centre, n in centres])


def test_each_region_without_labels_is_asked_once_the_larger_first(rng):
    X = clusters(rng, (40, 60, 50))
    labelled = np.arange(150) < 1  # in the first region
    chosen = choose_typical(X, labelled, 2, rng)
    assert [np.searchsorted([40, 100], i, side="right") for i in chosen] == [1, 2]


def test_an_outlier_is_not_typical(rng):
    X = clusters(rng, (50, 50))
    X[:3] += rng.normal(0, 5, (3, 2))
    chosen = choose_typical(X, np.arange(100) == 99, 1, rng)
    assert chosen[0] in range(3, 50)


def test_with_few_labels_typical_items_are_first(rng):
    X = clusters(rng, (50, 50))
    y = np.full((100, 1), np.nan)
    y[99] = 1
    p = np.full((100, 1), 0.1)
    p[60] = 0.5  # the most uncertain item
    assert rank_questions(PartialLabels.from_table(y), p, X, 3, rng)["position"][0] < 50
    y[80:] = 1
    assert rank_questions(PartialLabels.from_table(y), p, X, 3, rng)["position"][0] == 60


def test_no_more_items_than_there_are(rng):
    chosen = choose_typical(rng.normal(size=(5, 2)), np.array([True, False, False, True, False]), 10, rng)
    assert sorted(chosen) == [1, 2, 4]
