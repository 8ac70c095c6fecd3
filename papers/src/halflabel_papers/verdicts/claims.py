"""The claims of a paper's text, checked against its records: comparisons of means, and the list of all checks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from scipy import stats

from halflabel_papers.spec import Claim, Experiment
from halflabel_papers.verdicts import curve_claims, table_claims
from halflabel_papers.verdicts.comparisons import (
    MAX_NAMED_SETS,
    Comparisons,
    compute_p,
    describe_power,
    describe_sets,
    split_by_set,
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
    compare_paired,
    compute_p_of_difference,
    detect_difference,
    format_p,
)

#: The checks that count missing sets themselves.
COUNTS_SETS = (
    "ahead_on_sets",
    "agrees_with_print",
    "close_to_best",
    "falls_with",
    "meta_average",
    "rises_with",
    "spread_agrees",
)


def check_claim(claim: Claim, results: Results) -> ClaimResult:
    """Check a claim with the function in :data:`CHECKS` of its ``kind``."""
    if not claim.check:
        return ClaimResult(Finding.NOT_MEASURED, "")
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
    at: Mapping[str, Any] | None = None,
) -> ClaimResult:
    """Check that ``method``, or each of several, has a better mean than each of ``than`` in every metric.

    If ``significant``, a paired t-test at 5 % must confirm it. The same test must confirm a contradiction.
    """
    found, total, missing, by_set = Comparisons(), 0, 0, list[str]()
    names = [method] if isinstance(method, str) else method
    for metric, own, other in itertools.product(metrics, names, than):
        both = results.blocks(experiment, metric, at=at)[[own, other]].dropna()
        if len(both) < 2:
            missing += 1
            continue
        total += 1
        sign = -1 if lower_is_better(metric) else 1
        p = compute_p_of_difference(both[own] - both[other])
        ahead = sign * float((both[own] - both[other]).mean()) > 0
        place = f"{own} against {other}" if len(names) > 1 else other
        power = describe_power(both[own] - both[other], p)
        found.add(f"{place} in {format_metric(metric)}", power, p, agrees=ahead, significant=significant)
        if experiment.average == "trial" and (sets := describe_sets(sign * (both[own] - both[other]))):
            by_set.append(f"{place} in {format_metric(metric)}: {sets}")
    by = "significantly better" if significant else "better in the mean"
    result = found.conclude(total, f"{_join(names)} is {by}", missing)
    return _list_by_set(result, by_set)


def _join(names: Sequence[str]) -> str:
    return " or ".join(names)


def check_ahead_on_sets(
    results: Results,
    experiment: Experiment,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    metric: str,
    sets: Sequence[str] = (),
    rank: int = 1,
    margin: float = 0.0,
) -> ClaimResult:
    """Check, on all printed sets or on ``sets``, the place of each of ``methods`` among ``than`` by its mean.

    With ``rank`` 1 it must be better than each of them by at least ``margin``, with 2 worse than exactly one.
    """
    sign = 1 if lower_is_better(metric) else -1
    total, found, missing = 0, Comparisons(), 0
    for data, method in itertools.product(sets or experiment.printed_sets, methods):
        runs = sign * results.blocks(experiment, metric, set=data)
        runs = runs.assign(**{method: runs[method] + margin})
        own, others = runs[method].mean(), runs[list(than)].mean().dropna()
        if math.isnan(own) or (rank > 1 and len(others) < len(than)):
            missing += len(than) if rank == 1 else 1
            continue
        if rank == 1:
            missing, total = missing + len(than) - len(others), total + len(others)
            for name, value in others.items():
                place, p = (
                    f"{method} on {data}, {abs(own - margin):.3f}, {name} {abs(value):.3f}",
                    compute_p(runs, method, str(name)),
                )
                found.add(place, format_p(p), p, agrees=own < value, significant=False)
        else:
            total, ahead = total + 1, int((others <= own).sum())
            found.failed += [] if ahead == rank - 1 else [f"{method} on {data} (place {ahead + 1})"]
    by = f" by {margin:g} or more" if margin else ""
    claim = f"is better in the mean{by}" if rank == 1 else f"has place {rank} in the mean"
    return found.conclude(total, f"{_join(methods)} {claim}", missing)


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
        test = compare_paired(blocks[method], blocks[best])
        place = ", ".join(f"{k} = {v}" for k, v in at.items())
        if best == method:
            continue
        if test.p < ALPHA:
            failed.append(f"{place}: {best} ({format_p(test.p)})")
            continue
        powers.append(f"{place}: {best} ({describe_power(blocks[method] - blocks[best], test.p)})")
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
    found, spans, missing = Comparisons(), dict[str, float](), 0
    for metric, at in itertools.product(metrics, ats):
        runs = results.blocks(experiment, metric, at=at)[list(methods)].dropna()
        means, name = runs.mean(), ", ".join([format_metric(metric), *(f"{k} = {v}" for k, v in at.items())])
        if means.isna().any():
            missing += 1
            continue
        spans[name] = float((means.max() - means.min()) / means.mean())
        p = compute_p(runs, str(means.idxmax()), str(means.idxmin())) if means.max() > means.min() else 1.0
        found.add(name, format_p(p), p, agrees=spans[name] <= within, significant=False)
    result = found.conclude(len(spans), f"the means lie within {100 * within:g} % of each other", missing)
    if not spans:
        return result
    shown = ", ".join(f"{name} {span:.1%}" for name, span in spans.items())
    result = ClaimResult(result.finding, f"{result.evidence} Spread of the means: {shown}.")
    return with_flip(result, "from", max(spans.values()), within)


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
    """Check, for pairs of sets, that each method has a lower mean on the first. Other grid values are pooled.

    If ``significant``, a two-sample t-test at 5 % must confirm it.
    """
    total, found = 0, Comparisons()
    for (first, second), method in itertools.product(pairs, methods):
        a, b = (results.blocks(experiment, metric, set=name)[method].dropna() for name in (first, second))
        if len(a) < 2 or len(b) < 2:
            continue
        total += 1
        test = stats.ttest_ind(a, b, equal_var=False)
        error = math.sqrt(a.var() / len(a) + b.var() / len(b))
        power = f"{len(a)} and {len(b)} trials detect {detect_difference(error, float(test.df)):.2g}"
        place = f"{method} on {first}, {a.mean():.3g} against {b.mean():.3g}"
        detail, p, agrees = f"{format_p(float(test.pvalue))}; {power}", float(test.pvalue), bool(a.mean() < b.mean())
        found.add(place, detail, p, agrees=agrees, significant=significant)
    claim = f"the mean is {'significantly ' if significant else ''}lower"
    return found.conclude(total, claim, len(pairs) * len(methods) - total)


def check_pooled(
    results: Results, experiment: Experiment, *, method: str, than: Sequence[str], metric: str, level: float
) -> ClaimResult:
    """Compare by a paired t-test at a level such as .95: over the runs of all sets together, and on every set.

    Where the sets disagree, their runs together decide nothing, and the claim holds in part. Of many sets only the
    number on each side is shown.
    """
    sign = -1 if lower_is_better(metric) else 1
    blocks = sign * _combine_runs(results, experiment, metric)
    found, details, by_set, missing = Comparisons(), list[str](), list[str](), 0
    for other in than:
        difference = (blocks[method] - blocks[other]).dropna()
        if len(difference) < 2:
            missing += 1
            continue
        parts = split_by_set(difference)
        for name, part in [("", difference), *(parts.items() if 1 < len(parts) <= MAX_NAMED_SETS else ())]:
            p, mean, wins = compute_p_of_difference(part), float(part.mean()), int((part > 0).sum())
            where = f"{other} on {name}" if name else other
            details.append(f"{where} {mean:+.3f} ({wins} of {len(part)} runs, p = {p:.2g})")
            found.add(where, describe_power(part, p), p, agrees=mean > 0, alpha=1 - level)
        if len(parts) > MAX_NAMED_SETS and (sets := describe_sets(difference)):
            by_set.append(f"{other}: {sets}")
    claim = f"{method} is significantly better at the {100 * level:g} % level"
    result = found.conclude(len(details), claim, missing)
    if not details:
        return result
    shown = f"{result.evidence} Mean difference (runs in which it is better): {', '.join(details)}."
    return _list_by_set(ClaimResult(result.finding, shown), by_set)


def _list_by_set(result: ClaimResult, by_set: Sequence[str]) -> ClaimResult:
    """Return the result with the comparisons in which the sets disagree."""
    return ClaimResult(result.finding, f"{result.evidence} By set, {'; '.join(by_set)}.") if by_set else result


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
        check_undecidable,
        check_lower_on,
        check_pooled,
        table_claims.check_each_ahead,
        table_claims.check_slower,
        table_claims.check_below,
        table_claims.check_at_least,
        table_claims.check_close_to_best,
        table_claims.check_meta_average,
        table_claims.check_agrees_with_print,
        table_claims.check_spread_agrees,
        curve_claims.check_any_beats_best,
        curve_claims.check_always_best,
        curve_claims.check_within,
        curve_claims.check_falls_with,
        curve_claims.check_rises_with,
        curve_claims.check_moves,
        curve_claims.check_reliable_area,
        curve_claims.check_in_box,
        curve_claims.check_box_against_rest,
    )
}
