"""From the records of a paper to its page: measured and published values, verdicts, tests, claims, the command."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halflabel.plugins import NONE, atomic_write, plural, together
from halflabel_papers.archive import NAME, unpack
from halflabel_papers.budget import describe_budget
from halflabel_papers.page import tables
from halflabel_papers.page.counts import count_printed, describe_verdicts
from halflabel_papers.page.listing import list_values
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import (
    Block,
    Bullets,
    Cell,
    Grid,
    Page,
    Section,
    Text,
    divide_wide,
    render_html,
)
from halflabel_papers.page.plots import draw_curve, draw_maps, draw_mean_ranks
from halflabel_papers.run import Reproduction
from halflabel_papers.sources import is_user_set
from halflabel_papers.spec import Claim, Experiment, Method
from halflabel_papers.store import Record
from halflabel_papers.verdicts.claims import check_claim
from halflabel_papers.verdicts.results import ClaimResult, Finding, Results

#: Findings that no page opens with.
UNDECIDED = (Finding.NOT_MEASURED, Finding.UNDERPOWERED, Finding.UNDECIDED)

#: Maximum number of characters of the evidence that a main finding shows.
MAX_EVIDENCE = 240

#: The meaning of the tiers.
TIERS_IN_WORDS = {
    "quick": "quick: a sample of the runs, to check that everything works",
    "default": "default: smaller than the printed protocol if that needs more than an hour or so on two cores",
    "full": "full: the printed protocol",
}


def write_outputs(content: bytes, folder: Path) -> list[Path]:
    """Write an archive, and from it alone the page and the table of its values. Return the paths.

    ``content`` is from :func:`halflabel_papers.archive.pack`; equal bytes give an equal page.
    """
    work, records = unpack(content)
    with together():
        paths = [*write_page(build_page(work, records), folder), folder / "results.csv", folder / NAME]
        with atomic_write(paths[-2], "w") as file:
            list_values(Results(work.paper, records)).to_csv(file, index=False, lineterminator="\n")
        with atomic_write(paths[-1]) as file:
            file.write(content)
    return paths


def write_page(page: Page, folder: Path) -> tuple[Path, Path]:
    """Write the page as HTML, and as Markdown with its figures in a folder. Return both paths."""
    text, figures = render_markdown(page, "figures")
    (folder / "figures").mkdir(exist_ok=True)
    files = {f"figures/{name}": svg for name, svg in figures.items()}
    files |= {"index.html": render_html(page), "README.md": text}
    for name, content in files.items():
        with atomic_write(folder / name, "w") as file:
            file.write(content)
    return folder / "index.html", folder / "README.md"


def build_page(reproduction: Reproduction, records: Sequence[Record]) -> Page:
    """Return the page of a paper from its records."""
    paper, results = reproduction.paper, Results(reproduction.paper, records)
    claims = [(claim, check_claim(claim, results)) for claim in paper.claims]
    opening = [
        Section("Main findings", (Bullets(main, as_tiles=True),)) if (main := _list_main(claims)) else None,
        _summarise(results, claims),
        Section("Claims of the text", _tabulate_claims(paper.experiments, claims)) if claims else None,
    ]
    sections = [section for each in paper.experiments for section in _describe_experiment(results, each)]
    closing = [
        Section("Limits of the comparison", (Bullets(paper.not_comparable),)) if paper.not_comparable else None,
        Section("Sets", (_tabulate_sets(reproduction),)),
        Section("Methods", (_tabulate_methods(reproduction),)),
    ]
    return Page(
        title=paper.title,
        lead=f"{paper.authors}, {paper.venue}. {paper.summary}",
        facts=_list_facts(reproduction, records),
        sections=tuple(_divide(section) for section in (*filter(None, opening), *sections, *filter(None, closing))),
    )


def _list_main(claims: Sequence[tuple[Claim, ClaimResult]]) -> tuple[str, ...]:
    """Return the finding of each main claim, as the records of this page have it, if they decide it."""
    decided = (pair for pair in claims if pair[0].main and pair[1].finding not in UNDECIDED)
    return tuple(f"{result.finding.value.capitalize()}: {claim.text}. {_shorten(result)}" for claim, result in decided)


def _shorten(result: ClaimResult) -> str:
    """Return the evidence, or of long evidence the number of comparisons: all of it is in the table of the claims."""
    counts = result.evidence.partition(" comparisons ")[0]
    return result.evidence if len(result.evidence) <= MAX_EVIDENCE else f"{counts} comparisons: see the table below."


def _divide(section: Section) -> Section:
    """Return the section with its wide tables divided."""
    return replace(section, blocks=tuple(piece for block in section.blocks for piece in divide_wide(block)))


def _list_facts(reproduction: Reproduction, records: Sequence[Record]) -> tuple[tuple[str, str], ...]:
    done = [record for record in records if record.metrics]
    seconds = sum(record.seconds.get("fit", 0) + record.seconds.get("predict", 0) for record in done)
    states = {str(record.made.get("code") or record.made.get("commit")) for record in done}
    return (
        ("Tier", TIERS_IN_WORDS[reproduction.tier]),
        ("Runs", f"{len(done)} of {len(records)} measured, {seconds / 60:.1f} CPU minutes of fitting and predicting"),
        ("Made by", describe_making(done) if done else "no run yet"),
        ("Code", f"{plural(len(states), 'state')}, named in the records"),
        ("To repeat", reproduction.line),
    )


def describe_making(records: Sequence[Record]) -> str:
    """Return the versions behind records, each once. The state of the code is in each record."""
    names = ("halflabel", "numpy", "scipy", "scikit-learn")
    return ", ".join(f"{name} {' / '.join(sorted({each.made[name] for each in records}))}" for name in names)


def _summarise(results: Results, claims: Sequence[tuple[Claim, ClaimResult]]) -> Section:
    """Return the numbers of verdicts per table, and of findings: claims of the text and questions of ours apart."""
    compared = [each for each in results.paper.experiments if any(map(each.covers, each.published))]
    lines = [
        f"{each.title}{', the same values again' * bool(each.printed_in)}: {describe_verdicts(results, each)}."
        for each in compared
    ]
    lines += [f"{count_printed(results)}."] if compared else []
    for ours, words in ((False, "of the text"), (True, "that the paper does not make")):
        findings = Counter(result.finding for claim, result in claims if claim.is_ours is ours)
        counts = [f"{findings[finding]} {finding.value}" for finding in Finding if findings[finding]]
        lines += [f"Of {plural(findings.total(), 'claim')} {words}: {', '.join(counts)}."] if counts else []
    return Section("In short", (Bullets(tuple(lines)),))


def _describe_experiment(results: Results, experiment: Experiment) -> Iterator[Section]:
    """Yield one table or figure, the tests of its differences, and the same for each set of the user's own."""
    own = [name for name in experiment.sets if is_user_set(name)]
    sets = _list_public(experiment) if experiment.rows == "setting" else [""]
    blocks: list[Block] = [Text(_introduce(results, experiment)), *draw_maps(results, experiment)]
    blocks += _describe_values(results, experiment, sets)
    if missing := results.list_incomplete(experiment):
        blocks.append(Bullets(tuple(missing)))
    yield Section(experiment.title, tuple(blocks))
    if not experiment.x and (tests := tuple(tables.tabulate_tests(results, experiment))):
        yield Section("Significance", (*tests, *draw_mean_ranks(results, experiment)), level=3)
    for name in own:
        tests = tuple(tables.tabulate_tests(results, experiment, name))
        yield Section(f"The same on {name}", (*_describe_values(results, experiment, [name]), *tests), level=3)


def _introduce(results: Results, experiment: Experiment) -> str:
    """Return the place of an experiment in the paper, its note, and whether the user's models and sets are left out."""
    added = any(method.added for method in results.paper.methods.values()) or any(map(is_user_set, results.paper.sets))
    closed = "Your models and sets are not part of it: it compares settings of the paper's method."
    return " ".join(
        filter(
            None,
            (f"{experiment.place or 'Not in the paper'}.", experiment.note, closed * (added and not experiment.open)),
        )
    )


def _describe_values(results: Results, experiment: Experiment, sets: Sequence[str]) -> Iterator[Block]:
    """Yield the curves or the tables of one experiment on these sets. "" is all sets of the paper together."""
    if experiment.x:
        yield from _describe_curves(results, experiment, sets)
        return
    several = any(len(values) > 1 for values in experiment.grid.values())
    if experiment.rows == "setting" or (several and any(sets)):
        yield from (tables.tabulate_settings(results, experiment, metric, sets) for metric in experiment.metrics)
    else:
        yield from (tables.tabulate_metrics(results, experiment, name) for name in sets)
    yield from tables.tabulate_rules(results, experiment, sets)
    if "" in sets or experiment.rows == "setting":
        yield from tables.tabulate_distances(results, experiment)


def _describe_curves(results: Results, experiment: Experiment, sets: Sequence[str]) -> Iterator[Block]:
    """Yield the curves, one row per metric and threshold rule and one column per set, and then their tables."""
    metrics = experiment.curves or experiment.metrics[:1]
    rows = [[each for name in sets for each in draw_curve(results, experiment, metric, name)] for metric in metrics]
    is_whole = len(sets) > 1 and all(len(row) == len(sets) for row in rows)
    for figure in itertools.chain.from_iterable(rows):
        yield replace(figure, per_row=len(sets) if is_whole else 0)
    for metric, name in itertools.product(metrics, sets):
        yield tables.tabulate_curve(results, experiment, metric, name)


def _list_public(experiment: Experiment) -> list[str]:
    """Return the sets of the paper."""
    return [name for name in experiment.sets if not is_user_set(name)]


def _tabulate_claims(
    experiments: Sequence[Experiment], claims: Sequence[tuple[Claim, ClaimResult]]
) -> tuple[Block, ...]:
    """Return a table of the claims of the text, and one of our own questions."""
    units = {"runs": "runs (each a set, a point of the grid and a trial)", "sets": "sets (means over their runs)"}
    unit = " or ".join(dict.fromkeys(units[each.unit_of_pairs] for each in experiments if each.protocol != "study"))
    meaning = Text(
        "A claim of a significant difference needs the same test to be supported and to be refuted, at 5 % or at its "
        "own level. Another comparison of methods is supported by the means, and refuted by a significant difference "
        f"only. Tests pair {unit or units['runs']}. Where sets or points of a grid are significant in opposite "
        "directions, each of them is a comparison of its own. Curves and bounds are compared as measured, without a "
        "test. Underpowered: these trials decide neither. In part: some comparisons contradict the claim, are not "
        "significant, or are not measured. Cannot be decided: the reason is stated."
    )
    grids = []
    for ours, caption in ((False, "Claims of the text"), (True, "Claims that the paper does not make")):
        rows = []
        for claim, result in claims:
            evidence = " ".join(filter(None, (result.evidence, claim.why)))
            name = f"{claim.text} ({claim.place.removeprefix('not in the paper').lstrip(': ') or 'ours'})"
            rows += [(name, (Cell(result.finding.value), Cell(evidence)))] if claim.is_ours is ours else []
        grids += [Grid(caption, ("finding", "evidence"), tuple(rows))] if rows else []
    return (meaning, *grids)


def _tabulate_sets(reproduction: Reproduction) -> Grid:
    rows = []
    for name, state in reproduction.sets.items():
        spec = reproduction.paper.sets[name]
        source = f"{spec.source or state.advice}. {spec.note}".strip(". ") + "."
        digest = ", ".join(f"{file} {sha[:12]}" for file, sha in spec.files.items()) or NONE
        rows.append((name, (Cell(state.status), Cell(source), Cell(digest))))
    return Grid("Sources of the data", ("here", "source", "SHA-256, first digits"), tuple(rows))


def _tabulate_methods(reproduction: Reproduction) -> Grid:
    first = {run.method: run for run in reversed(reproduction.runs)}
    used = dict.fromkeys(name for e in reproduction.paper.experiments for name in e.methods)
    rows = []
    for name in used:
        steps, remarks = _describe_method(method := reproduction.paper.methods[name])
        budget = "not known" if method.added else describe_budget(first[name].steps) or NONE
        rows.append((name, (steps, Cell(budget), remarks)))
    note = "The budget is that of the first table with the method: settings, compared on held-out labels or features."
    return Grid("Steps of the methods", ("steps", "tuning budget", "remarks"), tuple(rows), note=note)


def _describe_method(method: Method) -> tuple[Cell, ...]:
    steps = " → ".join(format_step(step) for step in method.steps)
    remarks = [method.note, f"own rule: {method.natural}" if method.natural else "", "not in the paper" * method.ours]
    return Cell(steps), Cell("; ".join(filter(None, remarks)) or NONE)


def format_step(step: Mapping[str, Any]) -> str:
    """Return a step as a call in Python."""
    settings = {name: value for name, value in step.items() if name not in ("use", "as_published")}
    name = str(step["use"]).partition(":")[2] + (".as_published" if step.get("as_published") else "")
    return f"{name}({', '.join(f'{k}={_format_value(v)}' for k, v in settings.items())})"


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        if "use" in value:
            return format_step(value)
        if "same_as" in value:
            return f"as {value['same_as']}"
        if "share_of_features" in value:
            return f"{value['share_of_features']} of the features"
    if value == "$none":
        return "None"
    return str(value) if isinstance(value, str) else repr(value)
