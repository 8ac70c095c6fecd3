"""Where probabilities of gaps were shifted, the expected precision is a range, and 85 % of the ranges are right."""

from __future__ import annotations

import numpy as np
import pytest
from tests.completion.ways_of_missing import draw_digits, draw_logistic, know_entries

import halflabel as hl

DRAWS = [(draw, seed) for draw in (draw_digits, draw_logistic) for seed in range(10)]


def complete_draw(draw, seed):
    """Return a completion of a table whose relevant entries are known four times as often, and its truth."""
    rng = np.random.default_rng(seed)
    X, truth = draw(rng)
    return hl.complete(X, know_entries(0.6, 0.15)(truth, rng), effort="fast"), truth


@pytest.mark.slow
def test_of_many_draws_the_printed_range_has_the_true_precision():
    held, n_printed = [], 0
    for filled, truth in (complete_draw(draw, seed) for draw, seed in DRAWS):
        if not filled.evidence.fit.estimates_gaps:  # too large a shift: no percentage is printed
            continue
        n_printed += 1
        for value in (1, -1):
            at = ~filled.labels.observed & (filled.state == value)
            low, high = (1 - filled.evidence.expect_errors_in(value)[["high", "low"]] / at.sum()).to_list()
            held.append(low <= (truth[at] == (value > 0)).mean() <= high)
    assert n_printed >= 0.8 * len(DRAWS)
    assert np.mean(held) >= 0.85
