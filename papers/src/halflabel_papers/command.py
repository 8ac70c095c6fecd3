"""The command that measures a paper's tables again: reproduce."""

from __future__ import annotations

import os
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.table import Table

from halflabel.cli.console import out, print_note, print_result, show_progress
from halflabel.plugins import plural
from halflabel_papers.archive import NAME, pack, pair_records, read_archive
from halflabel_papers.estimate import Estimate
from halflabel_papers.load import find_published_page, list_papers
from halflabel_papers.page.build import write_outputs
from halflabel_papers.run import Reproduction, prepare
from halflabel_papers.spec import TIERS
from halflabel_papers.store import Record, Store
from halflabel_papers.verdicts.results import list_failures, list_missing_predictions

#: A path of the user.
PATH = click.Path(path_type=Path)


@click.command()
@click.argument("key", required=False)
@click.option("--list", "listing", is_flag=True, hidden=True)
@click.option("--tier", type=click.Choice(TIERS), default="default", show_default=True,
              help="One or two minutes, about an hour on two cores, or the printed protocol.")  # fmt: skip
@click.option("--quick", is_flag=True, hidden=True)
@click.option("--folder", type=PATH, help="Folder of the benchmark sets; by default the variable HALFLABEL_DATA.")
@click.option("--fetch", "fetched", is_flag=True, help="Download missing sets from OpenML (needs the network).")
@click.option("--add", multiple=True, metavar="FILE.py:MODEL", help="Your own estimator, added to the paper's methods.")
@click.option("--data", "own", type=PATH, multiple=True,
              help="Your own set: a file, or a folder with Mulan's train and test part.")  # fmt: skip
@click.option("--labels", multiple=True,
              help="Label columns of a --data set, with commas; '' if it declares them.")  # fmt: skip
@click.option("-o", "--output", type=PATH, help="Folder of records and pages; by default halflabel-KEY-TIER.")
@click.option("--jobs", type=click.IntRange(-1), default=-1, show_default=True, help="Processes; -1 is one per core.")
@click.option("--only", multiple=True, metavar="EXPERIMENT", help="Run this table or figure only; --plan lists all.")
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Maximum time of one run; a longer one counts as failed.")  # fmt: skip
@click.option("--from-records", type=PATH, is_flag=False, flag_value=Path(), metavar="[FILE]",
              help="Build the page from recorded runs: of this archive, or of the published page.")  # fmt: skip
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
    labels: tuple[str, ...],
    output: Path | None,
    jobs: int,
    only: tuple[str, ...],
    limit: float | None,
    from_records: Path | None,
    plan_only: bool,
    strict: bool,
    published: bool,
) -> None:
    """Measure the tables and figures of a paper again, and compare them with the printed values.

    It covers every table and figure whose data are available. If it is interrupted, even killed, the same command
    continues where it stopped. Without KEY, the papers are listed, with their sets and their pages.

    \b
    Examples:
      halflabel reproduce
      halflabel reproduce zhang2008 --tier quick
      halflabel reproduce zhang2008 --add my.py:MyModel --data mine.arff
      halflabel reproduce zhang2008 --published
    """  # noqa: D301
    folder = folder or (Path(os.environ["HALFLABEL_DATA"]) if os.environ.get("HALFLABEL_DATA") else None)
    if listing:
        print_note("--list has another name now: write `halflabel reproduce`. The next version does not accept --list.")
    if listing or key is None:
        out.print(_tabulate_papers(folder))
        return
    if published:
        _show(find_published_page(key))
        return
    if from_records is not None:
        _rebuild(key, from_records, output)
        return
    if jobs == 0:
        raise ValueError("--jobs 0 would do nothing: give a number of processes, or -1 for one per core.")
    if quick:
        print_note("--quick has another name now: write --tier quick. The next version does not accept --quick.")
        tier = "quick"
    work = prepare(key, tier, folder=folder, add=add, data=_pair_labels(own, labels), fetched=fetched)
    target = output or Path(f"halflabel-{work.paper.key}-{tier}")
    store = Store(target / "records.jsonl")
    work = replace(work, estimate=_estimate(work, store))
    _print_plan(work, store, jobs, only)
    if not plan_only:
        _run(work, store, Choice(jobs, only, limit, strict))


@dataclass(frozen=True)
class Choice:
    """How runs are done."""

    jobs: int
    only: tuple[str, ...]
    limit: float | None
    strict: bool


def _rebuild(key: str, archive: Path, output: Path | None) -> None:
    """Build a page from an archive, or from that of the published page."""
    source = find_published_page(key, NAME) if archive == Path() else archive
    source = source / NAME if source.is_dir() else source
    target = output or Path(f"halflabel-{Path(key).stem}-from-records")
    target.mkdir(parents=True, exist_ok=True)
    read_archive(source)
    paths = write_outputs(source.read_bytes(), target)
    print_result(f"Written from {source}: {', '.join(map(str, paths))}.")


def _estimate(work: Reproduction, store: Store) -> Estimate:
    """Return the expected time of runs from all records at hand: of the published page, and of the output folder."""
    default = prepare(work.key, "default").runs
    pairs = pair_records(work.runs, list(store.read().values()))
    with suppress(FileNotFoundError, ValueError):
        published, records = read_archive(find_published_page(work.key, NAME))
        pairs = [*pair_records(published.runs, records), *pairs]
    return Estimate.of(work.paper, default, pairs)


def _pair_labels(own: tuple[Path, ...], labels: tuple[str, ...]) -> list[tuple[Path, tuple[str, ...]]]:
    """Return each set of the user with the names of its labels. A single list of names is for all sets."""
    if len(labels) not in (0, 1, len(own)):
        raise ValueError(
            f"there are {plural(len(own), 'set')} (--data) and {plural(len(labels), 'list')} of names (--labels): give "
            "one for all, or one for each in the same order."
        )
    names = [tuple(filter(None, map(str.strip, each.split(",")))) for each in labels] or [()]
    return list(zip(own, names * len(own) if len(names) == 1 else names, strict=True))


def _show(page: Path) -> None:
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
            minutes = work.estimate_seconds(mine) / 60
            print_result(
                f"{experiment.key}: {experiment.title}; {plural(len(mine), 'run')}, {minutes:.1f} CPU minutes."
            )
    processes = (os.cpu_count() or 1) if jobs < 0 else jobs
    minutes = work.estimate_seconds(todo) / processes / 60
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
