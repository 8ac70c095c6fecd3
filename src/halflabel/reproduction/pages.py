"""Records of a paper -> its page: measured beside published, verdicts, tests, claims, and how to run it again."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from halflabel.reproduction.chance import more_than_chance, wins_and_losses
from halflabel.reproduction.claims import check
from halflabel.reproduction.findings import ClaimResult
from halflabel.reproduction.page.model import Block, Bullets, Cell, Grid, Page, Section, Text, Verdict
from halflabel.reproduction.pictures import pictures
from halflabel.reproduction.reproduction import Reproduction
from halflabel.reproduction.results import Results
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Experiment, Method
from halflabel.reproduction.store import Record
from halflabel.reproduction.tables import by_metric, by_setting, curve, points, printed_cell, rules_tables, user_sets

#: What a tier is, in words.
TIER_WORDS = {
    "quick": "quick: a sample of the runs, to see that everything works",
    "default": "default: smaller than the printed protocol where that would take longer than 40 minutes on two cores",
    "full": "full: the printed protocol",
}


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
    made_by = dict.fromkeys(_made_by(record.made) for record in done)
    return (
        ("Tier", TIER_WORDS[reproduction.tier]),
        ("Runs", f"{len(done)} of {len(records)} measured, {seconds / 60:.1f} minutes of fitting and predicting"),
        ("Made by", "; and by ".join(made_by) or "nothing yet"),
        ("Again", reproduction.line),
    )


def _made_by(made: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {made[name]}" for name in ("halflabel", "numpy", "scipy", "scikit-learn"))
    return f"{versions}; commit {made.get('commit') or 'unknown'}; {made.get('machine', '')}"


def _in_short(results: Results, claims: Sequence[tuple[Any, ClaimResult]]) -> Section:
    """Return the verdicts counted per table, and the findings counted over all claims."""
    told = [f"{experiment.title}: {_verdicts(results, experiment)}." for experiment in results.paper.experiments
            if any(map(experiment.covers, experiment.published))]  # fmt: skip
    found = Counter(result.finding for _, result in claims)
    said = [f"{number} {finding.value}" for finding, number in found.items()]
    told += [f"Of {len(claims)} claims of the text: {', '.join(said)}."] if claims else []
    return Section("In short", (Bullets(tuple(told)),))


def _verdicts(results: Results, experiment: Experiment) -> str:
    covered = [cell for cell in experiment.published if experiment.covers(cell)]
    counts = Counter(printed_cell(results, experiment, cell).verdict for cell in covered)
    words = {Verdict.AGREES: "agree"}
    each = [f"{counts[verdict]} {words.get(verdict, verdict.value)}" for verdict in Verdict if counts[verdict]]
    return f"of {len(covered)} printed values, {', '.join(each)}"


def _experiment(results: Results, experiment: Experiment) -> Iterator[Section]:
    """Yield one table or figure, and the tests of its differences."""
    blocks: list[Block] = [Text(f"{experiment.place or 'Not in the paper'}. {experiment.note}".strip())]
    blocks += pictures(results, experiment)
    if experiment.x:
        sets = [name for name in experiment.sets if not is_own(name)] if experiment.rows == "setting" else [""]
        for shown, name in itertools.product(experiment.curves or experiment.metrics[:1], sets):
            blocks += [*curve(results, experiment, shown, name), points(results, experiment, shown, name)]
    elif experiment.rows == "metric":
        blocks += [by_metric(results, experiment)]
    else:
        blocks += [by_setting(results, experiment, metric) for metric in experiment.metrics]
    if experiment.x:
        blocks += wins_and_losses(results, experiment) if experiment.options.get("rules") else ()
    else:
        blocks += rules_tables(results, experiment)
    blocks += user_sets(results, experiment)
    if missing := results.incomplete(experiment):
        blocks.append(Bullets(tuple(f"{number} runs without figures: {reason}" for reason, number in missing.items())))
    yield Section(experiment.title, tuple(blocks))
    if not experiment.x and (tests := more_than_chance(results, experiment)):
        yield Section("More than chance?", tests, level=3)


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
