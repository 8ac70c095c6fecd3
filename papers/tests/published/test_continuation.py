from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import linalg, sparse
from tests.oracles.vvmr import objective_11

from halflabel.numerics.penalties import nuclear_norm
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem, recover
from halflabel.numerics.solvers.row_kernel import Group, RowKernel, deform, row_basis
from halflabel_papers.published.continuation import Continuation, PublishedTerms, Theta


def terms_of(rng, *, trace=0.02, slope=0.05, N=9, rows=6, n=3):
    W, half = 0.5 * rng.normal(size=(N, N)), rng.normal(size=(N, N))
    L = sparse.csr_array(half @ half.T / N)
    root = rng.normal(size=(n, n))
    Q = np.eye(n) if rows == N else root @ root.T / n + 0.5 * np.eye(n)
    Y = np.sign(rng.normal(size=(rows, n)))
    return PublishedTerms(W @ W.T, L, np.arange(rows), Q, Y, rng.random((rows, n)) < 0.8, 0.1, 0.05, trace, slope)


def test_gradients_are_those_of_the_value(rng):
    terms = terms_of(rng)
    A, Z = rng.normal(size=(9, 3)), rng.normal(size=(6, 3))
    value = lambda A, Z: terms.smooth(A, Z, terms.G @ A)[0]  # noqa: E731
    _, by_A, by_Z = terms.smooth(A, Z, terms.G @ A)
    for _ in range(5):
        a, z = rng.normal(size=A.shape), rng.normal(size=Z.shape)
        h = 1e-6
        slope = (value(A + h * a, Z + h * z) - value(A - h * a, Z - h * z)) / (2 * h)
        assert slope == pytest.approx(np.vdot(terms.G @ by_A, a) + np.vdot(by_Z, z), rel=1e-6)


def test_the_objective_is_eq_11(rng):
    terms = terms_of(rng)
    A, E = rng.normal(size=(9, 3)), rng.random((6, 3))
    expected = objective_11(
        terms.G, terms.L.toarray(), terms.Q, terms.Y, terms.Y + E, A, np.arange(6), 0.1, 0.05, 0.02, 0.05
    )
    assert terms.objective(A, E) == pytest.approx(expected)


def test_the_step_is_the_minimiser_of_eq_17(rng):
    run = Continuation(terms_of(rng))
    run.nu = 3.0
    omega = (rng.normal(size=(9, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    zeros = [np.zeros_like(point) for point in omega]
    A, Z, E = run.proximal(Theta(*omega, omega[0]), zeros).parts()

    def model(Z, E):
        distance = ((Z - omega[1]) ** 2).sum() + ((E - omega[2]) ** 2).sum()
        return 1.5 * distance + 0.02 * nuclear_norm(Z) + 0.05 * E.sum()

    np.testing.assert_array_equal(A, omega[0])
    np.testing.assert_allclose(E, np.where(run.terms.free, np.maximum(omega[2] - 0.05 / 3, 0), 0))
    for _ in range(50):
        nearby = np.where(run.terms.free, np.maximum(E + 0.05 * rng.normal(size=E.shape), 0), 0)
        assert model(Z, E) <= model(Z + 0.05 * rng.normal(size=Z.shape), nearby)


def test_a_step_is_halved_until_the_model_of_eq_16_is_above_the_objective(rng):
    terms, rho = terms_of(rng), 0.3
    A, Z, E = rng.normal(size=(9, 3)), rng.normal(size=(6, 3)), rng.random((6, 3))
    omega, run = Theta(A, Z, E, terms.G @ A), Continuation(terms)
    theta = run._backtrack(omega, rho)

    def penalised(point):
        gap = point.E + terms.Y - point.Z
        value, by_A, by_Z = terms.smooth(point.A, point.Z, point.GA)
        return value + rho * (gap**2).sum(), (terms.G @ by_A, by_Z - 2 * rho * gap, 2 * rho * gap)

    value, gradients = penalised(omega)
    for nu in 2.0 ** np.arange(20):
        other = Continuation(terms)
        other.nu = nu
        point = other.proximal(omega, gradients)
        moves = [new - old for new, old in zip(point.parts(), omega.parts(), strict=True)]
        model = value + sum((m * g).sum() for m, g in zip(moves, gradients, strict=True))
        if penalised(point)[0] <= model + nu / 2 * sum((m**2).sum() for m in moves):
            break
    assert run.nu == nu > 2
    for part, expected in zip(theta.parts(), point.parts(), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-10)


def test_the_momentum_is_that_of_nesterov_and_starts_again_with_every_stage(rng):
    run, points, starts = Continuation(terms_of(rng)), iter(rng.normal(size=(8, 6, 3))), []

    def step(omega, rho):
        starts.append(omega.Z)
        return replace(run.theta, Z=next(points))

    run._backtrack = step
    for rho in (0.1, 1.0):
        Z, q = [run.theta.Z], 1.0
        Z += [theta.Z for theta in run.iterate(rho, 4)]
        expected = [Z[0]]
        for before, here in pairwise(Z[:4]):
            q, last = (1 + (1 + 4 * q * q) ** 0.5) / 2, q
            expected.append(here + (last - 1) / q * (here - before))
        np.testing.assert_allclose(starts, expected)
        starts.clear()


def test_the_printed_step_of_eq_22_is_no_minimiser(rng):
    """The absolute value raises what should stay at 0, wherever the argument is far below it."""
    E_hat, weight = rng.normal(size=1000), 0.3
    value = lambda E: 0.5 * (E - E_hat) ** 2 + weight * E  # noqa: E731
    right, printed = np.maximum(E_hat - weight, 0), np.maximum(np.abs(E_hat) - weight, 0)
    assert (value(right) <= value(printed)).all()
    assert (value(printed) > value(right))[E_hat < -weight].all()


@pytest.mark.parametrize("trace", [0.0, 0.02])
def test_on_a_small_well_conditioned_problem_it_comes_near_the_minimum(trace, rng):
    terms = terms_of(rng, trace=trace, rows=9)
    C = linalg.cholesky(terms.G, lower=True)
    V, roughness = deform(C, terms.L @ C)
    basis = row_basis(C @ V, 1 / (1 + 0.5 * roughness))
    kernel = RowKernel([Group(np.arange(3), np.full(3, 10.0), basis)], None, 9)
    best = recover(RecoveryProblem(kernel, terms.Y, terms.free, trace, 0.05), tol=1e-10, max_iter=9999).solution
    run = Continuation(terms, rhos=(1e-1, 1.0, 10.0, 100.0))
    run.run(600)
    A, Z, E = run.theta.parts()
    assert best.objective[-1] <= terms.objective(A, E) <= 1.02 * best.objective[-1]
    assert np.abs(Z - terms.Y - E).max() < 1e-2
    assert (E >= 0).all()
