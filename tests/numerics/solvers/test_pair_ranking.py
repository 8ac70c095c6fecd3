"""Ranking of pairs: the proximal map and the whole problem against quadratic programs, and the gap as a certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.rank_svm import hinge, primal, prox

from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers import pair_ranking as module
from halflabel.numerics.solvers.pair_ranking import PairHinge, pair_ranking


def draw(rng, n=8, m=4):
    """Features, masks with gaps of which no row lacks a pair, and weights."""
    state = rng.integers(-1, 2, size=(n, m))
    first, second = rng.permuted(np.tile(np.arange(m), (n, 1)), axis=1)[:, :2].T
    state[np.arange(n), first], state[np.arange(n), second] = 1, -1
    return rng.normal(size=(n, 5)), state > 0, state < 0, rng.uniform(0.1, 2, size=n)


@given(st.integers(0, 10_000), st.sampled_from([0.01, 0.3, 5.0]), st.booleans())
def test_the_proximal_map_is_the_minimiser(seed, scale, tied):
    rng = np.random.default_rng(seed)
    _, upper, lower, weight = draw(rng, n=2, m=6)
    V = rng.integers(-1, 2, size=(2, 6)).astype(float) if tied else 2 * rng.normal(size=(2, 6))
    Z = PairHinge(upper, lower, weight).prox(V, scale)
    for i in range(2):
        np.testing.assert_allclose(Z[i], prox(V[i], upper[i], lower[i], scale * weight[i]), atol=2e-5)


@given(st.integers(0, 10_000), st.sampled_from([1e-6, 0.3, 1e4]))
def test_the_proximal_map_meets_its_optimality_conditions_exactly(seed, scale):
    """(V - Z) / scale is a subgradient: it attains the loss, and no point has less loss than its plane."""
    rng = np.random.default_rng(seed)
    _, upper, lower, weight = draw(rng, n=40, m=9)
    loss = PairHinge(upper, lower, weight)
    V = 2 * rng.normal(size=upper.shape)
    Z = loss.prox(V, scale)
    G = (V - Z) / scale
    np.testing.assert_allclose(loss.value(Z), -G[upper].sum() + (G * Z).sum(), rtol=1e-9, atol=1e-9 / scale)
    for spread in (0.1, 1, 10):
        other = Z + spread * rng.normal(size=Z.shape)
        assert loss.value(other) >= loss.value(Z) + (G * (other - Z)).sum() - 1e-9 / scale
    assert (Z[~(upper | lower)] == V[~(upper | lower)]).all()


def test_the_value_is_the_sum_over_pairs(rng):
    _, upper, lower, weight = draw(rng)
    F = rng.normal(size=upper.shape)
    np.testing.assert_allclose(PairHinge(upper, lower, weight).value(F), hinge(F, upper, lower, weight))


def test_blocks_change_nothing(rng, monkeypatch):
    _, upper, lower, weight = draw(rng, n=23)
    V = rng.normal(size=upper.shape)
    loss = PairHinge(upper, lower, weight)
    value, Z = loss.value(V), loss.prox(V, 0.7)
    monkeypatch.setattr(module, "MAX_CELLS", 100)
    np.testing.assert_allclose(loss.value(V), value)
    np.testing.assert_array_equal(loss.prox(V, 0.7), Z)


@pytest.mark.parametrize("scale", [0.05, 1.0, 1000.0])
def test_the_weights_are_those_of_the_quadratic_program(scale, rng):
    Phi, upper, lower, weight = draw(rng)
    W, value, _ = primal(Phi, upper, lower, scale * weight, biases=False)
    found = pair_ranking(Phi, PairHinge(upper, lower, scale * weight), tol=1e-9, max_iter=20000)
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(found.objective[-1], value, rtol=1e-6)
    np.testing.assert_allclose(found.x, W, atol=1e-3 * np.abs(W).max())
    objective = 0.5 * (found.x**2).sum() + hinge(Phi @ found.x, upper, lower, scale * weight)
    np.testing.assert_allclose(objective, found.objective[-1], rtol=1e-10)


@pytest.mark.parametrize("max_iter", [10, 20, 40, 80])
def test_the_gap_bounds_what_is_left_to_gain(max_iter, rng):
    Phi, upper, lower, weight = draw(rng, n=10)
    _, value, _ = primal(Phi, upper, lower, 100 * weight, biases=False)
    found = pair_ranking(Phi, PairHinge(upper, lower, 100 * weight), tol=1e-12, max_iter=max_iter)
    best = found.objective[-1]
    assert found.n_iter == max_iter
    assert found.status is Status.MAX_ITER
    assert best - found.residual * max(best, 1) <= value * (1 + 1e-7)
    assert best >= value * (1 - 1e-7)
    assert list(found.objective) == sorted(found.objective, reverse=True)


def test_a_row_twice_at_half_its_weight_is_a_row(rng):
    Phi, upper, lower, weight = draw(rng)
    twice = PairHinge(np.vstack([upper] * 2), np.vstack([lower] * 2), np.tile(weight / 2, 2))
    a = pair_ranking(Phi, PairHinge(upper, lower, weight), tol=1e-11, max_iter=20000)
    b = pair_ranking(np.vstack([Phi] * 2), twice, tol=1e-11, max_iter=20000)
    np.testing.assert_allclose(a.objective[-1], b.objective[-1], rtol=1e-9)
    np.testing.assert_allclose(a.x, b.x, atol=1e-4)


def test_without_rows_the_weights_are_zero():
    none = np.zeros((0, 3), dtype=bool)
    found = pair_ranking(np.zeros((0, 2)), PairHinge(none, none, np.zeros(0)))
    assert found.status is Status.CONVERGED
    np.testing.assert_array_equal(found.x, np.zeros((2, 3)))
