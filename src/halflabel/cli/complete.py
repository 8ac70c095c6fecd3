"""The command that fills the gaps of a table: complete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel.cli import work
from halflabel.cli.console import (
    count_gaps,
    print_assumptions,
    print_gaps,
    print_note,
    print_result,
    show_progress,
)
from halflabel.cli.explaining import explain_option, read_entries
from halflabel.cli.files import NO_REPORT, PATH, add_index_column, check_completed, name_output
from halflabel.cli.listing import print_first_to_check
from halflabel.cli.options import (
    ItemsFile,
    add_items_options,
    effort_option,
    observed_rate_option,
    rule_option,
    seed_option,
)
from halflabel.cli.outputs import (
    Outputs,
    name_completed,
    probabilities_option,
    split_tool,
    to_option,
)
from halflabel.cli.reading import print_new_notes, print_reading

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion
    from halflabel.table import OpenTable
    from halflabel.table.sources import Source


@click.command(name="complete")
@add_items_options("rules", "sources")
@rule_option
@click.option(
    "-o", "--output", type=PATH, help="Completed table; by default ITEMS.completed.*, in the format of ITEMS."
)
@to_option
@probabilities_option
@click.option(
    "--report",
    type=PATH,
    metavar="FILE|none",
    help="Report; by default ITEMS.report.html. For large tables, it takes time: none writes no report.",
)
@click.option("--model", type=PATH, help="Also save the model for `halflabel predict`.")
@click.option("--answers", type=PATH, help="A table of `halflabel review` whose column 'answer' is filled in with 1 or "
              "0; answers replace given entries.")  # fmt: skip
@click.option("--certificate", "certificates", type=PATH, multiple=True,
              help="A certificate of `halflabel finish` about this completed table, for the report.")  # fmt: skip
@explain_option
@click.option("--source-columns", is_flag=True,
              help="Add columns to the completed table: whether each entry was given or filled.")  # fmt: skip
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@observed_rate_option
@effort_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def complete_command(
    items: ItemsFile,
    output: Path | None,
    to: str | None,
    certificates: tuple[Path, ...],
    answers: Path | None,
    source_columns: bool,
    as_json: bool,
    seed: int,
    *,
    explain: tuple[tuple[str, str], ...],
    **asked: Any,
) -> None:
    """Fill the gaps of a half-labelled table.

    \b
    Examples:
      halflabel complete songs.csv --id song --labels rock,sad,live
      halflabel complete songs.csv --labels 'tag_*' --min-precision 0.95 --model songs.halflabel
      halflabel complete posts.csv --text body --tags tags --absent irrelevant
      halflabel complete posts.csv --text body --tags tags --absent unknown --observed-rate 0.7
      halflabel complete images.parquet --set vectors=embedding --labels @labels.txt
      halflabel complete posts.csv --text body --labels 'tag_*' --answers check.csv
      halflabel complete shop.db --set items_table=items --tags item_tags --absent unknown -o shop.db
      halflabel complete export.json --text text --absent irrelevant
      halflabel complete 'parts/*.parquet' --labels 'tag_*' -o all.parquet
      halflabel complete posts.csv --text body --labels 'tag_*' --to label-studio:topic:text
    """  # noqa: D301
    tool, question = split_tool(to)
    source = items.read()
    table = output or name_completed(items.paths, source, tool)
    report = _name_report(items, table, asked.pop("report"))
    paths = {"table": table, "report": report, **{name: asked.pop(name) for name in ("probabilities", "model")}}
    asks = asked["observed_rate"] == "ask"  # the table of answers goes on
    paths["questions"] = name_output(table, "questions.csv") if asks else None
    inputs = (*items.inputs, *source.paths, None if asks else answers, *certificates)
    outputs = Outputs.plan(inputs, paths).together_with(check_completed(table, source, tool, source_columns, question))
    proofs, opened = _read_certificates(certificates), _open(items, source, table, source_columns)
    shown = work.choose_shown(opened)
    entries = read_entries(explain, opened.index, opened.labels.names)
    if not as_json:
        print_reading(opened)
    with show_progress():
        filled = work.complete(opened, answers=answers, **asked, random_state=seed)
    work.write_certificates(filled, proofs)  # raises for another table, before a file is written
    reasons = [filled.explain(item, label) for item, label in entries]
    if not as_json:
        print_new_notes(filled.opened.notes, opened)
        _print_completion(filled, shown)
        print_result(*map(repr, reasons))
    settings = {**asked, "seed": seed, "answers": answers, **items.stated}
    of_report = {"title": Path(source.raw.source).name, "certificates": proofs, "settings": settings}
    with show_progress():
        lost = outputs.write(
            probabilities=lambda path: work.write_frame(add_index_column(filled.probabilities), path),
            questions=lambda path: work.write_frame(_go_on(answers, filled.ask_frequency()), path),
            model=lambda path: filled.save(path),
            report=lambda path: filled.report(path, **of_report),
            # Last, because a database changes at once.
            table=lambda path: filled.write(path, tool, mark=source_columns, question=question),
        )["table"]
    if as_json:
        _print_json(filled, outputs, reasons)
    else:
        print_note(*lost)
        outputs.print_paths()


def _open(items: ItemsFile, source: Source, table: Path, source_columns: bool) -> OpenTable:
    """Open the table. Raise before the fit if the completed one cannot hold a value, or columns of sources."""
    opened = items.open(source)
    work.check_values(opened.frame, table)
    if source_columns:
        work.check_marks(opened)
    return opened


def _name_report(items: ItemsFile, table: Path, named: Path | None) -> Path | None:
    """Return the path of the report: next to the one file of items, or next to the table of several files."""
    if named is not None:
        return None if named == NO_REPORT else named
    is_one = len(items.paths) == 1 and items.paths[0].exists()
    return name_output(items.paths[0] if is_one else table, "report.html")


def _print_json(filled: Completion, outputs: Outputs, reasons: Sequence[Any]) -> None:
    written = {"written": {name: str(path) for name, path in outputs.paths.items()}}
    explained = {"explained": [why.to_dict() for why in reasons]} if reasons else {}
    click.echo(json.dumps({**count_gaps(filled), **written, **explained}))


def _print_completion(filled: Completion, shown: tuple[str, ...]) -> None:
    """Print how gaps were filled, and the first entries to check."""
    print_result(*filled.evidence.gaps)
    print_gaps(filled)
    print_assumptions(filled)
    print_first_to_check(filled, shown)


def _go_on(answers: Path | None, questions: pd.DataFrame) -> pd.DataFrame:
    """Return the answers so far together with the next questions."""
    if answers is None:
        return questions
    import pandas as pd

    before = work.read_file(answers).raw.frame
    return pd.concat([before.astype(object), questions.astype(object)], ignore_index=True)


def _read_certificates(paths: tuple[Path, ...]) -> list[Any]:
    if not paths:
        return []
    from halflabel.evidence.certificate import read_certificate

    return [read_certificate(path) for path in paths]
