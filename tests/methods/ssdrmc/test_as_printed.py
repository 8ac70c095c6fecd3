"""SSDR-MC to the letter: the units of eq. (4)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.propagation import local_gram, weights_of_gram

from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights


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
