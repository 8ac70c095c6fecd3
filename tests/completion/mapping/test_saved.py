"""Maps that are saved with a model."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.mapping import saved
from halflabel.numerics.graph.neighbors import neighbors


@pytest.fixture(scope="module")
def filled():
    X, Y, _ = half_labelled(np.random.default_rng(0), n=80)
    return hl.complete(X, Y, method=hl.SSDRMC(n_folds=3))


def test_a_known_item_is_placed_near_itself(filled, tmp_path):
    drawn = filled.map(label_weight=0.5)
    filled.save(tmp_path / "m", item_map=drawn)
    places = hl.load(tmp_path / "m").locate(filled.opened.X).to_numpy()
    known = drawn.coordinates.to_numpy()
    distance = np.linalg.norm(places - known, axis=1)
    far = np.linalg.norm(known - known[::-1], axis=1)
    assert np.median(distance) < 0.1 * np.median(far)


def test_features_alone_give_the_very_place(filled, tmp_path):
    drawn = filled.map(label_weight=0)
    filled.save(tmp_path / "m", item_map=drawn)
    places = hl.load(tmp_path / "m").locate(filled.opened.X)
    np.testing.assert_allclose(places, drawn.coordinates, atol=1e-6)


def test_a_sample_of_the_items_is_kept(filled, monkeypatch):
    monkeypatch.setattr(saved, "MAX_ANCHORS", 30)
    kept = saved.SavedMap.keep(filled.map())
    assert len(kept.anchors) == len(kept.places) == 30
    assert neighbors(filled.map().joint, 1, query=kept.anchors)[1].max() == pytest.approx(0, abs=1e-6)


def test_a_model_without_a_map_places_nothing(filled, tmp_path):
    filled.save(tmp_path / "m")
    with pytest.raises(ValueError, match="saved without a map"):
        hl.load(tmp_path / "m").locate(filled.opened.X)
