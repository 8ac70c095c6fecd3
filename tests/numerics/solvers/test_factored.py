from importlib import import_module

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from tests.numerics.solvers.problems import draw, top

from halflabel.numerics.losses import Logistic, SideBySide, SparseSquared, Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import Status, factored, factorize, fold_in, gradient_norm, proximal_gradient

module = import_module("halflabel.numerics.solvers.factored")  # the package has a function of this name


@pytest.mark.parametrize("kind", [{"row_weight": 1.0}, {"ridge": 1e-6}])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.03])
@pytest.mark.parametrize("rank", [1, 8])
def test_the_factored_minimum_is_the_convex_one(kind, share, rank):
    problem = draw(n=50)
    terms, Z = problem.terms(**kind), problem.zeros(extra="row_weight" in kind)
    penalty = NuclearNorm(share * top(terms, Z))
    convex = proximal_gradient(terms, penalty, Z, tol=1e-8, max_iter=9999)
    found = factored(terms, penalty, len(Z), rank=rank, tol=1e-4, max_iter=1500)
    assert found.status is Status.CONVERGED
    assert found.objective[-1] == pytest.approx(convex.objective[-1], rel=1e-4)
    assert found.objective[-1] >= convex.objective[-1] * (1 - 1e-9)
    np.testing.assert_allclose(found.factors[:, :], convex.x, atol=0.05 * np.abs(convex.x).max())


def test_no_sweep_increases_the_objective_and_the_residual_bounds_the_gap():
    problem = draw(n=100)
    terms = problem.terms(row_weight=1.0)
    penalty = NuclearNorm(0.05 * top(terms, problem.zeros(1)))
    best = proximal_gradient(terms, penalty, problem.zeros(1), tol=1e-8, max_iter=9999).objective[-1]
    runs = [factored(terms, penalty, 100, rank=20, tol=0, max_iter=k) for k in range(1, 9)]
    ends = [run.objective[-1] for run in runs]
    assert (np.diff(ends) < 0).all()
    assert all(run.objective[-1] * (1 - run.residual) <= best * (1 + 1e-12) for run in runs)


def test_the_convex_minimum_in_a_dozen_sweeps_when_the_rank_is_large_enough():
    problem = draw(n=1500, d=30, t=5, share=0.3, label_weight=0.1)
    terms = problem.terms(row_weight=1.0)
    penalty = NuclearNorm(0.3 * gradient_norm(terms, 1500))
    found = factored(terms, penalty, 1500, rank=12, tol=0, max_iter=12)
    best = proximal_gradient(terms, penalty, found.factors[:, :], tol=1e-6, max_iter=2000)
    assert 2 * np.linalg.matrix_rank(best.x, 1e-6) <= 12
    assert found.objective[-1] / best.objective[-1] - 1 <= 1e-5


def test_the_residual_shows_that_the_rank_was_limited():
    problem = draw(n=60)
    terms = problem.terms(row_weight=1.0)
    penalty = NuclearNorm(0.02 * top(terms, problem.zeros(1)))
    capped = factored(terms, penalty, 60, rank=2, max_rank=2, max_iter=40)
    assert capped.factors.right.shape[1] <= 2
    assert capped.status is Status.MAX_ITER
    assert capped.residual > 0.01


def test_the_spectral_norm_of_the_gradient_at_zero():
    problem = draw()
    terms = problem.terms(row_weight=1.0)
    assert gradient_norm(terms, 40) == pytest.approx(top(terms, problem.zeros(1)))


def sparse_problem(rng, n=120, d=25):
    X = sparse.random_array((n, d), density=0.15, rng=rng, format="csr")
    scale, center = rng.uniform(0.5, 2, size=d), rng.normal(size=d)
    sign = np.where(rng.random((n, 3)) < 0.5, rng.choice([-1.0, 1.0], size=(n, 3)), 0.0)
    labels, row = Logistic(sign, 1e-3), Squared(np.ones((n, 1)), None, 1e-3)
    thin = SideBySide([labels, SparseSquared(X, center, scale, 1e-3), row], [3, d, 1])
    full = SideBySide([labels, Squared((X.toarray() - center) / scale, None, 1e-3), row], [3, d, 1])
    return thin, full


@pytest.mark.parametrize("lanczos", [False, True])
def test_sparse_features_give_what_dense_ones_give(lanczos, rng, monkeypatch):
    thin, full = sparse_problem(rng)
    if lanczos:
        monkeypatch.setattr(module, "MAX_GRAM", 0)
    alpha = 0.2 * gradient_norm(thin, 120)
    found = factored(thin, NuclearNorm(alpha), 120, tol=1e-5, max_iter=1000)
    convex = proximal_gradient(full, NuclearNorm(alpha), np.zeros((120, 29)), tol=1e-7, max_iter=9999)
    assert found.status is Status.CONVERGED
    assert found.objective[-1] == pytest.approx(convex.objective[-1], rel=1e-5)


def test_factors(rng):
    Z = rng.normal(size=(9, 3)) @ rng.normal(size=(3, 6))
    F = factorize(Z)
    assert F.right.shape == (6, 3)
    np.testing.assert_allclose(F[:, :], Z, atol=1e-12)
    np.testing.assert_allclose(F[2:5, 1:3], Z[2:5, 1:3], atol=1e-12)
    np.testing.assert_allclose(F.left.T @ F.left, F.right.T @ F.right, atol=1e-12)
    assert F.norm == pytest.approx(np.linalg.norm(Z, "nuc"))


def test_a_row_of_the_fit_gets_its_own_answer_back():
    problem = draw(n=100)
    terms = problem.terms(row_weight=1.0)
    alpha = 0.05 * top(terms, problem.zeros(1))
    Z = proximal_gradient(terms, NuclearNorm(alpha), problem.zeros(1), tol=1e-9, max_iter=20000).x
    F = factorize(Z)
    again = fold_in(terms, F.right, alpha, 100) @ F.right.T
    assert np.linalg.norm(again - Z) <= 1e-6 * np.linalg.norm(Z)


@pytest.mark.parametrize("size", [1.0, 30.0])
def test_fold_in_finds_the_minimum_where_plain_newton_would_overshoot(size, rng):
    n, t, d, k, alpha = 12, 6, 4, 3, 1e-4
    sign, X = rng.choice([-1.0, 0.0, 1.0], size=(n, t)), rng.normal(size=(n, d))
    V = size * rng.normal(size=(t + d, k))
    terms = SideBySide([Logistic(sign, 0.3), Squared(X, None, 1e-3)], [t, d])
    U = fold_in(terms, V, alpha, n)

    def row(u, i):
        z = V @ u
        labels = 0.3 * np.logaddexp(0, -sign[i] * z[:t])[sign[i] != 0].sum()
        return labels + 5e-4 * np.sum((z[t:] - X[i]) ** 2) + alpha / 2 * u @ u

    for i in range(n):
        best = min(minimize(row, start, args=(i,), tol=1e-12).fun for start in (np.zeros(k), U[i]))
        assert row(U[i], i) <= best * (1 + 1e-9) + 1e-15


def test_undamped_newton_diverges_where_the_damped_one_does_not():
    """Both labels are nearly flat at 0 and pull to 12 from either side."""
    labels, V, alpha = Logistic(np.array([[1.0, -1.0]]), 1.0, np.array([-12.0, -12.0])), np.ones((2, 1)), 1e-9
    terms, u = SideBySide([labels], [2]), 0.0
    for _ in range(20):
        z = np.array([[u, u]])
        u -= (alpha * u + labels.value_and_grad(z)[1].sum()) / (alpha + labels.curvature(z).sum())
    assert abs(u) > 1e3
    assert fold_in(terms, V, alpha, 1).item() == pytest.approx(12, abs=1e-6)


def test_the_start_is_a_proximal_gradient_step_from_nothing():
    problem = draw()
    terms, Z = problem.terms(row_weight=1.0), problem.zeros(1)
    penalty = NuclearNorm(0.1 * top(terms, Z))
    nothing = module.Factors(Z[:, :0], np.zeros((Z.shape[1], 0)))
    slope = module._compute_slope(terms, penalty, nothing, 12)
    grown = module._grow(nothing, slope, 12, 1 / terms.lipschitz, penalty.weight)
    step = penalty.prox(-terms.value_and_grad(Z)[1] / terms.lipschitz, 1 / terms.lipschitz)
    np.testing.assert_allclose(grown[:, :], step, atol=1e-10)


def test_rows_with_the_same_gaps_may_share_a_system(rng, monkeypatch):
    thin, _ = sparse_problem(rng)
    penalty = NuclearNorm(0.2 * gradient_norm(thin, 120))
    shared = factored(thin, penalty, 120, tol=0, max_iter=8)
    monkeypatch.setattr(module, "MAX_PATTERN_COLUMNS", 0)
    alone = factored(thin, penalty, 120, tol=0, max_iter=8)
    np.testing.assert_allclose(shared.factors[:, :], alone.factors[:, :], atol=1e-9)
