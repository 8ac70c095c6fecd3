"""Weights of the members: optimality, and what a good and a poor member get."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from halflabel.methods.auto.member_weights import learn_weights


def draw_members(rng, noise, n=2000):
    """Return log odds of members with errors of these sizes, and the values that the true log odds give."""
    truth = rng.normal(0, 2, n)
    relevant = (rng.random(n) < expit(truth)).astype(float)
    return truth + np.array(noise)[:, None] * rng.normal(size=(len(noise), n)), relevant


def objective(w, log_odds, relevant, n_units):
    p = expit(w @ log_odds)
    loss = -(relevant * np.log(p) + (1 - relevant) * np.log1p(-p)).mean()
    q = expit(log_odds.mean(axis=0))
    equal = -(relevant * np.log(q) + (1 - relevant) * np.log1p(-q)).mean()
    return loss + 0.07 * (1 + 20 / n_units) * equal * ((w - 1 / len(w)) ** 2).sum()


@given(seed=st.integers(0, 2**32 - 1), n_members=st.integers(1, 5), n_units=st.integers(1, 99))
def test_the_weights_are_optimal(seed, n_members, n_units):
    """Gradient 0 for a positive weight, and not negative for a weight of 0."""
    rng = np.random.default_rng(seed)
    log_odds, relevant = draw_members(rng, rng.uniform(0, 6, n_members), 60)
    w = learn_weights(log_odds, relevant, n_units)
    steps = 1e-5 * np.eye(n_members)
    around = [[objective(w + sign * step, log_odds, relevant, n_units) for sign in (-1, 1)] for step in steps]
    slope = np.diff(around)[:, 0] / 2e-5
    assert (w >= 0).all()
    assert (slope > -1e-4).all()
    assert (np.abs(slope[w > 0]) < 1e-4).all()


def test_the_right_member_wins_and_a_misleading_one_is_excluded(rng):
    log_odds, relevant = draw_members(rng, (0.0, 3.0, 1.0))
    log_odds[2] *= -1
    w = learn_weights(log_odds, relevant, 60)
    assert w[0] > 0.6 > 0.2 > w[1] > w[2] == 0


def test_independent_errors_are_more_certain_together(rng):
    log_odds, relevant = draw_members(rng, (1.5, 1.5, 1.5))
    assert learn_weights(log_odds, relevant, 60) == pytest.approx(np.full(3, 1 / 3), abs=0.1)
    halves = logit(np.clip(rng.beta(2, 1, size=(2, 2000)), 0.01, 0.99)) * (2 * relevant - 1)
    assert learn_weights(halves, relevant, 60).sum() > 1.3


def test_members_that_agree_share_the_weight(rng):
    log_odds, relevant = draw_members(rng, (1.0,))
    w = learn_weights(np.repeat(log_odds, 4, axis=0), relevant, 60)
    np.testing.assert_allclose(w, w[0], atol=1e-5)


def test_without_an_entry_the_weights_are_equal():
    np.testing.assert_array_equal(learn_weights(np.empty((4, 0)), np.empty(0), 0), np.full(4, 0.25))


@given(seed=st.integers(0, 2**32 - 1), n_units=st.integers(2, 99))
def test_weights_from_fewer_groups_are_closer_to_equal_weights(seed, n_units):
    rng = np.random.default_rng(seed)
    log_odds, relevant = draw_members(rng, rng.uniform(0, 3, 3), 99)
    many, few = (((learn_weights(log_odds, relevant, n) - 1 / 3) ** 2).sum() for n in (n_units, n_units // 2))
    assert few <= many + 1e-6
