"""Places of further items on a map."""

from __future__ import annotations

import numpy as np

from halflabel.numerics.layout.placement import place


def test_an_anchor_has_its_own_place_and_others_lie_among_their_neighbours(rng):
    anchors, places = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    np.testing.assert_allclose(place(anchors, places, anchors), places, atol=1e-9)
    between = place(anchors, places, rng.normal(size=(20, 3)))
    assert (between >= places.min(axis=0)).all()
    assert (between <= places.max(axis=0)).all()


def test_equal_anchors_share_a_place_and_one_anchor_is_enough():
    places = np.array([[0.0, 0.0], [2.0, 4.0]])
    np.testing.assert_allclose(place(np.zeros((2, 3)), places, np.zeros((1, 3))), [[1, 2]])
    np.testing.assert_allclose(place(np.zeros((1, 3)), places[1:], np.ones((2, 3))), [[2, 4], [2, 4]])
