"""New rows of a completed matrix: each is the minimum of its own convex problem."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.optimize import minimize

from halflabel.numerics.losses import Logistic, SideBySide, Squared
from halflabel.numerics.solvers.fold_in import fold_in


def terms_of(rng, n=7):
    """Three columns of squares and two logistic ones, with gaps."""
    X, seen = rng.normal(size=(n, 3)), rng.random((n, 3)) < 0.7
    sign = rng.choice([-1.0, 0.0, 1.0], size=(n, 2))
    return [Squared(np.where(seen, X, 0.0), seen, 0.8), Logistic(sign, 1.5, np.array([0.3, -0.2]))]


@pytest.mark.parametrize("cells", [20, 2**22])
def test_each_row_minimises_its_own_problem(cells, rng, monkeypatch):
    monkeypatch.setattr(import_module(fold_in.__module__), "MAX_CELLS", cells)
    terms, V = terms_of(rng), rng.normal(size=(5, 2))
    smooth = SideBySide(terms, [3, 2])
    U = fold_in(smooth, V, 0.4, 7)

    def value(flat):
        U = flat.reshape(7, 2)
        loss, gradient = smooth.value_and_grad(U @ V.T)
        return loss + 0.2 * (U**2).sum(), (gradient @ V + 0.4 * U).ravel()

    best = minimize(value, np.zeros(14), jac=True, tol=1e-10)
    np.testing.assert_allclose(U.ravel(), best.x, atol=1e-5)
    assert value(U.ravel())[0] <= best.fun + 1e-12


def test_squares_need_one_step(rng):
    """A ridge regression on the known entries of the row."""
    term, V = terms_of(rng)[0], rng.normal(size=(3, 2))
    U = fold_in(SideBySide([term], [3]), V, 0.4, 7, max_iter=5)
    for i in range(7):
        seen = term.curvature(np.zeros((7, 3)))[i] > 0
        A = V[seen]
        expected = np.linalg.solve(0.8 * A.T @ A + 0.4 * np.eye(2), 0.8 * A.T @ term.target[i, seen])
        np.testing.assert_allclose(U[i], expected, atol=1e-10)


@pytest.mark.parametrize(("tol", "exact"), [(1e-10, True), (1e-1, False)])
def test_it_stops_where_a_full_step_is_short(tol, exact, rng):
    smooth, V = SideBySide(terms_of(rng)[1:], [2]), rng.normal(size=(2, 2))
    best, found = fold_in(smooth, V, 0.4, 7, tol=1e-14), fold_in(smooth, V, 0.4, 7, tol=tol)
    assert bool(np.abs(found - best).max() < 1e-9) == exact
    np.testing.assert_array_equal(fold_in(smooth, V, 0.4, 7, tol=1e-10, max_iter=100), fold_in(smooth, V, 0.4, 7))
    first = fold_in(smooth, V, 0.4, 7, max_iter=1)  # from 0, shortened by log(1 + d) / d
    _, gradient = smooth.value_and_grad(np.zeros((7, 2)))
    C = smooth.terms[0].curvature(np.zeros((7, 2)))
    for i in range(7):
        full = -np.linalg.solve(V.T @ np.diag(C[i]) @ V + 0.4 * np.eye(2), V.T @ gradient[i])
        d = np.abs(V @ full).max()
        np.testing.assert_allclose(first[i], full * (np.log1p(d) / d if d else 1.0), atol=1e-10)
