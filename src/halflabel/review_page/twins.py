"""Pairs of items that are each other's most similar item: equal answers are expected for most of their labels."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel.numerics.graph.neighbors import neighbors

#: Maximum number of items for which pairs are searched.
MAX_ITEMS = 20_000


def find_twins(features: Floats) -> Ints:
    """Return for each item its twin, or -1.

    Two items are twins if each is the nearest neighbour of the other one, nearer than half of such pairs. ``features``
    are the features of a map: :class:`halflabel.completion.mapping.item_map.ItemMap`.

    Examples
    --------
    >>> find_twins(np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [10.0]])).tolist()
    [1, 0, 3, 2, -1, -1]
    """
    if not 1 < len(features) <= MAX_ITEMS:
        return np.full(len(features), -1, dtype=np.intp)
    distances, nearest = (part[:, 0] for part in reversed(neighbors(features, 1)))
    is_mutual = nearest[nearest] == np.arange(len(nearest))
    is_near = distances <= np.median(distances[is_mutual])
    return np.where(is_mutual & is_near, nearest, -1).astype(np.intp)
