from importlib import import_module

import numpy as np
import pytest
from tests.numerics.solvers.problems import draw, top
from tests.oracles.matrix_completion import objective, shrink

from halflabel.numerics.losses import Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.proximal_gradient import certify, proximal_gradient


def test_complete_squares_are_one_shrinkage(rng):
    target = rng.normal(size=(30, 6))
    solution = proximal_gradient(Squared(target, None, 0.5), NuclearNorm(0.7), np.zeros((30, 6)), tol=1e-10)
    np.testing.assert_allclose(solution.x, shrink(target, 1.4), atol=1e-8)
    assert solution.status is Status.CONVERGED


def test_the_objective_is_the_one_of_the_paper():
    problem = draw(n=9, d=4, t=2)
    terms = problem.terms(row_weight=0.7)
    found = proximal_gradient(terms, NuclearNorm(0.01), problem.zeros(1), tol=1e-6)
    by_hand = objective(found.x.T, np.zeros(2), problem.Y.T, problem.X.T, 0.01, problem.label_weight, 0.7)
    assert found.objective[-1] == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_certificate_bounds_what_could_be_gained(seed):
    problem = draw(seed=seed)
    terms, rng = problem.terms(row_weight=1.0), np.random.default_rng(seed)
    penalty = NuclearNorm(0.1 * top(terms, problem.zeros(1)))
    best = proximal_gradient(terms, penalty, problem.zeros(1), tol=1e-9, max_iter=5000)
    for size in (0, 1e-6, 1e-3, 0.1, 10):
        here = certify(terms, penalty, best.x + size * rng.normal(size=best.x.shape))
        assert here.objective * (1 - here.gap) <= best.objective[-1] * (1 + 1e-12)
    for _ in range(10):  # and along the way
        early = proximal_gradient(terms, penalty, problem.zeros(1), tol=0, max_iter=int(rng.integers(1, 60)))
        assert early.objective[-1] * (1 - early.residual) <= best.objective[-1] * (1 + 1e-12)


def test_blocks_do_not_change_the_iterates(monkeypatch):
    problem = draw(n=300)
    terms = problem.terms(row_weight=1.0)
    whole = proximal_gradient(terms, NuclearNorm(0.01), problem.zeros(1), tol=0, max_iter=30)
    monkeypatch.setattr(import_module("halflabel.numerics.solvers.proximal_gradient"), "BLOCK", 1)
    blocks = proximal_gradient(terms, NuclearNorm(0.01), problem.zeros(1), tol=0, max_iter=30)
    np.testing.assert_allclose(blocks.x, whole.x, atol=1e-10)


def test_the_largest_weight_of_the_path_leaves_nothing_and_less_leaves_something():
    problem = draw()
    terms = problem.terms(row_weight=1.0)
    alpha = top(terms, problem.zeros(1))
    assert not proximal_gradient(terms, NuclearNorm(alpha * 1.0001), problem.zeros(1)).x.any()
    assert proximal_gradient(terms, NuclearNorm(alpha * 0.999), problem.zeros(1)).x.any()


def test_the_start_is_not_changed_and_the_limit_is_reported():
    problem = draw()
    start = np.ones_like(problem.zeros(1))
    solution = proximal_gradient(problem.terms(row_weight=1.0), NuclearNorm(1e-4), start, max_iter=3)
    assert (start == 1).all()
    assert (solution.status, solution.n_iter) == (Status.MAX_ITER, 3)
    assert solution.residual > 1e-5


def test_zero_data_have_a_zero_solution():
    solution = proximal_gradient(Squared(np.zeros((4, 3)), None, 1.0), NuclearNorm(1.0), np.zeros((4, 3)))
    assert (solution.residual, solution.status) == (0.0, Status.CONVERGED)


def restarted_fista(terms, alpha, Z, steps):
    """FISTA in its plain form; return Z, and after which steps the momentum began again."""
    step, M, t, restarts = 1 / terms.lipschitz, Z, 1.0, []
    for i in range(steps):
        shrunk = shrink(M - step * terms.value_and_grad(M)[1], step * alpha)
        move, following = shrunk - Z, (1 + np.sqrt(1 + 4 * t**2)) / 2
        turned = np.sum((M - shrunk) * move) > 0
        Z, M = shrunk, shrunk + (t - 1) / following * move
        t = 1.0 if turned else following
        restarts += [i] if turned else []
    return Z, restarts


@pytest.mark.parametrize("n", [24, 4])  # tall, and wide
def test_the_iterates_are_those_of_fista_with_restarts(n):
    problem = draw(n=n, d=5, t=2)
    terms, zeros = problem.terms(row_weight=1.0), problem.zeros(1)
    alpha = 0.02 * top(terms, zeros)
    for steps in (1, 6, 80):
        found = proximal_gradient(terms, NuclearNorm(alpha), zeros, tol=0, max_iter=steps)
        expected, restarts = restarted_fista(terms, alpha, zeros, steps)
        np.testing.assert_allclose(found.x, expected, atol=1e-9)
    assert restarts  # the last path is long enough for one
    checks = [5, 10, 15, 20, 25, 30, 36, 43, 51, 61, 73, 80]  # at 80 because it is the last
    assert (found.n_iter, len(found.objective)) == (80, 1 + len(checks))
