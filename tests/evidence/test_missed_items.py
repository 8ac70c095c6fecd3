"""The number of annotated items whose labels were all missed, from the numbers of assigned labels of the others."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.evidence.missed_items import count_lacking_items, count_missed_items


def draw(rng, n, mean, c, *, at_least=1):
    """Return the numbers of assigned labels of items with a Poisson number of relevant ones."""
    return rng.binomial(at_least + rng.poisson(mean, n), c)


@pytest.mark.parametrize("c", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("mean", [0.2, 1.0, 3.0])
def test_missed_items_are_counted_from_the_others(rng, mean, c):
    assigned = draw(rng, 40_000, mean, c)
    missed = count_missed_items(assigned[assigned > 0], c)
    assert missed == pytest.approx((assigned == 0).sum(), rel=0.1)


def test_items_without_relevant_labels_are_not_missed(rng):
    assigned = draw(rng, 40_000, 1.0, 0.7, at_least=0)
    relevant_but_missed = 40_000 * (np.exp(-0.7) - np.exp(-1.0))
    assert count_missed_items(assigned[assigned > 0], 0.7) == pytest.approx(relevant_but_missed, rel=0.1)


@pytest.mark.parametrize("c", [0.5, 0.7])
@pytest.mark.parametrize("at_least", [0, 1])
def test_items_are_lacking_only_where_those_without_a_label_are_left_out(rng, c, at_least):
    drawn = [draw(rng, 300, 1.0, c, at_least=at_least) for _ in range(50)]
    marked = [count_lacking_items(assigned, 600, c) for assigned in drawn]
    unmarked = [count_lacking_items(assigned[assigned > 0], 600, c) for assigned in drawn]
    assert marked == [0] * 50
    assert min(unmarked) > 0


@pytest.mark.parametrize(("assigned", "unlabelled", "c"), [([1] * 50, 0, 0.5), ([], 9, 0.5), ([1] * 50, 90, 1.0)])
def test_nothing_is_lacking_without_unlabelled_items_annotated_items_or_missing_positives(assigned, unlabelled, c):
    assert count_lacking_items(np.array(assigned, dtype=int), unlabelled, c) == 0


def test_a_lack_counts_against_the_smaller_of_both_kinds_of_items():
    assigned = np.repeat([1, 2, 3, 4, 5, 6], [2, 10, 40, 80, 80, 60])  # hardly any item is missed
    assert count_lacking_items(assigned, 1000, 0.8) == 0
    assert count_lacking_items(assigned, 1, 0.8) > 0 or count_missed_items(assigned, 0.8) < 0.5
