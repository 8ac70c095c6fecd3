"""The bets on weighted draws: as slow loops compute them, valid under every way to look, and not too wide."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import bets as oracle

from halflabel.evidence.betting import Bets, weigh

SHARES = st.floats(0.001, 0.999)


def place(p, steps, aim):
    entries, drawn, wrong = (np.array([step[k] for step in steps]) for k in range(3))
    return Bets.place(np.array(p, float), entries.astype(int), drawn.astype(bool), wrong.astype(bool), aim)


@st.composite
def sequences(draw):
    """Return probabilities, and some answers: entry, whether it was drawn, and whether it is wrong."""
    p = draw(st.lists(SHARES, min_size=2, max_size=7))
    entries = draw(st.permutations(range(len(p))))[: draw(st.integers(1, len(p)))]
    return p, [(entry, draw(st.booleans()), int(draw(st.booleans()))) for entry in entries]


@given(sequences(), st.floats(0.5, 6), st.sampled_from([0.05, 0.4]))
def test_capital_and_bound_are_those_of_slow_loops(case, aim, alpha):
    p, steps = case
    found = place(p, steps, aim)
    for number in range(found.found, found.most + 1):
        assert np.exp(found.measure(number)) == pytest.approx(oracle.grow(p, steps, aim, number), rel=1e-6)
    values = [oracle.grow(p, steps, aim, number) for number in range(found.found, found.most + 1)]
    if min(abs(value - 1 / alpha) for value in values) > 1e-6:
        assert found.bound(alpha) == oracle.bound(p, steps, aim, alpha)


@pytest.mark.parametrize("seed", range(30))
def test_a_stake_is_the_same_whichever_entry_is_drawn(seed):
    """Otherwise the capital is no supermartingale. Values that are probably wrong have terms of both signs."""
    rng = np.random.default_rng(seed)
    p, order = rng.uniform(0.001, 0.999, 6), rng.permutation(6)
    steps = [(entry, True, rng.random() < 0.3) for entry in order[:2]]
    for aim in np.linspace(0.5, 6, 12):
        stakes = [place(p, [*steps, (entry, True, False)], aim).stakes[2] for entry in order[2:]]
        np.testing.assert_allclose(stakes, stakes[0], rtol=1e-9)


#: Ways to choose further answers, from the answers so far: none, after each error, the first entry while it helps.
CHOICES = {
    "none": lambda steps: None,
    "after an error": lambda steps: 0 if steps and steps[-1][2] else None,
    "the last ones first": lambda steps: 3 if len(steps) == 1 else 2 if len(steps) == 2 and not steps[0][2] else None,
}

#: Probabilities of being wrong: equal, too low for some entries, and far from the truth of any table.
CHANCES = {"equal": [0.2] * 4, "sure": [0.01, 0.02, 0.4, 0.5], "wrong": [0.9, 0.02, 0.001, 0.999]}


@pytest.mark.parametrize("choose", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("p", CHANCES.values(), ids=CHANCES)
def test_over_all_orders_a_bound_is_ever_false_with_probability_alpha_at_most(choose, p):
    shares = [oracle.share_of_false_bounds(p, truth, choose, 2.0, 0.3) for truth in product([0, 1], repeat=4)]
    assert max(shares) <= 0.3 + 1e-9


def test_a_bound_that_ignores_the_weights_is_false_too_often():
    """The test above can fail: with draws as likely as each other, the doubtful entries are counted as typical."""
    p, truth, false = np.array([0.5] * 100 + [0.001] * 100), np.zeros(200, dtype=bool), {True: 0, False: 0}
    truth[100:160] = True
    for seed in range(300):
        rng = np.random.default_rng(seed)
        order = np.argsort(rng.exponential(size=200) / weigh(p))[:60]
        for is_weighted in false:
            stated = p if is_weighted else np.full(200, 0.2)
            bets = Bets.place(stated, order, np.ones(60, dtype=bool), truth[order], 80.0)
            false[is_weighted] += bets.bound(0.1) < truth.sum()
    assert false[True] <= 0.1 * 300
    assert false[False] > 0.2 * 300


@given(st.integers(2, 60), st.data())
def test_an_error_raises_the_bound_and_a_right_answer_lowers_it(entries, data):
    answered = data.draw(st.integers(1, entries - 1))
    errors = data.draw(st.integers(0, answered))
    p, order = np.full(entries, 0.05), np.arange(answered)
    aim = data.draw(st.sampled_from([0.01, 0.03, 0.1, 0.3]))

    def bound(errors):
        wrong = np.diff(np.floor((order + 1) * errors / answered + 1e-9), prepend=0.0) > 0
        return Bets.place(p, order, order >= 0, wrong, aim * entries + 1).bound(0.1)

    assert errors <= bound(errors) <= entries - answered + errors
    assert not errors or bound(errors - 1) <= bound(errors)


def test_without_a_draw_nothing_is_proved_and_after_all_answers_everything_is():
    p, none = np.array([0.1, 0.2, 0.3]), np.zeros(0, dtype=int)
    assert Bets.place(p, none, none > 0, none > 0, 1.0).bound(0.05) == 3
    everything = np.arange(3)
    assert Bets.place(p, everything, everything < 2, everything == 1, 1.0).bound(0.05) == 1
