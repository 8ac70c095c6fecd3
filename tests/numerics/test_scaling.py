"""Features divided by their standard deviation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel.numerics.scaling import Scaler

X = np.array([[1.0, 0.0, 5.0], [3.0, 2.0, 5.0], [5.0, 0.0, 5.0], [7.0, 6.0, 5.0]])


@pytest.mark.parametrize("scale", ["standard", "auto"])
def test_dense_features_are_centred_and_divided(scale):
    scaler = Scaler.learn(X, scale)
    np.testing.assert_allclose(scaler.center, X.mean(axis=0))
    np.testing.assert_allclose(scaler.scale, [np.sqrt(5), np.sqrt(6), 1])  # a constant feature is not divided
    np.testing.assert_allclose(scaler(X), (X - X.mean(axis=0)) / [np.sqrt(5), np.sqrt(6), 1])


def test_sparse_features_are_divided_only_if_that_is_asked_for():
    thin = sparse.csr_array(X)
    assert Scaler.learn(thin, "auto")(thin) is thin
    scaler = Scaler.learn(thin, "standard")
    assert not scaler.center.any()
    scaled = scaler(thin)
    assert isinstance(scaled, sparse.csr_array)
    np.testing.assert_allclose(scaled.toarray(), X / [np.sqrt(5), np.sqrt(6), 1])


def test_none_changes_nothing():
    scaler = Scaler.learn(X, None)
    np.testing.assert_array_equal(scaler(X), X)
    assert scaler(X) is not X


def test_invalid_scales_and_values_raise():
    with pytest.raises(ValueError, match="scale must be 'auto', 'standard' or None, not 'max'"):
        Scaler.learn(X, "max")
    with pytest.raises(ValueError, match="feature 1 has values too large to be squared"):
        Scaler.learn(X * [1.0, 1e200, 1.0], "standard")


def test_a_feature_that_differs_by_rounding_is_constant(rng):
    noise = 7 + 1e-12 * rng.normal(size=200)
    stamps = 1.8e9 + rng.normal(size=200)  # seconds since 1970, a second apart
    scaled = Scaler.learn(np.column_stack([noise, stamps]), "standard")(np.column_stack([noise, stamps]))
    assert abs(scaled[:, 0]).max() < 1e-11
    np.testing.assert_allclose(scaled[:, 1].std(), 1)
