"""Kernel ridge on a shared map: refits without each item, dense kernels, samples that are drawn again."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from halflabel.methods.auto import ridge
from halflabel.methods.auto.sampling import draw
from halflabel.numerics.kernels import ALPHAS, mean_distance, nystroem, ridge_path


def labels_of(rng, X, n_labels=2, share=0.7):
    """Return labels that depend on the features, and a mask; the last label has gaps of its own."""
    Y = (np.sin(2 * X @ rng.normal(size=(X.shape[1], n_labels))) > 0).astype(float)
    observed = np.repeat(rng.random((len(X), 1)) < share, n_labels, axis=1)
    observed[rng.random(len(X)) < 0.2, -1] = False
    return np.where(observed, Y, 0.0), observed


def leave_out(Phi, Y, alpha):
    """Return the prediction of each row by the regression that is fitted without it."""
    loo = np.empty_like(Y)
    for i in range(len(Phi)):
        rest = np.delete(np.arange(len(Phi)), i)
        A = Phi[rest].T @ Phi[rest] + alpha * np.eye(Phi.shape[1])
        loo[i] = Phi[i] @ np.linalg.solve(A, Phi[rest].T @ Y[rest])
    return loo


def error_of(K, Y, observed):
    """Return the smallest error on observed entries over the ridge weights, by refits, with gaps at their rates."""
    rates = [Y[seen, j].mean() if seen.any() else 0.0 for j, seen in enumerate(observed.T)]
    target, errors = np.where(observed, Y, rates), []
    for alpha in ALPHAS:
        for_all = []
        for i in range(len(K)):
            rest = np.delete(np.arange(len(K)), i)
            A = K[np.ix_(rest, rest)] + 1 + alpha * np.eye(len(rest))
            for_all.append((K[i, rest] + 1) @ np.linalg.solve(A, target[rest]))
        errors.append(((Y - for_all)[observed] ** 2).mean())
    return min(errors)


# -- the bandwidth -----------------------------------------------------------------


@pytest.mark.parametrize("max_items", [600, 14])
def test_the_bandwidth_has_the_smallest_error_of_refits(max_items, rng, monkeypatch):
    monkeypatch.setattr(ridge, "MAX_ITEMS", max_items)
    X = rng.normal(size=(16, 1)) * 2
    Y, observed = labels_of(rng, X)
    observed[:, 1] = False
    Y[:, 1] = 0
    some = draw(np.arange(16), max_items, np.random.default_rng(3))
    part, unit, errors = X[some], mean_distance(X, rng), {}
    for width in (0.35, 0.5, 0.7, 1.0):
        K = rbf_kernel(part, gamma=0.5 / (width * unit) ** 2)
        errors[width * unit] = error_of(K, Y[some], observed[some])
    _, found = ridge.choose_bandwidth(X, Y, observed, np.random.default_rng(3))
    assert found == pytest.approx(min(errors, key=errors.get))
    assert len(set(errors.values())) == 4


@pytest.mark.parametrize("n_labels", [1, 4])
def test_the_error_is_that_of_refits(n_labels, rng):
    X = rng.normal(size=(14, 2))
    Y, observed = labels_of(rng, X, n_labels)
    target = np.where(observed, Y, [Y[seen, j].mean() if seen.any() else 0.0 for j, seen in enumerate(observed.T)])
    K = rbf_kernel(X, gamma=0.7)
    assert ridge.measure_left_out(K + 1, target, observed) == pytest.approx(error_of(K, Y, observed))


def test_four_bandwidths_are_compared_in_units_of_the_mean_distance(rng, monkeypatch):
    X, grams = rng.normal(size=(8, 2)), []
    monkeypatch.setattr(ridge, "measure_left_out", lambda gram, *_: grams.append(gram) or 1.0)
    ridge.choose_bandwidth(X, np.ones((8, 1)), np.ones((8, 1), dtype=bool), rng)
    unit = mean_distance(X, rng)
    expected = [rbf_kernel(X, gamma=0.5 / (width * unit) ** 2) + 1 for width in (0.35, 0.5, 0.7, 1.0)]
    np.testing.assert_allclose(grams, expected)


def test_unknown_entries_are_set_to_the_rates_of_their_labels(rng, monkeypatch):
    """By hand: the labels have 0, 1 and 2 observed entries."""
    targets = []
    monkeypatch.setattr(ridge, "measure_left_out", lambda _, target, __: targets.append(target) or 1.0)
    X, observed = rng.normal(size=(3, 1)), np.array([[False, True, True], [False, False, True], [False] * 3])
    ridge.choose_bandwidth(X, np.array([[0.0, 1, 1], [0, 0, 0], [0, 0, 0]]), observed, rng)
    np.testing.assert_array_equal(targets[0], [[0, 1, 1], [0, 1, 0], [0, 1, 0.5]])


# -- regressions -------------------------------------------------------------------


@pytest.mark.parametrize("n_landmarks", [6, 30])
def test_each_label_is_fitted_on_its_own_rows_and_left_out_by_refits(n_landmarks, rng):
    X = rng.normal(size=(24, 2))
    Y, observed = labels_of(rng, X, 3)
    features = nystroem(X, 1.2, n_landmarks, rng)
    model, loo = ridge.fit_ridge(features, X, Y, observed, rng)
    Phi = features(X)
    for j, rows in enumerate(observed.T):
        group = [k for k in range(3) if (observed[:, k] == rows).all()]  # labels on the same rows share the weight
        fits = {alpha: leave_out(Phi[rows], Y[rows][:, group], alpha) for alpha in ALPHAS}
        alpha = min(fits, key=lambda alpha: ((Y[rows][:, group] - fits[alpha]) ** 2).sum())
        assert model.alpha[j] == alpha
        np.testing.assert_allclose(loo[rows, j], fits[alpha][:, group.index(j)], atol=1e-7)
        assert np.isnan(loo[~rows, j]).all()
        A = Phi[rows].T @ Phi[rows] + alpha * np.eye(Phi.shape[1])
        np.testing.assert_allclose(
            model.predict(X)[:, j], Phi @ np.linalg.solve(A, Phi[rows].T @ Y[rows, j]), atol=1e-7
        )


def test_with_many_rows_the_weight_of_a_sample_serves_all_rows(rng, monkeypatch):
    X = rng.normal(size=(40, 2))
    Y, observed = labels_of(rng, X, 2, share=2.0)
    observed[:] = True
    features = nystroem(X, 1.0, 8, rng)
    monkeypatch.setattr(ridge, "BLOCK", 16)
    model, loo = ridge.fit_ridge(features, X, Y, observed, np.random.default_rng(5))
    some = draw(np.arange(40), 16, np.random.default_rng(5))
    path = ridge_path(features(X[some]), Y[some])
    np.testing.assert_array_equal(model.alpha, path.alpha)
    Phi = features(X)
    coef = np.linalg.solve(Phi.T @ Phi + path.alpha * np.eye(9), Phi.T @ Y)
    np.testing.assert_allclose(model.predict(X), Phi @ coef, atol=1e-8)
    np.testing.assert_allclose(loo, leave_out(Phi, Y, path.alpha), atol=1e-7)


@pytest.mark.parametrize(
    ("n_rows", "n_labels", "expected"),
    [(4096, 1, 4096), (5000, 1, 4096), (5000, 256, 2048), (5000, 1000, 524), (5000, 2000, 500), (499, 2000, 499)],
)
def test_a_sample_has_a_limited_number_of_rows_and_of_cells(n_rows, n_labels, expected, rng):
    rows = ridge.sample_rows(n_rows, n_labels, rng)
    assert len(rows) == expected
    assert (np.diff(rows) > 0).all()
    assert rows[-1] < n_rows
