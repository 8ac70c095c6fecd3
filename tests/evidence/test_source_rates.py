"""The errors of sources on known entries."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.evidence.source_rates import tabulate_rates
from halflabel.labels.votes import Votes


def test_rates_are_of_votes_on_known_entries():
    """Six known entries: two of three relevant ones and one of three irrelevant ones have a wrong vote."""
    relevant = np.array([1, 1, 1, 0, 0, 0, 1, 0])[:, None] == 1
    votes = Votes(("a",), np.array([0, 0.1, 1, 1, 0, 0, 0, np.nan])[None, :, None])
    row = tabulate_rates(votes, relevant, np.arange(8)[:, None] < 6, ("rock",)).iloc[0]
    assert (row["votes"], row["checked"], row["error"]) == (7, 6, 0.5)
    assert (row["false_irrelevant"], row["false_relevant"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert 0 < row["low"] < 0.5 < row["high"] < 1


@pytest.mark.parametrize("together", [0.0, 0.8])
def test_intervals_hold_where_errors_come_item_by_item(together):
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        of_item = rng.random((400, 1)) < 0.25
        wrong = np.where(rng.random((400, 5)) < together, of_item, rng.random((400, 5)) < 0.25)
        known = np.repeat(rng.random((400, 1)) < 0.15, 5, axis=1)
        rates = tabulate_rates(Votes(("a",), wrong[None] * 1.0), np.zeros_like(known), known, tuple("abcde"))
        whole = rates.iloc[-1]
        held += whole["low"] <= wrong.mean() <= whole["high"]
    assert held >= 170
