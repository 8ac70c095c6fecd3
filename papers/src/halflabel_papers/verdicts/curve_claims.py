"""The claims of a paper's text about curves and maps: a metric over the axis of a figure, and over a setting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from halflabel_papers.spec import Experiment
from halflabel_papers.verdicts.comparisons import Comparisons
from halflabel_papers.verdicts.results import (
    ClaimResult,
    Finding,
    Results,
    conclude,
    format_metric,
    lower_is_better,
    with_flip,
)
from halflabel_papers.verdicts.significance import format_p

#: Minimum number of points on each side of a comparison of a map's points.
MIN_SIDE = 3


# -- curves --------------------------------------------------------------------------------


def _mean_curves(results: Results, experiment: Experiment, metric: str, set: str = "") -> pd.DataFrame:
    """Return the mean of each method (the columns) at each point of the axis (the rows), on all sets or on one."""
    points = experiment.grid[experiment.x]
    return pd.DataFrame({x: results.list_means(experiment, metric, at={experiment.x: x}, set=set) for x in points}).T


def check_any_beats_best(results: Results, experiment: Experiment, *, method: str, metric: str) -> ClaimResult:
    """Compare each point of the axis of ``method`` with the best point of any other method."""
    sign = 1 if lower_is_better(metric) else -1
    curves = sign * _mean_curves(results, experiment, metric)
    own, others = curves[method].dropna(), curves.drop(columns=method).min().dropna()
    if others.empty:
        return conclude(0, [], "")
    failed = [f"{experiment.x} = {x:g}" for x, y in own.items() if y >= others.min()]
    claim = f"{method} is better than {others.idxmin()}, the best of the others at its best point"
    return conclude(len(own), failed, claim)


def check_always_best(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    metric: str | Sequence[str],
    than: Sequence[str] = (),
    up_to: float = math.inf,
    set: str = "",
) -> ClaimResult:
    """Check at each point of the axis up to ``up_to`` that ``method`` is better than all others, or all of ``than``.

    Of several metrics, such as one under several threshold rules, each is a comparison of its own.
    """
    total, failed, missing, metrics = 0, [], 0, [metric] if isinstance(metric, str) else metric
    for name in metrics:
        sign = 1 if lower_is_better(name) else -1
        curves = sign * _mean_curves(results, experiment, name, set).loc[lambda table: table.index <= up_to]
        others = curves[list(than)] if than else curves.drop(columns=method)
        points = pd.DataFrame({"own": curves[method], "others": others.min(axis=1, skipna=not than)})
        both = points.dropna()
        total, missing = total + len(both), missing + len(points) - len(both)
        where = f" in {format_metric(name)}" * (len(metrics) > 1)
        failed += [f"{experiment.x} = {x:g}{where}" for x, row in both.iterrows() if not row["own"] < row["others"]]
    return conclude(total, failed, f"{method} is the best", missing=missing)


def check_within(
    results: Results, experiment: Experiment, *, first: str, second: str, metric: str, bound: float
) -> ClaimResult:
    """Check at each point of the axis that the means of two methods differ by at most a bound."""
    gaps = _mean_curves(results, experiment, metric)[[first, second]].dropna().diff(axis=1).iloc[:, 1].abs()
    failed = [f"{experiment.x} = {x:g} ({gap:.2g})" for x, gap in gaps.items() if gap > bound]
    missing = len(experiment.grid[experiment.x]) - len(gaps)
    result = conclude(len(gaps), failed, f"{first} and {second} differ by at most {bound:g}", missing=missing)
    return with_flip(result, "from", float(gaps.max()), bound) if len(gaps) else result


def check_falls_with(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str, name: str, rises: bool = False
) -> ClaimResult:
    """Check that the mean falls, or rises, from each value of a grid axis to the next, on every set."""
    total, failed, missing = _compare_steps(results, experiment, methods, metric, name, 1 if rises else -1)
    return conclude(total, failed, f"the mean {'rises' if rises else 'falls'} with {name}", missing=missing)


def _compare_steps(
    results: Results, experiment: Experiment, methods: Sequence[str], metric: str, name: str, sign: int
) -> tuple[int, list[str], int]:
    """Return the number of measured steps along a grid axis, those against the sign, and the number of missing ones."""
    values = experiment.grid[name]
    total, failed = 0, []
    sets = [data for data in experiment.printed_sets if data in results.paper.sets]
    for data, method in itertools.product(sets, methods):
        means = [results.average(experiment, metric, method, at={name: v}, set=data).mean for v in values]
        steps = [
            (v, sign * (b - a)) for v, a, b in zip(values[1:], means, means[1:], strict=False) if a == a and b == b
        ]
        total += len(steps)
        failed += [f"{method} on {data} at {name} = {v}" for v, change in steps if not change > 0]
    return total, failed, len(sets) * len(methods) * (len(values) - 1) - total


def check_moves(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    up_to: float = math.inf,
    at_most: float = math.inf,
    at_least: float = 0.0,
) -> ClaimResult:
    """Check the range of each method's mean over the axis up to a point against an upper and a lower bound."""
    table = _mean_curves(results, experiment, metric)[list(methods)]
    curves = table.loc[table.index <= up_to].dropna(axis=1)
    spans = {str(name): float(curve.max() - curve.min()) for name, curve in curves.items() if len(curve) > 1}
    failed = [name for name, span in spans.items() if not at_least <= span <= at_most]
    bounds = [f"at most {at_most:g}"] * (at_most < math.inf) + [f"at least {at_least:g}"] * (at_least > 0)
    result = conclude(len(spans), failed, f"the mean {format_metric(metric)} moves by {' and '.join(bounds)}")
    if not spans:
        return result
    shown = ", ".join(f"{name} {span:.3f}" for name, span in spans.items())
    result = ClaimResult(result.finding, f"{result.evidence} It moves by: {shown}.")
    if at_most < math.inf:
        result = with_flip(result, "from", max(spans.values()), at_most)
    return with_flip(result, "up to", min(spans.values()), at_least) if at_least > 0 else result


# -- maps ----------------------------------------------------------------------------------


def average_map(results: Results, experiment: Experiment, metric: str, along: str, data: str) -> pd.DataFrame:
    """Return means with a row per point of the axis and a column per value of the setting, both ascending."""
    rows = {
        x: results.blocks(experiment, metric, at={experiment.x: x}, set=data).mean()
        for x in experiment.grid[experiment.x]
    }
    settings = _list_settings(results, experiment, along)
    return pd.DataFrame(rows).T.rename(columns=settings).sort_index().sort_index(axis=1)


def _list_settings(results: Results, experiment: Experiment, along: str) -> dict[str, float]:
    return {name: float(results.paper.methods[name].steps[0][along]) for name in experiment.methods}


def _highest(table: pd.DataFrame) -> float:
    return float(table.max().max())


def check_in_box(
    results: Results,
    experiment: Experiment,
    *,
    metric: str,
    along: str,
    box: Sequence[Sequence[float]],
    low: float = -math.inf,
    high: float = math.inf,
    of_best: float = 0.0,
    share: float = 1.0,
) -> ClaimResult:
    """Check at every point of a box of the map, or at a share of its points, that all runs lie between two bounds.

    Parameters
    ----------
    along : str
        The setting of their first step in which the methods differ.
    box : two pairs of float
        Smallest and largest value of the setting, then of the axis.
    of_best : float
        Instead of ``low``: this share of the best mean on the map.
    share : float
        The share of the points that the claim needs; "most" is more than a half.
    """
    (first, last), (left, right) = box
    methods = [name for name, value in _list_settings(results, experiment, along).items() if first <= value <= last]
    points = [x for x in experiment.grid[experiment.x] if left <= x <= right]
    total, failed, details = 0, [], []
    for data in experiment.sets:
        bound = of_best * _highest(average_map(results, experiment, metric, along, data)) if of_best else low
        values = []
        for x, name in itertools.product(points, methods):
            runs = results.blocks(experiment, metric, at={experiment.x: x}, set=data)[name].dropna()
            values += list(runs)
            total += len(runs) > 0
            failed += [] if runs.between(bound, high).all() else [f"{name}, {experiment.x} = {x:g} on {data}"]
        if values:
            details.append(f"{data}: {min(values):.3g} to {max(values):.3g}, median {np.median(values):.3g}")
    bounds = f"at least {of_best:.0%} of the best" if of_best else _format_bounds(low, high)
    result = conclude(total, failed, f"every run's {format_metric(metric)} is {bounds}")
    if total and share < 1:
        reached = 1 - len(failed) / total
        result = ClaimResult(
            Finding.SUPPORTED if reached > share else Finding.REFUTED,
            f"{result.evidence} The claim needs more than {share:.0%} of the points; these are {reached:.0%}.",
        )
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}." if details else result.evidence)


def _format_bounds(low: float, high: float) -> str:
    if math.isinf(low) or math.isinf(high):
        return f"at most {high:g}" if math.isinf(low) else f"at least {low:g}"
    return f"between {low:g} and {high:g}"


def check_box_against_rest(
    results: Results, experiment: Experiment, *, metrics: Sequence[str], along: str, box: Sequence[Sequence[float]]
) -> ClaimResult:
    """Check on every set that the means in a box of the map are better than those outside, by a rank test at 5 %.

    The units of the test (Mann-Whitney) are the points of the map.
    """
    (first, last), (left, right) = box
    found, details = Comparisons(), []
    for metric, data in itertools.product(metrics, experiment.sets):
        table = average_map(results, experiment, metric, along, data)
        inside = table.index.to_series().between(left, right).to_numpy()[:, None] & [
            first <= float(value) <= last for value in table.columns
        ]
        known = table.notna().to_numpy()
        a, b = table.to_numpy()[inside & known], table.to_numpy()[~inside & known]
        if min(len(a), len(b)) < MIN_SIDE:
            continue
        p = float(stats.mannwhitneyu(a, b).pvalue)
        ahead = bool(np.mean(a) < np.mean(b)) is lower_is_better(metric)
        found.add(f"{format_metric(metric)} on {data}", format_p(p), p, agrees=ahead)
        details.append(f"{format_metric(metric)} on {data} {np.mean(a):.3g}, outside {np.mean(b):.3g}")
    result = found.conclude("the mean is significantly better in the region than outside")
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}." if details else result.evidence)
