"""The neighbours that a map keeps and loses, in figures and in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from halflabel._arrays import Floats
from halflabel._wording import decimal
from halflabel.labels import PartialLabels
from halflabel.numerics.layout.quality import measure_trust, score_vote

#: Maximum number of labelled items whose neighbours are compared.
MAX_LABELLED = 5000


@dataclass(frozen=True)
class Quality:
    """Figures of a map. A figure that cannot be measured is NaN."""

    #: Micro-F1 of labels that are taken from the 15 nearest labelled items on the map, from the 15 nearest in the
    #: space that it draws, and from random items. The labels of the item itself are hidden.
    on_map: float
    in_space: float
    by_chance: float
    #: From 0 to 1: whether neighbours on the map have similar features, and whether items with similar features
    #: are neighbours on the map.
    trustworthiness: float
    continuity: float

    @classmethod
    def measure(cls, coordinates: Floats, features: Floats, joint: Floats, labels: PartialLabels) -> Self:
        """Measure the figures on the labelled items. For many items, it takes a random sample."""
        rng = np.random.default_rng(0)
        rows = np.flatnonzero(~labels.unlabelled)
        if len(rows) > MAX_LABELLED:
            rows = np.sort(rng.choice(rows, MAX_LABELLED, replace=False))
        relevant, observed = labels.relevant[rows], labels.observed[rows]
        trustworthiness, continuity = measure_trust(features, coordinates, rng)
        return cls(
            on_map=score_vote(coordinates[rows], relevant, observed),
            in_space=score_vote(joint[rows], relevant, observed),
            by_chance=score_vote(coordinates[rows], relevant, observed, rng),
            trustworthiness=trustworthiness,
            continuity=continuity,
        )

    def describe(self) -> str:
        """Return one sentence, or nothing where nothing could be measured."""
        parts = []
        if not np.isnan(self.on_map):
            parts.append(
                f"labels taken from neighbours on the map reach a micro-F1 of {decimal(self.on_map)} "
                f"(in the full space {decimal(self.in_space)}, by chance {decimal(self.by_chance)})"
            )
        if not np.isnan(self.trustworthiness):
            parts.append(f"trustworthiness {decimal(self.trustworthiness)}, continuity {decimal(self.continuity)}")
        return f"Quality: {'; '.join(parts)}." if parts else ""
