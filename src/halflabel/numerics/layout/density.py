"""Dense regions of a map: the items that belong to each peak of their density."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints

#: Number of cells along the longer side of the map, and standard deviation of the density kernel in cells.
CELLS, BANDWIDTH = 80, 2.5

#: Minimum share of the items in a region, and minimum number of items in a region.
MIN_SHARE, MIN_ITEMS = 0.02, 10


def find_regions(coordinates: Floats) -> tuple[Ints, Ints]:
    """Return the region of each item, and the item at the centre of each region.

    The density is a histogram on a grid, smoothed by a Gaussian kernel. From the cell of an item, each step goes to the
    densest neighbouring cell, until a peak: items with one peak are one region. Regions are numbered from 0, the
    largest first; -1 is an item whose region would be too small. The centre of a region is the item that is nearest to
    its peak.
    """
    low = coordinates.min(axis=0)
    span = float(np.ptp(coordinates, axis=0).max()) or 1.0
    cell = np.minimum(((coordinates - low) / span * CELLS).astype(np.intp), CELLS - 1)
    counts = np.zeros((CELLS, CELLS))
    np.add.at(counts, (cell[:, 0], cell[:, 1]), 1.0)
    peak = _climb(_smooth(counts))[cell[:, 0] * CELLS + cell[:, 1]]
    peaks, sizes = np.unique(peak, return_counts=True)
    large = np.argsort(-sizes, kind="stable")
    large = large[sizes[large] >= max(MIN_ITEMS, MIN_SHARE * len(cell))]
    number = np.full(CELLS * CELLS, -1)
    number[peaks[large]] = np.arange(len(large))
    places = np.column_stack(np.divmod(peaks[large], CELLS))
    region = number[peak]
    members = [np.flatnonzero(region == r) for r in range(len(large))]
    nearest = [rows[((cell[rows] - at) ** 2).sum(axis=1).argmin()] for rows, at in zip(members, places, strict=True)]
    return region, np.array(nearest, dtype=np.intp)


def _smooth(counts: Floats) -> Floats:
    """Return the counts under a Gaussian kernel, with nothing outside the grid."""
    steps = np.arange(CELLS)[:, None] - np.arange(CELLS)
    kernel = np.exp(-0.5 * (steps / BANDWIDTH) ** 2)
    return kernel @ counts @ kernel


def _climb(density: Floats) -> Ints:
    """Return for each cell the peak that is reached by repeated moves to the densest of the nine cells around."""
    numbers, padded = np.arange(density.size).reshape(density.shape), np.pad(density, 1, constant_values=-1.0)
    places, n = np.pad(numbers, 1), len(density)
    moves = [(slice(i, i + n), slice(j, j + n)) for i in range(3) for j in range(3)]
    best = np.stack([padded[move] for move in moves]).argmax(axis=0)
    up = np.take_along_axis(np.stack([places[move] for move in moves]), best[None], axis=0)[0].ravel()
    while (further := up[up]).tolist() != up.tolist():
        up = further
    return np.asarray(up)
