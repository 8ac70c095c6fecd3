"""Weighted features and principal components, by hand and against a singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel.methods.auto import features
from halflabel.methods.auto.features import Coordinates, Weighting, has_word_features

COUNTS = np.zeros((4, 6))
COUNTS[0, :2] = COUNTS[1, 0] = COUNTS[2, 3] = 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", ["auto", "idf"])
def test_words_are_weighted_by_their_rarity_and_rows_have_length_one(form, scale):
    weighting = Weighting.learn(form(COUNTS), scale)
    weighted = weighting(form(COUNTS))
    assert sparse.issparse(weighted) == (form is sparse.csr_array)
    table = (weighted.toarray() if sparse.issparse(weighted) else weighted)[:, np.argsort(weighting.order)]
    idf = 1 + np.log(5 / np.array([3.0, 2.0]))
    np.testing.assert_allclose(table[0, :2], idf / np.linalg.norm(idf))
    np.testing.assert_allclose(table[1:].sum(axis=1), [1, 1, 0])
    assert COUNTS.max() == 1  # the input is not changed


@pytest.mark.parametrize("scale", [None, "standard"])
def test_other_units_are_those_of_the_scaler(scale):
    X = np.array([[1.0, 4.0], [3.0, 4.0]])
    expected = X if scale is None else [[-1, 0], [1, 0]]
    assert not Weighting.learn(COUNTS, scale).unit_rows  # also of words
    weighting = Weighting.learn(X, scale)
    np.testing.assert_allclose(weighting(X)[:, np.argsort(weighting.order)], expected)
    with pytest.raises(ValueError, match="scale must be 'auto', 'standard', 'idf' or None, not 'max'"):
        Weighting.learn(X, "max")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_word_features_are_rare_and_not_negative(form):
    X = np.zeros((5, 4))
    assert not has_word_features(form(X))
    X[2, 2] = 1
    assert has_word_features(form(X))  # a single value
    X[2, 2] = 0
    X[0] = 1
    assert has_word_features(form(X))  # one value in five
    X[1, 0] = 1
    assert not has_word_features(form(X))
    X[1, 0], X[0, 0] = 0, -1
    assert not has_word_features(form(X))


def test_few_features_or_items_are_kept_as_they_are(rng, monkeypatch):
    monkeypatch.setattr(features, "COMPONENTS", 3)
    for shape in ((9, 3), (4, 9)):
        X = rng.normal(size=shape)
        assert Coordinates.learn(X, rng)(X) is X


@pytest.mark.parametrize(("shape", "form"), [((9, 4), np.asarray), ((5, 9), np.asarray), ((9, 9), sparse.csr_array)])
def test_coordinates_are_the_first_components(shape, form, rng, monkeypatch):
    monkeypatch.setattr(features, "COMPONENTS", 3)
    X = rng.normal(size=shape) * np.arange(1, shape[1] + 1)
    coordinates = Coordinates.learn(form(X), rng)
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    found = coordinates(form(X))
    np.testing.assert_allclose(np.abs(found), np.abs(U[:, :3] * s[:3]), atol=1e-8)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-8)


def test_components_are_learned_from_a_sample(rng, monkeypatch):
    monkeypatch.setattr(features, "COMPONENTS", 2)
    monkeypatch.setattr(features, "MAX_SAMPLE", 5)
    X = rng.normal(size=(40, 4))
    coordinates = Coordinates.learn(X, np.random.default_rng(0))
    rows = features.draw(np.arange(40), 5, np.random.default_rng(0))
    assert len(rows) == 5
    np.testing.assert_allclose(coordinates.mean, X[rows].mean(axis=0))
