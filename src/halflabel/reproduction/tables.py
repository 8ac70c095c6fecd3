"""Results as tables and curves: measured beside published."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halflabel.labels.metrics import METRICS
from halflabel.reproduction.page.charts import lines
from halflabel.reproduction.page.model import Block, Cell, Figure, Grid
from halflabel.reproduction.results import Measured, Results, in_words, judge, lower_is_better, why_not_comparable
from halflabel.reproduction.scoring import RULES_IN_WORDS
from halflabel.reproduction.significance import ALPHA, paired
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Experiment, PrintedCell


def by_metric(results: Results, experiment: Experiment) -> Grid:
    """One row per metric, one column per method, over all blocks."""
    rows, most = [], 0
    for metric in experiment.metrics:
        measured = {name: results.measured(experiment, metric, name) for name in experiment.methods}
        most = max(most, *(each.n for each in measured.values()))
        cells = _row_of_cells(results, experiment, metric, measured, at={}, set="")
        rows.append((metric_name(experiment, metric), cells))
    over = "sets" if experiment.average == "set" else "trials"
    caption = f"Mean and standard deviation over {most} {over}" + "; published values below" * bool(
        experiment.published
    )
    return Grid(caption, experiment.methods, tuple(rows), note=_tolerances(experiment))


def by_setting(results: Results, experiment: Experiment, metric: str) -> Grid:
    """One row per set and point of the grid, one column per method."""
    rows = []
    for name in (each for each in experiment.sets if not is_own(each)):
        for at in _points_of(experiment):
            measured = {m: results.measured(experiment, metric, m, at=at, set=name) for m in experiment.methods}
            title = ", ".join([name, *(f"{k} = {v}" for k, v in at.items())])
            rows.append((title, _row_of_cells(results, experiment, metric, measured, at=at, set=name)))
    caption = f"{metric_name(experiment, metric)}: mean and standard deviation over {experiment.trials} trials"
    return Grid(caption, experiment.methods, tuple(rows), note=_tolerances(experiment))


def _points_of(experiment: Experiment) -> list[dict[str, Any]]:
    return [dict(zip(experiment.grid, point, strict=True)) for point in itertools.product(*experiment.grid.values())]


def curve(results: Results, experiment: Experiment, metric: str, set: str = "") -> Iterator[Figure]:
    """Draw one line per method against the axis of a figure, over all sets or on one, unless nothing was measured."""
    points = experiment.grid[experiment.x]
    means = {x: results.blocks(experiment, metric, at={experiment.x: x}, set=set).mean() for x in points}
    unit = unit_of(experiment, metric)
    place = {x: math.log10(x) if experiment.log_x else float(x) for x in points}
    series = {name: [(place[x], float(means[x][name]) / unit) for x in points] for name in experiment.methods}
    series = {name: [p for p in curve if not math.isnan(p[1])] for name, curve in series.items()}
    if not any(series.values()):
        return
    name = metric_name(experiment, metric)
    marked = (_beyond(results, experiment), "beyond the rank") if experiment.marked else None
    axis = f"log10 {experiment.x}" if experiment.log_x else experiment.x
    svg = lines(series, x_label=axis, y_label=name, marked=marked)
    alt = f"{name} against {axis}, one line per method; the table below holds the values."
    key = "-".join(filter(None, (experiment.key, set, metric))).replace("@", "-")
    yield Figure(key, f"{experiment.title}: {name}{_on(set)}", alt, svg)


def _beyond(results: Results, experiment: Experiment) -> dict[str, float]:
    """Return where on the axis (a share of the features) a method runs out of directions of its own."""
    frame = results.frame[results.frame["experiment"] == experiment.key]
    own = {name: frame[frame["method"] == name] for name in experiment.marked}
    return {name: float((rows["rank"] / rows["n_features"]).mean()) for name, rows in own.items()}


def points(results: Results, experiment: Experiment, metric: str, set: str = "") -> Grid:
    """Return the values that :func:`curve` draws."""
    rows = []
    for x in experiment.grid[experiment.x]:
        at = {experiment.x: x}
        measured = {m: results.measured(experiment, metric, m, at=at, set=set) for m in experiment.methods}
        rows.append((f"{x:g}", _row_of_cells(results, experiment, metric, measured, at=at, set=set)))
    caption = f"{metric_name(experiment, metric)} by {experiment.x}{_on(set)}"
    return Grid(caption, experiment.methods, tuple(rows))


def _on(name: str) -> str:
    return f" on {name}" if name else ""


def rules_tables(results: Results, experiment: Experiment) -> Iterator[Block]:
    """Every method under its own threshold rule and under common ones: set by set where the tables are."""
    rules = experiment.options.get("rules", ())
    sets = experiment.sets if experiment.rows == "setting" else ("",)
    for metric in (m for m in experiment.metrics if rules and m in METRICS and METRICS[m].needs == "labels"):
        for name in (each for each in sets if not is_own(each)):
            yield from _rules_table(results, experiment, metric, rules, name)


def _rules_table(
    results: Results, experiment: Experiment, metric: str, rules: Sequence[str], data: str
) -> Iterator[Grid]:
    """Yield the table of one set, or of all together, unless nothing was measured there."""
    columns, rows = [metric, *(f"{metric}@{rule}" for rule in rules)], []
    for name in experiment.methods:
        method = results.paper.methods[name]
        cells = tuple(_cell(experiment, c, results.measured(experiment, c, name, set=data), None) for c in columns)
        rows.append((f"{name} ({method.natural})" if method.natural else name, cells))
    if all(results.measured(experiment, metric, name, set=data).n == 0 for name in experiment.methods):
        return
    note = ". ".join(f"{rule}: {RULES_IN_WORDS[rule]}" for rule in rules)
    on = _on(data if len(experiment.sets) > 1 else "")
    caption = f"{metric_name(experiment, metric)} under common threshold rules{on}"
    yield Grid(caption, ("own rule", *rules), tuple(rows), note=f"{note}.")


def user_sets(results: Results, experiment: Experiment) -> Iterator[Grid]:
    """Yield one table per set of the user's own."""
    for name in (each for each in experiment.sets if is_own(each)):
        rows = []
        for metric in experiment.metrics:
            measured = {m: results.measured(experiment, metric, m, set=name) for m in experiment.methods}
            cells = _row_of_cells(results, experiment, metric, measured, at={}, set=name)
            rows.append((metric_name(experiment, metric), cells))
        note = "Its columns were encoded, and gaps among its features filled, before it was split."
        yield Grid(f"The same on {name}", experiment.methods, tuple(rows), note=note)


def _row_of_cells(
    results: Results, experiment: Experiment, metric: str, measured: Mapping[str, Measured], **where: Any
) -> tuple[Cell, ...]:
    most = max((each.n for each in measured.values()), default=0)
    whole = {name: each for name, each in measured.items() if each.n == most}  # who failed on hard blocks cannot win
    best = _best(results, experiment, metric, whole, **where)
    printed = {cell.method: cell for cell in experiment.published if _belongs(cell, metric, **where)}
    cells = {name: _cell(experiment, metric, m, printed.get(name), best=name in best) for name, m in measured.items()}
    return tuple(
        replace(cell, why=f"over {measured[name].n} of {most}") if 0 < measured[name].n < most else cell
        for name, cell in cells.items()
    )


def _best(
    results: Results, experiment: Experiment, metric: str, measured: Mapping[str, Measured], **where: Any
) -> set[str]:
    """Return the best method and, over trials, those that a paired t-test at 5 % cannot tell from it."""
    sign = 1 if lower_is_better(metric) else -1
    means = {name: sign * each.mean for name, each in measured.items() if not math.isnan(each.mean)}
    if not means:
        return set()
    first = min(means, key=lambda name: means[name])
    if experiment.average == "set":
        return {first}
    blocks = results.blocks(experiment, metric, **where)
    both = {name: blocks[[first, name]].dropna() for name in means if name != first}
    tied = {name for name, b in both.items() if len(b) > 1 and paired(b[first], b[name]).p >= ALPHA}
    return {first} | tied


def _belongs(cell: PrintedCell, metric: str, at: Mapping[str, Any], set: str) -> bool:
    return cell.metric == metric and cell.set == set and dict(cell.at) == dict(at)


def _cell(
    experiment: Experiment, metric: str, measured: Measured, printed: PrintedCell | None, *, best: bool = False
) -> Cell:
    unit = unit_of(experiment, metric)
    digits = 1 if unit == 0.01 else 3
    shown = _spread(measured.mean / unit, measured.sd / unit, digits)
    if printed is None:
        return Cell(shown, best=best)
    why = why_not_comparable(printed, measured, experiment)
    return Cell(shown, _spread(printed.value, printed.sd, digits), judge(printed, measured, experiment), best, why)


def printed_cell(results: Results, experiment: Experiment, cell: PrintedCell) -> Cell:
    """Return the cell that stands beside one printed number."""
    measured = results.measured(experiment, cell.metric, cell.method, at=cell.at, set=cell.set)
    return _cell(experiment, cell.metric, measured, cell)


def _spread(mean: float, sd: float | None, digits: int) -> str:
    if math.isnan(mean):
        return "–"
    digits = digits if abs(mean) < 10 else 1
    return f"{mean:.{digits}f}" + (f" ± {sd:.{digits}f}" if sd is not None and not math.isnan(sd) else "")


def unit_of(experiment: Experiment, metric: str) -> float:
    """Return what the page's numbers are multiples of."""
    return experiment.unit.get(metric.partition("@")[0], 1.0)


def metric_name(experiment: Experiment, metric: str) -> str:
    """Return the name of a row: metric, unit, and which way is better."""
    unit = unit_of(experiment, metric)
    direction = "↓" if lower_is_better(metric) else "↑"
    return f"{in_words(metric)}{'' if unit == 1 else f' (× {unit:g})'} {direction}"


def _tolerances(experiment: Experiment) -> str:
    if experiment.standard_errors:
        least = ", or within half of the last digit printed" if experiment.tolerance else ""
        return (
            f"A cell agrees within {experiment.standard_errors:g} standard errors of the difference of two means "
            f"(printed: {experiment.printed_trials} trials){least}. ★: the best, and what a paired t-test cannot tell "
            f"from it."
        )
    if not experiment.tolerance:
        return ""
    each = [f"{in_words(name)} {value:g}" for name, value in experiment.tolerance.items()]
    return f"A cell agrees within: {', '.join(each)} (in the metric's own unit)."
