from functools import partial

import numpy as np
import pytest
from tests.numerics.solvers.problems import draw, top
from tests.oracles.matrix_completion import hard_row

from halflabel.numerics.losses import Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.davis_yin import davis_yin
from halflabel.numerics.solvers.proximal_gradient import proximal_gradient


def with_ones(Z):
    Z = Z.copy()
    Z[:, -1] = 1
    return Z


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_the_hard_row_of_eq_3_agrees_with_an_interior_point_method(share):
    problem = draw(n=14, d=4, t=2)
    alpha = share * top(problem.terms(row_weight=1.0), problem.zeros(1))
    hard = problem.terms(row_weight=0.0)
    found = davis_yin(hard, NuclearNorm(alpha), with_ones, with_ones(problem.zeros(1)), tol=1e-9)
    value, Z = hard_row(problem.Y.T, problem.X.T, alpha, problem.label_weight)
    assert found.status is Status.CONVERGED
    assert (found.x[:, -1] == 1).all()
    assert found.objective[-1] == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(found.x, Z.T, atol=1e-3)


def test_two_starts_end_at_the_same_objective_and_the_residual_bounds_the_gap():
    problem = draw(n=60)
    hard, penalty = problem.terms(row_weight=0.0), NuclearNorm(3e-3)
    zeros = problem.zeros(1)
    soft = proximal_gradient(problem.terms(row_weight=1.0), penalty, zeros).x
    cold, warm = (davis_yin(hard, penalty, with_ones, start, tol=1e-8) for start in (zeros, soft))
    assert cold.objective[-1] == pytest.approx(warm.objective[-1], rel=1e-7)
    for max_iter in (1, 5, 20, 60):
        early = davis_yin(hard, penalty, with_ones, zeros, tol=0, max_iter=max_iter)
        assert early.status is Status.MAX_ITER
        assert early.objective[-1] * (1 - early.residual) <= cold.objective[-1] * (1 + 1e-12)


def test_a_heavy_soft_row_comes_close_to_the_hard_one():
    problem = draw(n=30)
    penalty = NuclearNorm(5e-3)
    hard = davis_yin(problem.terms(row_weight=0.0), penalty, with_ones, problem.zeros(1), tol=1e-7).x
    distances = []
    for weight in (1, 10, 100):
        soft = proximal_gradient(problem.terms(row_weight=weight), penalty, problem.zeros(1), tol=1e-7, max_iter=9999)
        distances.append(np.linalg.norm(soft.x - hard) / np.linalg.norm(hard))
    assert distances[0] > 5 * distances[1] > 25 * distances[2]


def split_by_the_book(smooth, lipschitz, alpha, start, n_iter, check_every=20):
    """Algorithm 1 of Davis & Yin with the step 1.8 / L: the last point of the set, and the objectives at each check."""
    step, z, objective = 1.8 / lipschitz, start, []
    for k in range(n_iter + 1):
        x = with_ones(z)
        value, gradient = smooth.value_and_grad(x)
        if k % check_every == 0 or k == n_iter:
            objective.append(value + alpha * np.linalg.svd(x, compute_uv=False).sum())
        U, values, V = np.linalg.svd(2 * x - z - step * gradient, full_matrices=False)
        z = z + U * np.maximum(values - step * alpha, 0) @ V - x
    return x, objective


@pytest.mark.parametrize("weight", [2.5, 0.0])
def test_the_iterates_are_those_of_the_book(weight, rng):
    """A smooth part without curvature has the step of L = 1."""
    smooth, start = Squared(rng.normal(size=(6, 4)), None, weight), rng.normal(size=(6, 4))
    x, objective = split_by_the_book(smooth, weight or 1.0, 0.3, start, 45)
    found = davis_yin(smooth, NuclearNorm(0.3), with_ones, start, tol=0, max_iter=45)
    assert found.n_iter == 45
    np.testing.assert_allclose(found.x, x, atol=1e-10)
    np.testing.assert_allclose(found.objective, objective, rtol=1e-10)


def test_it_stops_at_the_tolerance(rng):
    smooth, start = Squared(rng.normal(size=(6, 4)), None, 2.5), rng.normal(size=(6, 4))
    run = partial(davis_yin, smooth, NuclearNorm(0.3), with_ones, start, check_every=1)
    plain = run()
    assert plain.residual <= 1e-5 < run(max_iter=plain.n_iter - 1).residual
    again = run(tol=plain.residual)
    assert (again.n_iter, again.status) == (plain.n_iter, Status.CONVERGED)
