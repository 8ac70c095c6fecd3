"""The claims of a paper's text, checked against its records: comparisons of means, and the list of all checks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy import stats

from halflabel.reproduction.sources import is_user_set
from halflabel.reproduction.spec import Claim, Experiment
from halflabel.reproduction.verdicts import curve_claims
from halflabel.reproduction.verdicts.results import (
    ClaimResult,
    Finding,
    Results,
    conclude,
    format_metric,
    lower_is_better,
)
from halflabel.reproduction.verdicts.significance import ALPHA, compare_paired, format_p


def check_claim(claim: Claim, results: Results) -> ClaimResult:
    """Check a claim with the function in :data:`CHECKS` of its ``kind``."""
    if not claim.check:
        return ClaimResult(Finding.NOT_MEASURED, "")
    arguments = dict(claim.check)
    kind, key = arguments.pop("kind"), arguments.pop("experiment")
    experiment = results.experiment(key)
    if experiment is None:
        return ClaimResult(Finding.NOT_MEASURED, "This tier leaves it out.")
    if missing := _list_missing_methods(experiment, arguments):
        return ClaimResult(Finding.NOT_MEASURED, f"This tier does not run {', '.join(missing)}.")
    return CHECKS[kind](results, experiment, **arguments)


def _list_missing_methods(experiment: Experiment, arguments: Mapping[str, Any]) -> list[str]:
    """Return the methods in the arguments of a check that this tier's experiment does not have."""
    required = [arguments.get("method", []), arguments.get("methods", []), arguments.get("than", [])]
    names = [name for one in required for name in ([one] if isinstance(one, str) else one)]
    return [name for name in names if name not in experiment.methods]


def check_beats(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    than: Sequence[str],
    metrics: Sequence[str],
    significant: bool = False,
    at: Mapping[str, Any] | None = None,
) -> ClaimResult:
    """Check that ``method`` has a better mean than each of ``than`` in every metric.

    If ``significant``, a paired t-test at 5 % must confirm it.
    """
    failed, total = [], 0
    for metric in metrics:
        blocks = results.blocks(experiment, metric, at=at)
        for other in than:
            both = blocks[[method, other]].dropna()
            if len(both) < 2:
                continue
            total += 1
            test = compare_paired(both[method], both[other])
            ahead = test.difference < 0 if lower_is_better(metric) else test.difference > 0
            if not ahead or (significant and test.p >= ALPHA):
                failed.append(f"{other} in {format_metric(metric)} ({format_p(test.p)})")
    by = "significantly better" if significant else "better in the mean"
    return conclude(total, failed, f"{method} is {by}")


def check_ahead_on_sets(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    metric: str,
    sets: Sequence[str] = (),
) -> ClaimResult:
    """Check, on all sets or on those in ``sets``, that each of ``methods`` has a better mean than each of ``than``."""
    sign = 1 if lower_is_better(metric) else -1
    total, failed = 0, []
    public = [name for name in experiment.sets if not is_user_set(name) and name in (sets or experiment.sets)]
    for data, method, other in itertools.product(public, methods, than):
        own, others = (sign * results.average(experiment, metric, name, set=data).mean for name in (method, other))
        if math.isnan(own + others):
            continue
        total += 1
        failed += [] if own < others else [f"{method} on {data} ({abs(own):.3f}, {other} {abs(others):.3f})"]
    return conclude(total, failed, f"{' or '.join(methods)} is better in the mean")


def check_among_best(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    than: Sequence[str],
    metric: str,
    ats: Sequence[Mapping[str, Any]],
    set: str = "",
) -> ClaimResult:
    """Check at each point that ``method`` is the best, or that a paired t-test at 5 % does not separate it from it."""
    sign = 1 if lower_is_better(metric) else -1
    total, failed = 0, []
    for at in ats:
        blocks = (sign * results.blocks(experiment, metric, at=at, set=set)[[method, *than]]).dropna()
        if len(blocks) < 2:
            continue
        total += 1
        best = str(blocks.mean().idxmin())
        test = compare_paired(blocks[method], blocks[best])
        if best != method and test.p < ALPHA:
            failed.append(f"{', '.join(f'{k} = {v}' for k, v in at.items())}: {best} ({format_p(test.p)})")
    return conclude(total, failed, f"{method} is the best or not significantly worse than the best")


def check_alike(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metrics: Sequence[str], within: float
) -> ClaimResult:
    """Check that the means of ``methods`` lie within a share of their own mean, in every metric."""
    failed, spans = [], {}
    for metric in metrics:
        means = results.blocks(experiment, metric)[list(methods)].dropna().mean()
        if means.isna().any():
            continue
        name = format_metric(metric)
        spans[name] = float((means.max() - means.min()) / means.mean())
        failed += [] if spans[name] <= within else [name]
    result = conclude(len(spans), failed, f"the means lie within {within:.0%} of each other")
    shown = ", ".join(f"{name} {span:.1%}" for name, span in spans.items())
    return ClaimResult(result.finding, f"{result.evidence} Spread of the means: {shown}." if spans else result.evidence)


def check_slower(
    results: Results, experiment: Experiment, *, method: str, than: str, step: str, set: str = ""
) -> ClaimResult:
    """Check that ``method`` needs more seconds for a step than ``than``, on all sets or on one."""
    first, second = (results.average(experiment, f"seconds {step}", name, set=set).mean for name in (method, than))
    if math.isnan(first + second):
        return conclude(0, [], "")
    finding = Finding.SUPPORTED if first > second else Finding.REFUTED
    return ClaimResult(finding, f"{method} {first:.3g} s, {than} {second:.3g} s in the mean.")


def check_lower_on(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    pairs: Sequence[Sequence[str]],
    significant: bool = False,
) -> ClaimResult:
    """Check, for pairs of sets, that each method has a lower mean on the first; other grid values are pooled.

    If ``significant``, a two-sample t-test at 5 % must confirm it.
    """
    total, failed = 0, []
    for (first, second), method in itertools.product(pairs, methods):
        a, b = (results.blocks(experiment, metric, set=name)[method].dropna() for name in (first, second))
        if len(a) < 2 or len(b) < 2:
            continue
        total += 1
        p = float(stats.ttest_ind(a, b, equal_var=False).pvalue)
        if not a.mean() < b.mean() or (significant and p >= ALPHA):
            failed.append(f"{method} on {first} ({a.mean():.3g} against {b.mean():.3g}, {format_p(p)})")
    result = conclude(total, failed, f"the mean is {'significantly ' if significant else ''}lower")
    if not total or not (left := len(pairs) * len(methods) - total):
        return result
    finding = Finding.IN_PART if result.finding is Finding.SUPPORTED else result.finding
    return ClaimResult(finding, f"{result.evidence} {left} more not measured.")


def check_below(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str, bound: float
) -> ClaimResult:
    """Check that the means lie below a bound."""
    means = {name: results.average(experiment, metric, name).mean for name in methods}
    means = {name: mean for name, mean in means.items() if not math.isnan(mean)}
    failed = [f"{name} ({mean:.3g})" for name, mean in means.items() if not mean < bound]
    return conclude(len(means), failed, f"the mean is below {bound:g}")


def check_pooled(
    results: Results, experiment: Experiment, *, method: str, than: Sequence[str], metric: str, level: float
) -> ClaimResult:
    """Compare by a paired t-test over the runs of all sets and points of the grid together, at a level such as .95."""
    sign = -1 if lower_is_better(metric) else 1
    blocks = sign * _combine_runs(results, experiment, metric)
    failed, details = [], []
    for other in than:
        both = blocks[[method, other]].dropna()
        if len(both) < 2:
            continue
        test = compare_paired(both[method], both[other])
        details.append(f"{other} {test.difference:+.3f} (better in {test.wins} of {test.n} runs, p = {test.p:.2g})")
        failed += [] if test.difference > 0 and test.p < 1 - level else [other]
    result = conclude(len(details), failed, f"{method} is significantly better at the {100 * level:g} % level")
    return ClaimResult(
        result.finding, f"{result.evidence} Against {', '.join(details)}." if details else result.evidence
    )


def _combine_runs(results: Results, experiment: Experiment, metric: str) -> pd.DataFrame:
    """Return values with one row per set, point of the grid and trial, and one column per method."""
    points = itertools.product(*experiment.grid.values())
    ats = [dict(zip(experiment.grid, point, strict=True)) for point in points]
    tables = [results.blocks(experiment, metric, at=at).assign(point=i) for i, at in enumerate(ats)]
    return pd.concat(tables).set_index("point", append=True)


#: The checks by the ``kind`` that a paper's description uses: the name of the function without ``check_``.
CHECKS: Mapping[str, Callable[..., ClaimResult]] = {
    each.__name__.removeprefix("check_"): each
    for each in (
        check_beats,
        check_ahead_on_sets,
        check_among_best,
        check_alike,
        check_slower,
        check_lower_on,
        check_below,
        check_pooled,
        curve_claims.check_any_beats_best,
        curve_claims.check_always_best,
        curve_claims.check_falls_with,
        curve_claims.check_rises_with,
        curve_claims.check_moves,
        curve_claims.check_reliable_area,
        curve_claims.check_in_box,
    )
}
