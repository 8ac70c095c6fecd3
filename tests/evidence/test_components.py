"""Principal components of the features against a singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel.evidence import components
from halflabel.evidence.components import COMPONENTS, take_components


def decompose(A):
    """Return the principal components of A up to their signs: all, the strongest first."""
    U, s, _ = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
    return np.abs(U * s)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_components_keep_the_distances_of_low_rank_features(rng, form):
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 40)) + 5
    C = take_components(form(X), rng)
    assert C.shape == (80, COMPONENTS)
    scaled = X / X.std(axis=0) if form is np.asarray else X / np.sqrt((X**2).mean(axis=0))
    expected = np.linalg.norm(scaled[:1] - scaled, axis=1)
    found = np.linalg.norm(C[:1] - C, axis=1)
    np.testing.assert_allclose(found / found[1], expected / expected[1], rtol=0.2)


def test_dense_features_have_the_components_of_a_singular_value_decomposition(rng):
    X = rng.normal(size=(30, 4)) * [1, 10, 100, 1000]
    found = take_components(X, rng)
    np.testing.assert_allclose(np.abs(found), decompose(X / X.std(axis=0)), atol=1e-8)
    wide = rng.normal(size=(7, 12))
    assert take_components(wide, rng).shape == (7, 7)


@pytest.mark.parametrize(("shape", "n_components"), [((30, 2), 1), ((30, 6), 5), ((5, 30), 4), ((40, 30), 20)])
def test_the_sparse_solver_computes_all_components_but_one(rng, shape, n_components):
    X = sparse.csr_array(rng.normal(size=shape))
    assert take_components(X, rng).shape == (shape[0], n_components)


def test_features_with_one_column_are_their_own_component(rng):
    x = rng.normal(size=(30, 1)) + 7
    found = take_components(sparse.csr_array(x), rng)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found / found[0], x / x[0])
    assert take_components(rng.normal(size=(30, 2)), rng).shape == (30, 2)


@pytest.mark.parametrize("n", [8, 9])
def test_components_are_learned_from_a_sample_and_taken_of_all_items(rng, monkeypatch, n):
    monkeypatch.setattr(components, "MAX_ITEMS", 8)
    X, fitted = rng.normal(size=(n, 3)), []
    fit = components.PCA.fit
    monkeypatch.setattr(components.PCA, "fit", lambda self, A: fitted.append(A) or fit(self, A))
    assert take_components(X, rng).shape == (n, 3)
    if n == 8:
        np.testing.assert_allclose(
            np.sort(fitted[0]), np.sort((X - X.mean(axis=0)) / X.std(axis=0))
        )  # items in their order
    assert len(np.unique(fitted[0], axis=0)) == len(fitted[0]) == 8


def test_equal_items_have_components_without_a_warning():
    assert (take_components(np.ones((30, 4)), np.random.default_rng(0)) == 0).all()
