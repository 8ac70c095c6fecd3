"""Parts are as balanced as those of Sechidis' algorithm and far better than chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.stratification import sechidis

from halflabel.labels import PartialLabels
from halflabel.labels.folds import split_entries, split_items

FIFTHS = [0.2] * 5


def make_labels(n_items, n_labels, gaps, rng):
    """Correlated labels from rare to common, entries unknown at random, and a tenth of the items unlabelled."""
    factors = rng.normal(size=(n_items, 3)) @ rng.normal(size=(3, n_labels))
    wanted = rng.random((n_items, n_labels)) < 1 / (1 + np.exp(-factors - np.linspace(-5, 0, n_labels)))
    unknown = (rng.random((n_items, n_labels)) < gaps) | (rng.random((n_items, 1)) < 0.1)
    return PartialLabels.from_table(np.where(unknown, np.nan, wanted))


def deviations(labels, parts, shares):
    """Distance of each part's count of each (label, value) from its share of them."""
    classes = np.hstack([labels.state > 0, labels.state < 0])
    counts = np.array([classes[parts == g].sum(axis=0) for g in range(len(shares))])
    return np.abs(counts - np.outer(shares, classes.sum(axis=0)))


def rare_relevant(labels, deviation):
    counts = labels.relevant.sum(axis=0)
    return deviation[:, : len(counts)][:, counts <= 60]


@pytest.mark.parametrize("gaps", [0.0, 0.4])
@pytest.mark.parametrize("shares", [FIFTHS, (0.3, 0.7)])
def test_items_are_split_as_evenly_as_by_sechidis_and_better_than_by_chance(gaps, shares):
    rng = np.random.default_rng(0)
    ours, theirs, chance, rare, rare_chance = np.mean([_compare(gaps, shares, rng) for _ in range(5)], axis=0)
    assert ours <= 1.25 * theirs
    assert ours <= 0.6 * chance
    assert rare <= 0.35 * rare_chance


def _compare(gaps, shares, rng):
    labels = make_labels(500, 8, gaps, rng)
    ours = deviations(labels, split_items(labels, shares, rng), shares)
    theirs = deviations(labels, sechidis(labels.state, shares, rng), shares)
    chance = deviations(labels, rng.choice(len(shares), size=500, p=shares), shares)
    rare, rare_chance = rare_relevant(labels, ours), rare_relevant(labels, chance)
    return ours.mean(), theirs.mean(), chance.mean(), rare.mean(), rare_chance.mean()


def test_a_single_label_is_split_exactly():
    labels = PartialLabels.from_table([1] * 10 + [0] * 20 + [np.nan] * 15)
    parts = split_items(labels, FIFTHS, np.random.default_rng(3))
    for part, each in ((slice(0, 10), 2), (slice(10, 30), 4), (slice(30, 45), 3)):
        assert np.bincount(parts[part], minlength=5).tolist() == [each] * 5


def test_pairs_of_labels_are_spread():
    table = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [10, 50, 60, 100], axis=0)
    parts = split_items(PartialLabels.from_table(table), FIFTHS, np.random.default_rng(0))
    assert np.bincount(parts[:10], minlength=5).tolist() == [2] * 5


def test_annotated_items_without_tags_are_spread_apart_from_unlabelled_ones():
    labels = PartialLabels.from_tags([["a"]] * 4 + [[]] * 200 + [None] * 200, absent="unknown")
    parts = split_items(labels, (0.5, 0.5), np.random.default_rng(0))
    assert abs(int((parts[4:204] == 0).sum()) - 100) <= 1
    assert abs(int((parts[204:] == 0).sum()) - 100) <= 1


def test_ties_go_to_the_part_with_the_most_room():
    """Every class of one item is needed equally by all parts."""
    parts = split_items(PartialLabels.from_table(np.eye(40)), FIFTHS, np.random.default_rng(0))
    assert np.bincount(parts).tolist() == [8] * 5


@pytest.mark.parametrize("split", [split_items, split_entries])
def test_equal_items_are_split_by_chance_not_in_turn(split):
    parts = split(PartialLabels.from_table(np.ones(100)), (0.5, 0.5), np.random.default_rng(0)).ravel()
    assert 20 < np.sum(parts[1:] == parts[:-1]) < 80


def test_the_generator_alone_decides():
    labels = make_labels(60, 4, 0.2, np.random.default_rng(0))
    once, again, other = (split_items(labels, FIFTHS, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once, again)
    assert (once != other).any()


def test_entries_are_split_evenly_within_each_label_and_value():
    labels = make_labels(203, 6, 0.3, np.random.default_rng(0))
    parts = split_entries(labels, (0.3, 0.7), np.random.default_rng(0))
    np.testing.assert_array_equal(parts >= 0, labels.observed)
    for value in (1, -1):
        count = (labels.state == value).sum(axis=0)
        first = ((labels.state == value) & (parts == 0)).sum(axis=0)
        assert (np.abs(first - 0.3 * count) < 1).all()


def test_parts_of_entries_are_of_equal_size_overall():
    """Remainders of many rare labels go to the part with the most room, not all to the first."""
    labels = PartialLabels.from_table(np.vstack([np.eye(40), np.full((1, 40), np.nan)]))
    sizes = np.bincount(split_entries(labels, FIFTHS, np.random.default_rng(0))[labels.observed])
    assert sizes.max() - sizes.min() <= 1


# -- groups of several items -------------------------------------------------------


def make_threads(n_items, mean, rng):
    """Numbers of threads whose lengths are ``mean`` on average, many of them 1 and a few long."""
    return rng.permutation(np.repeat(np.arange(n_items), rng.geometric(1 / mean, size=n_items))[:n_items])


@given(
    seed=st.integers(0, 10_000),
    n_items=st.integers(1, 60),
    n_labels=st.integers(1, 4),
    mean=st.floats(1, 8),
    shares=st.sampled_from([FIFTHS, (0.3, 0.7), (0.5, 0.5)]),
)
def test_a_group_comes_into_one_part(seed, n_items, n_labels, mean, shares):
    rng = np.random.default_rng(seed)
    threads = make_threads(n_items, mean, rng)
    state = rng.integers(-1, 2, size=(n_items, n_labels)).astype(np.int8)
    labels = PartialLabels(state, tuple(map(str, range(n_labels))), (state != 0).any(axis=1))
    parts = split_items(labels, shares, rng, threads)
    assert set(parts) <= set(range(len(shares)))
    assert len(set(zip(threads, parts, strict=True))) == len(set(threads))


@pytest.mark.parametrize("seed", range(4))
def test_each_group_goes_where_the_chi_square_is_least(seed):
    """Twelve groups of different sizes, the largest first, against the whole sum over parts."""
    rng, shares = np.random.default_rng(seed), np.array([0.17, 0.33, 0.5])
    groups = rng.permutation(np.repeat(np.arange(12), np.arange(2, 14)))
    Y = (rng.random((len(groups), 3)) < [0.1, 0.3, 0.5]).astype(float)
    Y[(groups % 3 == 0) & (rng.random(len(groups)) < 0.8)] = np.nan  # unlabelled, and many of a group together
    labels = PartialLabels.from_positives(Y)  # also items that are annotated and have no tag
    blank = ~labels.relevant.any(axis=1)
    kinds = np.column_stack(
        [labels.relevant, blank & labels.annotated, blank & ~labels.annotated, np.ones(len(groups), bool)]
    )
    expected = np.outer(shares, kinds.sum(axis=0))
    counts, part_of = np.zeros_like(expected), np.full(12, -1)
    for group in range(11, -1, -1):
        trials = [counts + np.eye(3)[:, [part]] * kinds[groups == group].sum(axis=0) for part in range(3)]
        part_of[group] = np.argmin([np.sum((trial - expected) ** 2 / expected) for trial in trials])
        counts = trials[part_of[group]]
    np.testing.assert_array_equal(split_items(labels, shares, rng, groups), part_of[groups])


def test_large_groups_come_first_and_single_items_level_the_rest():
    threads = np.concatenate([np.repeat(np.arange(4), [30, 20, 10, 4]), np.arange(4, 40)])
    labels = PartialLabels.from_table(np.arange(100) % 2)
    parts = split_items(labels, (0.5, 0.5), np.random.default_rng(0), threads)
    np.testing.assert_array_equal(np.bincount(parts), [50, 50])
    assert parts[0] != parts[30] == parts[50]


def test_single_unlabelled_items_level_what_groups_took():
    labels = PartialLabels.from_table(np.repeat([1.0, 0, np.nan], [10, 10, 60]))
    threads = np.concatenate([np.arange(20), np.full(24, 20), np.arange(21, 57)])
    parts = split_items(labels, (0.5, 0.5), np.random.default_rng(0), threads)
    np.testing.assert_array_equal(np.bincount(parts[20:]), [30, 30])


def test_groups_of_one_item_are_items():
    labels = make_labels(120, 4, 0.3, np.random.default_rng(0))
    alone = split_items(labels, FIFTHS, np.random.default_rng(1), np.random.default_rng(2).permutation(120))
    np.testing.assert_array_equal(alone, split_items(labels, FIFTHS, np.random.default_rng(1)))


def test_groups_without_a_class_in_common_are_spread_by_their_size():
    labels = PartialLabels.from_positives(np.eye(80))
    parts = split_items(labels, FIFTHS, np.random.default_rng(0), np.repeat(np.arange(20), 4))
    np.testing.assert_array_equal(np.bincount(parts), [16] * 5)


def test_single_items_are_split_evenly_next_to_groups():
    """Twenty items in groups of two, forty of no group: every part gets its share of both."""
    groups = np.concatenate([np.repeat(np.arange(10), 2), 10 + np.arange(40)])
    labels = PartialLabels.from_table(np.tile([1.0, 0.0], 30))
    parts = split_items(labels, FIFTHS, np.random.default_rng(0), groups)
    assert np.bincount(parts[:20], minlength=5).tolist() == [4] * 5
    assert np.bincount(parts[20:], minlength=5).tolist() == [8] * 5


def test_a_large_group_takes_room_from_the_single_items_of_its_part():
    """One group of ten, and items whose classes all parts need equally: the part of the group gets fewer of them."""
    table = np.vstack([np.full((10, 30), np.nan), np.where(np.eye(30), 1.0, np.nan)])
    groups = np.concatenate([np.zeros(10, dtype=int), 1 + np.arange(30)])
    for seed in range(5):
        parts = split_items(PartialLabels.from_table(table), (0.5, 0.5), np.random.default_rng(seed), groups)
        assert np.bincount(parts).tolist() == [20, 20]


def test_parts_get_their_share_of_all_entries_where_labels_have_few():
    """Ten labels of two entries each: about fifteen of the entries are in the first part."""
    table = np.where(np.repeat(np.eye(10, dtype=bool), 2, axis=0), 1.0, np.nan)
    for seed in range(5):
        parts = split_entries(PartialLabels.from_table(table), [0.75, 0.25], np.random.default_rng(seed))
        assert abs((parts == 0).sum() - 15) <= 1
