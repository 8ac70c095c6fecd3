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


def test_the_place_is_the_mean_of_the_ten_nearest_anchors_by_affinity(rng):
    anchors, places, Z = rng.normal(size=(30, 3)), rng.normal(size=(30, 2)), rng.normal(size=(5, 3))
    for z, found in zip(Z, place(anchors, places, Z), strict=True):
        squares = ((anchors - z) ** 2).sum(axis=1)
        near = np.argsort(squares)[:10]
        weights = np.exp(-squares[near] / squares.min())
        np.testing.assert_allclose(found, weights @ places[near] / weights.sum(), rtol=1e-9)


def test_at_an_anchor_nearly_equal_ones_share_the_place():
    """At distance 0 the width is a millionth of the root mean square distance."""
    anchors, places = np.array([[0.0], [1e-6], [np.sqrt(3.0)]]), np.array([[0.0], [1.0], [9.0]])
    weight = np.exp(-1.0)
    np.testing.assert_allclose(place(anchors, places, np.zeros((1, 1))), [[weight / (1 + weight)]], rtol=1e-6)
