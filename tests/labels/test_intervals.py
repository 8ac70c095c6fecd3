"""Intervals against tables, and against what they replace."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from halflabel.labels.intervals import resampled_interval, wilson_interval


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (95, 100), (1000, 1000)])
def test_the_wilson_interval_is_that_of_scipy(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson_interval(hits / n, n) == pytest.approx((expected.low, expected.high), abs=1e-4)


def test_the_interval_of_repeated_splits_is_wider_than_the_naive_one():
    difference = np.array([0.01, 0.02, 0.03, 0.02])
    low, high = resampled_interval(difference, 0.2)
    naive = 2 * 3.182446 * difference.std(ddof=1) / 2  # t(.975, 3) and the square root of n = 4
    assert high - low == pytest.approx(naive * np.sqrt(1 + 4 * 0.25))
    assert (low + high) / 2 == pytest.approx(0.02)
