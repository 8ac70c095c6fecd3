"""Records of a paper -> its page: measured beside published, verdicts, tests, claims, and how to run it again."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from halflabel.decision import RULES
from halflabel.experiments.claims import ClaimResult, check
from halflabel.experiments.records import Record
from halflabel.experiments.reproduction import Reproduction
from halflabel.experiments.results import Measured, Results, judge, lower_is_better, why_not_comparable
from halflabel.experiments.significance import paired, ranks
from halflabel.experiments.spec import Experiment, Method, PrintedCell
from halflabel.metrics import METRICS
from halflabel.report.charts import critical_difference, lines
from halflabel.report.page import Block, Bullets, Cell, Figure, Grid, Page, Section, Text

__all__ = ["to_page"]

#: What a tier is, in words.
TIER_WORDS = {
    "quick": "quick: a sample of the runs, to see that everything works",
    "default": "default: smaller than the printed protocol where that would take longer than 40 minutes on two cores",
    "full": "full: the printed protocol",
}

#: Two-sided p below which the papers call a difference significant.
LEVEL = 0.05


def to_page(reproduction: Reproduction, records: Sequence[Record]) -> Page:
    """Return the page of a paper from its records."""
    paper, results = reproduction.paper, Results(reproduction.paper, records)
    claims = [(claim, check(claim, results)) for claim in paper.claims]
    sections = [section for experiment in paper.experiments for section in _experiment(results, experiment)]
    closing = [
        Section("What the text claims", (_claims(claims),)) if claims else None,
        Section("What cannot be compared", (Bullets(paper.not_comparable),)) if paper.not_comparable else None,
        Section("Sets", (_sets(reproduction),)),
        Section("Methods", (_methods(reproduction),)),
    ]
    return Page(
        title=paper.title,
        lead=f"{paper.authors}, {paper.venue}. {paper.summary}",
        facts=_facts(reproduction, records),
        sections=(_in_short(results, claims), *sections, *filter(None, closing)),
    )


def _facts(reproduction: Reproduction, records: Sequence[Record]) -> tuple[tuple[str, str], ...]:
    done = [record for record in records if record.metrics]
    seconds = sum(record.seconds.get("fit", 0) + record.seconds.get("predict", 0) for record in done)
    made = done[-1].made if done else {}
    versions = ", ".join(f"{name} {made[name]}" for name in ("halflabel", "numpy", "scipy", "scikit-learn") if made)
    command = f"halflabel reproduce {reproduction.paper.key}"
    return (
        ("Tier", TIER_WORDS[reproduction.tier]),
        ("Runs", f"{len(done)} of {len(records)} measured, {seconds / 60:.1f} minutes of fitting and predicting"),
        ("Made by", f"{versions}; commit {made.get('commit') or 'unknown'}; {made.get('machine', '')}"),
        ("Again", command if reproduction.tier == "default" else f"{command} --tier {reproduction.tier}"),
    )


def _in_short(results: Results, claims: Sequence[tuple[Any, ClaimResult]]) -> Section:
    verdicts = Counter(
        _printed_cell(results, experiment, cell).verdict
        for experiment in results.paper.experiments
        for cell in experiment.published
    )
    found = Counter(result.finding for _, result in claims)
    counted = [f"{number} {verdict.value}" for verdict, number in verdicts.items() if verdict]
    said = [f"{number} {finding.value}" for finding, number in found.items()]
    told = [f"Of {sum(verdicts.values())} printed values: {', '.join(counted)}."] if counted else []
    told += [f"Of {len(claims)} claims of the text: {', '.join(said)}."] if claims else []
    return Section("In short", (Bullets(tuple(told)),))


# -- one table or figure -----------------------------------------------------------


def _experiment(results: Results, experiment: Experiment) -> Iterator[Section]:
    blocks: list[Block] = [Text(f"{experiment.place or 'Not in the paper'}. {experiment.note}".strip())]
    if experiment.x:
        blocks += [_curve(results, experiment, metric) for metric in experiment.metrics[:1]]
        blocks += [_points(results, experiment, metric) for metric in experiment.metrics[:1]]
    elif experiment.rows == "metric":
        blocks += [_by_metric(results, experiment)]
    else:
        blocks += [_by_setting(results, experiment, metric) for metric in experiment.metrics]
    blocks += [*_rules(results, experiment), *_user_sets(results, experiment)]
    if missing := results.incomplete(experiment):
        blocks.append(Bullets(tuple(f"{number} runs not available: {reason}" for reason, number in missing.items())))
    yield Section(experiment.title, tuple(blocks))
    if not experiment.x and (tests := _tests(results, experiment)):
        yield Section(f"Significance: {experiment.title}", tests, level=3)


def _by_metric(results: Results, experiment: Experiment) -> Grid:
    """One row per metric, one column per method, over all blocks."""
    rows, most = [], 0
    for metric in experiment.metrics:
        measured = {name: results.measured(experiment, metric, name) for name in experiment.methods}
        most = max(most, *(each.n for each in measured.values()))
        cells = _row_of_cells(results, experiment, metric, measured, at={}, set="")
        rows.append((_metric_name(experiment, metric), cells))
    over = "sets" if experiment.average == "set" else "trials"
    caption = f"Mean and standard deviation over {most} {over}; published values beside them"
    return Grid(caption, experiment.methods, tuple(rows), note=_tolerances(experiment))


def _by_setting(results: Results, experiment: Experiment, metric: str) -> Grid:
    """One row per set and point of the grid, one column per method."""
    rows = []
    for name in (each for each in experiment.sets if not each.startswith("your ")):
        for at in _points_of(experiment):
            measured = {m: results.measured(experiment, metric, m, at=at, set=name) for m in experiment.methods}
            title = ", ".join([name, *(f"{k} = {v}" for k, v in at.items())])
            rows.append((title, _row_of_cells(results, experiment, metric, measured, at=at, set=name)))
    caption = f"{_metric_name(experiment, metric)}: mean and standard deviation over {experiment.trials} trials"
    return Grid(caption, experiment.methods, tuple(rows), note=_tolerances(experiment))


def _points_of(experiment: Experiment) -> list[dict[str, Any]]:
    return [dict(zip(experiment.grid, point, strict=True)) for point in itertools.product(*experiment.grid.values())]


def _row_of_cells(
    results: Results, experiment: Experiment, metric: str, measured: Mapping[str, Measured], **where: Any
) -> tuple[Cell, ...]:
    sign = 1 if lower_is_better(metric) else -1
    means = [sign * each.mean for each in measured.values() if not math.isnan(each.mean)]
    printed = {cell.method: cell for cell in experiment.published if _belongs(cell, metric, **where)}
    return tuple(
        _cell(experiment, metric, each, printed.get(name), best=bool(means) and sign * each.mean == min(means))
        for name, each in measured.items()
    )


def _belongs(cell: PrintedCell, metric: str, at: Mapping[str, Any], set: str) -> bool:
    return cell.metric == metric and cell.set == set and dict(cell.at) == dict(at)


def _cell(
    experiment: Experiment, metric: str, measured: Measured, printed: PrintedCell | None, *, best: bool = False
) -> Cell:
    shown = _spread(measured.mean / _unit(experiment, metric), measured.sd / _unit(experiment, metric))
    if printed is None:
        return Cell(shown, best=best)
    why = why_not_comparable(printed, measured, experiment)
    return Cell(shown, _spread(printed.value, printed.sd), judge(printed, measured, experiment), best, why)


def _printed_cell(results: Results, experiment: Experiment, cell: PrintedCell) -> Cell:
    measured = results.measured(experiment, cell.metric, cell.method, at=cell.at, set=cell.set)
    return _cell(experiment, cell.metric, measured, cell)


def _spread(mean: float, sd: float | None) -> str:
    if math.isnan(mean):
        return "–"
    digits = 3 if abs(mean) < 10 else 1
    return f"{mean:.{digits}f}" + (f" ± {sd:.{digits}f}" if sd is not None and not math.isnan(sd) else "")


def _unit(experiment: Experiment, metric: str) -> float:
    return experiment.unit.get(metric.partition("@")[0], 1.0)


def _metric_name(experiment: Experiment, metric: str) -> str:
    unit = _unit(experiment, metric)
    direction = "↓" if lower_is_better(metric) else "↑"
    return f"{_in_words(metric)}{'' if unit == 1 else f' (× {unit:g})'} {direction}"


def _in_words(metric: str) -> str:
    """Return a metric's name as it is written in a sentence."""
    return (
        metric.replace("one_error", "one-error").replace("_f1", "-F1").replace("hamming", "Hamming").replace("_", " ")
    )


def _tolerances(experiment: Experiment) -> str:
    if not experiment.tolerance:
        return ""
    each = [f"{_in_words(name)} {value:g}" for name, value in experiment.tolerance.items()]
    return f"A cell agrees within: {', '.join(each)} (in the metric's own unit)."


# -- figures -----------------------------------------------------------------------


def _curve(results: Results, experiment: Experiment, metric: str) -> Figure:
    points = experiment.grid[experiment.x]
    means = {x: results.blocks(experiment, metric, at={experiment.x: x}).mean() for x in points}
    unit = _unit(experiment, metric)
    series = {name: [(float(x), float(means[x][name]) / unit) for x in points] for name in experiment.methods}
    series = {name: [p for p in curve if not math.isnan(p[1])] for name, curve in series.items()}
    name = _metric_name(experiment, metric)
    marked = (_beyond(results, experiment), "beyond the rank") if experiment.marked else None
    svg = lines(series, x_label=experiment.x, y_label=name, marked=marked)
    alt = f"{name} against {experiment.x}, one line per method; the table below holds the values."
    return Figure(f"{experiment.key}-{metric}", f"{experiment.title}: {name}", alt, svg)


def _beyond(results: Results, experiment: Experiment) -> dict[str, float]:
    """Return where on the axis (a share of the features) a method runs out of directions of its own."""
    frame = results.frame[results.frame["experiment"] == experiment.key]
    own = {name: frame[frame["method"] == name] for name in experiment.marked}
    return {name: float((rows["rank"] / rows["n_features"]).mean()) for name, rows in own.items()}


def _points(results: Results, experiment: Experiment, metric: str) -> Grid:
    rows = []
    for x in experiment.grid[experiment.x]:
        measured = {m: results.measured(experiment, metric, m, at={experiment.x: x}) for m in experiment.methods}
        rows.append((f"{x:g}", _row_of_cells(results, experiment, metric, measured, at={experiment.x: x}, set="")))
    return Grid(f"{_metric_name(experiment, metric)} by {experiment.x}", experiment.methods, tuple(rows))


# -- beside the paper ----------------------------------------------------------------


def _rules(results: Results, experiment: Experiment) -> Iterator[Block]:
    """Every method under its own threshold rule and under common ones."""
    rules = experiment.options.get("rules", ())
    for metric in (m for m in experiment.metrics if rules and m in METRICS and METRICS[m].needs == "labels"):
        columns = [metric, *(f"{metric}@{rule}" for rule in rules)]
        rows = []
        for name in experiment.methods:
            method = results.paper.methods[name]
            cells = tuple(_cell(experiment, c, results.measured(experiment, c, name), None) for c in columns)
            rows.append((f"{name} ({method.natural})" if method.natural else name, cells))
        note = ". ".join(f"{rule}: {RULES.get(rule, 'P ≥ ½')}" for rule in rules)
        caption = f"{_metric_name(experiment, metric)} under common threshold rules"
        yield Grid(caption, ("own rule", *rules), tuple(rows), note=f"{note}.")


def _user_sets(results: Results, experiment: Experiment) -> Iterator[Grid]:
    for name in (each for each in experiment.sets if each.startswith("your ")):
        rows = []
        for metric in experiment.metrics:
            measured = {m: results.measured(experiment, metric, m, set=name) for m in experiment.methods}
            cells = _row_of_cells(results, experiment, metric, measured, at={}, set=name)
            rows.append((_metric_name(experiment, metric), cells))
        yield Grid(f"The same on {name}", experiment.methods, tuple(rows))


def _tests(results: Results, experiment: Experiment) -> tuple[Block, ...]:
    """Hero against each other method as the paper tests it, and all methods by their ranks as is done today."""
    hero = experiment.hero or results.paper.hero
    rows = []
    for metric in experiment.metrics:
        blocks = results.blocks(experiment, metric).dropna(axis=1, how="all")
        others = [name for name in blocks.columns if name != hero]
        if hero in blocks and len(blocks.dropna()) >= 2 and others:
            rows.append((_metric_name(experiment, metric), _paired_row(experiment, metric, blocks, hero)))
    if not rows:
        return ()
    heads = tuple(name for name in experiment.methods if name != hero)
    caption = f"{hero} minus each other method: mean difference, its 95 % bootstrap interval, p of a paired t-test (* below .05)"
    return Grid(caption, heads, tuple(rows)), *_rank_figure(results, experiment)


def _paired_row(experiment: Experiment, metric: str, blocks: pd.DataFrame, hero: str) -> tuple[Cell, ...]:
    cells = []
    for name in (each for each in experiment.methods if each != hero):
        both = blocks[[hero, name]].dropna() if name in blocks else blocks[[]]
        if len(both) < 2 or name not in blocks:
            cells.append(Cell("–"))
            continue
        test, unit = paired(both[hero], both[name]), _unit(experiment, metric)
        span = f"{test.difference / unit:+.3f} [{test.low / unit:+.3f}, {test.high / unit:+.3f}]"
        cells.append(Cell(f"{span}, {_p(test.p)}{' *' if test.p < LEVEL else ''}"))
    return tuple(cells)


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {value:.3f}".replace("0.", ".")


def _rank_figure(results: Results, experiment: Experiment) -> tuple[Block, ...]:
    metric = results.paper.decisive
    if metric not in experiment.metrics:
        return ()
    blocks = results.blocks(experiment, metric).dropna(axis=1, how="all").dropna()
    if blocks.shape[1] < 3 or len(blocks) < 2:
        return ()
    ranking = ranks(blocks, greater_is_better=not lower_is_better(metric))
    caption = (
        f"Mean ranks in {_in_words(metric)} over {len(blocks)} blocks (Friedman {_p(ranking.p)}); methods under one bar are not "
        f"separated by Nemenyi's test at 5 %"
    )
    order = ", ".join(f"{method} {rank:.2f}" for method, rank in ranking.mean_ranks.sort_values().items())
    figure = Figure(f"{experiment.key}-ranks", caption, f"Mean ranks: {order}.", critical_difference(ranking))
    return (figure,)


# -- what it rests on ----------------------------------------------------------------


def _claims(claims: Sequence[tuple[Any, ClaimResult]]) -> Grid:
    rows = []
    for claim, result in claims:
        evidence = " ".join(filter(None, (result.evidence, claim.why)))
        rows.append((f"{claim.text} ({claim.place})", (Cell(result.finding.value), Cell(evidence))))
    return Grid("Claims of the text", ("finding", "evidence"), tuple(rows))


def _sets(reproduction: Reproduction) -> Grid:
    rows = []
    for name, there in reproduction.sets.items():
        spec = reproduction.paper.sets[name]
        source = f"{spec.source or there.advice}. {spec.note}".strip(". ") + "."
        digest = ", ".join(f"{file} {sha[:12]}" for file, sha in spec.files.items()) or "–"
        rows.append((name, (Cell(there.status), Cell(source), Cell(digest))))
    return Grid("Where the data come from", ("here", "source", "SHA-256, first digits"), tuple(rows))


def _methods(reproduction: Reproduction) -> Grid:
    used = dict.fromkeys(name for e in reproduction.paper.experiments for name in e.methods)
    rows = [(name, _method_row(reproduction.paper.methods[name])) for name in used]
    return Grid("What was run", ("steps", "remarks"), tuple(rows))


def _method_row(method: Method) -> tuple[Cell, ...]:
    steps = " → ".join(_step(step) for step in method.steps)
    remarks = [method.note, f"own rule: {method.natural}" if method.natural else "", "not in the paper" * method.ours]
    return Cell(steps), Cell("; ".join(filter(None, remarks)) or "–")


def _step(step: Mapping[str, Any]) -> str:
    """Return a step as it would be written in Python."""
    settings = {name: value for name, value in step.items() if name not in ("use", "as_published")}
    name = str(step["use"]).partition(":")[2] + (".as_published" if step.get("as_published") else "")
    return f"{name}({', '.join(f'{k}={_value(v)}' for k, v in settings.items())})"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        if "use" in value:
            return _step(value)
        if "same_as" in value:
            return f"as {value['same_as']}"
        if "share_of_features" in value:
            return f"{value['share_of_features']} of the features"
    return str(value) if isinstance(value, str) else repr(value)
