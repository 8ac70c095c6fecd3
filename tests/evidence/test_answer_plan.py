"""The plan of a proof: it agrees with simulated draws, and needs fewer answers where more errors are allowed."""

import numpy as np
import pytest

from halflabel.evidence.answer_plan import plan_answers
from halflabel.evidence.betting import Bets, weigh


def count_answers(p, allowed, chosen, rng):
    """Return the number of answers until a proof ends, after chosen ones. ``p`` falls, and is calibrated."""
    wrong, rest = rng.random(len(p)) < p, p[chosen:]
    order = chosen + np.argsort(rng.exponential(size=len(rest)) / weigh(rest))
    for n in range(10, len(rest), 10):
        drawn = np.ones(n, dtype=bool)
        bets = Bets.place(rest, order[:n] - chosen, drawn, wrong[order[:n]], allowed + 1.0)
        if bets.measure(allowed + 1 + bets.found) >= -np.log(0.05):
            return chosen + n
    return len(p)


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_the_planned_number_of_random_answers_is_about_the_number_that_is_needed(spread):
    """Half of the runs with calibrated probabilities need about as many."""
    rng = np.random.default_rng(0)
    p = np.sort(0.5 / (1 + np.exp(spread * rng.normal(size=3000) + 2.5)))[2399::-1]
    allowed = int(2.2 * p.sum())
    chosen, random = plan_answers(p, allowed, 0.05)
    assert chosen < 20
    assert 0.7 < random / np.median([count_answers(p, allowed, 0, rng) for _ in range(41)]) < 1.5


@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_no_other_number_of_chosen_answers_needs_far_fewer_answers(spread):
    rng = np.random.default_rng(0)
    p = np.sort(0.5 / (1 + np.exp(spread * rng.normal(size=1500) + 1.5)))[::-1]
    allowed = int(0.6 * p.sum())
    planned = plan_answers(p, allowed, 0.05)[0]
    totals = {
        chosen: np.mean([count_answers(p, allowed, chosen, rng) for _ in range(12)])
        for chosen in {planned, *range(0, 1000, 90)}
    }
    assert totals[planned] < 1.1 * min(totals.values())
    assert totals[planned] < 0.8 * max(totals.values())


def test_a_plan_needs_fewer_answers_where_more_errors_are_allowed():
    wrong = np.linspace(0.001, 0.3, 400)
    totals = [sum(plan_answers(wrong, allowed, 0.05)) for allowed in (4, 20, 60, 120)]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[-1]
    assert plan_answers(wrong, -1, 0.05) == (401, 0)
    assert plan_answers(wrong, 400, 0.05) == (0, 0)
