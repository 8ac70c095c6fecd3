"""Sentences of a paper against its records: supported, refuted, or not measured here."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy import stats

from halflabel.reproduction.findings import ClaimResult, Finding, counted
from halflabel.reproduction.maps import in_box, reliable_area
from halflabel.reproduction.results import Results, in_words, lower_is_better
from halflabel.reproduction.significance import ALPHA, p_in_words, paired
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Claim, Experiment


def check(claim: Claim, results: Results) -> ClaimResult:
    """Test a claim by the function of this module that its ``kind`` names."""
    if not claim.check:
        return ClaimResult(Finding.NOT_MEASURED, "")
    arguments = dict(claim.check)
    kind, key = arguments.pop("kind"), arguments.pop("experiment")
    experiment = results.experiment(key)
    if experiment is None:
        return ClaimResult(Finding.NOT_MEASURED, "This tier leaves it out.")
    if missing := _not_run(experiment, arguments):
        return ClaimResult(Finding.NOT_MEASURED, f"This tier does not run {', '.join(missing)}.")
    return CHECKS[kind](results, experiment, **arguments)


def _not_run(experiment: Experiment, arguments: Mapping[str, Any]) -> list[str]:
    """Return the methods that a check asks for and that this tier's experiment does not have."""
    asked = [arguments.get("method", []), arguments.get("methods", []), arguments.get("than", [])]
    names = [name for one in asked for name in ([one] if isinstance(one, str) else one)]
    return [name for name in names if name not in experiment.methods]


def beats(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    than: Sequence[str],
    metrics: Sequence[str],
    significant: bool = False,
    at: Mapping[str, Any] | None = None,
) -> ClaimResult:
    """Compare means: ``method`` is better than each of ``than`` in every metric, if asked by a paired t-test at 5 %."""
    fell_short, total = [], 0
    for metric in metrics:
        blocks = results.blocks(experiment, metric, at=at)
        for other in than:
            both = blocks[[method, other]].dropna()
            if len(both) < 2:
                continue
            total += 1
            test = paired(both[method], both[other])
            ahead = test.difference < 0 if lower_is_better(metric) else test.difference > 0
            if not ahead or (significant and test.p >= ALPHA):
                fell_short.append(f"{other} in {in_words(metric)} ({p_in_words(test.p)})")
    by = "significantly better" if significant else "better in the mean"
    return counted(total, fell_short, f"{method} is {by}")


def any_beats_best(results: Results, experiment: Experiment, *, method: str, metric: str) -> ClaimResult:
    """Compare each point of the axis of ``method`` with the best point of any other method."""
    sign = 1 if lower_is_better(metric) else -1
    curves = sign * _curves(results, experiment, metric)
    own, others = curves[method].dropna(), curves.drop(columns=method).min().dropna()
    if others.empty:
        return counted(0, [], "")
    fell_short = [f"{experiment.x} = {x:g}" for x, y in own.items() if y >= others.min()]
    claim = f"{method} is better than {others.idxmin()}, the best of the others at its best point"
    return counted(len(own), fell_short, claim)


def always_best(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    metric: str,
    than: Sequence[str] = (),
    up_to: float = math.inf,
    set: str = "",
) -> ClaimResult:
    """Compare ``method`` with the best of the others, or of those named, at each point of the axis up to one."""
    sign = 1 if lower_is_better(metric) else -1
    curves = sign * _curves(results, experiment, metric, set).loc[lambda table: table.index <= up_to]
    others = curves[list(than)] if than else curves.drop(columns=method)
    both = pd.DataFrame({"own": curves[method], "others": others.min(axis=1)}).dropna()
    fell_short = [f"{experiment.x} = {x:g}" for x, row in both.iterrows() if not row["own"] < row["others"]]
    return counted(len(both), fell_short, f"{method} is the best")


def alike(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metrics: Sequence[str], within: float
) -> ClaimResult:
    """Ask whether the means of ``methods`` lie within a share of their own mean, in every metric."""
    fell_short, spans = [], {}
    for metric in metrics:
        means = results.blocks(experiment, metric)[list(methods)].dropna().mean()
        if means.isna().any():
            continue
        name = in_words(metric)
        spans[name] = float((means.max() - means.min()) / means.mean())
        fell_short += [] if spans[name] <= within else [name]
    result = counted(len(spans), fell_short, f"the means lie within {within:.0%} of each other")
    shown = ", ".join(f"{name} {span:.1%}" for name, span in spans.items())
    return ClaimResult(result.finding, f"{result.evidence} Spread of the means: {shown}." if spans else result.evidence)


def slower(
    results: Results, experiment: Experiment, *, method: str, than: str, step: str, set: str = ""
) -> ClaimResult:
    """Compare two methods in the mean seconds of a step, on all sets or on one."""
    first, second = (results.measured(experiment, f"seconds {step}", name, set=set).mean for name in (method, than))
    if math.isnan(first + second):
        return counted(0, [], "")
    finding = Finding.SUPPORTED if first > second else Finding.REFUTED
    return ClaimResult(finding, f"{method} {first:.3g} s, {than} {second:.3g} s in the mean.")


def falls_with(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str, name: str
) -> ClaimResult:
    """Ask whether the mean falls from each value of a grid axis to the next, on every set."""
    total, fell_short = _steps(results, experiment, methods, metric, name, -1)
    return counted(total, fell_short, f"the mean falls with {name}")


def rises_with(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str, name: str
) -> ClaimResult:
    """Ask whether the mean rises from each value of a grid axis to the next, on every set."""
    total, fell_short = _steps(results, experiment, methods, metric, name, 1)
    return counted(total, fell_short, f"the mean rises with {name}")


def _steps(
    results: Results, experiment: Experiment, methods: Sequence[str], metric: str, name: str, sign: int
) -> tuple[int, list[str]]:
    """Return how many steps along a grid axis were measured, and those that do not go the way of the sign."""
    values = experiment.grid[name]
    total, against = 0, []
    for data, method in itertools.product(experiment.sets, methods):
        means = [results.measured(experiment, metric, method, at={name: v}, set=data).mean for v in values]
        steps = [
            (v, sign * (b - a)) for v, a, b in zip(values[1:], means, means[1:], strict=False) if a == a and b == b
        ]
        total += len(steps)
        against += [f"{method} on {data} at {name} = {v}" for v, change in steps if not change > 0]
    return total, against


def lower_on(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    pairs: Sequence[Sequence[str]],
    significant: bool = False,
) -> ClaimResult:
    """Compare the same method on two sets, if asked by a two-sample t-test at 5 %; other grid values are pooled."""
    total, fell_short = 0, []
    for (first, second), method in itertools.product(pairs, methods):
        a, b = (results.blocks(experiment, metric, set=name)[method].dropna() for name in (first, second))
        if len(a) < 2 or len(b) < 2:
            continue
        total += 1
        p = float(stats.ttest_ind(a, b, equal_var=False).pvalue)
        if not a.mean() < b.mean() or (significant and p >= ALPHA):
            fell_short.append(f"{method} on {first} ({a.mean():.3g} against {b.mean():.3g}, {p_in_words(p)})")
    found = counted(total, fell_short, f"the mean is {'significantly ' if significant else ''}lower")
    if not total or not (left := len(pairs) * len(methods) - total):
        return found
    finding = Finding.IN_PART if found.finding is Finding.SUPPORTED else found.finding
    return ClaimResult(finding, f"{found.evidence} {left} more not measured.")


def among_best(
    results: Results,
    experiment: Experiment,
    *,
    method: str,
    than: Sequence[str],
    metric: str,
    ats: Sequence[Mapping[str, Any]],
    set: str = "",
) -> ClaimResult:
    """Ask at each point whether ``method`` is the best, or a paired t-test at 5 % cannot tell it from the best."""
    sign = 1 if lower_is_better(metric) else -1
    total, fell_short = 0, []
    for at in ats:
        blocks = (sign * results.blocks(experiment, metric, at=at, set=set)[[method, *than]]).dropna()
        if len(blocks) < 2:
            continue
        total += 1
        best = str(blocks.mean().idxmin())
        test = paired(blocks[method], blocks[best])
        if best != method and test.p < ALPHA:
            fell_short.append(f"{', '.join(f'{k} = {v}' for k, v in at.items())}: {best} ({p_in_words(test.p)})")
    return counted(total, fell_short, f"{method} is the best or cannot be told from it")


def ahead_on_sets(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    metric: str,
    sets: Sequence[str] = (),
) -> ClaimResult:
    """Compare means set by set, on all or on those named: each of ``methods`` is better than each of ``than``."""
    sign = 1 if lower_is_better(metric) else -1
    total, fell_short = 0, []
    public = [name for name in experiment.sets if not is_own(name) and name in (sets or experiment.sets)]
    for data, method, other in itertools.product(public, methods, than):
        own, others = (sign * results.measured(experiment, metric, name, set=data).mean for name in (method, other))
        if math.isnan(own + others):
            continue
        total += 1
        fell_short += [] if own < others else [f"{method} on {data} ({abs(own):.3f}, {other} {abs(others):.3f})"]
    return counted(total, fell_short, f"{' or '.join(methods)} is better in the mean")


def moves(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    up_to: float = math.inf,
    at_most: float = math.inf,
    at_least: float = 0.0,
) -> ClaimResult:
    """Ask how far the mean of each method moves over the axis up to a point: no more, or no less, than said."""
    curves = _curves(results, experiment, metric)[list(methods)].loc[lambda table: table.index <= up_to].dropna(axis=1)
    spans = {str(name): float(curve.max() - curve.min()) for name, curve in curves.items() if len(curve) > 1}
    fell_short = [name for name, span in spans.items() if not at_least <= span <= at_most]
    bounds = [f"at most {at_most:g}"] * (at_most < math.inf) + [f"at least {at_least:g}"] * (at_least > 0)
    result = counted(len(spans), fell_short, f"the mean {in_words(metric)} moves by {' and '.join(bounds)}")
    shown = ", ".join(f"{name} {span:.3f}" for name, span in spans.items())
    return ClaimResult(result.finding, f"{result.evidence} It moves by: {shown}." if spans else result.evidence)


def below(
    results: Results, experiment: Experiment, *, methods: Sequence[str], metric: str, bound: float
) -> ClaimResult:
    """Ask whether the means lie below a bound."""
    means = {name: results.measured(experiment, metric, name).mean for name in methods}
    means = {name: mean for name, mean in means.items() if not math.isnan(mean)}
    fell_short = [f"{name} ({mean:.3g})" for name, mean in means.items() if not mean < bound]
    return counted(len(means), fell_short, f"the mean is below {bound:g}")


def pooled(
    results: Results, experiment: Experiment, *, method: str, than: Sequence[str], metric: str, level: float
) -> ClaimResult:
    """Compare by a paired t-test over the runs of all sets and points of the grid together, at a level such as .95."""
    sign = -1 if lower_is_better(metric) else 1
    blocks = sign * _all_runs(results, experiment, metric)
    fell_short, told = [], []
    for other in than:
        both = blocks[[method, other]].dropna()
        if len(both) < 2:
            continue
        test = paired(both[method], both[other])
        told.append(f"{other} {test.difference:+.3f} (better in {test.wins} of {test.n} runs, p = {test.p:.2g})")
        fell_short += [] if test.difference > 0 and test.p < 1 - level else [other]
    result = counted(len(told), fell_short, f"{method} is significantly better at the {100 * level:g} % level")
    return ClaimResult(result.finding, f"{result.evidence} Against {', '.join(told)}." if told else result.evidence)


def _all_runs(results: Results, experiment: Experiment, metric: str) -> pd.DataFrame:
    """Return values with one row per set, point of the grid and trial, and one column per method."""
    points = itertools.product(*experiment.grid.values())
    ats = [dict(zip(experiment.grid, point, strict=True)) for point in points]
    tables = [results.blocks(experiment, metric, at=at).assign(point=i) for i, at in enumerate(ats)]
    return pd.concat(tables).set_index("point", append=True)


def _curves(results: Results, experiment: Experiment, metric: str, set: str = "") -> pd.DataFrame:
    """Return the mean of each method (the columns) at each point of the axis (the rows), on all sets or on one."""
    points = experiment.grid[experiment.x]
    return pd.DataFrame({x: results.blocks(experiment, metric, at={experiment.x: x}, set=set).mean() for x in points}).T


#: What a paper's description may name.
CHECKS: Mapping[str, Callable[..., ClaimResult]] = {
    each.__name__: each
    for each in (
        beats,
        any_beats_best,
        always_best,
        ahead_on_sets,
        alike,
        moves,
        slower,
        falls_with,
        rises_with,
        pooled,
        reliable_area,
        in_box,
        lower_on,
        among_best,
        below,
    )
}
