"""The claims of a paper's text about whole tables: distances from the best method, averages over all cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

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
from halflabel_papers.verdicts.significance import ALPHA, format_p


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
        means = {
            name: sign * results.average(experiment, metric, name, at=at, set=data).mean for name in (method, *than)
        }
        if any(map(math.isnan, means.values())):
            missing += 1
            continue
        best = min(means, key=lambda name: means[name])
        gap = means[method] - means[best]
        gaps.append(gap)
        details.append(f"{data}: {gap:.3g} from {best}")
        failed += [] if gap <= within else [data]
    result = conclude(len(details), failed, f"{method} is at most {within:g} from the best", missing=missing)
    if not gaps:
        return result
    return with_flip(ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}."), "from", max(gaps), within)


def check_meta_average(
    results: Results, experiment: Experiment, *, metric: str, printed: Mapping[str, float], within: float
) -> ClaimResult:
    """Check for each method that the mean over all cells of the table is near the printed one.

    The evidence compares the measured cells with the printed numbers of the same cells.

    Parameters
    ----------
    printed : mapping of str to float
        The last row of the printed table, by method, in its unit.
    within : float
        In the unit of the table.
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


def check_correlated(
    results: Results, experiment: Experiment, *, metric: str, other: str, positive: bool
) -> ClaimResult:
    """Check on every set that the means of two metrics, over all methods and points of the axis, are correlated.

    The measure is Spearman's rank correlation; without significance at 5 % the direction alone is underpowered.
    """
    failed, weak, against, details = (list[str]() for _ in range(4))
    missing = 0
    for data in experiment.printed_sets:
        pairs = [
            (results.average(experiment, metric, name, at={experiment.x: x}, set=data).mean,
             results.average(experiment, other, name, at={experiment.x: x}, set=data).mean)
            for name in experiment.methods
            for x in experiment.grid[experiment.x]
        ]  # fmt: skip
        known = np.array([pair for pair in pairs if not np.isnan(pair).any()])
        if len(known) < 4:
            missing += 1
            continue
        test = stats.spearmanr(known[:, 0], known[:, 1])
        text = f"{data} {test.statistic:+.2f} ({format_p(float(test.pvalue))}, {len(known)} points)"
        details.append(text)
        agrees = bool(test.statistic > 0) is positive
        if not agrees or test.pvalue >= ALPHA:
            (weak if agrees else failed if test.pvalue < ALPHA else against).append(data)
    names = f"{format_metric(metric)} and {format_metric(other)}"
    claim = f"{names} are {'positively' if positive else 'negatively'} correlated"
    result = conclude(len(details), failed, claim, weak=weak, against=against, missing=missing)
    return ClaimResult(result.finding, f"{result.evidence} {'; '.join(details)}." if details else result.evidence)
