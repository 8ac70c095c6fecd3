"""Sentences of a paper about a map: a metric over a method's setting and the axis of a figure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.interpolate import RegularGridInterpolator

from halflabel._arrays import Floats
from halflabel.reproduction.findings import ClaimResult, Finding, counted
from halflabel.reproduction.results import Results, in_words
from halflabel.reproduction.spec import Experiment

#: A map of fewer measured points per side has no area to speak of.
FEWEST = 3

#: Points per side on which an area is counted: .01 to .99 by .01.
SIDE = 99


def reliable_area(
    results: Results,
    experiment: Experiment,
    *,
    metric: str,
    along: str,
    printed: Mapping[str, float],
    tolerance: float,
    within: Sequence[float],
    of_best: Sequence[float],
) -> ClaimResult:
    """Ask whether a definition of "reliable" gives the printed share of the map's area on every set.

    Parameters
    ----------
    along : str
        The setting of their first step in which the methods differ.
    printed : mapping of str to float
        Share of the area, by set.
    tolerance : float
        How far a share may lie from the printed one.
    within, of_best : sequence of float
        Reliable is a mean no further than this below the best, or at least this share of it. Between measured points
        the map is interpolated linearly.
    """
    maps = {name: _map(results, experiment, metric, along, name) for name in printed if name in experiment.sets}
    whole = {name: table for name, table in maps.items() if min(table.shape) >= FEWEST and table.notna().all(axis=None)}
    shares = {name: _shares(table, within, of_best) for name, table in whole.items()}
    if not shares:
        return counted(0, [], "")
    near = pd.DataFrame(
        {name: [abs(share - printed[name]) <= tolerance for share in each.values()] for name, each in shares.items()}
    )
    finding = Finding.IN_PART if near.any().all() else Finding.REFUTED
    finding = Finding.SUPPORTED if near.all(axis=1).any() else finding
    told = [f"{name} ({printed[name]:.1%} printed): {_listed(each)}" for name, each in shares.items()]
    return ClaimResult(finding, f"Share of the area by what reliable means. {'. '.join(told)}.")


def _map(results: Results, experiment: Experiment, metric: str, along: str, data: str) -> pd.DataFrame:
    """Return means with a row per point of the axis and a column per value of the setting, both ascending."""
    settings = _settings(results, experiment, along)
    rows = {
        x: results.blocks(experiment, metric, at={experiment.x: x}, set=data).mean()
        for x in experiment.grid[experiment.x]
    }
    return pd.DataFrame(rows).T.rename(columns=settings).sort_index().sort_index(axis=1)


def _highest(table: pd.DataFrame) -> float:
    return float(table.max().max())


def _settings(results: Results, experiment: Experiment, along: str) -> dict[str, float]:
    return {name: float(results.paper.methods[name].steps[0][along]) for name in experiment.methods}


def _shares(table: pd.DataFrame, within: Sequence[float], of_best: Sequence[float]) -> dict[str, float]:
    values, best = _interpolated(table), _highest(table)
    bounds = {f"within {w:g} of the best": best - w for w in within}
    bounds |= {f"at least {share:.0%} of it": share * best for share in of_best}
    return {words: float((values >= bound).mean()) for words, bound in bounds.items()}


def _interpolated(table: pd.DataFrame) -> Floats:
    sides = [table.index.to_numpy(dtype=float), table.columns.to_numpy(dtype=float)]
    fine = [np.linspace(side[0], side[-1], SIDE) for side in sides]
    return np.asarray(RegularGridInterpolator(sides, table.to_numpy())(tuple(np.meshgrid(*fine, indexing="ij"))))


def _listed(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{words} {share:.1%}" for words, share in shares.items())


def in_box(
    results: Results,
    experiment: Experiment,
    *,
    metric: str,
    along: str,
    box: Sequence[Sequence[float]],
    low: float = -math.inf,
    high: float = math.inf,
    of_best: float = 0.0,
) -> ClaimResult:
    """Ask at every point of a box of the map whether all runs lie between bounds.

    Parameters
    ----------
    along : str
        The setting of their first step in which the methods differ.
    box : two pairs of float
        Least and greatest value of the setting, then of the axis.
    low, high : float
    of_best : float
        Instead of ``low``: this share of the best mean on the map.
    """
    (first, last), (left, right) = box
    methods = [name for name, value in _settings(results, experiment, along).items() if first <= value <= last]
    points = [x for x in experiment.grid[experiment.x] if left <= x <= right]
    total, fell_short, told = 0, [], []
    for data in experiment.sets:
        least = of_best * _highest(_map(results, experiment, metric, along, data)) if of_best else low
        found = []
        for x, name in itertools.product(points, methods):
            runs = results.blocks(experiment, metric, at={experiment.x: x}, set=data)[name].dropna()
            found += list(runs)
            total += len(runs) > 0
            fell_short += [] if runs.between(least, high).all() else [f"{name}, {experiment.x} = {x:g} on {data}"]
        if found:
            told.append(f"{data}: {min(found):.3g} to {max(found):.3g}, median {np.median(found):.3g}")
    bounds = f"at least {of_best:.0%} of the best" if of_best else _between(low, high)
    result = counted(total, fell_short, f"every run's {in_words(metric)} is {bounds}")
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(told)}." if told else result.evidence)


def _between(low: float, high: float) -> str:
    if math.isinf(low) or math.isinf(high):
        return f"at most {high:g}" if math.isinf(low) else f"at least {low:g}"
    return f"between {low:g} and {high:g}"
