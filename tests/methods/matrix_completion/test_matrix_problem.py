"""The problem on small arrays: the objective entry by entry, the algorithms as printed, the path of weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg
from tests.oracles import matrix_completion as oracle

from halflabel.methods.matrix_completion.matrix_problem import Completed, Data, MatrixProblem, published_step
from halflabel.numerics.losses import Squared
from halflabel.numerics.solvers import Status

EXACT = {"solver": "proximal_gradient", "tol": 1e-10, "max_iter": 20000}


def problem(rng, n=7, d=3, t=2):
    """Return data with gaps, and the labels and features of the oracle: items are columns, NaN is unknown."""
    sign, X = np.sign(rng.normal(size=(n, t))), rng.normal(size=(n, d))
    hidden, observed = rng.random((n, t)) < 0.3, rng.random((n, d)) < 0.7
    data = Data(np.where(hidden, 0.0, sign), Squared(np.where(observed, X, 0.0), observed, 1.0))
    return data, np.where(hidden, np.nan, sign).T, np.where(observed, X, np.nan).T


def setting(row_weight=None, ridge=1e-3, **solver):
    return MatrixProblem(row_weight, ridge, **(EXACT | solver))


# -- data --------------------------------------------------------------------------


def test_observed_entries_are_counted_and_never_zero():
    sign, X = np.array([[1.0, 0], [0, -1], [-1, 0]]), np.ones((3, 4))
    observed = np.arange(12).reshape(3, 4) < 5
    assert Data(sign, Squared(X, observed, 1.0)).seen == (3, 5)
    assert Data(sign, Squared(X, None, 1.0)).seen == (3, 12)
    assert Data(0 * sign, Squared(0 * X, np.zeros((3, 4), dtype=bool), 1.0)).seen == (1, 1)


@pytest.mark.parametrize("gaps", [False, True])
def test_hidden_entries_become_unknown_and_leave_no_value(gaps):
    sign, X = np.array([[1.0, -1.0]]), np.array([[4.0, 5.0, 6.0]])
    observed = np.array([[True, True, False]]) if gaps else None
    data = Data(sign, Squared(np.where(observed, X, 0.0) if gaps else X, observed, 1.0))
    less = data.without(np.array([[False, True]]), np.array([[True, False, False]]))
    np.testing.assert_array_equal(less.sign, [[1, 0]])
    np.testing.assert_array_equal(less.features.target, [[0, 5, 0 if gaps else 6]])
    np.testing.assert_array_equal(less.features.observed, [[False, True, not gaps]])
    assert data.without(np.zeros((1, 2), dtype=bool), None).features is data.features


def test_scores_are_the_label_columns_plus_the_bias(rng):
    Z = rng.normal(size=(5, 4))
    completed = Completed(Z, np.array([10.0, 20.0]), None, (), 0.0, 0, Status.CONVERGED)
    np.testing.assert_array_equal(completed.scores, Z[:, :2] + [10, 20])
    factors = completed.factors
    np.testing.assert_allclose(factors.left @ factors.right.T, Z, atol=1e-12)


# -- terms -------------------------------------------------------------------------


@pytest.mark.parametrize("row_weight", [None, 1.0, 3.0, np.inf])
def test_the_smooth_terms_are_those_of_the_objective(row_weight, rng):
    data, Y, X = problem(rng)
    Z = rng.normal(size=(7, 5 if row_weight is None else 6))
    terms = setting(row_weight).terms(data, 0.6)
    value, bias = terms.value_and_grad(Z)[0], np.zeros(2)
    weight = 0.0 if row_weight in (None, np.inf) else row_weight
    if row_weight is None:  # the bias is eliminated, with a ridge
        bias = terms.terms[0].bias(Z[:, :2])
        value -= 0.5 * 1e-3 * 0.6 * (bias**2).sum()
        slope = oracle.gradient(Z.T, bias, Y, X, 0.6)[:2].sum(axis=1) + 1e-3 * 0.6 * bias
        np.testing.assert_allclose(slope, 0, atol=1e-8)
    assert value == pytest.approx(oracle.objective(Z.T, bias, Y, X, 0.0, 0.6, weight))
    assert list(terms.widths) == ([2, 3] if row_weight is None else [2, 3, 1])


@pytest.mark.parametrize("label_weight", [0.1, 100.0])
def test_the_published_row_of_ones_has_the_inverse_weight_of_a_step(label_weight, rng):
    data, Y, X = problem(rng)
    step = min(3.8 * (~np.isnan(Y)).sum() / label_weight, (~np.isnan(X)).sum())
    assert published_step(data, label_weight) == pytest.approx(step)
    terms = setting(1.0, solver="fpc").terms(data, label_weight)
    assert terms.terms[2].weight == pytest.approx(1 / step)
    np.testing.assert_array_equal(terms.terms[2].target, np.ones((7, 1)))
    assert len(setting(solver="fpc").terms(data, label_weight).terms) == 2


# -- the path ----------------------------------------------------------------------


@pytest.mark.parametrize("row_weight", [None, 1.0, 2.0, np.inf])
def test_the_path_starts_at_the_norm_of_the_gradient_and_is_halved_13_times(row_weight, rng):
    data, Y, X = problem(rng)
    path = setting(row_weight).path(data, 0.6)
    bias = np.zeros(2)
    if row_weight is None:
        bias = setting().terms(data, 0.6).terms[0].bias(np.zeros((7, 2)))
    gradient = oracle.gradient(np.zeros((5 if row_weight is None else 6, 7)), bias, Y, X, 0.6)
    if row_weight is not None:  # the hard row has the path of the soft one
        gradient[-1] = -(1.0 if np.isinf(row_weight) else row_weight) / (~np.isnan(X)).sum()
    np.testing.assert_allclose(path, linalg.svdvals(gradient)[0] / 2.0 ** np.arange(14), rtol=1e-8)


def test_without_any_gradient_the_path_starts_at_one():
    nothing = Data(np.zeros((3, 1)), Squared(np.zeros((3, 2)), np.zeros((3, 2), dtype=bool), 1.0))
    np.testing.assert_array_equal(setting().path(nothing, 1.0), 0.5 ** np.arange(14))


@pytest.mark.parametrize(("size", "rounds"), [(1.0, None), (1e-7, 0)])
def test_the_published_path_is_quartered_until_it_is_at_most_1e_5(size, rounds, rng):
    data, _, _ = problem(rng)
    data = Data(size * data.sign, replace(data.features, target=size * data.features.target))
    weight = linalg.svdvals(np.hstack([data.sign, data.features.target]))[0] / 4
    expected = [weight]
    while expected[-1] > 1e-5:
        expected.append(expected[-1] / 4)
    np.testing.assert_allclose(setting(solver="fpc").path(data, 1.0), expected)
    assert rounds is None or len(expected) == rounds + 1


@pytest.mark.parametrize(("tol", "rough"), [(1e-5, 1e-2), (0.1, 0.1)])
def test_a_weight_is_reached_through_the_larger_ones(tol, rough, rng, monkeypatch):
    data, _, _ = problem(rng)
    mc = setting(1.0, tol=tol)
    top, calls = mc.path(data, 0.6)[0], []

    def solve(self, terms, data, label_weight, alpha, start):
        calls.append((alpha / top, self.tol, start))
        return len(calls)

    monkeypatch.setattr(MatrixProblem, "_solve", solve)
    assert mc.solve(data, 0.6, 0.125 * top) == 4
    assert calls == [(1, rough, None), (0.5, rough, 1), (0.25, rough, 2), (0.125, tol, 3)]
    calls.clear()
    mc.solve(data, 0.6, 0.16 * top)  # a quarter is more than 1.5 times this weight
    assert [alpha for alpha, _, _ in calls] == pytest.approx([1, 0.5, 0.25, 0.16])
    calls.clear()
    mc.solve(data, 0.6, 0.17 * top)
    assert [alpha for alpha, _, _ in calls] == pytest.approx([1, 0.5, 0.17])
    calls.clear()
    mc.solve(data, 0.6, 0.125 * top, start="given")
    assert calls == [(0.125, tol, "given")]


# -- solutions ---------------------------------------------------------------------


@pytest.mark.parametrize("row_weight", [None, 2.0])
def test_a_solution_is_a_fixed_point_of_the_proximal_step(row_weight, rng):
    data, Y, X = problem(rng)
    found = setting(row_weight).solve(data, 0.6, 0.02)
    Z, b = (found.factors.left @ found.factors.right.T).T, found.bias
    gradient = oracle.gradient(Z, b, Y, X, 0.6)
    if row_weight is None:
        np.testing.assert_allclose(gradient[:2].sum(axis=1) + 1e-3 * 0.6 * b, 0, atol=1e-7)
    else:
        gradient[-1] = 2.0 / (~np.isnan(X)).sum() * (Z[-1] - 1)
        assert not b.any()
    np.testing.assert_allclose(oracle.shrink(Z - 5 * gradient, 5 * 0.02), Z, atol=2e-4)
    value = oracle.objective(Z, b, Y, X, 0.02, 0.6, row_weight or 0.0) + 0.5 * 1e-3 * 0.6 * (b**2).sum()
    assert found.objective[-1] == pytest.approx(value, rel=1e-8)
    assert found.status is Status.CONVERGED
    assert found.residual <= 1e-10
    np.testing.assert_allclose(found.scores.T, Z[:2] + b[:, None], atol=1e-12)


def test_the_hard_row_is_ones_and_no_feasible_change_helps(rng):
    data, Y, X = problem(rng)
    found = setting(np.inf, solver="davis_yin", tol=1e-8).solve(data, 0.6, 0.02)
    Z = found.Z.T
    np.testing.assert_array_equal(Z[-1], 1)
    least = oracle.objective(Z, found.bias, Y, X, 0.02, 0.6)
    for size in (1e-3, 0.1):
        moves = size * rng.normal(size=(20, *Z.shape)) * (np.arange(6) < 5)[:, None]
        assert min(oracle.objective(Z + move, found.bias, Y, X, 0.02, 0.6) for move in moves) >= least * (1 - 1e-7)


@pytest.mark.parametrize("label_weight", [20.0, 30.0])
@pytest.mark.parametrize("row_weight", [None, 1.0])
def test_the_published_solver_runs_the_printed_algorithm_from_rank_one(row_weight, label_weight, rng):
    data, Y, X = problem(rng)
    mc = setting(row_weight, solver="fpc", tol=0.0, max_iter=4)
    top = mc.path(data, label_weight)[0]
    first = mc.solve(data, label_weight, top)
    second = mc.solve(data, label_weight, 0.3 * top, start=first)
    step = published_step(data, label_weight)
    bias_step = 3.8 * (~np.isnan(Y)).sum() / (label_weight * 7)
    U, s, Vt = linalg.svd(np.vstack([np.nan_to_num(Y), np.nan_to_num(X)]))
    Z, b = s[0] * np.outer(U[:, 0], Vt[0]), np.zeros(2)
    if row_weight is None:
        for mu, found in ((top, first), (0.3 * top, second)):
            Z, b = oracle.algorithm_1(Z, b, Y, X, mu, label_weight, step, bias_step, 4)
            np.testing.assert_allclose(found.Z.T, Z, atol=1e-10)
            np.testing.assert_allclose(found.bias, b, atol=1e-10)
    else:
        Z = np.vstack([Z, np.ones(7)])
        for mu, found in ((top, first), (0.3 * top, second)):
            Z = oracle.algorithm_2(Z, Y, X, mu, label_weight, step, 4)
            np.testing.assert_allclose(found.Z[:, :-1].T, Z[:-1], atol=1e-10)
            assert not found.bias.any()
    assert (second.n_iter, second.status, len(second.objective)) == (4, Status.MAX_ITER, 5)
