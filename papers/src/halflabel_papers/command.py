"""The command that measures a paper's tables again: reproduce."""

from __future__ import annotations

import os
from pathlib import Path

import click

from halflabel_papers.spec import TIERS

#: A path of the user.
PATH = click.Path(path_type=Path)


@click.command()
@click.argument("key", required=False)
@click.option("--tier", type=click.Choice(TIERS), default="default", show_default=True,
              help="One or two minutes, about an hour on two cores, or the printed protocol.")  # fmt: skip
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
    tier: str,
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
    from halflabel_papers import reproducing  # the help of the command needs none of its work

    folder = folder or (Path(os.environ["HALFLABEL_DATA"]) if os.environ.get("HALFLABEL_DATA") else None)
    if key is None:
        reproducing.print_papers(folder)
        return
    if published:
        reproducing.show_published(key)
        return
    if from_records is not None:
        reproducing.rebuild(key, from_records, output)
        return
    if jobs == 0:
        raise ValueError("--jobs 0 would do nothing: give a number of processes, or -1 for one per core.")
    asked = {"folder": folder, "add": add, "data": reproducing.pair_labels(own, labels), "fetched": fetched}
    choice = reproducing.Choice(jobs, only, limit, strict)
    reproducing.reproduce_paper(key, tier, asked, output, choice, plan_only=plan_only)
