"""A map that is kept with a model, so that new items get a place on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from halflabel._arrays import Floats
from halflabel.completion.mapping.joint_space import JointSpace
from halflabel.numerics.layout.placement import place

if TYPE_CHECKING:
    from halflabel.completion.mapping.item_map import ItemMap

#: Maximum number of items that are kept; of more items, a random sample.
MAX_ANCHORS = 10_000


@dataclass(frozen=True, eq=False)
class SavedMap:
    """Items with their places, and the space in which new items find their nearest ones."""

    space: JointSpace
    anchors: Floats  #: Shape (n_anchors, n_coordinates).
    places: Floats  #: Shape (n_anchors, n_components).

    @classmethod
    def keep(cls, drawn: ItemMap) -> Self:
        """Keep a map, of at most 10 000 of its items."""
        n, rows = len(drawn.joint), np.arange(len(drawn.joint))
        if n > MAX_ANCHORS:
            rows = np.sort(np.random.default_rng(0).choice(n, MAX_ANCHORS, replace=False))
        return cls(drawn.space, drawn.joint[rows], drawn.places[rows])

    def locate(self, X: Any, probabilities: Floats) -> Floats:
        """Return the places of new items.

        The probabilities are the ones that the model learned: of being assigned, for positive-only labels.
        """
        Z = np.hstack([self.space.describe_features(X), self.space.describe_labels(probabilities)])
        return place(self.anchors, self.places, Z)
