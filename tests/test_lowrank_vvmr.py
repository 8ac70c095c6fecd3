"""LowRankVVMR against an interior point method, its optimality conditions, and what it recovers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled
from tests.oracles.vvmr import equation_7, equation_11, gram, kkt_11, objective_11

from halflabel import PartialLabels
from halflabel.masking import hide_positives
from halflabel.metrics import auc_per_label
from halflabel.persistence import load_tree, save_tree
from halflabel.solvers.low_rank_plus_sparse import RecoveryProblem, recover, recover_by_davis_yin
from halflabel.vvmr import VVMR, LowRankVVMR
from halflabel.vvmr.positive import AssignedCalibration
from halflabel.vvmr.problem import InputKernel, OutputKernel, Problem, graph_operator, output_kernel
from halflabel.vvmr.selection import Selection, Setting, pu_f1


class Case:
    """A small problem in both forms: ours, and the dense matrices of the paper."""

    def __init__(self, rng, *, graph_weight=0.0, fixed=False, alpha=3e-3, alpha_manifold=0.0, trace=0.05, slope=0.03, N=24, l=14):
        X, n = rng.normal(size=(N, 3)), 4
        scores = X @ rng.normal(size=(3, n))
        self.Y = np.where((scores > 0) & (rng.random((N, n)) < 0.7), 1.0, -1.0)[:l]
        self.free = rng.random(self.Y.shape) < 0.7 if fixed else np.ones(self.Y.shape, dtype=bool)
        self.rows = np.sort(rng.choice(N, l, replace=False))
        self.L = graph_operator(X, "laplacian", 4)
        kernel = InputKernel.learn(X, self.rows, self.L, 1.5, N, rng)
        output = output_kernel(self.Y, graph_weight, normalize=False)
        self.problem = Problem(kernel, output, np.arange(l), self.Y, np.ones(self.Y.shape, bool), self.free)
        self.terms = RecoveryProblem(self.problem.at(alpha, alpha_manifold), self.Y, self.free, trace, slope)
        self.matrices = (gram(X, 1.5), self.L.toarray(), output.matrix())
        self.weights = (alpha, alpha_manifold)

    def dense(self, oracle, *middle):
        return oracle(*self.matrices, self.Y, *middle, self.rows, *self.weights, self.terms.trace, self.terms.slope)

    def functions(self, Z):
        return self.problem.kernel.rows @ self.terms.kernel.weights(Z)


CASES = {
    "plain": {},
    "graphs": {"graph_weight": 0.5, "alpha_manifold": 2e-3},
    "known": {"fixed": True, "graph_weight": 0.5},
    "knee": {"trace": 0.0},
    "all": {"fixed": True, "graph_weight": 0.5, "alpha_manifold": 2e-3, "trace": 0.2, "slope": 0.01},
}
cases = pytest.mark.parametrize("settings", CASES.values(), ids=CASES)


@cases
def test_the_minimum_is_that_of_an_interior_point_method(settings, rng):
    case = Case(rng, **settings)
    found = recover(case.terms, tol=1e-11, max_iter=4000).solution
    value, Z, F = case.dense(equation_11, case.free)
    assert found.residual <= 1e-11
    assert found.objective[-1] == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(found.x, Z, atol=2e-3)
    np.testing.assert_allclose(case.functions(found.x), F, atol=2e-3)


@cases
def test_the_optimality_conditions_hold(settings, rng):
    case = Case(rng, **settings)
    found = recover(case.terms, tol=1e-13, max_iter=20000)
    violations = case.dense(kkt_11, found.solution.x, found.dual, case.free)
    assert max(violations.values()) < 1e-6, violations
    assert violations["feasible"] == 0


@cases
def test_eliminating_a_leaves_the_value_of_eq_11(settings, rng):
    case = Case(rng, **settings)
    Z = case.Y + rng.random(case.Y.shape) * case.free
    A = equation_7(*case.matrices, Z, case.rows, *case.weights)
    assert case.terms.value(Z) == pytest.approx(case.dense(objective_11, Z, A), rel=1e-10)
    np.testing.assert_allclose(case.functions(Z), case.matrices[0] @ A @ case.matrices[2], atol=1e-9)


@cases
def test_the_bound_is_below_the_minimum_wherever_it_is_taken(settings, rng):
    case = Case(rng, **settings)
    best = recover(case.terms, tol=1e-12, max_iter=20000)
    minimum = best.solution.objective[-1]
    for _ in range(20):
        Z, R = rng.normal(size=(2, *case.Y.shape))
        assert case.terms.bound(Z, R) <= minimum * (1 + 1e-11)
    assert case.terms.bound(best.solution.x, best.dual) == pytest.approx(minimum, rel=1e-5)


@cases
def test_the_residual_bounds_the_distance_to_the_minimum(settings, rng):
    case = Case(rng, **settings)
    best = recover(case.terms, tol=1e-12, max_iter=20000).solution.objective[-1]
    for max_iter in (5, 10, 40):
        early = recover(case.terms, tol=1e-3, max_iter=max_iter).solution
        assert early.objective[-1] * (1 - early.residual) <= best * (1 + 1e-11)
        assert early.objective[-1] >= best * (1 - 1e-11)


def test_three_operator_splitting_agrees_and_takes_over(rng):
    case = Case(rng, graph_weight=0.5, alpha_manifold=1e-3)
    best = recover(case.terms, tol=1e-12, max_iter=20000).solution
    other = recover_by_davis_yin(case.terms, tol=1e-9, max_iter=50000).solution
    assert other.objective[-1] == pytest.approx(best.objective[-1], rel=1e-7)
    np.testing.assert_allclose(other.x, best.x, atol=1e-3)
    rescued = recover(case.terms, tol=1e-6, max_iter=11).solution
    assert rescued.objective[-1] == pytest.approx(best.objective[-1], rel=1e-4)
    assert rescued.n_iter > 11


def test_without_trace_norm_it_is_a_one_sided_huber_loss(rng):
    case = Case(rng, trace=0.0, slope=0.02, alpha_manifold=1e-3)
    Z = recover(case.terms, tol=1e-13, max_iter=20000).solution.x
    F = case.functions(Z)[case.rows]
    knee = case.terms.slope * len(case.Y) / 2
    np.testing.assert_allclose(Z, np.maximum(case.Y, F - knee), atol=1e-6)
    assert ((case.Y > 0) & (Z > 1)).sum() >= 0
    assert ((case.Y < 0) & (Z > -1 + 1e-3)).any()
