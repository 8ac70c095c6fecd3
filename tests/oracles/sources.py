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


def dawid_skene(values, assumed, rate, steps):
    """Return the posterior of one label and the tables of Dawid and Skene (1979) with pseudo-counts, by loops.

    values (n_sources, n_items) has 0, 1 or NaN; assumed (n_sources, 2, 2) are pseudo-counts [source][value][vote].
    The share of relevant items is fixed at ``rate``.
    """
    n_sources, n_items = values.shape
    tables = assumed / assumed.sum(axis=2, keepdims=True)
    for step in range(steps + 1):
        q = []
        for i in range(n_items):
            likelihood = [1 - rate, rate]
            for s in range(n_sources):
                if not np.isnan(values[s, i]):
                    likelihood = [likelihood[t] * tables[s][t][int(values[s, i])] for t in (0, 1)]
            q.append(likelihood[1] / sum(likelihood))
        if step == steps:
            return np.array(q), tables
        tables = np.array(assumed, dtype=float)
        for s in range(n_sources):
            for i in range(n_items):
                if not np.isnan(values[s, i]):
                    tables[s][1][int(values[s, i])] += q[i]
                    tables[s][0][int(values[s, i])] += 1 - q[i]
        tables = tables / tables.sum(axis=2, keepdims=True)
    return None


def correlate_errors(a, b, truth):
    """Return the correlation of the votes of two sources given the true value, pooled over both values."""
    covariance = scale = 0.0
    for value in (0, 1):
        x, y = a[truth == value], b[truth == value]
        covariance += len(x) * np.mean((x - x.mean()) * (y - y.mean()))
        scale += len(x) * x.std() * y.std()
    return covariance / scale
