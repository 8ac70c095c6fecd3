"""The claims of a paper's text, checked against its records: comparisons of means, and the list of all checks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from scipy import stats

from halflabel_papers.spec import Claim, Experiment
from halflabel_papers.verdicts import curve_claims, table_claims
from halflabel_papers.verdicts.comparisons import (
    Comparisons,
    compute_p,
    describe_power,
    split_opposites,
    split_points,
)
from halflabel_papers.verdicts.results import (
    ClaimResult,
    Finding,
    Results,
    conclude,
    format_metric,
    lower_is_better,
    with_flip,
)
from halflabel_papers.verdicts.significance import (
    ALPHA,
    compute_p_of_difference,
    detect_difference,
    format_p,
)

#: The checks that count missing sets themselves.
COUNTS_SETS = (
    "ahead_on_sets",
    "agrees_with_print",
    "close_to_best",
    "entries_per_freedom",
    "falls_with",
    "meta_average",
    "spread_agrees",
)


def check_claim(claim: Claim, results: Results) -> ClaimResult:
    """Check a claim with the function in :data:`CHECKS` of its ``kind``."""
    arguments = dict(claim.check)
    kind, key = arguments.pop("kind"), arguments.pop("experiment")
    experiment = results.experiment(key)
    if experiment is None:
        return ClaimResult(Finding.NOT_MEASURED, "This tier leaves it out.")
    own = {name for name, method in results.paper.methods.items() if method.added}
    experiment = replace(experiment, methods=tuple(name for name in experiment.methods if name not in own))
    if missing := _list_missing_methods(experiment, arguments):
        return ClaimResult(Finding.NOT_MEASURED, f"This tier does not run {', '.join(missing)}.")
    result = CHECKS[kind](results, experiment, **arguments)
    if claim.untested:
        finding = Finding.IN_PART if result.finding is Finding.SUPPORTED else result.finding
        result = ClaimResult(finding, f"{result.evidence} {claim.untested}")
    names_sets = any(name in arguments for name in ("set", "sets", "pairs")) or kind in COUNTS_SETS
    return result if names_sets else _count_sets(result, results, experiment)


def _count_sets(result: ClaimResult, results: Results, experiment: Experiment) -> ClaimResult:
    """Return the result with the number of printed sets that were measured. Without all sets it holds in part."""
    if result.finding is Finding.NOT_MEASURED:
        return result
    own = [each for each in results.records if each.experiment == experiment.key and each.metrics]
    measured = {each.set for each in own} & set(experiment.printed_sets)
    if len(measured) == len(experiment.printed_sets):
        return result
    finding = Finding.IN_PART if result.finding is Finding.SUPPORTED else result.finding
    return ClaimResult(
        finding, f"{result.evidence} Measured on {len(measured)} of {len(experiment.printed_sets)} sets."
    )


def _list_missing_methods(experiment: Experiment, arguments: Mapping[str, Any]) -> list[str]:
    """Return the methods in the arguments of a check that this tier's experiment does not have."""
    required = [arguments.get("method", []), arguments.get("methods", []), arguments.get("than", [])]
    required = [[] if isinstance(one, Mapping) else one for one in required]
    names = [name for one in required for name in ([one] if isinstance(one, str) else one)]
    return [name for name in names if name not in experiment.methods]


def check_beats(
    results: Results,
    experiment: Experiment,
    *,
    method: str | Sequence[str],
    than: Sequence[str],
    metrics: Sequence[str],
    significant: bool = False,
    level: float = 1 - ALPHA,
    at: Mapping[str, Any] | None = None,
) -> ClaimResult:
    """Check that ``method``, or each of several, has a better mean than each of ``than`` in every metric.

    If ``significant``, a paired t-test at the level must confirm it. The same test must confirm a contradiction. Where
    sets or points of the grid are significant in opposite directions, each of them is a comparison of its own.
    """
    found = Comparisons(experiment.unit_of_pairs, 1 - level)
    names = [method] if isinstance(method, str) else method
    for metric, own, other in itertools.product(metrics, names, than):
        runs = results.blocks(experiment, metric, at=at)
        gain = (runs[own] - runs[other]).dropna() * (-1 if lower_is_better(metric) else 1)
        place = f"{own} against {other}" if len(names) > 1 else other
        found.compare(gain, f"{place} in {format_metric(metric)}", significant=significant)
    at_level = f" at the {100 * level:g} % level" if level != 1 - ALPHA else ""
    by = f"significantly better{at_level}" if significant else "better in the mean"
    return found.conclude(f"{_join(names)} is {by}")


def _join(names: Sequence[str]) -> str:
    return " or ".join(names)


def check_ahead_on_sets(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    metrics: Sequence[str],
    sets: Sequence[str] = (),
    rank: int = 1,
    margin: float = 0.0,
) -> ClaimResult:
    """Check, on all printed sets or on ``sets``, the place of each of ``methods`` among ``than`` by its mean.

    With ``rank`` 1 it must be better than each of them by at least ``margin``, with 2 worse than exactly one. Of
    several ``metrics``, such as one under several threshold rules, each is a comparison of its own.
    """
    found = Comparisons(experiment.unit_of_pairs)
    for metric, data, method in itertools.product(metrics, sets or experiment.printed_sets, methods):
        sign = 1 if lower_is_better(metric) else -1
        runs = sign * results.blocks(experiment, metric, set=data)
        runs = runs.assign(**{method: runs[method] + margin})
        means = sign * results.list_means(experiment, metric, set=data)
        own, others = means[method] + margin, means[list(than)].dropna()
        where = f"{method} on {data}{f' in {format_metric(metric)}' if len(metrics) > 1 else ''}"
        if math.isnan(own) or (rank > 1 and len(others) < len(than)):
            found.missing += len(than) if rank == 1 else 1
            continue
        if rank == 1:
            found.missing += len(than) - len(others)
            for name, value in others.items():
                place = f"{where}, {abs(own - margin):.3f}, {name} {abs(value):.3f}"
                p = compute_p(runs, method, str(name))
                found.add(place, format_p(p), p, agrees=own < value, significant=False)
        else:
            ahead = int((others <= own).sum())
            found.total += 1
            found.failed += [] if ahead == rank - 1 else [f"{where} (place {ahead + 1})"]
    by = f" by {margin:g} or more" if margin else ""
    claim = f"is better in the mean{by}" if rank == 1 else f"has place {rank} in the mean"
    return found.conclude(f"{_join(methods)} {claim}")


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
    """Check at each point that ``method`` is the best, or that a paired t-test at 5 % does not separate it from it.

    Without a significant difference, the claim needs as many trials as the paper has; the evidence states the
    difference that these trials detect.
    """
    sign = 1 if lower_is_better(metric) else -1
    total, failed, weak, missing, powers = 0, [], [], 0, []
    for at in ats:
        blocks = (sign * results.blocks(experiment, metric, at=at, set=set)[[method, *than]]).dropna()
        if len(blocks) < 2:
            missing += 1
            continue
        total += 1
        best = str(blocks.mean().idxmin())
        p = compute_p_of_difference(blocks[method] - blocks[best])
        place = ", ".join(f"{k} = {v}" for k, v in at.items())
        if best == method:
            continue
        if p < ALPHA:
            failed.append(f"{place}: {best} ({format_p(p)})")
            continue
        power = describe_power(blocks[method] - blocks[best], p, experiment.unit_of_pairs)
        powers.append(f"{place}: {best} ({power})")
        weak += [place] if len(blocks) < experiment.printed_trials else []
    claim = f"{method} is the best or not significantly worse than the best"
    result = conclude(total, failed, claim, missing=missing)
    if weak and result.finding in (Finding.SUPPORTED, Finding.IN_PART):
        finding = Finding.UNDERPOWERED if len(weak) == total - len(failed) else Finding.IN_PART
        result = ClaimResult(finding, f"{result.evidence} Fewer trials than printed: {'; '.join(weak)}.")
    shown = f" Not separated from the best: {'; '.join(powers)}." if powers else ""
    return ClaimResult(result.finding, result.evidence + shown)


def check_alike(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metrics: Sequence[str],
    within: float,
    ats: Sequence[Mapping[str, Any]] = ({},),
) -> ClaimResult:
    """Check that the means of ``methods`` lie within a share of their own mean, in every metric and at every point.

    A wider spread contradicts the claim if a paired t-test at 5 % separates the highest mean from the lowest.
    """
    found, spans = Comparisons(experiment.unit_of_pairs), dict[str, float]()
    for metric, at in itertools.product(metrics, ats):
        runs = results.blocks(experiment, metric, at=at)[list(methods)].dropna()
        if runs.empty:
            found.missing += 1
            continue
        for point, part in _split_pooled(runs):
            means = part.mean()
            name = ", ".join(filter(None, [format_metric(metric), *(f"{k} = {v}" for k, v in at.items()), point]))
            spans[name] = float((means.max() - means.min()) / means.mean())
            p = compute_p(part, str(means.idxmax()), str(means.idxmin())) if means.max() > means.min() else 1.0
            found.add(name, format_p(p), p, agrees=spans[name] <= within, significant=False)
    result = found.conclude(f"the means lie within {100 * within:g} % of each other")
    if not spans:
        return result
    shown = ", ".join(f"{name} {span:.1%}" for name, span in spans.items())
    result = ClaimResult(result.finding, f"{result.evidence} Spread of the means: {shown}.")
    return with_flip(result, "from", max(spans.values()), within)


def _split_pooled(runs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield all runs, or the parts of them in which the highest and the lowest mean change places significantly."""
    order = runs.mean().sort_values().index
    parts = split_opposites(runs[order[-1]] - runs[order[0]])
    yield from ((name, runs.loc[part.index]) for name, part, _ in parts)
    if not parts:
        yield "", runs


def check_undecidable(results: Results, experiment: Experiment, *, reason: str) -> ClaimResult:
    """State why no record of ours can decide the claim."""
    return ClaimResult(Finding.UNDECIDED, reason)


def check_lower_on(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    metric: str,
    pairs: Sequence[Sequence[str]],
    significant: bool = False,
) -> ClaimResult:
    """Check, for pairs of sets, that each method has a lower mean on the first at every point of the grid.

    If ``significant``, a two-sample t-test at 5 % must confirm it.
    """
    found = Comparisons(experiment.unit_of_pairs)
    for (first, second), method in itertools.product(pairs, methods):
        runs = (results.blocks(experiment, metric, set=name) for name in (first, second))
        parts = [dict(split_points(each, [str(n) for n in each.index.names if "grid " in str(n)])) for each in runs]
        for point in {**parts[0], **parts[1]}:
            a, b = (part[point][method].dropna() if point in part else pd.Series(dtype=float) for part in parts)
            if len(a) < 2 or len(b) < 2:
                found.missing += 1
                continue
            test = stats.ttest_ind(a, b, equal_var=False)
            error = math.sqrt(a.var() / len(a) + b.var() / len(b))
            power = f"{len(a)} and {len(b)} trials detect {detect_difference(error, float(test.df)):.2g}"
            place = f"{method} on {' '.join(filter(None, [first, point]))}, {a.mean():.3g} against {b.mean():.3g}"
            detail, p = f"{format_p(float(test.pvalue))}; {power}", float(test.pvalue)
            found.add(place, detail, p, agrees=bool(a.mean() < b.mean()), significant=significant)
    return found.conclude(f"the mean is {'significantly ' if significant else ''}lower")


#: The checks by the ``kind`` that a paper's description uses: the name of the function without ``check_``.
CHECKS: Mapping[str, Callable[..., ClaimResult]] = {
    each.__name__.removeprefix("check_"): each
    for each in (
        check_beats,
        check_ahead_on_sets,
        check_among_best,
        check_alike,
        check_undecidable,
        check_lower_on,
        table_claims.check_each_ahead,
        table_claims.check_as_fast,
        table_claims.check_entries_per_freedom,
        table_claims.check_below,
        table_claims.check_close_to_best,
        table_claims.check_meta_average,
        table_claims.check_agrees_with_print,
        table_claims.check_spread_agrees,
        curve_claims.check_any_beats_best,
        curve_claims.check_always_best,
        curve_claims.check_within,
        curve_claims.check_falls_with,
        curve_claims.check_moves,
        curve_claims.check_in_box,
        curve_claims.check_box_against_rest,
    )
}
