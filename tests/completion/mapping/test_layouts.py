"""The methods that draw a map, and which one is the default."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.completion.mapping import layouts
from halflabel.completion.mapping.defaults import METHOD_NAMES
from halflabel.completion.mapping.layouts import METHODS, Scene, choose_method
from halflabel.methods.mddm import MDDM
from halflabel.numerics.layout import tsne


@pytest.fixture
def scene(rng):
    features = rng.normal(size=(30, 4)) * [4, 3, 2, 1]
    labels = PartialLabels.from_table((features[:, :2] > 0) * 1.0)
    return Scene(features, np.hstack([features, 5 * rng.normal(size=(30, 1))]), labels, 2, 3)


@pytest.mark.parametrize(
    ("n_items", "n_components", "name", "note"),
    [
        (9, 2, "pca", "Fewer than 10 items are drawn by their principal components."),
        (9, 3, "pca", "Fewer than 10 items are drawn by their principal components."),
        (10, 1, "tsne", None),
        (10, 2, "tsne", None),
        (10, 3, "ssdrmc", "t-SNE draws at most 2 dimensions; the 3 dimensions are the spectral embedding of SSDR-MC."),
    ],
)
def test_the_default_depends_on_items_and_dimensions(n_items, n_components, name, note):
    assert choose_method(n_items, n_components) == (name, () if note is None else (note,))


def test_each_name_has_its_method():
    assert [METHODS[name] for name in METHOD_NAMES] == [
        layouts.draw_tsne, layouts.draw_ssdrmc, layouts.draw_mddm, layouts.draw_pca,
    ]  # fmt: skip


def test_principal_components_are_those_of_features_and_labels(scene):
    U, s, _ = np.linalg.svd(scene.joint - scene.joint.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(layouts.draw_pca(scene)), np.abs(U[:, :2] * s[:2]), atol=1e-10)


def test_t_sne_starts_from_them(scene, monkeypatch):
    monkeypatch.setattr(tsne, "lay_out", lambda Z, start, seed: (Z, start, seed))
    Z, start, seed = layouts.draw_tsne(scene)
    assert Z is scene.joint
    np.testing.assert_array_equal(start, layouts.draw_pca(scene))
    assert seed == 3


def test_mddm_projects_the_features_alone(scene):
    drawn = layouts.draw_mddm(scene)
    model = MDDM(n_components=2, null_space="variance", random_state=3).fit(scene.features, scene.labels)
    np.testing.assert_array_equal(drawn, model.transform(scene.features))


def test_the_spectral_embedding_rebuilds_items_from_their_neighbours(scene):
    drawn = layouts.draw_ssdrmc(scene)
    assert drawn.shape == (30, 2)
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=1e-6)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 1e-6
