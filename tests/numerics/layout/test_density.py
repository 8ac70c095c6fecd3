"""Dense regions of a map."""

from __future__ import annotations

import numpy as np

from halflabel.numerics.layout.density import find_regions


def test_each_cloud_is_a_region_and_has_an_item_at_its_centre(rng):
    sizes, centers = (120, 60, 30), np.array([[0.0, 0], [40, 0], [0, 40]])
    cloud = np.repeat(np.arange(3), sizes)
    coordinates = centers[cloud] + rng.normal(size=(210, 2))
    region, centre = find_regions(coordinates)
    np.testing.assert_array_equal(region, cloud)
    assert (np.linalg.norm(coordinates[centre] - centers, axis=1) < 1.5).all()


def test_outliers_belong_to_no_region(rng):
    coordinates = np.vstack([rng.normal(size=(50, 2)), [[30.0, 30], [-30, 30]]])
    region, centre = find_regions(coordinates)
    assert region.tolist() == [0] * 50 + [-1] * 2
    assert len(centre) == 1


def test_equal_places_are_one_region_and_a_few_items_none():
    assert find_regions(np.ones((20, 2)))[0].tolist() == [0] * 20
    assert len(find_regions(np.ones((5, 2)))[1]) == 0
