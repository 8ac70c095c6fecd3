"""The claims of a paper's text about whole tables: distances from the best method, averages, bounds, seconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel_papers.spec import Experiment
from halflabel_papers.verdicts.results import (
    ClaimResult,
    Results,
    Verdict,
    conclude,
    format_metric,
    judge,
    lower_is_better,
    with_flip,
)


def check_close_to_best(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    than: Sequence[str],
    metric: str,
    at: Mapping[str, Any],
    within: float,
) -> ClaimResult:
    """Check on every set that the mean of ``method`` is at most ``within`` worse than the best of ``than``."""
    sign = 1 if lower_is_better(metric) else -1
    failed, details, missing, gaps = [], [], 0, list[float]()
    for data in experiment.printed_sets:
        means = (sign * results.list_means(experiment, metric, at=at, set=data))[[method, *than]]
        if means.hasnans:
            missing += 1
            continue
        best = str(means.idxmin())
        gap = means[method] - means[best]
        gaps.append(gap)
        details.append(f"{data}: {gap:.3g} from {best}")
        failed += [] if gap <= within else [data]
    result = conclude(len(details), failed, f"{method} is at most {within:g} from the best", missing=missing)
    if not gaps:
        return result
    return with_flip(ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}."), "from", max(gaps), within)


def check_each_ahead(results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str) -> ClaimResult:
    """Check that each method is better in the mean than each other one on at least one set."""
    sign = -1 if lower_is_better(metric) else 1
    by_set = {data: sign * results.list_means(experiment, metric, set=data) for data in experiment.sets}
    means = pd.DataFrame(by_set).loc[list(methods)].dropna(axis=1)
    pairs = list(itertools.permutations(methods, 2)) if len(means.columns) else []
    failed = [f"{a} against {b}" for a, b in pairs if not (means.loc[a] > means.loc[b]).any()]
    return conclude(len(pairs), failed, f"a method is ahead on one of the {len(means.columns)} measured sets")


def check_meta_average(
    results: Results, experiment: Experiment, *, metric: str, printed: Mapping[str, float], within: float
) -> ClaimResult:
    """Check for each method that the mean over all cells of the table is near the printed one.

    The evidence compares the measured cells with the printed numbers of the same cells. ``printed`` is the last row of
    the printed table, by method; ``within`` is in the same unit.
    """
    unit = experiment.unit.get(metric, 1.0)
    failed, details, missing = [], [], 0
    for name, value in printed.items():
        cells = [cell for cell in experiment.published if (cell.method, cell.metric) == (name, metric)]
        means = [results.average(experiment, metric, name, at=c.at, set=c.set).mean / unit for c in cells]
        known = [(mean, cell.value) for mean, cell in zip(means, cells, strict=True) if not math.isnan(mean)]
        if not known:
            missing += 1
            continue
        measured, same = np.mean(known, axis=0)
        missing += len(known) < len(cells)
        reference = value if len(known) == len(cells) else same
        failed += [] if abs(measured - reference) <= within else [name]
        details.append(f"{name} {measured:.3g}, {reference:.3g} printed ({len(known)} of {len(cells)} cells)")
    claim = f"the mean {format_metric(metric)} is within {within:g} of the printed one"
    result = conclude(len(details), failed, claim, missing=missing)
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}." if details else result.evidence)


def check_agrees_with_print(results: Results, experiment: Experiment) -> ClaimResult:
    """Check that every printed value of an experiment agrees with the measured one."""
    failed, total = [], 0
    for cell in experiment.published:
        measured = results.average(experiment, cell.metric, cell.method, at=cell.at, set=cell.set)
        verdict = judge(cell, measured, experiment)
        total += verdict is not Verdict.NOT_MEASURED
        if verdict not in (Verdict.AGREES, Verdict.NOT_MEASURED):
            failed.append(f"{format_metric(cell.metric)} of {cell.set} ({measured.mean:.6g}, {cell.value:.6g} printed)")
    return conclude(total, failed, "the printed value agrees", missing=len(experiment.published) - total)


def check_spread_agrees(
    results: Results,
    experiment: Experiment,
    *,
    metrics: Sequence[str],
    factor: float,
    printed: Mapping[str, float] | None = None,
    at: Mapping[str, Any] | None = None,
) -> ClaimResult:
    """Check that measured standard deviations are within a factor of the printed ones.

    Parameters
    ----------
    factor : float
        Above 1.
    printed, at : mapping, optional
        Standard deviations by method at a point of the grid, in the unit of the metric; by default the values of the
        table.
    """
    failed, total, missing, ratios = [], 0, 0, list[float]()
    for metric in metrics:
        unit = experiment.unit.get(metric, 1.0)
        cells = [
            (c.method, c.set, dict(c.at), c.sd * unit) for c in experiment.published if c.metric == metric and c.sd
        ]
        if printed is not None:
            cells = [
                (name, data, dict(at or {}), sd) for name, sd in printed.items() for data in experiment.printed_sets
            ]
        for name, data, point, sd in cells:
            measured = results.average(experiment, metric, name, at=point, set=data)
            if measured.n < 3:
                missing += 1
                continue
            total += 1
            ratios.append(max(measured.sd / sd, sd / measured.sd))
            place = f"{name}{f' on {data}' if data else ''}" + f" in {format_metric(metric)}" * (len(metrics) > 1)
            failed += [] if ratios[-1] <= factor else [f"{place} ({measured.sd:.2g}, {sd:.2g} printed)"]
    names = ", ".join(map(format_metric, metrics))
    claim = f"the standard deviation of {names} is within a factor of {factor:g} of the printed one"
    result = conclude(total, failed, claim, missing=missing)
    return with_flip(result, "from", max(ratios), factor) if ratios else result


def check_as_fast(
    results: Results, experiment: Experiment, *, method: str, than: Mapping[str, Sequence[str]], factor: float
) -> ClaimResult:
    """Check that ``method`` needs at most a factor of the seconds of each rival, on the sets of both.

    ``than`` has the rivals by the key of an experiment in which both are.
    """
    failed, details, missing = [], [], 0
    for key, names in than.items():
        own = results.experiment(key) or experiment
        for name in names:
            runs = results.blocks(own, "seconds fit").reindex(columns=[method, name]).dropna()
            if runs.empty:
                missing += 1
                continue
            first, second = runs.mean()
            details.append(f"{method} {first:.3g} s, {name} {second:.3g} s (factor {first / second:.2g})")
            failed += [name] if first > factor * second else []
    claim = f"{method} needs at most {factor:g} times the seconds"
    result = conclude(len(details), failed, claim, missing=missing)
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}." if details else result.evidence)


def check_entries_per_freedom(
    results: Results, experiment: Experiment, *, name: str, below: float = 1.0
) -> ClaimResult:
    """Check that observed features per degree of freedom are below a bound on every set, at every value of ``name``.

    A matrix of rank r with n items and d features has r (n + d - r) degrees of freedom. Nothing is measured.
    """
    ratios = {}
    for data, share in itertools.product(experiment.printed_sets, experiment.grid[name]):
        n, d, r = (results.paper.sets[data].settings[key] for key in ("n", "d", "r"))
        ratios[f"{data}, {name} = {share}"] = share * n * d / (r * (n + d - r))
    failed = [place for place, ratio in ratios.items() if not ratio < below]
    result = conclude(len(ratios), failed, f"the ratio is below {below:g}")
    return ClaimResult(
        result.finding, f"{result.evidence} It is {min(ratios.values()):.2g} to {max(ratios.values()):.2g}."
    )


def check_below(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    bound: float,
    at: Mapping[str, float] | None = None,
    reaches: bool = False,
) -> ClaimResult:
    """Check that the means lie below a bound, or that they reach it, at one point of the grid or over all points."""
    known, missing = _average_each(results, experiment, methods, metric, at)
    failed = [f"{name} ({mean:.3g})" for name, mean in known.items() if (mean < bound) is reaches]
    claim = f"the mean is {'at least' if reaches else 'below'} {bound:g}"
    result = conclude(len(known), failed, claim, missing=missing)
    if not known:
        return result
    shown = ", ".join(f"{name} {mean:.3g}" for name, mean in known.items())
    result = ClaimResult(result.finding, f"{result.evidence} Means: {shown}.")
    extreme = min(known.values()) if reaches else max(known.values())
    return with_flip(result, "up to" if reaches else "above", extreme, bound)


def _average_each(
    results: Results,
    experiment: Experiment,
    methods: Sequence[str],
    metric: str,
    at: Mapping[str, float] | None = None,
) -> tuple[dict[str, float], int]:
    """Return the means of the measured methods, and the number of the other ones."""
    means = {name: results.average(experiment, metric, name, at=at).mean for name in methods}
    known = {name: mean for name, mean in means.items() if not math.isnan(mean)}
    return known, len(means) - len(known)
