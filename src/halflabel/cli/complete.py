"""The command that fills the gaps of a table: complete."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel.cli import work
from halflabel.cli.console import (
    count_gaps,
    print_note,
    show_progress,
)
from halflabel.cli.options import ItemsFile, add_items_options, effort_option, rule_option, seed_option
from halflabel.cli.output_paths import (
    NO_REPORT,
    PATH,
    add_index_column,
    check_completed,
    check_map,
    name_output,
    name_table,
    write_map,
)
from halflabel.cli.outputs import Outputs, find_tool, probabilities_option
from halflabel.cli.print_reading import print_new_notes, print_reading
from halflabel.cli.verdict import print_verdict

if TYPE_CHECKING:
    import pandas as pd


@click.command(name="complete")
@add_items_options(table=True)
@rule_option
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@click.option("--answers", type=PATH, help="Answers of `halflabel review`, which replace given entries.")
@click.option("-o", "--output", type=PATH, help="Completed table, by default ITEMS.completed.*; a name such as "
              "songs.label-studio.json writes suggestions for a tool.")  # fmt: skip
@probabilities_option
@click.option("--report", type=PATH, metavar="FILE|none", help="Report, by default ITEMS.report.html.")
@click.option("--map", "drawn", type=PATH, help="Also draw the items (.html, .svg, .png), or write coordinates.")
@click.option("--model", type=PATH, help="Also save the model for `halflabel predict`.")
@effort_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Print everything that was read and found.")
def complete_command(
    items: ItemsFile,
    output: Path | None,
    answers: Path | None,
    report: Path | None,
    drawn: Path | None,
    *,
    as_json: bool,
    verbose: bool,
    seed: int,
    **asked: Any,
) -> None:
    """Fill the gaps of a half-labelled table.

    Several files with the same columns are one table. A second FILE with other columns has the labels of the items.

    \b
    Examples:
      halflabel complete songs.csv --labels rock,sad,live
      halflabel complete posts.csv --text body --tags tags --absent unknown --min-precision 0.95
      halflabel complete items.csv tags.csv --id id --tags tag --absent irrelevant
    """  # noqa: D301
    source = items.read()
    table = output or name_table(items.paths, source, "completed")
    report = _name_report(items, table, report)
    named = {name: asked.pop(name) for name in ("probabilities", "model")}
    asks = asked["observed_rate"] == "ask"  # the table of answers goes on
    named["questions"] = name_output(table, "questions.csv") if asks else None
    tool = find_tool(output)
    inputs = (*items.inputs, *source.paths, None if asks else answers)
    outputs = Outputs.plan(inputs, {"table": table, "report": report, "map": drawn, **named})
    outputs = outputs.together_with(check_completed(table, source, tool))
    check_map(drawn)
    opened = items.open(source)
    work.check_values(opened.frame, table)  # before the fit
    words = items.write(None if asks else asked["observed_rate"])
    shown, title = work.choose_shown(opened), Path(source.raw.source).name
    if not as_json:
        print_reading(opened, verbose=verbose)
    with show_progress():
        filled = work.complete(opened, answers=answers, **asked, random_state=seed)
    if asks and "observed_rate=ask" in work.decide(filled.evidence, words).command:  # a next call takes its answers
        words = f"{words} {shlex.join(['--answers', str(named['questions'])])}"
    if not as_json:
        print_new_notes(filled.opened.notes, opened)
        print_verdict(filled, words, verbose=verbose, shown=shown)
    settings = {**asked, "seed": seed, "answers": answers, **items.stated}
    with show_progress():
        lost = outputs.write(
            probabilities=lambda path: work.write_frame(add_index_column(filled.probabilities), path),
            questions=lambda path: work.write_frame(_go_on(answers, filled.ask_frequency()), path),
            model=lambda path: filled.save(path),
            report=lambda path: filled.report(path, title=title, items=words, settings=settings),
            map=lambda path: write_map(filled, path, title),
            table=lambda path: filled.write(path, tool),  # last, because a database changes at once
        )["table"]
    if as_json:
        written = {name: str(path) for name, path in outputs.paths.items()}
        click.echo(json.dumps({**count_gaps(filled, words), "written": written}))
    else:
        print_note(*lost)
        outputs.print_paths()


def _name_report(items: ItemsFile, table: Path, named: Path | None) -> Path | None:
    """Return the path of the report: next to the one file of items, or next to the table of several files."""
    if named is not None:
        return None if named == NO_REPORT else named
    is_one = len(items.paths) == 1 and items.paths[0].exists()
    return name_output(items.paths[0] if is_one else table, "report.html")


def _go_on(answers: Path | None, questions: pd.DataFrame) -> pd.DataFrame:
    """Return the answers so far together with the next questions."""
    if answers is None:
        return questions
    import pandas as pd

    before = work.read_file(answers).raw.frame
    return pd.concat([before.astype(object), questions.astype(object)], ignore_index=True)
