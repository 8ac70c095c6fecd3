"""Places for further items on a map."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.graph.neighbors import neighbors

#: Number of neighbours that decide the place of an item.
NEIGHBORS = 10


def place(anchors: Floats, coordinates: Floats, Z: Floats) -> Floats:
    r"""Return a place on a map for each row of ``Z``: the affinity-weighted mean of its nearest anchors.

    The affinity is :math:`\exp(-d^2/\sigma^2)`, with :math:`\sigma` the distance to the nearest anchor, so that an item
    that is equal to an anchor gets the place of the anchor. ``anchors`` are items that have a place, and
    ``coordinates`` their places.

    Examples
    --------
    >>> place(np.array([[0.0], [1.0], [9.0]]), np.array([[0.0, 0], [1, 0], [9, 9]]), np.array([[0.5], [9.0]])).round(2)
    array([[0.5, 0. ],
           [9. , 9. ]])
    """
    indices, distances = neighbors(anchors, min(NEIGHBORS, len(anchors)), query=Z)
    square = distances**2
    width = np.maximum(square[:, :1], 1e-12 * float(square.mean()) or 1.0)  # an anchor at the same place has them all
    weights = np.exp((square[:, :1] - square) / width)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("ij,ijd->id", weights, coordinates[indices]))
