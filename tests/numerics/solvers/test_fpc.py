"""Algorithms 1 and 2 as printed, and what the text about them leaves out."""

import numpy as np
import pytest
from tests.numerics.solvers.problems import draw, top
from tests.oracles.matrix_completion import algorithm_1, algorithm_2

from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.fpc import fpc
from halflabel.numerics.solvers.proximal_gradient import proximal_gradient


def published_step(problem):
    OY, OX = problem.seen
    return min(3.8 * OY / problem.label_weight, OX)


def soft(problem, step):
    """The problem that Algorithm 2 solves: its row weight is the inverse of the step."""
    return problem.terms(row_weight=problem.seen[1] / step)


def test_algorithm_1_iterate_by_iterate():
    problem = draw()
    OY, _ = problem.seen
    step, bias_step = published_step(problem), 3.8 * OY / (problem.label_weight * len(problem.X))
    limits = {"step": step, "bias_step": bias_step, "tol": 0, "max_iter": 7}
    found, b = fpc(lambda b: problem.terms(offset=b), NuclearNorm(0.01), problem.zeros() + 0.1, np.zeros(3), **limits)
    Z = (problem.zeros() + 0.1).T
    Z, expected = algorithm_1(Z, np.zeros(3), problem.Y.T, problem.X.T, 0.01, 0.5, step, bias_step, 7)
    np.testing.assert_allclose(found.x, Z.T, atol=1e-12)
    np.testing.assert_allclose(b, expected, atol=1e-12)


def test_algorithm_2_is_a_proximal_gradient_on_a_soft_row_iterate_by_iterate():
    problem = draw()
    step, start = published_step(problem), problem.zeros(1)
    start[:, -1] = 1
    terms = soft(problem, step)
    for n_iter in (1, 2, 9):
        found, _ = fpc(
            lambda b: terms, NuclearNorm(0.01), start, np.zeros(0), step=step, bias_step=0, tol=0, max_iter=n_iter
        )
        Z = algorithm_2(start.T.copy(), problem.Y.T, problem.X.T, 0.01, 0.5, step, n_iter)
        np.testing.assert_allclose(found.x[:, :-1], Z[:-1].T, atol=1e-12)


def test_the_limit_of_algorithm_2_is_the_soft_minimiser_and_moves_with_the_step():
    problem = draw()
    alpha = 0.4 * top(problem.terms(row_weight=1.0), problem.zeros(1))
    limits = []
    for factor in (1.0, 0.25):
        step = factor * published_step(problem)
        start = problem.zeros(1)
        start[:, -1] = 1
        Z = algorithm_2(start.T, problem.Y.T, problem.X.T, alpha, 0.5, step, 300)
        minimiser = proximal_gradient(soft(problem, step), NuclearNorm(alpha), problem.zeros(1), tol=1e-9).x
        distance = np.linalg.norm(Z[:-1].T - minimiser[:, :-1]) / np.linalg.norm(minimiser)
        assert distance <= 1e-3
        limits.append(minimiser)
    assert np.linalg.norm(limits[0] - limits[1]) > 0.01 * np.linalg.norm(limits[0])


def test_steps_up_to_twice_the_inverse_lipschitz_constant_converge_and_longer_ones_do_not():
    problem = draw()
    terms = problem.terms(row_weight=1.0)
    penalty = NuclearNorm(0.02 * top(terms, problem.zeros(1)))
    best = proximal_gradient(terms, penalty, problem.zeros(1), tol=1e-8, max_iter=5000).objective[-1]
    ends = {}
    for factor in (1.9, 2.1):
        run, _ = fpc(
            lambda b: terms,
            penalty,
            problem.zeros(1),
            np.zeros(0),
            step=factor / terms.lipschitz,
            bias_step=0,
            tol=0,
            max_iter=600,
        )
        ends[factor] = run.objective[-1] / best - 1
    assert ends[1.9] < 1e-3
    assert ends[2.1] > 1e6


def test_a_small_change_of_the_objective_is_not_a_small_gap():
    problem = draw(n=100, d=20, t=5, label_weight=0.1)
    step = published_step(problem)
    terms = soft(problem, step)
    penalty = NuclearNorm(1e-4)
    stopped, _ = fpc(lambda b: terms, penalty, problem.zeros(1), np.zeros(0), step=step, bias_step=0, tol=1e-5)
    best = proximal_gradient(terms, penalty, problem.zeros(1), tol=1e-7, max_iter=20000).objective[-1]
    assert stopped.status is Status.CONVERGED
    assert stopped.objective[-1] / best - 1 > 1e-4
    assert stopped.residual > stopped.objective[-1] / best - 1


def test_the_non_expansiveness_of_the_paper_holds_in_the_norm_of_the_steps_only():
    """Section 3.1 states it in the plain norm, where the gradient step of MC-b expands."""
    n, OY, lam = 100, 100, 1.0
    tau_z, tau_b = 3.8 * OY / lam, 3.8 * OY / (lam * n)
    curvature = lam / OY / 4
    H = np.zeros((n + 1, n + 1))  # one label, all observed at z + b = 0: Hessian in (z, b)
    H[:n, :n] = curvature * np.eye(n)
    H[n, :n] = H[:n, n] = curvature
    H[n, n] = curvature * n
    T = np.diag([tau_z] * n + [tau_b])
    root = np.sqrt(T)
    plain = np.linalg.norm(np.eye(n + 1) - T @ H, 2)
    weighted = np.linalg.norm(np.eye(n + 1) - root @ H @ root, 2)
    assert plain > 2
    assert weighted == pytest.approx(1.0, abs=1e-9)


def test_without_a_ridge_the_bias_of_a_one_class_label_has_no_end():
    """MC-b as published: the longer it runs, the larger b."""
    problem = draw(n=20, d=4)
    problem.Y[:, 0] = np.abs(problem.Y[:, 0])
    OY, _ = problem.seen
    ends = []
    for max_iter in (150, 1200):
        _, b = fpc(
            lambda b: problem.terms(offset=b),
            NuclearNorm(1e-2),
            problem.zeros(),
            np.zeros(3),
            step=published_step(problem),
            bias_step=3.8 * OY / (problem.label_weight * len(problem.X)),
            tol=0,
            max_iter=max_iter,
        )
        ends.append(b[0])
    assert ends[1] > ends[0] + 1


def test_the_objective_has_a_value_for_each_iteration_and_the_published_rule_ends_it():
    problem = draw()
    OY, _ = problem.seen
    step, bias_step = published_step(problem), 3.8 * OY / (problem.label_weight * len(problem.X))
    penalty, start = NuclearNorm(0.01), problem.zeros() + 0.1

    def run(**limits):
        return fpc(
            lambda bias: problem.terms(offset=bias),
            penalty,
            start,
            np.zeros(3),
            step=step,
            bias_step=bias_step,
            **limits,
        )

    for n_iter in range(4):
        found, b = run(tol=0, max_iter=n_iter)
        value = problem.terms(offset=b).value_and_grad(found.x)[0]
        assert found.objective[-1] == pytest.approx(value + 0.01 * np.linalg.norm(found.x, "nuc"), rel=1e-12)
        assert (found.n_iter, len(found.objective), found.status) == (n_iter, n_iter + 1, Status.MAX_ITER)
    whole, _ = run()
    changes = np.abs(np.diff(whole.objective)) / np.array(whole.objective[:-1])
    assert whole.status is Status.CONVERGED
    assert changes[-1] <= 1e-5 < changes[:-1].min()
    assert run(tol=1.0001 * changes[2])[0].n_iter == 3
