"""A share of relevant entries that changes by more than a factor of two is a warning; one within chance is not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence.rate_changes import FACTOR, find_rate_changes
from halflabel.labels import PartialLabels


def make(given_share, filled_share, n=400, seed=0):
    rng = np.random.default_rng(seed)
    values = np.full((2 * n, 1), np.nan)
    values[:n, 0] = rng.permutation(np.arange(n) < round(given_share * n))
    return PartialLabels.from_table(values), np.full((2 * n, 1), filled_share)


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.99))
def test_a_change_by_the_factor_is_found_in_both_directions(a, b):
    labels, p = make(a, b)
    ratio = max(labels.rates[0], b) / min(labels.rates[0], b)
    error = 3 * np.sqrt(max(rate * (1 - rate) for rate in (labels.rates[0], b)) / 400)
    is_found = bool(find_rate_changes(labels, p))
    assert is_found == (ratio > FACTOR and abs(labels.rates[0] - b) > error)


def test_the_same_share_is_rarely_a_warning():
    rng, found = np.random.default_rng(0), 0
    for share in np.linspace(0.02, 0.98, 200):
        values = np.where(rng.random((60, 8)) < share, 1.0, 0.0)
        values[30:] = np.nan
        found += len(find_rate_changes(PartialLabels.from_table(values), np.full(values.shape, share)))
    assert found <= 0.005 * 200 * 8


def test_few_entries_and_entries_without_a_probability_do_not_count():
    labels, p = make(0.8, 0.1, n=19)
    assert find_rate_changes(labels, p) == []
    labels, p = make(0.8, 0.1)
    assert find_rate_changes(labels, np.where(np.isnan(labels.values()), np.nan, p)) == []
