"""SSDR-MC to the letter: the units of eq. (4), T in entries, and eq. (10) and (12) with unknown entries at 0."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.propagation import equation_12, local_gram, weights_of_gram

from halflabel import SSDRMC
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import normalise_alpha, reconstruction_weights


@pytest.fixture
def data(rng):
    """Forty items with three labels, a third of them labelled."""
    X = 5 * rng.normal(size=(40, 4))
    Y = (X[:, :3] + rng.normal(size=(40, 3)) > 0).astype(float)
    Y[rng.random(40) > 0.4] = np.nan
    return X, Y


@pytest.mark.parametrize("alpha", [0.1, 0.7])
def test_raw_units_are_equation_4_and_normalised_ones_are_not(rng, alpha):
    X, F = 5 * rng.normal(size=(15, 3)), rng.random((15, 2))
    indices, _ = neighbors(X, 4)
    W = reconstruction_weights(X, indices, 0.01, scores=F, alpha=alpha, raw_units=True).toarray()
    for i, own in enumerate(indices):
        L = (1 - alpha) * local_gram(X[i], X[own]) + alpha * local_gram(F[i], F[own])
        np.testing.assert_allclose(W[i, own], weights_of_gram(L, 0.01), rtol=1e-9)
    other = reconstruction_weights(X, indices, 0.01, scores=F, alpha=alpha).toarray()
    assert np.abs(W - other).max() > 1e-3


def test_raw_units_depend_on_the_unit_of_the_features_and_normalised_ones_do_not(rng):
    X, F = rng.normal(size=(15, 3)), rng.random((15, 2))
    indices, _ = neighbors(X, 4)
    for raw, same in ((True, False), (False, True)):
        options = {"scores": F, "alpha": 0.3, "raw_units": raw}
        W, scaled = (reconstruction_weights(c * X, indices, 0.01, **options).toarray() for c in (1, 100))
        assert np.allclose(W, scaled) is same


@pytest.mark.parametrize("alpha", [0.1, 0.7])
def test_alpha_in_the_other_unit_gives_the_same_weights(rng, alpha):
    X, F = 5 * rng.normal(size=(15, 3)), rng.random((15, 2))
    indices, _ = neighbors(X, 4)
    raw = reconstruction_weights(X, indices, 0.01, scores=F, alpha=alpha, raw_units=True)
    same = reconstruction_weights(X, indices, 0.01, scores=F, alpha=normalise_alpha(X, F, indices, alpha))
    np.testing.assert_allclose(raw.toarray(), same.toarray(), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fit_has_its_alpha_in_the_other_unit(data):
    X, Y = data
    model = SSDRMC.as_published().set_params(n_neighbors=6, n_folds=2).fit(X, Y)
    state = (np.nan_to_num(model.label_scores_) >= model.threshold).astype(float)
    neighbours = np.array([np.flatnonzero(row) for row in (model.weights_.toarray() != 0)])
    offsets = [[A[own] - A[i] for i, own in enumerate(neighbours)] for A in (model.scaler_(X), state)]
    P, Q = (np.mean([(part**2).sum() for part in parts]) for parts in offsets)
    assert model.normalise_alpha() == pytest.approx(0.1 * Q / (0.1 * Q + 0.9 * P))
    assert model.set_params(label_units="normalised").normalise_alpha() == 0.1


def test_the_published_settings_are_to_the_letter():
    model = SSDRMC.as_published()
    assert (model.label_units, model.max_changes, model.alpha, model.threshold) == ("raw", 5, 0.1, 0.3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_t_is_a_number_of_entries(data):
    X, Y = data
    strict = SSDRMC.as_published().set_params(n_neighbors=6, n_folds=2, max_changes=0).fit(X, Y)
    loose = SSDRMC.as_published().set_params(n_neighbors=6, n_folds=2, max_changes=Y.size).fit(X, Y)
    assert loose.n_alternations_ == 2
    assert loose.stopped_ == "stable"
    assert strict.n_alternations_ >= loose.n_alternations_


@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_equation_12_as_printed(data, beta):
    X, Y = data
    settings = {"n_neighbors": 6, "ridge": 0.01, "scale": None, "n_folds": 2, "solver_tol": 1e-9}
    model = SSDRMC(inference="fixed_point", fit_weight=beta, unknown_as_zero=True, **settings).fit(X, Y)
    W = model.weights_.toarray()
    np.testing.assert_allclose(model.label_scores_, equation_12(W, Y, beta), atol=1e-7)
    minimum = SSDRMC(inference="minimizer", fit_weight=beta, unknown_as_zero=True, max_iter=3000, **settings).fit(X, Y)
    A = np.eye(len(W)) - W
    expected = np.linalg.solve(A.T @ A + beta * np.eye(len(W)), beta * np.nan_to_num(Y))  # of eq. (10)
    np.testing.assert_allclose(minimum.label_scores_, expected, atol=1e-6)
    assert np.abs(model.label_scores_ - minimum.label_scores_).max() > 1e-3  # eq. (12) does not minimise eq. (10)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_with_an_infinite_weight_equation_12_as_printed_gives_y(data):
    X, Y = data
    settings = {"n_neighbors": 6, "n_folds": 2, "unknown_as_zero": True}
    model = SSDRMC(inference="fixed_point", fit_weight=1e8, **settings).fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, np.nan_to_num(Y), atol=1e-6)
    with pytest.raises(ValueError, match="with a finite fit_weight"):
        SSDRMC(inference="fixed_point", **settings).fit(X, Y)
    with pytest.raises(ValueError, match="unknown_as_zero is for"):
        SSDRMC(unknown_as_zero=True).fit(X, Y)
