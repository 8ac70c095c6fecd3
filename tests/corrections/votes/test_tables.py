"""Agreement of sources, and their errors on known entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracles.sources import krippendorff

from halflabel.corrections.votes.tables import measure_agreement, tabulate_rates
from halflabel.labels.votes import Votes

VOTES = st.sampled_from([0.0, 1.0, 0.25, np.nan])


@given(arrays(float, st.tuples(st.integers(2, 4), st.integers(2, 6)), elements=VOTES))
def test_alpha_is_that_of_a_loop_over_pairs(values):
    units = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    assume(len(np.unique(units[~np.isnan(units)])) > 1)
    found = measure_agreement(Votes(tuple("abcd"[: len(values)]), values[:, :, None]))
    assert found[0] == pytest.approx(krippendorff(values))


def test_alpha_of_a_published_example():
    """The binary example of Krippendorff's note "Computing Krippendorff's alpha-reliability" (2011), part A."""
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = measure_agreement(Votes(("Meg", "Owen"), np.array([a, b], dtype=float)[:, :, None]))
    assert found[0] == pytest.approx(0.095, abs=5e-4)


def test_alpha_is_missing_without_pairs_and_without_different_votes():
    values = np.array([[[1.0, 1.0], [np.nan, 1.0]], [[np.nan, 1.0], [0.0, 1.0]]])
    assert np.isnan(measure_agreement(Votes(("a", "b"), values))).all()


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
