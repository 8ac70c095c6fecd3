"""The plan of a proof: it agrees with simulated draws, and needs fewer answers where more errors are allowed."""

import numpy as np
import pytest

from halflabel.evidence.answer_plan import plan_answers
from halflabel.evidence.betting import Bets, weigh


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_the_planned_number_of_random_answers_is_about_the_number_that_is_needed(spread):
    """Half of the runs with calibrated probabilities need about as many."""
    rng, numbers = np.random.default_rng(0), []
    p = np.sort(0.5 / (1 + np.exp(spread * rng.normal(size=3000) + 2.5)))[:2400]
    allowed, drawn = int(2.2 * p.sum()), np.ones(len(p), dtype=bool)
    for _ in range(41):
        wrong, order = rng.random(len(p)) < p, np.argsort(rng.exponential(size=len(p)) / weigh(p))
        found = np.cumsum(wrong[order])
        for n in range(10, len(p), 10):
            bets = Bets.place(p, order[:n], drawn[:n], wrong[order[:n]], [allowed + 1.0])
            if bets.measure(allowed + 1 + int(found[n - 1])) >= -np.log(0.05):
                break
        numbers.append(n)
    chosen, random = plan_answers(p, allowed, 0.05)
    assert chosen < 20
    assert 0.5 * np.median(numbers) < random < 2 * np.median(numbers)


def test_a_plan_needs_fewer_answers_where_more_errors_are_allowed():
    wrong = np.linspace(0.001, 0.3, 400)
    totals = [sum(plan_answers(wrong, allowed, 0.05)) for allowed in (4, 20, 60, 120)]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[-1]
    assert plan_answers(wrong, -1, 0.05) == (401, 0)
    assert plan_answers(wrong, 400, 0.05) == (0, 0)
