"""Kernel ridge: leave-one-out and leave-fold-out against refits, the Nystroem map against the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from tests.oracles.propagation import left_out_ridge

from halflabel.numerics.kernels import (
    ALPHAS,
    kernel_ridge,
    mean_distance,
    nystroem,
    ridge_path,
)


def test_mean_distance(rng):
    X = rng.normal(size=(30, 3))
    pairs = [np.linalg.norm(a - b) for i, a in enumerate(X) for j, b in enumerate(X) if i != j]
    assert mean_distance(X, rng) == pytest.approx(np.mean(pairs))
    assert mean_distance(np.repeat(X, 100, axis=0), rng) == pytest.approx(np.mean(pairs), rel=0.1)
    assert mean_distance(np.ones((4, 2)), rng) == 1.0
    samples = [mean_distance(X, np.random.default_rng(seed), sample=29) for seed in range(3)]
    assert len(set(samples)) > 1  # another sample, another mean
    assert mean_distance(X, rng, sample=30) == mean_distance(X, rng)
    corners = np.eye(50) / np.sqrt(2)  # one from each other: a row that is drawn twice would lower the mean
    assert mean_distance(corners, rng, sample=20) == pytest.approx(1)


def test_the_weights_to_choose_from():
    np.testing.assert_allclose(np.diff(np.log10(ALPHAS)), 1 / 3)
    np.testing.assert_allclose(ALPHAS[[0, -1]], [1e-3, 1e2])


@pytest.mark.parametrize("pivoted", [False, True])
def test_the_map_is_exact_on_its_landmarks(rng, pivoted):
    X = rng.normal(size=(25, 3))
    features = nystroem(X, 1.5, 100, rng, pivoted=pivoted)
    Phi = features(X)
    np.testing.assert_allclose(Phi @ Phi.T, rbf_kernel(X, gamma=0.5 / 1.5**2) + 1, atol=1e-8)
    assert features.error == 0


@pytest.mark.parametrize("pivoted", [False, True])
def test_the_map_survives_duplicates(rng, pivoted):
    X = np.repeat(rng.normal(size=(10, 3)), 3, axis=0)
    Phi = nystroem(X, 1.0, 100, rng, pivoted=pivoted)(X)
    assert Phi.shape[1] == 11  # one feature per distinct item, and the constant
    np.testing.assert_allclose(Phi @ Phi.T, rbf_kernel(X, gamma=0.5) + 1, atol=1e-6)


@pytest.mark.parametrize("pivoted", [False, True])
def test_the_map_reports_its_error(rng, pivoted):
    X = rng.normal(size=(400, 6))
    few, many = (nystroem(X, 2.0, m, np.random.default_rng(0), pivoted=pivoted) for m in (20, 300))
    Phi = few(X)[:, :-1]
    assert few.error == pytest.approx(np.mean(1 - (Phi**2).sum(axis=1)), rel=1e-9)
    assert 0 < many.error < few.error < 1


def test_the_path_takes_the_least_left_out_error(rng):
    Phi = rng.normal(size=(30, 12))
    Y = Phi[:, :1] + 2 * rng.normal(size=(30, 1))
    alphas = np.logspace(-3, 3, 13)
    errors = [((left_out_ridge(Phi, Y, a) - Y) ** 2).sum() for a in alphas]
    assert ridge_path(Phi, Y, alphas).alpha == alphas[np.argmin(errors)]


def test_kernel_ridge_equals_scikit_learn_per_label_and_without_each_fold(rng):
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(11, 3))
    Y = (rng.random((40, 3)) < 0.5).astype(float)
    observed = np.ones((40, 3), bool)
    observed[rng.random(40) < 0.4, 2] = False
    folds = np.arange(40) % 4
    family = kernel_ridge(X, np.where(observed, Y, np.nan), observed, folds, nystroem(X, 1.3, 99, rng))
    gamma = 0.5 / 1.3**2
    for fold in (None, 0, 3):
        model = family[0 if fold is None else 1 + fold]
        for j in range(3):
            rows = observed[:, j] & (folds != (-1 if fold is None else fold))
            reference = SklearnKernelRidge(alpha=family.alpha[j], kernel="precomputed")
            reference.fit(rbf_kernel(X[rows], gamma=gamma) + 1, Y[rows, j])
            expected = reference.predict(rbf_kernel(new, X[rows], gamma=gamma) + 1)
            np.testing.assert_allclose(model.predict(new)[:, j], expected, atol=1e-7)
    np.testing.assert_allclose(family.predict(new)[:, 2], family[2].predict(new), atol=1e-12)
    assert family.predict(new).shape == (11, 1 + 4, 3)  # the whole fit, and one without each fold


def test_a_label_observed_nowhere_is_zero(rng):
    X = rng.normal(size=(10, 2))
    observed = np.ones((10, 2), bool)
    observed[:, 1] = False
    whole = kernel_ridge(X, np.ones((10, 2)), observed, np.arange(10) % 2, nystroem(X, 1.0, 99, rng))[0]
    assert (whole.predict(X)[:, 1] == 0).all()
    assert np.isnan(whole.alpha[1])


@pytest.mark.parametrize("n", [1, 2, 33])
def test_a_single_row_is_not_predicted_by_itself(rng, monkeypatch, n):
    X = rng.normal(size=(64, 5))
    model = kernel_ridge(
        X, rng.normal(size=(64, 7)), np.ones((64, 7), bool), np.zeros(64, int), nystroem(X, 2, 20, rng)
    )[0]
    expected = model.predict(X[:n])
    monkeypatch.setattr("halflabel.numerics.kernels.BLOCK", 32)
    np.testing.assert_array_equal(model.predict(X[:n]), expected)


@pytest.mark.parametrize("shape", [(6, 11), (11, 6)], ids=["wide", "tall"])
def test_a_ridge_path_is_that_of_the_normal_equations(rng, shape):
    """Also with less than full rank, and without some rows."""
    Phi, Y = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    Phi[5] = Phi[4]
    path, rows = ridge_path(Phi, Y), np.arange(shape[0]) < 2

    def solve(Phi, Y):
        return np.linalg.solve(Phi.T @ Phi + path.alpha * np.eye(shape[1]), Phi.T @ Y)

    np.testing.assert_allclose(path.coef, solve(Phi, Y), atol=1e-8)
    np.testing.assert_allclose(path.without(rows), solve(Phi[~rows], Y[~rows]), atol=1e-7)
    for i in range(shape[0]):
        rest = np.arange(shape[0]) != i
        np.testing.assert_allclose(path.loo[i], Phi[i] @ solve(Phi[rest], Y[rest]), atol=1e-7)
