"""Ranking of pairs: the proximal map and the whole problem against quadratic programs, and the gap as a certificate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.oracles.rank_svm import hinge, primal, prox

from halflabel.numerics.solvers import Status
from halflabel_papers.comparators import pair_ranking as module
from halflabel_papers.comparators.pair_ranking import PairHinge, pair_ranking


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


def alternate_by_the_book(Phi, loss, n_iter, max_adaptive):
    """ADMM of Boyd et al., sections 3.1 and 3.4, with dense solves: objectives, the relative gap, and step sizes."""
    rho, Z, U = loss.weight.sum() / len(Phi), np.zeros(loss.upper.shape), np.zeros(loss.upper.shape)
    best, bound, steps = [loss.value(Z)], 0.0, [rho]
    for k in range(1, n_iter + 1):
        W = np.linalg.solve(np.eye(Phi.shape[1]) / rho + Phi.T @ Phi, Phi.T @ (Z - U))
        F = Phi @ W
        relaxed = 1.6 * F + (1 - 1.6) * Z + U
        before, Z = Z, loss.prox(relaxed, 1 / rho)
        U = relaxed - Z
        if k % 10 == 0:
            best.append(min(best[-1], 0.5 * (W**2).sum() + hinge(F, loss.upper, loss.lower, loss.weight)))
            bound = max(bound, -rho * U[loss.upper].sum() - 0.5 * ((Phi.T @ (rho * U)) ** 2).sum())
            primal = np.linalg.norm(F - Z) / max(np.linalg.norm(F), np.linalg.norm(Z))
            dual = np.linalg.norm(Z - before) / np.linalg.norm(U)
            factor = np.clip(np.sqrt(primal / dual), 0.2, 5)
            if k < max_adaptive and not 2 / 3 <= factor <= 1.5:
                rho, U = rho * factor, U / factor
                steps.append(rho)
    return best, max(best[-1] - bound, 0) / max(best[-1], 1), steps


@pytest.mark.parametrize(("scale", "n_iter"), [(0.01, 20), (1.0, 30), (1e5, 60)])
def test_the_iterates_are_those_of_the_book(scale, n_iter, rng, monkeypatch):
    monkeypatch.setattr(module, "MAX_ADAPTIVE", 40)
    Phi, upper, lower, weight = draw(rng)
    loss = PairHinge(upper, lower, scale * weight)
    best, gap, steps = alternate_by_the_book(Phi, loss, n_iter, 40)
    found = pair_ranking(Phi, loss, tol=0.0, max_iter=n_iter)
    np.testing.assert_allclose(found.objective, best, rtol=1e-7)
    assert found.residual == pytest.approx(gap, rel=1e-4, abs=1e-12)
    assert scale < 1e5 or len(steps) > 3


def test_it_stops_at_the_tolerance(rng):
    """A gap that equals the tolerance is small enough; the default tolerance is one in a thousand."""
    Phi, upper, lower, weight = draw(rng)
    loss = PairHinge(upper, lower, weight)
    plain = pair_ranking(Phi, loss)
    assert plain.residual <= 1e-3 < pair_ranking(Phi, loss, max_iter=plain.n_iter - 10).residual
    again = pair_ranking(Phi, loss, tol=plain.residual)
    assert (again.n_iter, again.status) == (plain.n_iter, Status.CONVERGED)
    np.testing.assert_array_equal(pair_ranking(Phi, loss, tol=1e-3, max_iter=2000).x, plain.x)
