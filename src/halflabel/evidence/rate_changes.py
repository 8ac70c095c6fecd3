"""Labels whose share of relevant entries is another one among the gaps than among the given entries."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels

#: Factor by which the share changes, and minimum number of given entries and of gaps.
FACTOR, MIN_ENTRIES = 2.0, 20

#: Number of standard errors, at the larger variance of both shares, beyond which a change is not by chance.
STANDARD_ERRORS = 3.0


def find_rate_changes(labels: PartialLabels, p: Floats) -> list[tuple[str, float, float]]:
    """Return the labels whose share of relevant entries changes by more than a factor of two.

    The mean of p over the gaps is their expected share, which no threshold changes. A result is a label, its share
    among the given entries, and among the gaps, the largest factor first.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1.0]] * 30 + [[0.0]] * 10 + [[np.nan]] * 40)
    >>> find_rate_changes(labels, np.full((80, 1), 0.1))
    [('label0', 0.75, 0.1)]
    """
    known = labels.observed & ~np.isnan(p)
    gaps = ~labels.observed & ~np.isnan(p)
    found = []
    for j, name in enumerate(labels.names):
        n = int(known[:, j].sum())
        if min(n, int(gaps[:, j].sum())) < MIN_ENTRIES:
            continue
        given, filled = float(labels.relevant[known[:, j], j].mean()), float(p[gaps[:, j], j].mean())
        by_chance = STANDARD_ERRORS * np.sqrt(max(given * (1 - given), filled * (1 - filled)) / n)
        if max(given, filled) > FACTOR * min(given, filled) and abs(given - filled) > by_chance:
            found.append((name, given, filled))
    return sorted(found, key=lambda each: -abs(np.log(max(each[1], 1e-9) / max(each[2], 1e-9))))
