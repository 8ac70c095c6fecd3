"""Slow and obvious forms of the statistics of several sources: loops over votes."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def krippendorff(values):
    """Return Krippendorff's alpha of one label from a table (n_sources, n_items), by pairs of votes."""
    units = [[v for v in column if not np.isnan(v)] for column in values.T]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    observed = sum((a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / len(every)
    pairs = list(permutations(every, 2))
    return 1 - observed / (sum((a - b) ** 2 for a, b in pairs) / len(pairs))
