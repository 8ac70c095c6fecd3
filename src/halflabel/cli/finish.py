"""The command that finishes a table to a stated share of errors: finish."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._files import atomic_write
from halflabel.cli import work
from halflabel.cli.console import print_note, print_result, show_progress
from halflabel.cli.finish_page import serve_finish
from halflabel.cli.listing import MAX_LINES, print_entries
from halflabel.cli.options import ItemsFile, add_items_options
from halflabel.cli.output_paths import PATH, name_output, name_plain_table, require_one
from halflabel.cli.outputs import Outputs
from halflabel.cli.print_reading import open_and_print

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion
    from halflabel.completion.finish import Task
    from halflabel.table import OpenTable


@click.command(name="finish")
@add_items_options(fits=False)
@click.option("--max-error", type=click.FloatRange(0, 1, max_open=True), default=0.05, show_default=True,
              help="The largest share of wrong entries in the delivered table.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), default=0.95,
              show_default=True, help="The confidence of the bound, for any moment at which you stop.")  # fmt: skip
@click.option("--questions", type=PATH, help="Write the next questions to this table, in place of the page.")
@click.option("--answers", type=PATH, help='A table of questions with answers: 1, 0, or empty for "not sure".')
@click.option("--completed", type=PATH, help="Take the filled values from this table, and make no fit.")
@click.option("--journal", type=PATH, help="The state of the task; by default ITEMS.finish.jsonl.")
@click.option("-o", "--output", type=PATH, help="The delivered table; by default ITEMS.completed.*. Its certificate "
              "is ITEMS.certificate.json, and .html for an auditor.")  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@click.option("--seed", type=click.IntRange(0), help="Decides the random questions; by default it is secret.")
def finish_command(
    items: ItemsFile,
    questions: Path | None,
    answers: Path | None,
    completed: Path | None,
    journal: Path | None,
    output: Path | None,
    browser: bool,
    **asked: Any,
) -> None:
    """Ask questions until the whole delivered table has at most a stated share of errors.

    The page in the browser asks one question after the other, and shows the bound. It holds after every answer: stop
    whenever you like; the same command goes on where you stopped. The first questions are about uncertain entries,
    and the fit learns from them. The questions that follow are random, and prove how many errors remain.

    With --questions, they are written to a table. Each later call takes --answers to them, writes the table as it is
    delivered now with its certificate, and writes the next questions.

    \b
    Examples:
      halflabel finish songs.csv --id song --labels 'tag_*' --max-error 0.05
      halflabel finish songs.csv --id song --labels 'tag_*' --questions songs.questions.csv
      halflabel finish songs.csv --id song --labels 'tag_*' --answers songs.questions.csv
      halflabel finish songs.csv --id song --labels 'tag_*' --completed by-another-tool.csv
    """  # noqa: D301
    source = items.read()
    first = require_one(items.paths, source)
    state = journal or name_output(first, "finish.jsonl")
    if answers is not None and not state.exists():
        raise ValueError(f"{state} does not exist, so that no question was asked: call the command without --answers.")
    is_by_file = any(given is not None for given in (questions, answers))
    planned = {"questions": questions or name_output(first, "questions.csv")} if is_by_file else {}
    if answers is not None or not is_by_file:
        planned["table"] = output or name_plain_table(items.paths, source, "completed")
        planned["certificate"] = name_output(first, "certificate.json")
        planned["page"] = name_output(first, "certificate.html")
    inputs = (*items.inputs, *source.paths, completed, state)
    outputs = Outputs.plan(inputs, planned)
    opened = open_and_print(items, source)
    if not is_by_file:
        stated = None if completed is None else _take_completed(items, opened, completed)
        serve_finish(opened, state, outputs, stated, browser=browser, **asked)
        return
    if answers is not None:
        work.keep_answers(opened, work.read_file(answers).raw.frame, state, **asked)
    with show_progress():
        filled = _fill(items, opened, completed, work.list_answers(state), asked["seed"])
    with closing(filled.finish(journal=state, **asked)) as task:
        if answers is not None and completed is None:
            task.improve(filled)
        with show_progress():
            written = _write(task, outputs, first.name)
    next_ones = written["questions"]
    print_note(*task.notes, *(written.get("table") or ()))
    if len(next_ones):
        print_entries(next_ones, f"The first {min(MAX_LINES, len(next_ones))} of {len(next_ones)} questions")
    print_result(repr(task))
    outputs.print_paths(*([] if task.done else ["Fill in the column 'answer', then call again with --answers."]))


def _fill(
    items: ItemsFile, opened: OpenTable, completed: Path | None, review: pd.DataFrame | None, seed: Any
) -> Completion:
    """Return the completion with all answers, or the one of another table."""
    if completed is not None:
        return _take_completed(items, opened, completed)
    filled = work.complete(opened, answers=review, random_state=seed or 0)
    lost = set(work.leave_unlearned_targets(opened).labels.names) - set(filled.labels.names)
    return work.complete(opened, random_state=seed or 0) if lost else filled  # the answers have left one value only


def _take_completed(items: ItemsFile, opened: OpenTable, completed: Path) -> Completion:
    after = items.open_alike(completed)
    check_same(opened, after)
    opened = work.leave_unlearned_targets(opened)
    return work.take_completed(opened, after.keep_labels(opened.labels.names))


def _write(task: Task[Completion], outputs: Outputs, title: str) -> dict[str, Any]:
    """Write the delivered table with its certificate, and the next questions unless the task is done."""
    votes = task.filled.opened.votes

    def write_questions(path: Path) -> pd.DataFrame:
        asked = task.questions if task.done else task.next(60)
        work.write_frame(asked.round({"probability": 4}), path)
        return asked

    return outputs.write(
        table=lambda path: task.completion.write(path),
        certificate=lambda path: _write_text(json.dumps(task.certify(), indent=1) + "\n", path),
        page=lambda path: _write_text(work.render_audit(task.certificate, task.proof, votes, title), path),
        questions=write_questions,
    )


def _write_text(text: str, path: Path) -> None:
    with atomic_write(path, "w") as file:
        file.write(text)


def check_same(given: OpenTable, completed: OpenTable) -> None:
    """Raise if the completed table has other items or labels."""
    import numpy as np

    if list(map(str, given.index)) != list(map(str, completed.index)):
        raise click.UsageError("the completed table has other items, or another order of the items, than ITEMS.")
    if completed.frame is not None:
        given.check_rows(completed.frame, np.arange(len(given.index)), "the completed table")
    if given.labels.names != completed.labels.names:
        raise click.UsageError("the completed table has other labels than ITEMS: give both the same options.")
