"""The command that certifies a completed table: audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from halflabel._files import atomic_write
from halflabel.cli.files import PATH, name_output, require_one
from halflabel.cli.listing import MAX_LINES, print_entries
from halflabel.cli.options import ItemsFile, add_items_options, seed_option
from halflabel.cli.outputs import Outputs
from halflabel.evidence.audit import POPULATIONS, Audit, draw_audit
from halflabel.files.conversion import write_frame
from halflabel.table import OpenTable
from halflabel.table.items import choose_shown, take_shown
from halflabel.table.source_files import read_file
from halflabel.table.unlearned import leave_unlearned


@click.command(name="audit")
@add_items_options()
@click.option("--completed", type=PATH, required=True, help="The completed table, written by `halflabel complete`.")
@click.option("-n", "--entries", type=click.IntRange(1), default=59, show_default=True,
              help="Number of random filled entries to answer.")  # fmt: skip
@click.option("--population", type=click.Choice(list(POPULATIONS)), default="all", show_default=True,
              help="The filled entries that the certificate is about.")  # fmt: skip
@click.option("--answers", type=PATH, help="The table of questions with all answers: 1, 0 or ? for each row.")
@click.option("--level", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Confidence level of the certificate.")  # fmt: skip
@click.option(
    "-o", "--output", type=PATH, help="Questions (ITEMS.audit.csv), or the certificate (ITEMS.certificate.json)."
)
@seed_option
def audit_command(
    items: ItemsFile,
    completed: Path,
    entries: int,
    population: str,
    answers: Path | None,
    level: float,
    output: Path | None,
    seed: int,
) -> None:
    """Certify how many filled entries are right, from answers about random ones.

    The first call writes the questions, without the filled values. A person fills in the column 'answer'. The second
    call, with --answers, writes the certificate.

    \b
    Examples:
      halflabel audit songs.csv --id song --labels 'tag_*' --completed songs.completed.csv
      halflabel audit songs.csv --id song --labels 'tag_*' --completed songs.completed.csv --answers songs.audit.csv
    """  # noqa: D301
    source = items.read()
    target = output or name_output(
        require_one(items.paths, source), "audit.csv" if answers is None else "certificate.json"
    )
    inputs = (*items.inputs, *source.paths, completed, answers)
    outputs = Outputs.plan(inputs, {"questions" if answers is None else "certificate": target})
    opened = items.open(source)
    after = items.open_alike(completed)
    _check_same(opened, after)
    opened = leave_unlearned(opened)
    after = after.keep_labels(opened.labels.names)
    audit = draw_audit(
        opened.index, opened.labels.names, opened.labels.state, after.labels.state,
        n=entries, seed=seed, population=population,
    )  # fmt: skip
    if answers is None:
        _write_questions(audit, opened, outputs)
    else:
        _write_certificate(audit, opened, answers, level, outputs)


def _write_questions(audit: Audit, opened: OpenTable, outputs: Outputs) -> None:
    shown = take_shown(opened, choose_shown(opened), audit.rows)
    clashes = {name: f"{name} (column)" for name in audit.questions.columns}
    questions = audit.questions.join(shown.rename(columns=clashes))
    outputs.write(questions=lambda path: write_frame(questions, path))
    print_entries(questions, f"The first {min(MAX_LINES, len(questions))} of {len(questions)} questions")
    outputs.print_paths(
        f"{len(audit.rows)} of {audit.entries} filled entries are drawn. Fill in the column 'answer' with 1, 0 or ? "
        "without a look at the completed table, then call the command again with --answers."
    )


def _write_certificate(audit: Audit, opened: OpenTable, answers: Path, level: float, outputs: Outputs) -> None:
    answered = read_file(answers).raw.frame
    certificate = audit.certify(answered, level)
    place = {str(item): row for row, item in enumerate(opened.index)}
    rows = np.array([place[str(item)] for item in answered["item"]], dtype=np.intp)
    opened.check_rows(answered, rows, f"the table of answers ({answers})", skip=tuple(audit.questions.columns))
    outputs.write(certificate=lambda path: _write_json(certificate.to_dict(), path))
    outputs.print_paths(str(certificate))


def _write_json(content: dict[str, Any], path: Path) -> None:
    with atomic_write(path, "w") as file:
        file.write(json.dumps(content, indent=2) + "\n")


def _check_same(given: OpenTable, completed: OpenTable) -> None:
    """Raise if the completed table has other items or labels."""
    if list(map(str, given.index)) != list(map(str, completed.index)):
        raise click.UsageError("the completed table has other items, or another order of the items, than ITEMS.")
    if completed.frame is not None:
        given.check_rows(completed.frame, np.arange(len(given.index)), "the completed table")
    if given.labels.names != completed.labels.names:
        raise click.UsageError("the completed table has other labels than ITEMS: give both the same options.")
