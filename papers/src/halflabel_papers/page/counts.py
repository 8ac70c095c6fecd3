"""Counts of verdicts: how many printed values agree, under the methods' own rules and under common ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from halflabel_papers.metrics import METRICS
from halflabel_papers.spec import Experiment, PrintedCell
from halflabel_papers.verdicts.results import Results, Verdict, explain_not_comparable, judge


def describe_verdicts(results: Results, experiment: Experiment) -> str:
    """Return how many printed values agree and how many differ. A value that several methods measure counts once."""
    values = list(_group_printed(experiment))
    counts = Counter(_judge_best(results, experiment, cells) for cells in values)
    differ = counts[Verdict.BETTER] + counts[Verdict.WORSE] + counts[Verdict.DIFFERS]
    directed = (
        f" ({counts[Verdict.BETTER]} better, {counts[Verdict.WORSE]} worse)" if not counts[Verdict.DIFFERS] else ""
    )
    parts = [
        f"{counts[Verdict.AGREES]} agree" if counts[Verdict.AGREES] else "",
        f"{differ} differ{directed}" if differ else "",
        _count_incomparable(results, experiment, values, counts[Verdict.NOT_COMPARABLE]),
        f"{counts[Verdict.NOT_MEASURED]} not measured" if counts[Verdict.NOT_MEASURED] else "",
    ]
    text = f"of {len(values)} printed values, {', '.join(filter(None, parts))}"
    return text + _describe_rules(results, experiment, values)


def count_printed(results: Results) -> str:
    """Return the number of printed values of the paper, of which each counts once, and the number of measured ones."""
    own = [experiment for experiment in results.paper.experiments if not experiment.printed_in]
    pairs = [(experiment, cells) for experiment in own for cells in _group_printed(experiment)]
    known = [_judge_best(results, *pair) is not Verdict.NOT_MEASURED for pair in pairs]
    return f"In all, {len(known)} printed values, each counted once; {sum(known)} are measured"


def _group_printed(experiment: Experiment) -> Iterator[list[PrintedCell]]:
    """Yield the cells of each printed value that this tier covers."""
    groups: dict[tuple[str, ...], list[PrintedCell]] = {}
    for cell in filter(experiment.covers, experiment.published):
        printed = experiment.printed_as.get(cell.method, cell.method)
        groups.setdefault((printed, cell.metric, cell.set, repr(sorted(cell.at.items()))), []).append(cell)
    yield from groups.values()


def _judge_best(results: Results, experiment: Experiment, cells: Sequence[PrintedCell], rule: str = "") -> Verdict:
    """Return the most favourable verdict of these cells, under the methods' own rule or a common one."""
    verdicts = []
    for cell in cells:
        metric = f"{cell.metric}@{rule}" if rule else cell.metric
        measured = results.average(experiment, metric, cell.method, at=cell.at, set=cell.set)
        verdicts.append(judge(cell, measured, experiment))
    return min(verdicts, key=list(Verdict).index)


def _count_incomparable(
    results: Results, experiment: Experiment, values: Sequence[Sequence[PrintedCell]], number: int
) -> str:
    if not number:
        return ""
    reasons = {
        explain_not_comparable(results.average(experiment, c.metric, c.method, at=c.at, set=c.set), experiment)
        for cells in values
        for c in cells
    }
    return f"{number} not comparable ({'; '.join(sorted(filter(None, reasons)))})"


def _describe_rules(results: Results, experiment: Experiment, values: Sequence[Sequence[PrintedCell]]) -> str:
    """Return how many values agree under the nearest common threshold rule, for metrics of 0/1 labels."""
    rules = experiment.options.get("rules", ())
    known = [cells for cells in values if rules and cells[0].metric in METRICS]
    of_labels = [cells for cells in known if METRICS[cells[0].metric].needs == "labels"]
    own = sum(_judge_best(results, experiment, cells) is Verdict.AGREES for cells in of_labels)
    near = sum(
        any(_judge_best(results, experiment, cells, rule) is Verdict.AGREES for rule in ("", *rules))
        for cells in of_labels
    )
    if near == own:
        return ""
    return f"; under the nearest of all threshold rules {near} of {len(of_labels)} agree, under the own rule {own}"
