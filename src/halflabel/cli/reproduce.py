"""The command that measures a paper's tables again: reproduce."""

from __future__ import annotations

import os
import webbrowser
from collections import Counter
from pathlib import Path

import click
from rich.table import Table

from halflabel._files import together
from halflabel._wording import plural
from halflabel.cli.console import out, print_note, print_result, show_progress
from halflabel.cli.files import PATH
from halflabel.reproduction.load import find_published_page, list_papers
from halflabel.reproduction.page.build import build_page, write_page
from halflabel.reproduction.run import Reproduction, prepare
from halflabel.reproduction.spec import TIERS
from halflabel.reproduction.store import Record, Store


@click.command()
@click.argument("key", required=False)
@click.option("--list", "listing", is_flag=True, help="List the papers, their sets and their pages.")
@click.option("--tier", type=click.Choice(TIERS), default="default", show_default=True,
              help="One or two minutes, at most 40 minutes on two cores, or the printed protocol.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Short for --tier quick.")
@click.option("--folder", type=PATH, help="Folder of the benchmark sets; by default the variable HALFLABEL_DATA.")
@click.option("--fetch", "fetched", is_flag=True, help="Download missing sets from OpenML (needs the network).")
@click.option("--add", multiple=True, metavar="PACKAGE:MODEL", help="Your own estimator, added to the paper's.")
@click.option("--data", "own", type=PATH, multiple=True, help="Your own set, added to the paper's.")
@click.option("--labels", help="Label columns of your own set, with commas; an ARFF file with Mulan's XML needs none.")
@click.option("-o", "--output", type=PATH, help="Folder of records and pages; by default halflabel-KEY-TIER.")
@click.option("--jobs", type=click.IntRange(-1), default=-1, show_default=True, help="Processes; -1 is one per core.")
@click.option("--plan", "plan_only", is_flag=True, help="Print the plan of the runs, and stop.")
@click.option("--strict", is_flag=True, help="End with an error if a run failed or could not start.")
@click.option("--published", is_flag=True, help="Show the page that comes with halflabel; nothing is run.")
def reproduce(
    key: str | None,
    listing: bool,
    tier: str,
    quick: bool,
    folder: Path | None,
    fetched: bool,
    add: tuple[str, ...],
    own: tuple[Path, ...],
    labels: str | None,
    output: Path | None,
    jobs: int,
    plan_only: bool,
    strict: bool,
    published: bool,
) -> None:
    """Measure the tables and figures of a paper again, and compare them with the printed values.

    It covers every table and figure whose data are available. If it is interrupted, even killed, the same command
    continues where it stopped.

    \b
    Examples:
      halflabel reproduce --list
      halflabel reproduce zhang2008 --quick
      halflabel reproduce zhang2008 --add mypackage.models:MyModel --data mine.arff
      halflabel reproduce zhang2008 --published
    """  # noqa: D301
    folder = folder or (Path(os.environ["HALFLABEL_DATA"]) if os.environ.get("HALFLABEL_DATA") else None)
    if listing:
        out.print(_tabulate_papers(folder))
        return
    if key is None:
        raise ValueError(f"name a paper: {', '.join(list_papers())}; --list describes each of them.")
    if published:
        _show(find_published_page(key))
        return
    if jobs == 0:
        raise ValueError("--jobs 0 would do nothing: give a number of processes, or -1 for one per core.")
    tier = "quick" if quick else tier
    named = tuple(map(str.strip, labels.split(","))) if labels else ()
    work = prepare(key, tier, folder=folder, add=add, data=[(path, named) for path in own], fetched=fetched)
    target = output or Path(f"halflabel-{work.paper.key}-{tier}")
    store = Store(target / "records.jsonl")
    _print_plan(work, store, jobs)
    if not plan_only:
        _run(work, store, jobs, strict)


def _show(page: Path) -> None:
    print_result(f"Published page: {page}.")
    webbrowser.open(page.as_uri())


def _run(work: Reproduction, store: Store, jobs: int, strict: bool) -> None:
    """Do the open runs, write the pages, and print the outcome."""
    if not work.startable:
        raise ValueError("no set of this paper is here: the table above names the source of each one.")
    store.path.parent.mkdir(parents=True, exist_ok=True)
    with show_progress():
        records = work.run(store, n_jobs=jobs)
        with together():
            paths = write_page(build_page(work, records), store.path.parent)
    _print_outcome(records)
    print_result(f"Written: {store.path}, {', '.join(map(str, paths))}.")
    if strict and (bad := sum(not record.metrics for record in records)):
        raise ValueError(f"{bad} of {plural(len(records), 'run')} have no figures, and --strict was given.")


def _tabulate_papers(folder: Path | None) -> Table:
    """Return the papers, the number of their sets that are here, and whether they have a published page."""
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
    return table


def _print_plan(work: Reproduction, store: Store, jobs: int) -> None:
    """Print, before anything runs, which sets are here, how many runs there are, and their time and memory."""
    table = Table("set", "here", "", title=f"{work.paper.title} ({work.tier})", title_justify="left")
    for name, state in work.sets.items():
        table.add_row(name, state.status, state.advice)
    out.print(table)
    todo = work.list_open_runs(store)
    processes = (os.cpu_count() or 1) if jobs < 0 else jobs
    minutes = work.estimate_seconds(todo) / processes / 60
    memory = work.estimate_megabytes(todo) * min(processes, len(todo)) / 1000
    missing = len(work.runs) - len(work.startable)
    print_result(
        f"{plural(len(work.runs), 'run')}: {len(work.startable) - len(todo)} recorded, {len(todo)} to do, "
        f"{missing} not available."
    )
    if todo:
        print_result(f"About {max(minutes, 0.1):.1f} minutes and {memory:.1f} GB with --jobs {processes}.")


def _print_outcome(records: list[Record]) -> None:
    reasons = Counter(record.failed for record in records if record.failed)
    for reason, number in reasons.items():
        print_note(f"{plural(number, 'run')} failed: {reason}")
    done = sum(bool(record.metrics) for record in records)
    print_result(f"{done} of {plural(len(records), 'run')} measured.")
