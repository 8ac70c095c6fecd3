"""Which items are asked next."""

import numpy as np

from halflabel.evidence import questions
from halflabel.evidence.questions import NOISE, choose_informative, rank_questions
from halflabel.labels import PartialLabels


def test_partly_labelled_items_by_the_sum_of_their_bits():
    labels = PartialLabels.from_table([[1, 0], [np.nan, 1], [0, np.nan], [1, np.nan]])
    p = np.array([[0.5, 0.5], [0.4, 0.5], [0.9, 0.9], [0.5, 0.25]])
    table = rank_questions(labels, p, np.zeros((4, 1)), 10, np.random.default_rng(0))
    assert table["position"].tolist() == [1, 3, 2]
    assert table["unknown"].tolist() == [1, 1, 1]
    np.testing.assert_allclose(table["bits"], [-(q * np.log2(q) + (1 - q) * np.log2(1 - q)) for q in (0.4, 0.25, 0.9)])
    assert len(rank_questions(labels, p, np.zeros((4, 1)), 2, np.random.default_rng(0))) == 2


def clusters(rng, sizes):
    """Return points around distant centres, the points of a centre one after the other."""
    centres = zip(100 * np.eye(len(sizes)), sizes, strict=True)
    return np.concatenate([centre + rng.normal(0, 0.1, (n, len(sizes))) for centre, n in centres])


def test_each_region_without_labels_is_asked_once_the_larger_first(rng):
    X = clusters(rng, (40, 60, 50))
    labelled = np.arange(150) < 1  # in the first region
    chosen = choose_informative(X, labelled, 2, rng)
    assert [np.searchsorted([40, 100], i, side="right") for i in chosen] == [1, 2]


def test_an_outlier_is_not_asked(rng):
    X = clusters(rng, (50, 50))
    X[:3] += rng.normal(0, 50, (3, 2))
    chosen = choose_informative(X, np.arange(100) == 99, 1, rng)
    assert chosen[0] in range(3, 50)


def measure_variance(X, known, targets):
    """Return the mean posterior variance of a Gaussian process at the targets, by the textbook formula."""
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    K = np.exp(-squares / np.median(squares[squares > 0]))
    inverse = np.linalg.inv(K[np.ix_(known, known)] + NOISE * np.eye(len(known)))
    return np.mean([K[i, i] - K[i, known] @ inverse @ K[known, i] for i in targets])


def test_each_choice_leaves_the_smallest_variance(rng):
    X = rng.normal(size=(25, 2))
    labelled = np.arange(25) < 4
    first, second = choose_informative(X, labelled, 2, rng)
    targets = np.arange(4, 25)
    known = [0, 1, 2, 3]
    for chosen in (first, second):
        left = [measure_variance(X, [*known, i], targets) if i not in known else np.inf for i in range(25)]
        assert chosen == np.argmin(left)
        known.append(chosen)


def test_unlabelled_items_come_before_uncertain_ones(rng):
    X = clusters(rng, (50, 50))
    y = np.full((100, 2), np.nan)
    y[80:] = 1
    y[99, 1] = np.nan
    p = np.full((100, 2), 0.1)
    p[[60, 99]] = 0.5  # the most uncertain items
    table = rank_questions(PartialLabels.from_table(y), p, X, 100, rng)
    assert table["position"][0] < 50
    assert table["position"].iloc[-1] == 99
    assert len(table) == 81


def test_no_more_items_than_there_are(rng):
    chosen = choose_informative(rng.normal(size=(5, 2)), np.array([True, False, False, True, False]), 10, rng)
    assert sorted(chosen) == [1, 2, 4]


def test_equal_items_and_no_labelled_item(rng):
    assert len(choose_informative(np.zeros((3, 2)), np.zeros(3, bool), 2, rng)) == 2


def test_the_width_of_the_kernel_is_that_of_every_second_point_of_twice_as_many(rng, monkeypatch):
    points, known = rng.normal(size=(14, 3)), np.empty((0, 3))
    monkeypatch.setattr(questions, "MAX_WIDTH", 7)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    some = squares[::2, ::2]
    np.testing.assert_allclose(questions._condition(points, known), np.exp(-squares / np.median(some[some > 0])))
