"""The command that measures a paper's tables anew: reproduce."""

from __future__ import annotations

import os
import webbrowser
from collections import Counter
from pathlib import Path

import click
from rich.table import Table

from halflabel._files import atomic_write
from halflabel.cli.console import counted, out, say, tell, working
from halflabel.cli.files import PATH
from halflabel.reproduction.loading import papers
from halflabel.reproduction.page.markdown import render_markdown
from halflabel.reproduction.page.model import Page, render_html
from halflabel.reproduction.pages import to_page
from halflabel.reproduction.published import published_page
from halflabel.reproduction.reproduction import Reproduction, prepare
from halflabel.reproduction.spec import TIERS
from halflabel.reproduction.store import Record, Store


@click.command()
@click.argument("key", required=False)
@click.option("--list", "listing", is_flag=True, help="List the papers, their sets and their pages.")
@click.option("--tier", type=click.Choice(TIERS), default="default", show_default=True,
              help="A minute or two, within 40 minutes on two cores, or the printed protocol.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Short for --tier quick.")
@click.option("--folder", type=PATH, help="Folder of the benchmark sets; by default the variable HALFLABEL_DATA.")
@click.option("--fetch", "fetched", is_flag=True, help="Get sets that are not there from OpenML (needs the network).")
@click.option("--add", multiple=True, metavar="PACKAGE:MODEL", help="Your own estimator, beside the paper's.")
@click.option("--data", "own", type=PATH, multiple=True, help="Your own set, beside the paper's.")
@click.option("--labels", help="Label columns of your own set, with commas; an ARFF file with Mulan's XML needs none.")
@click.option("-o", "--output", type=PATH, help="Folder of records and pages; by default halflabel-KEY-TIER.")
@click.option("--jobs", type=click.IntRange(-1), default=-1, show_default=True, help="Processes; -1 is one per core.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be run, and stop.")
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
    """Measure every table and figure of a paper whose data can be had, beside what the paper printed.

    A run that was interrupted, even killed, goes on where it stopped when the same line is given again.

    \b
    Examples:
      halflabel reproduce --list
      halflabel reproduce zhang2008 --quick
      halflabel reproduce zhang2008 --add mypackage.models:MyModel --data mine.arff
      halflabel reproduce zhang2008 --published
    """  # noqa: D301
    folder = folder or (Path(os.environ["HALFLABEL_DATA"]) if os.environ.get("HALFLABEL_DATA") else None)
    if listing:
        out.print(_papers(folder))
        return
    if key is None:
        raise ValueError(f"say which paper: {', '.join(papers())}; --list says more about each.")
    if published:
        _show(published_page(key))
        return
    if jobs == 0:
        raise ValueError("--jobs 0 would do nothing: give a number of processes, or -1 for one per core.")
    tier = "quick" if quick else tier
    named = tuple(map(str.strip, labels.split(","))) if labels else ()
    work = prepare(key, tier, folder=folder, add=add, data=[(path, named) for path in own], fetched=fetched)
    target = output or Path(f"halflabel-{work.paper.key}-{tier}")
    store = Store(target / "records.jsonl")
    _tell_plan(work, store, jobs)
    if not plan_only:
        _do(work, store, jobs, strict)


def _show(page: Path) -> None:
    tell(f"Published page: {page}.")
    webbrowser.open(page.as_uri())


def _do(work: Reproduction, store: Store, jobs: int, strict: bool) -> None:
    """Run what is open, write the pages, and say what became of it."""
    if not work.startable:
        raise ValueError("no set of this paper is here: the table above says where each one comes from.")
    store.path.parent.mkdir(parents=True, exist_ok=True)
    with working():
        records = work.run(store, n_jobs=jobs)
        written = write_pages(to_page(work, records), store.path.parent)
    _tell_outcome(records)
    tell(f"Written: {store.path}, {', '.join(map(str, written))}.")
    if strict and (bad := sum(not record.metrics for record in records)):
        raise ValueError(f"{bad} of {counted(len(records), 'run')} have no figures, and --strict was given.")


def _papers(folder: Path | None) -> Table:
    """Return the papers with what of each is here."""
    table = Table("key", "paper", "sets here", "page", title="Papers that can be reproduced", title_justify="left")
    for key in papers():
        work = prepare(key, "default", folder=folder)
        usable = sum(there.usable for there in work.sets.values())
        paper = work.paper
        try:
            page = "committed" if published_page(key) else ""
        except FileNotFoundError:
            page = "missing"
        table.add_row(key, f"{paper.title}. {paper.authors}, {paper.venue}", f"{usable} of {len(work.sets)}", page)
    return table


def _tell_plan(work: Reproduction, store: Store, jobs: int) -> None:
    """Say before anything runs what is here, what is not, and what it will take."""
    table = Table("set", "here", "", title=f"{work.paper.title} ({work.tier})", title_justify="left")
    for name, there in work.sets.items():
        table.add_row(name, there.status, there.advice)
    out.print(table)
    todo = work.open_runs(store)
    processes = (os.cpu_count() or 1) if jobs < 0 else jobs
    minutes = work.seconds(todo) / processes / 60
    memory = work.megabytes(todo) * min(processes, len(todo)) / 1000
    away = len(work.runs) - len(work.startable)
    tell(
        f"{counted(len(work.runs), 'run')}: {len(work.startable) - len(todo)} recorded, {len(todo)} to do, "
        f"{away} not available."
    )
    if todo:
        tell(f"About {max(minutes, 0.1):.1f} minutes and {memory:.1f} GB with --jobs {processes}.")


def _tell_outcome(records: list[Record]) -> None:
    reasons = Counter(record.failed for record in records if record.failed)
    for reason, number in reasons.items():
        say(f"{counted(number, 'run')} failed: {reason}")
    done = sum(bool(record.metrics) for record in records)
    tell(f"{done} of {counted(len(records), 'run')} measured.")


def write_pages(page: Page, target: Path) -> tuple[Path, Path]:
    """Write the page as HTML and as Markdown with its figures beside it; return both paths."""
    text, figures = render_markdown(page, "figures")
    (target / "figures").mkdir(exist_ok=True)
    files = {f"figures/{name}": svg for name, svg in figures.items()}
    files |= {"index.html": render_html(page), "README.md": text}
    for name, content in files.items():
        with atomic_write(target / name, "w") as file:
            file.write(content)
    return target / "index.html", target / "README.md"
