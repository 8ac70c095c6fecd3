"""The map of a completion."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import PartialLabels
from halflabel.completion.mapping import item_map
from halflabel.completion.mapping.defaults import METHOD_NAMES
from halflabel.completion.mapping.item_map import draw_item_map
from halflabel.completion.mapping.joint_space import JointSpace
from halflabel.completion.mapping.layouts import Scene
from halflabel.completion.mapping.regions import name_regions
from halflabel.methods.baselines import BinaryRelevance
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.layout.placement import place
from halflabel.numerics.layout.tsne import lay_out


def complete(X, Y):
    return hl.complete(X, Y, method=BinaryRelevance(n_folds=3))


@pytest.fixture(scope="module")
def filled():
    X, Y, _ = half_labelled(np.random.default_rng(0), n=60)
    return complete(X, Y)


def test_a_map_has_the_ids_of_the_items_and_is_drawn_once(filled):
    drawn = filled.map()
    assert drawn is filled.map()
    assert drawn.method == "tsne"
    assert drawn.notes == ()
    assert list(drawn.coordinates) == ["dim1", "dim2"]
    assert drawn.coordinates.index.equals(filled.index)
    pd.testing.assert_frame_equal(filled.map(2).coordinates, drawn.coordinates)
    pd.testing.assert_frame_equal(draw_item_map(filled.evidence).coordinates, drawn.coordinates)


def test_the_order_of_items_and_labels_has_no_effect(filled, rng):
    X, Y, _ = half_labelled(np.random.default_rng(0), n=60)
    items = rng.permutation(60)
    moved = complete(X[items], Y[items]).map().coordinates.to_numpy()
    np.testing.assert_array_equal(moved, filled.map().coordinates.to_numpy()[items])


@pytest.mark.parametrize("method", METHOD_NAMES[:-1])
def test_every_method_draws(filled, method):
    drawn = filled.map(3 if method != "tsne" else 1, method=method)
    assert drawn.method == method
    assert np.isfinite(drawn.coordinates.to_numpy()).all()


def test_only_a_map_of_two_dimensions_has_regions(filled):
    flat = filled.map()
    assert flat.regions == name_regions(flat.coordinates.to_numpy(), flat.labels)
    assert len(flat.regions) > 0
    table = flat.region_table
    assert list(table["label"]) == [each.label for region in flat.regions for each in region.lifts]
    assert table["centre"].isin(flat.coordinates.index).all()
    assert (table["low"] <= table["lift"]).all()
    assert filled.map(3, method="ssdrmc").regions == ()


def test_more_than_two_dimensions_are_spectral(filled):
    drawn = filled.map(4)
    assert drawn.method == "ssdrmc"
    assert drawn.notes == ("t-SNE draws at most 2 dimensions; the 4 dimensions are the spectral embedding of SSDR-MC.",)


def test_labels_by_chance_make_no_groups(rng):
    X = rng.normal(size=(100, 4))
    filled = complete(X, rng.integers(0, 2, (100, 1)).astype(float))
    labels, p = filled.evidence.learned_from, filled.evidence.learned_probabilities

    def vote(probabilities):
        space = JointSpace.learn(X, probabilities, np.array([0]), 2.0)
        joint = np.hstack([space.describe_features(X), space.describe_labels(probabilities)])
        near = neighbors(lay_out(joint, joint[:, -2:], 0), 15)[0]
        return f1_score(labels.relevant, labels.relevant[near].mean(axis=1) >= 0.3)

    assert vote(p) < 0.75  # taking every label has 0.67
    assert vote(labels.relevant.astype(float)) > 0.95  # labels in their own places


def test_landmarks_are_laid_out_and_others_placed_among_them(filled):
    drawn = draw_item_map(filled.evidence, max_landmarks=40)
    assert "40 random items" in drawn.notes[0]
    coordinates = drawn.coordinates.to_numpy()
    assert np.isfinite(coordinates).all()
    assert len(np.unique(coordinates, axis=0)) == 60


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "mds"}, "method must be one of tsne, ssdrmc, mddm, pca, not 'mds'"),
        ({"label_weight": -1.0}, "label_weight must be a number of at least 0"),
        ({"label_weight": np.nan}, "label_weight must be a number of at least 0"),
        ({"n_components": 99}, "between 1 and"),
        ({"max_landmarks": 3}, "max_landmarks must be at least 10"),
    ],
)
def test_wrong_options_raise(filled, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw_item_map(filled.evidence, **options)


@pytest.mark.parametrize("max_landmarks", [12, 11])
def test_others_than_landmarks_are_placed_by_their_neighbours(rng, max_landmarks, monkeypatch):
    """A method that draws the first two coordinates."""
    monkeypatch.setitem(item_map.__dict__, "METHODS", {"own": lambda scene: scene.joint[:, :2]})
    joint = rng.normal(size=(12, 3))
    scene = Scene(joint[:, :1], joint, PartialLabels.from_table(np.ones((12, 1))), 2, 5)
    drawn, notes = item_map._draw_landmarks(scene, "own", max_landmarks)
    if max_landmarks == 12:
        np.testing.assert_array_equal(drawn, joint[:, :2])
        assert notes == ()
        return
    moved = np.flatnonzero((drawn != joint[:, :2]).any(axis=1))
    assert len(moved) == 1
    rest = np.delete(np.arange(12), moved)
    np.testing.assert_array_equal(drawn[moved], place(joint[rest], joint[rest, :2], joint[moved]))
    assert notes == ("11 random items were laid out; every other item has the place of its neighbours.",)


@pytest.mark.parametrize(
    ("asked", "used", "sentence"),
    [
        (1.0, 1.0, None),
        (0.0, 0.0, None),
        (1.0, 0.0, "The map shows the features alone: out-of-fold predictions of the labels have no skill."),
        (2.0, 0.5, "The labels have a weight of 0.50 on the map: out-of-fold predictions have hardly any skill."),
    ],
)
def test_a_reduced_weight_of_the_labels_is_a_note(asked, used, sentence):
    assert item_map._describe_weight(asked, used) == (() if sentence is None else (sentence,))


def test_limits_of_the_options_are_valid(filled):
    assert filled.map(1, method="pca", label_weight=0.0, max_landmarks=10).notes[0].startswith("10 random items")
    features = filled.map(method="pca", label_weight=0).space.describe_features(filled.opened.X).shape[1]
    assert filled.map(features, method="pca", label_weight=0).coordinates.shape == (60, features)
    for n_components in (0, features + 1):
        with pytest.raises(ValueError, match=f"has between 1 and {features} dimensions, not {n_components}"):
            filled.map(n_components, method="pca", label_weight=0)
    assert filled.map(3, method="pca").notes == ()  # the method was stated
