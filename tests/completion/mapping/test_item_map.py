"""The map of a completion."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.mapping import item_map
from halflabel.completion.mapping.item_map import draw_item_map
from halflabel.completion.mapping.joint_space import JointSpace
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


def test_more_than_two_dimensions_and_few_items_are_principal_components(rng):
    joint = rng.normal(size=(30, 5)) * [4, 3, 2, 1, 0.5]
    U, s, _ = np.linalg.svd(joint - joint.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(item_map.lay_out(joint, 3, 0)), np.abs(U[:, :3] * s[:3]), atol=1e-10)
    few = joint[:9] - joint[:9].mean(axis=0)
    U, s, _ = np.linalg.svd(few, full_matrices=False)
    np.testing.assert_allclose(np.abs(item_map.lay_out(few, 2, 0)), np.abs(U[:, :2] * s[:2]), atol=1e-10)


def test_t_sne_starts_from_principal_components(rng, monkeypatch):
    joint = rng.normal(size=(30, 5))
    monkeypatch.setattr("halflabel.numerics.layout.tsne.lay_out", lambda Z, start, seed: (Z, start, seed))
    Z, start, seed = item_map.lay_out(joint, 2, 3)
    assert Z is joint
    np.testing.assert_allclose(np.abs(start), np.abs(item_map.lay_out(joint, 3, 3)[:, :2]), atol=1e-10)
    assert seed == 3


def test_only_a_map_of_two_dimensions_has_regions(filled):
    flat = filled.map()
    assert flat.regions == name_regions(flat.coordinates.to_numpy(), flat.labels)
    assert len(flat.regions) > 0
    assert filled.map(3).regions == ()


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
    """A layout of the first two coordinates."""
    monkeypatch.setattr(item_map, "lay_out", lambda joint, n_components, seed: joint[:, :n_components])
    joint = rng.normal(size=(12, 3))
    drawn, notes = item_map._draw_landmarks(joint, 2, max_landmarks, 5)
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
    assert filled.map(1, label_weight=0.0, max_landmarks=10).notes[0].startswith("10 random items")
    features = filled.map(label_weight=0).space.describe_features(filled.opened.X).shape[1]
    assert filled.map(features, label_weight=0).coordinates.shape == (60, features)
    for n_components in (0, features + 1):
        with pytest.raises(ValueError, match=f"has between 1 and {features} dimensions, not {n_components}"):
            filled.map(n_components, label_weight=0)
