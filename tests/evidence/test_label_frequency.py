"""The label frequency by a few answers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from halflabel.evidence.label_frequency import MissingPositives, choose_sizes, draw_by_size


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=40), st.integers(1, 50), st.integers(0, 2**32))
def test_the_number_of_draws_is_exact_and_larger_entries_are_likelier(sizes, n, seed):
    size = np.array(sizes)
    n = min(n, len(size))
    rows, chance = draw_by_size(size, n, np.random.default_rng(seed))
    assert len(rows) == len(set(rows.tolist())) == n
    assert chance.sum() == pytest.approx(n)
    assert (chance > 0).all()
    assert (chance <= 1).all()
    assert (np.diff(chance[np.argsort(size, kind="stable")]) >= -1e-12).all()


def test_entries_are_drawn_with_their_probabilities():
    size = np.random.default_rng(0).random(20) ** 3
    drawn = np.zeros(20)
    for seed in range(4000):
        rows, chance = draw_by_size(size, 6, np.random.default_rng(seed))
        drawn[rows] += 1
    assert np.abs(drawn / 4000 - chance).max() < 0.03


def test_intervals_cover_the_frequency_and_get_narrower():
    covered, widths = [], {20: [], 60: []}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        log_odds = rng.normal(-2.5, 2, size=800)
        relevant = rng.random(800) < expit(rng.normal(0, 0.7) + rng.uniform(1, 2.2) * log_odds)
        asked, _ = draw_by_size(choose_sizes(log_odds, None), 20, rng)
        for n in (20, 40, 60):
            found = MissingPositives(log_odds, asked, relevant[asked])
            share = found.estimate(100, rng)
            if n in widths:
                widths[n].append(share.high - share.low)
            free = np.setdiff1d(np.arange(800), asked)
            more, _ = draw_by_size(choose_sizes(log_odds, found)[free], 20, rng)
            asked = np.append(asked, free[more])
        true = 100 / (100 + relevant.sum())
        covered.append(share.low <= true <= share.high)
    assert np.mean(covered) >= 0.8
    assert np.mean(widths[60]) < 0.75 * np.mean(widths[20])


def test_answers_move_probabilities():
    log_odds = np.linspace(2, -6, 100)
    asked = np.arange(0, 40, 2)
    good, bad = (MissingPositives(log_odds, asked, np.full(20, value)) for value in (True, False))
    assert good.probabilities[1] > 0.9 > 0.3 > bad.probabilities[1]


def test_blocks_change_nothing(monkeypatch):
    log_odds = np.random.default_rng(1).normal(size=300)
    found = MissingPositives(log_odds, np.arange(10), np.arange(10) % 2 == 0)
    whole = found.probabilities, found.estimate(50, np.random.default_rng(0))
    monkeypatch.setattr("halflabel.evidence.label_frequency.BLOCK", 7)
    assert np.allclose(found.probabilities, whole[0])
    assert found.estimate(50, np.random.default_rng(0)) == pytest.approx(whole[1])


def test_an_entry_that_is_as_near_to_certain_has_the_same_size():
    sizes = choose_sizes(np.zeros(3), SimpleNamespace(probabilities=np.array([0.1, 0.5, 0.9])))
    np.testing.assert_allclose(sizes, [0.3, 0.5, 0.3])
