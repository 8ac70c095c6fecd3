"""Known entries against unknown ones, without a fit: probabilities are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from tests.completion.ways_of_missing import know_entries, know_items

from halflabel.evidence.value_selection import _compare, is_selected
from halflabel.labels import PartialLabels

#: Tables of a kind, and the number of those that may be found by chance, one of a thousand being expected.
TABLES, BY_CHANCE = 60, 1


def count_found(hide, n=300, n_labels=5):
    """Return in how many tables with true probabilities known entries are found to differ from unknown ones."""
    found = 0
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        p = rng.beta(0.7, 1.5, size=(n, n_labels))
        truth = (rng.random(p.shape) < p).astype(float)
        labels = PartialLabels.from_table(hide(truth, rng))
        found += is_selected(labels.observed, p)
    return found


@pytest.mark.parametrize("n_labels", [1, 2, 30])
@pytest.mark.parametrize("hide", [know_items(0.3), know_entries(0.3, 0.3), know_entries(0.95, 0.95)])
def test_what_is_missing_at_random_is_not_found(hide, n_labels):
    assert count_found(hide, n_labels=n_labels) <= BY_CHANCE


@pytest.mark.parametrize("n", [300, 1500])
@pytest.mark.parametrize("shares", [(0.6, 0.15), (0.5, 0.25), (0.2, 0.6)])
def test_what_is_known_because_of_its_value_is_found(shares, n):
    """Of 300 items, a value that is known twice as often as the other one is found in nine of ten tables."""
    least = 0.9 if n == 300 and shares == (0.5, 0.25) else 0.98
    assert count_found(know_entries(*shares), n=n) >= least * TABLES


def test_labels_whose_values_are_known_in_opposite_directions():
    assert count_found(know_entries(0.6, 0.15, alternate=True)) >= 0.98 * TABLES


def test_a_table_of_one_label_that_is_known_because_of_its_value():
    assert count_found(know_entries(0.85, 0.15), n_labels=1) >= 0.98 * TABLES


def test_a_difference_too_small_to_matter_is_not_found():
    """Of 40,000 items, chance is hardly a reason for any difference."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.7, 1.5, size=(40_000, 4))
    truth = (rng.random(p.shape) < p).astype(float)
    labels = PartialLabels.from_table(know_entries(0.32, 0.3)(truth, rng))
    areas, deviations = _compare(labels.observed, p)
    assert np.mean((areas / deviations) ** 2) > 5  # one of 5,000 tables
    assert not is_selected(labels.observed, p)


@given(st.integers(0, 2**32 - 1))
def test_the_area_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    known, p = rng.random((40, 3)) < 0.5, rng.integers(6, size=(40, 3)) / 5
    expected = [roc_auc_score(known[:, j], p[:, j]) - 0.5 for j in range(3)]
    np.testing.assert_allclose(_compare(known, p)[0], expected, atol=1e-12)


def test_too_few_entries_are_not_compared():
    labels = PartialLabels.from_table([[1.0], [0.0], [np.nan], [np.nan]])
    assert not is_selected(labels.observed, np.full((4, 1), 0.5))
