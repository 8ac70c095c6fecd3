"""The work of the command: the list of papers, the plan and the runs of one, and its pages."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from halflabel.cli.console import out, print_note, print_result, show_progress
from halflabel.plugins import plural
from halflabel_papers.archive import NAME, pack, read_archive
from halflabel_papers.load import find_published_page, list_papers
from halflabel_papers.page.build import write_outputs
from halflabel_papers.run import Reproduction, prepare
from halflabel_papers.store import Record, Store
from halflabel_papers.verdicts.results import list_failures, list_missing_predictions


@dataclass(frozen=True)
class Choice:
    """How runs are done."""

    jobs: int
    only: tuple[str, ...]
    limit: float | None
    strict: bool


def reproduce_paper(
    key: str, tier: str, asked: Mapping[str, Any], output: Path | None, choice: Choice, *, plan_only: bool
) -> None:
    """Print the plan of a paper, do its open runs, and write its pages."""
    work = prepare(key, tier, **asked)
    store = Store((output or Path(f"halflabel-{work.paper.key}-{tier}")) / "records.jsonl")
    work = replace(work, earlier=_read_earlier(work, store))
    _print_plan(work, store, choice.jobs, choice.only)
    if not plan_only:
        _run(work, store, choice)


def rebuild(key: str, archive: Path, output: Path | None) -> None:
    """Build a page from an archive, or from that of the published page."""
    source = find_published_page(key, NAME) if archive == Path() else archive
    source = source / NAME if source.is_dir() else source
    target = output or Path(f"halflabel-{Path(key).stem}-from-records")
    target.mkdir(parents=True, exist_ok=True)
    read_archive(source)
    paths = write_outputs(source.read_bytes(), target)
    print_result(f"Written from {source}: {', '.join(map(str, paths))}.")


def _read_earlier(work: Reproduction, store: Store) -> list[Record]:
    """Return all records at hand: of the published page, and of the output folder."""
    records = list(store.read().values())
    with suppress(FileNotFoundError, ValueError):
        records = [*read_archive(find_published_page(work.key, NAME))[1], *records]
    return records


def pair_labels(own: tuple[Path, ...], labels: tuple[str, ...]) -> list[tuple[Path, tuple[str, ...]]]:
    """Return each set of the user with the names of its labels. A single list of names is for all sets."""
    if len(labels) not in (0, 1, len(own)):
        raise ValueError(
            f"there are {plural(len(own), 'set')} (--data) and {plural(len(labels), 'list')} of names (--labels): give "
            "one for all, or one for each in the same order."
        )
    names = [tuple(filter(None, map(str.strip, each.split(",")))) for each in labels] or [()]
    return list(zip(own, names * len(own) if len(names) == 1 else names, strict=True))


def show_published(key: str) -> None:
    """Open the page that comes with halflabel."""
    page = find_published_page(key)
    print_result(f"Published page: {page}.")
    webbrowser.open(page.as_uri())


def _run(work: Reproduction, store: Store, choice: Choice) -> None:
    """Do the open runs, write the pages, and print the outcome."""
    if not work.startable:
        raise ValueError("no set of this paper is here: the table above names the source of each one.")
    store.path.parent.mkdir(parents=True, exist_ok=True)
    with show_progress():
        records = work.run(store, n_jobs=choice.jobs, only=choice.only, limit=choice.limit)
        paths = write_outputs(pack(work, records), store.path.parent)
    _print_outcome(work, records)
    print_result(f"Written: {store.path}, {', '.join(map(str, paths))}.")
    wanted = [record for record in records if not choice.only or record.experiment in choice.only]
    if choice.strict and (bad := sum(not record.metrics for record in wanted)):
        raise ValueError(f"{bad} of {plural(len(wanted), 'run')} have no figures, and --strict was given.")


def print_papers(folder: Path | None) -> None:
    """Print the papers, the number of their sets that are here, and whether they have a published page."""
    table = Table("key", "paper", "sets here", "page", title="Papers that can be reproduced", title_justify="left")
    for key in list_papers():
        work = prepare(key, "default", folder=folder)
        usable = sum(each.usable for each in work.sets.values())
        paper = work.paper
        try:
            page = "--published" if find_published_page(key) else ""
        except FileNotFoundError:
            page = "none"
        table.add_row(key, f"{paper.title}. {paper.authors}, {paper.venue}", f"{usable} of {len(work.sets)}", page)
    out.print(table)


def _print_plan(work: Reproduction, store: Store, jobs: int, only: tuple[str, ...]) -> None:
    """Print, before anything runs, which sets are here, how many runs there are, and their time and memory."""
    table = Table("set", "here", "", title=f"{work.paper.title} ({work.tier})", title_justify="left")
    for name, state in work.sets.items():
        table.add_row(name, state.status, state.advice)
    out.print(table)
    todo = work.list_open_runs(store, only)
    for experiment in work.paper.experiments:
        mine = [run for run in todo if run.experiment == experiment.key]
        if mine:
            minutes = sum(work.estimate_seconds(mine)) / 60
            print_result(
                f"{experiment.key}: {experiment.title}; {plural(len(mine), 'run')}, {minutes:.1f} CPU minutes."
            )
    processes = (os.cpu_count() or 1) if jobs < 0 else jobs
    minutes = sum(work.estimate_seconds(todo)) / processes / 60
    memory = work.estimate_megabytes(todo) * min(processes, len(todo)) / 1000
    missing = len(work.runs) - len(work.startable)
    recorded = len(work.startable) - len(work.list_open_runs(store))
    print_result(f"{plural(len(work.runs), 'run')}: {recorded} recorded, {len(todo)} to do, {missing} not available.")
    if todo:
        print_result(f"About {max(minutes, 0.1):.1f} minutes and {memory:.1f} GB with --jobs {processes}.")


def _print_outcome(work: Reproduction, records: list[Record]) -> None:
    added = [record for record in records if work.paper.methods[record.method].added]
    for sentence in (*list_failures(records), *list_missing_predictions(added)):
        print_note(sentence)
    done = sum(bool(record.metrics) for record in records)
    print_result(f"{done} of {plural(len(records), 'run')} measured.")
