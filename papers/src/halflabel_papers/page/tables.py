"""Results as tables: measured and published values, threshold rules, and differences between methods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel.plugins import NONE
from halflabel_papers.metrics import METRICS
from halflabel_papers.page.model import Cell, Grid
from halflabel_papers.scoring import RULES_IN_WORDS
from halflabel_papers.spec import Experiment, PrintedCell
from halflabel_papers.verdicts.comparisons import MAX_LISTED, split_opposites
from halflabel_papers.verdicts.results import (
    MIN_TRIALS,
    Measured,
    Results,
    explain_not_comparable,
    format_metric,
    has_direction,
    judge,
    lower_is_better,
)
from halflabel_papers.verdicts.significance import ALPHA, adjust_holm, compare_paired, compute_p_of_difference, format_p

MINUS = "\N{MINUS SIGN}"


# -- measured and published values -----------------------------------------------------------


def tabulate_metrics(results: Results, experiment: Experiment, set: str = "") -> Grid:
    """Return a table with one row per metric and one column per method, over all blocks, or on one set."""
    rows, n_blocks = [], 0
    for metric in experiment.metrics:
        measured = results.compare_means(experiment, metric, set=set)
        n_blocks = max(n_blocks, *(each.n for each in measured.values()))
        rows.append((name_row(experiment, metric), _make_row(results, experiment, metric, measured, at={}, set=set)))
    if set and experiment.average == "set":
        return Grid(f"The same{on_set(set)}", experiment.methods, tuple(rows))
    over = experiment.unit_of_pairs
    published = "; published values below" * bool(experiment.published and not set)
    caption = f"Mean and standard deviation over {n_blocks} {over}{on_set(set)}{published}"
    note = "" if set else _describe_tolerance(experiment, n_blocks)
    return Grid(caption, experiment.methods, tuple(rows), note=note)


def tabulate_settings(results: Results, experiment: Experiment, metric: str, sets: Sequence[str]) -> Grid:
    """Return a table with one row per set and point of the grid, and one column per method."""
    rows = []
    for name in sets:
        for point in itertools.product(*experiment.grid.values()):
            at = dict(zip(experiment.grid, point, strict=True))
            measured = results.compare_means(experiment, metric, at=at, set=name)
            title = ", ".join([name, *(f"{k} = {v}" for k, v in at.items())])
            rows.append((title, _make_row(results, experiment, metric, measured, at=at, set=name)))
    spread = f"mean and standard deviation over {experiment.trials} trials" if experiment.trials > 1 else "one run"
    caption = f"{name_row(experiment, metric)}: {spread}"
    last = metric == experiment.metrics[-1]  # one note for all metrics
    note = _describe_tolerance(experiment, experiment.trials) if last else ""
    return Grid(caption, experiment.methods, tuple(rows), note=note)


def tabulate_curve(results: Results, experiment: Experiment, metric: str, set: str = "") -> Grid:
    """Return the values of a curve, one row per point of the axis."""
    rows = []
    for x in experiment.grid[experiment.x]:
        at = {experiment.x: x}
        measured = results.compare_means(experiment, metric, at=at, set=set)
        rows.append((f"{x:g}", _make_row(results, experiment, metric, measured, at=at, set=set)))
    caption = f"{name_row(experiment, metric)} by {experiment.x}{on_set(set)}"
    return Grid(caption, experiment.methods, tuple(rows))


def _make_row(
    results: Results, experiment: Experiment, metric: str, measured: Mapping[str, Measured], **where: Any
) -> tuple[Cell, ...]:
    n_blocks = max((each.n for each in measured.values()), default=0)
    best = _find_best(results, experiment, metric, measured, **where)
    printed = {cell.method: cell for cell in experiment.published if _is_at(cell, metric, **where)}
    cells = {
        name: _make_cell(experiment, metric, each, printed.get(name), best=name in best)
        for name, each in measured.items()
    }
    return tuple(
        replace(cell, why=f"measured on {measured[name].n} of {n_blocks}") if 0 < measured[name].n < n_blocks else cell
        for name, cell in cells.items()
    )


def _find_best(
    results: Results, experiment: Experiment, metric: str, measured: Mapping[str, Measured], **where: Any
) -> set[str]:
    """Return the best method and, over trials, all that paired t-tests at 5 % (Holm) do not separate from it."""
    sign = 1 if lower_is_better(metric) else -1
    means = {name: sign * each.mean for name, each in measured.items() if not math.isnan(each.mean)}
    if not means or not has_direction(metric):
        return set()
    first = min(means, key=lambda name: means[name])
    if experiment.average == "set":
        return {first}
    blocks = results.blocks(experiment, metric, **where)
    both = {name: blocks[[first, name]].dropna() for name in means if name != first}
    tests = {n: compute_p_of_difference(b[first] - b[n]) for n, b in both.items() if len(b) >= MIN_TRIALS}
    return {first} | {name for name, p in adjust_holm(tests).items() if p >= ALPHA}


def _is_at(cell: PrintedCell, metric: str, at: Mapping[str, Any], set: str) -> bool:
    return cell.metric == metric and cell.set == set and dict(cell.at) == dict(at)


def _make_cell(
    experiment: Experiment, metric: str, measured: Measured, printed: PrintedCell | None, *, best: bool = False
) -> Cell:
    unit = unit_of(experiment, metric)
    digits = 1 if unit == 0.01 else 3
    shown = _format_spread(measured.mean / unit, measured.sd / unit, digits)
    if printed is None:
        return Cell(shown, best=best)
    published = _format_spread(printed.value, printed.sd, digits)
    hidden = explain_not_comparable(measured, experiment)
    return Cell(shown, published, None if hidden else judge(printed, measured, experiment), best)


# -- threshold rules ---------------------------------------------------------------------------


def tabulate_rules(results: Results, experiment: Experiment, sets: Sequence[str]) -> Iterator[Grid]:
    """Yield every method under its own threshold rule and under common ones: on each set, "" for all of them."""
    rules = experiment.options.get("rules", ())
    for metric in (m for m in experiment.metrics if rules and m in METRICS and METRICS[m].needs == "labels"):
        for name in sets:
            if any(results.average(experiment, metric, method, set=name).n for method in experiment.methods):
                yield _tabulate_rules(results, experiment, metric, rules, name)


def _tabulate_rules(results: Results, experiment: Experiment, metric: str, rules: Sequence[str], data: str) -> Grid:
    columns, rows = [metric, *(f"{metric}@{rule}" for rule in rules)], []
    means = {column: results.compare_means(experiment, column, set=data) for column in columns}
    for name in experiment.methods:
        own = results.paper.methods[name].natural
        cells = tuple(_make_cell(experiment, column, each[name], None) for column, each in means.items())
        rows.append((f"{name} ({own})" if own else name, cells))
    note = ". ".join(f"{rule.replace('micro_f1', 'plug-in')}: {RULES_IN_WORDS[rule]}" for rule in rules)
    on = on_set(data if len(experiment.sets) > 1 else "")
    caption = f"{name_row(experiment, metric)} under common threshold rules{on}"
    names = (rule.replace("micro_f1", "plug-in") for rule in rules)
    return Grid(caption, ("own rule", *names), tuple(rows), note=f"{note}.")


def tabulate_distances(results: Results, experiment: Experiment) -> Iterator[Grid]:
    """Yield the mean absolute distance from the printed values, by method and rule, if there are several readings."""
    rules = ["", *experiment.options.get("rules", ())]
    readings = {experiment.printed_as.get(name, name) for name in experiment.methods}
    if len(rules) == 1 and len(readings) == len(experiment.methods):
        return
    rows = []
    for name in experiment.methods:
        printed = [cell for cell in experiment.published if cell.method == name]
        if len(rules) > 1:
            printed = [cell for cell in printed if cell.metric in METRICS and METRICS[cell.metric].needs == "labels"]
        columns = [[_measure_distance(results, experiment, cell, rule) for cell in printed] for rule in rules]
        means = [np.nanmean(each) if np.isfinite(each).any() else np.nan for each in map(np.array, columns)]
        if np.isfinite(means).any():
            best = np.nanmin(means)
            rows.append(
                (name, tuple(Cell(_format_spread(m, None, 3), best=m == best and len(rules) > 1) for m in means))
            )
    note = "The mean of |measured - printed| over all measured cells of the table, each in its printed unit."
    if rows:
        yield Grid("Distance from print, by reading", ("own rule", *rules[1:]), tuple(rows), note=note)


def _measure_distance(results: Results, experiment: Experiment, cell: PrintedCell, rule: str) -> float:
    """Return |measured - printed| in the printed unit, or NaN without a rule that applies or a measurement."""
    metric = f"{cell.metric}@{rule}" if rule else cell.metric
    measured = results.average(experiment, metric, cell.method, at=cell.at, set=cell.set)
    return abs(measured.mean / unit_of(experiment, cell.metric) - cell.value)


# -- differences between methods ---------------------------------------------------------------


def tabulate_tests(results: Results, experiment: Experiment, set: str = "") -> Iterator[Grid]:
    """Yield the proposed method compared with each other one by the test of the papers, if there are values."""
    proposed = experiment.proposed or results.paper.proposed
    rows = []
    for metric in experiment.metrics:
        blocks = results.blocks(experiment, metric, set=set).dropna(axis=1, how="all")
        others = [name for name in blocks.columns if name != proposed]
        if proposed in blocks and len(blocks.dropna()) >= 2 and others:
            rows.append((name_row(experiment, metric), _make_test_row(experiment, metric, blocks, proposed)))
    caption = (
        f"{proposed} minus each other method: mean difference, its 95 % interval, "
        f"p of a paired t-test over {experiment.unit_of_pairs} (* below {ALPHA:g})"
    )
    if rows:
        yield Grid(caption, tuple(name for name in experiment.methods if name != proposed), tuple(rows))


def _make_test_row(experiment: Experiment, metric: str, blocks: pd.DataFrame, proposed: str) -> tuple[Cell, ...]:
    cells = []
    for name in (each for each in experiment.methods if each != proposed):
        both = blocks[[proposed, name]].dropna() if name in blocks else blocks[[]]
        if len(both) < 2 or name not in blocks:
            cells.append(Cell(NONE))
            continue
        unit = unit_of(experiment, metric)
        if parts := split_opposites(both[proposed] - both[name]):
            shown = [f"{_format_signed(part.mean() / unit)} {where} ({format_p(p)})" for where, part, p in parts]
            clear = [part.mean() > 0 for _, part, p in parts if p < ALPHA]
            counts = f"of {len(parts)} parts {sum(clear)} significantly above 0, {len(clear) - sum(clear)} below"
            cells.append(Cell("; ".join(shown) if len(parts) <= MAX_LISTED else counts, significant=True))
            continue
        *ends, p = compare_paired(both[proposed] - both[name])
        difference, low, high = (_format_signed(value / unit) for value in ends)
        cells.append(Cell(difference, significant=p < ALPHA, detail=f"[{low}, {high}], {format_p(p)}"))
    return tuple(cells)


# -- words ---------------------------------------------------------------------------------------


def _format_spread(mean: float, sd: float | None, digits: int) -> str:
    if math.isnan(mean):
        return NONE
    digits = digits if abs(mean) < 10 else 1
    spread = f" ± {sd:.{digits}f}" if sd is not None and not math.isnan(sd) else ""
    return f"{mean:.{digits}f}{spread}".replace("-", MINUS)


def _format_signed(difference: float) -> str:
    return f"{difference:+.3f}".replace("-", MINUS)


def unit_of(experiment: Experiment, metric: str) -> float:
    """Return the unit of the page's numbers."""
    return experiment.unit.get(metric.partition("@")[0], 1.0)


def name_row(experiment: Experiment, metric: str) -> str:
    """Return the name of a row: metric, unit, and the direction that is better."""
    unit = unit_of(experiment, metric)
    direction = "" if not has_direction(metric) else " ↓" if lower_is_better(metric) else " ↑"
    return f"{format_metric(metric)}{'' if unit == 1 else f' (× {unit:g})'}{direction}"


def on_set(name: str) -> str:
    """Return the end of a caption for one set, or an empty string for all sets."""
    return f" on {name}" if name else ""


def _describe_tolerance(experiment: Experiment, n_blocks: int) -> str:
    """Return the values that agree with print, or the reason for missing verdicts."""
    if experiment.published and (why := explain_not_comparable(Measured(0.0, 0.0, n_blocks), experiment)):
        return f"No verdicts: {why}."
    if experiment.standard_errors:
        least = ", or within half of the last digit printed" if experiment.tolerance else ""
        return (
            f"A cell agrees within {experiment.standard_errors:g} standard errors of the difference of two means "
            f"(printed: {experiment.printed_trials} trials){least}. The cells of a row share their splits, so that "
            f"they are not independent tests. Bold: the best method, and each method that paired t-tests (Holm over "
            f"the row) do not separate from it; a method whose values vary much is not separated easily."
        )
    if not experiment.tolerance:
        return ""
    each = [f"{format_metric(name)} {value:g}" for name, value in experiment.tolerance.items()]
    return f"A cell agrees within: {', '.join(each)} (in the metric's own unit)."
