"""Dense regions of a map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

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


def find_by_loops(coordinates):
    """Return the region of each item: 80 cells along the longer side, a kernel of 2.5 cells, and steps to the peak."""
    low, span = coordinates.min(axis=0), np.ptp(coordinates, axis=0).max()
    cells = [tuple(min(int(v), 79) for v in (place - low) / span * 80) for place in coordinates]
    counts = np.zeros((80, 80))
    for cell in cells:
        counts[cell] += 1
    density = gaussian_filter(counts, 2.5, mode="constant")

    def climb(cell):
        around = [(cell[0] + i, cell[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        best = max((each for each in around if min(each) >= 0 and max(each) < 80), key=lambda each: density[each])
        return cell if best == cell else climb(best)

    peaks = [climb(cell) for cell in cells]
    sizes = {peak: peaks.count(peak) for peak in sorted(set(peaks))}
    large = sorted((peak for peak in sizes if sizes[peak] >= max(10, 0.02 * len(cells))), key=lambda peak: -sizes[peak])
    region = [large.index(peak) if peak in large else -1 for peak in peaks]
    centre = []
    for peak in large:
        rows = [i for i, each in enumerate(peaks) if each == peak]
        centre.append(min(rows, key=lambda i: (cells[i][0] - peak[0]) ** 2 + (cells[i][1] - peak[1]) ** 2))
    return region, centre


@pytest.mark.parametrize("shape", [(1.0, 1.0), (1.0, 0.3), (0.2, 1.0)])
def test_regions_are_those_of_loops(shape, rng):
    coordinates = rng.normal(size=(150, 2)) * shape + 7
    region, centre = find_regions(coordinates)
    expected = find_by_loops(coordinates)
    assert region.tolist() == expected[0]
    assert centre.tolist() == expected[1]
    assert region.max() >= 0


@pytest.mark.parametrize(
    ("n", "size", "is_region"), [(50, 10, True), (50, 9, False), (1000, 20, True), (1000, 19, False)]
)
def test_a_region_has_ten_items_and_two_percent_of_all(n, size, is_region):
    coordinates = np.repeat([[0.0, 0.0], [9.0, 5.0]], (n - size, size), axis=0)
    region, centre = find_regions(coordinates)
    assert region.tolist() == [0] * (n - size) + [1 if is_region else -1] * size
    assert centre.tolist() == [0, n - size][: 1 + is_region]
