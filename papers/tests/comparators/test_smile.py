"""SMILE against its equations with loops, a numerical minimiser, and the formulae of the package it is taken from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters

from halflabel import PartialLabels
from halflabel_papers.comparators import SMILE
from halflabel_papers.comparators.smile import correlate, estimate_missing, fit_smooth_map, join_neighbors


def count(Y, s):
    """L entry by entry; Y is 1, 0 or NaN (unknown)."""
    L = np.empty((Y.shape[1],) * 2)
    for k in range(len(L)):
        for c in range(len(L)):
            both = sum(row[k] == 1 and row[c] == 1 for row in Y)
            L[k, c] = (both + s) / (sum(row[k] == 1 and not np.isnan(row[c]) for row in Y) + 2 * s)
    return L


def complete(Y, missing, L):
    """The targets, entry by entry."""
    filled = np.zeros(Y.shape)
    for i, c in np.ndindex(Y.shape):
        filled[i, c] = sum(L[k, c] for k in np.flatnonzero(Y[i] == 1)) if missing[i, c] else Y[i, c] == 1
    total = filled.sum(axis=1)
    for i, c in np.argwhere(missing & (total > 0)[:, None]):
        filled[i, c] /= total[i]
    return filled


def objective(P, b, X, targets, labelled, W, alpha, ridge):
    """The objective as sums over items and over pairs of items."""
    F = X @ P + b
    fit = sum(((F[i] - targets[i]) ** 2).sum() for i in np.flatnonzero(labelled))
    smooth = sum(W[i, j] * ((F[i] - F[j]) ** 2).sum() / 2 for i, j in np.ndindex(W.shape))
    return fit + alpha * smooth + ridge * (P**2).sum()


@pytest.fixture
def problem(rng):
    """Twenty items, two in five labelled, a random symmetric graph, and any targets."""
    W = np.triu(rng.random((20, 20)) < 0.2, 1).astype(float)
    labelled = np.arange(20) < 8
    return rng.normal(size=(20, 4)) + 3, rng.random((20, 2)), labelled, W + W.T


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("width", [4, 30], ids=["more items", "more features"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_gradient_of_the_objective_is_zero(width, form, problem, rng):
    _, T, labelled, W = problem
    X, alpha, ridge = rng.normal(size=(20, width)) + 3, 0.7, 0.4
    model = fit_smooth_map(form(X), T, labelled, sparse.csr_array(laplacian(W)), alpha, ridge)
    gap = np.where(labelled[:, None], X @ model.weights + model.bias - T, 0)
    slope = X.T @ gap + alpha * X.T @ laplacian(W) @ X @ model.weights + ridge * model.weights
    np.testing.assert_allclose(slope, 0, atol=1e-9)
    np.testing.assert_allclose(gap.sum(axis=0), 0, atol=1e-9)


def test_a_numerical_minimiser_finds_the_same(problem):
    X, T, labelled, W = problem
    model = fit_smooth_map(X, T, labelled, sparse.csr_array(laplacian(W)), 0.3, 0.5)

    def value(flat):
        W_and_b = flat.reshape(5, 2)
        return objective(W_and_b[:-1], W_and_b[-1], X, T, labelled, W, 0.3, 0.5)

    found = optimize.minimize(value, np.zeros(10), method="BFGS", options={"gtol": 1e-4}).x.reshape(5, 2)
    np.testing.assert_allclose(np.vstack([model.weights, model.bias]), found, atol=1e-5)


def packaged(X, targets, labelled, M, alpha, n):
    """P and b as the package computes them; ``n`` is the number it divides by."""
    H = np.diag(labelled.astype(float))
    one = np.ones((len(X), 1))
    Hc = H - H @ one @ one.T @ H / n
    P = np.linalg.inv(X.T @ Hc @ X + alpha * X.T @ M @ X) @ X.T @ Hc @ targets
    return P, ((targets - X @ P).T @ H @ one / n).ravel()


def test_with_every_item_labelled_it_is_the_package_without_a_ridge(problem):
    X, T, _, W = problem
    M, every = laplacian(W), np.ones(20, bool)
    P, b = packaged(X, T, every, M, 0.35, 20)
    model = fit_smooth_map(X, T, every, sparse.csr_array(M), 0.35, 1e-12)
    np.testing.assert_allclose(model.weights, P, atol=1e-9)
    np.testing.assert_allclose(model.bias, b, atol=1e-9)


def test_with_unlabelled_items_the_package_is_no_minimum(problem):
    """It divides by the number of all items; with that of the labelled items its formulae are the minimum."""
    X, T, labelled, W = problem
    M = laplacian(W)
    model = fit_smooth_map(X, T, labelled, sparse.csr_array(M), 0.35, 1e-12)
    P, b = packaged(X, T, labelled, M, 0.35, 8)
    np.testing.assert_allclose(np.vstack([model.weights, model.bias]), np.vstack([P, b]), atol=1e-9)
    theirs = objective(*packaged(X, T, labelled, M, 0.35, 20), X, T, labelled, W, 0.35, 0)
    assert theirs > 1.05 * objective(model.weights, model.bias, X, T, labelled, W, 0.35, 0)


@pytest.mark.parametrize("positive_only", [False, True])
def test_correlation_and_targets_are_those_of_the_loops(positive_only, rng):
    X, Y, _ = half_labelled(rng, n=30, entries=not positive_only)
    labels = PartialLabels.from_positives(Y) if positive_only else Y
    model = SMILE(n_neighbors=3, smoothing=0.8, n_folds=2).fit(X, labels)
    labelled = ~np.isnan(Y).all(axis=1)
    missing = (Y == 0) if positive_only else np.isnan(Y)
    L = count(Y, 0.8)
    np.testing.assert_allclose(model.correlation_, L)
    expected = complete(Y, missing, L)
    np.testing.assert_allclose(model.targets_[labelled], expected[labelled])
    assert np.isnan(model.targets_[~labelled]).all()


def test_estimates_are_those_of_the_package():
    """Two labels known, by hand: the missing ones share what is left in proportion to their correlations."""
    L = correlate(np.array([[1, 1, 0], [1, 0, 0]], bool), np.ones((2, 3), bool), 0.5)
    np.testing.assert_allclose(L, [[2.5 / 3, 1.5 / 3, 0.5 / 3], [1.5 / 2, 1.5 / 2, 0.5 / 2], [0.5, 0.5, 0.5]])
    targets = estimate_missing(np.array([[True, True, False]]), np.array([[False, False, True]]), L)
    rest = 0.5 / 3 + 0.5 / 2
    np.testing.assert_allclose(targets, [[1, 1, rest / (2 + rest)]])
    none = estimate_missing(np.zeros((1, 3), bool), np.ones((1, 3), bool), L)
    np.testing.assert_array_equal(none, np.zeros((1, 3)))


def test_the_graph_joins_neighbours_with_weight_one():
    M = join_neighbors(np.array([[0.0], [1.0], [3.0], [7.0]]), 1).toarray()
    np.testing.assert_array_equal(M, [[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])


def test_a_held_out_item_is_scored_without_its_labels(rng):
    """Each item is a fold of its own: its labels hidden, all items in the graph."""
    X, Y, _ = half_labelled(rng, n=12)
    n = int((~np.isnan(Y[:, 0])).sum())
    model = SMILE(n_neighbors=3, scale=None, n_folds=n).fit(X, Y)
    i = int(np.flatnonzero(~np.isnan(Y[:, 0]))[2])
    hidden = Y.copy()
    hidden[i] = np.nan
    alone = SMILE(n_neighbors=3, scale=None, n_folds=2).fit(X, hidden)
    np.testing.assert_allclose(model.out_of_fold_scores_[i], alone.label_scores_[i], atol=1e-9)


def test_scores_are_affine_in_the_features(rng):
    X, Y, _ = half_labelled(rng)
    model = SMILE(n_folds=2, scale=None).fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, X @ model.model_.weights + model.model_.bias)
    np.testing.assert_allclose(model.decision_function(X[:3]), model.label_scores_[:3])


def test_parameters_are_those_of_the_docstring(rng):
    check_parameters(SMILE(), n_neighbors=1, n_folds=2)
    X, Y, _ = half_labelled(rng, n=20)
    for name, sentence in [("alpha", "at least 0"), ("smoothing", "positive"), ("ridge", "positive")]:
        with pytest.raises(ValueError, match=f"{name} must be {sentence}"):
            SMILE(**{name: -1.0}).fit(X, Y)
