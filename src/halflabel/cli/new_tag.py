"""The command that takes a new tag back through an old archive: new-tag."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from halflabel._files import atomic_write
from halflabel.cli import work
from halflabel.cli.console import print_note, print_result, show_progress
from halflabel.cli.files import PATH, name_output, name_plain_table, require_one
from halflabel.cli.listing import MAX_LINES, print_entries
from halflabel.cli.options import ItemsFile, add_items_options, effort_option
from halflabel.cli.outputs import Outputs
from halflabel.cli.reading import open_and_print


@click.command(name="new-tag")
@add_items_options()
@click.option("--tag", required=True, help="The new tag: a label of which an absent entry may be a missing positive.")
@click.option("-n", "--number", type=click.IntRange(1), default=20, show_default=True, help="Number of questions.")
@click.option("--answers", type=PATH, help='The table of questions with answers: 1, 0, or empty for "not sure".')
@click.option("--max-error", type=click.FloatRange(0, 1, max_open=True), default=0.05, show_default=True,
              help="The largest share of wrong items among the items that get the tag.")  # fmt: skip
@click.option("-o", "--output", type=PATH, help="The table with the tag; by default ITEMS.tagged.*.")
@effort_option
@click.option("--seed", type=click.IntRange(0), help="Decides the questions; by default it is secret.")
def new_tag_command(
    items: ItemsFile,
    tag: str,
    number: int,
    answers: Path | None,
    output: Path | None,
    effort: str,
    **asked: Any,
) -> None:
    """Take a tag that you set on a few items back through the whole archive.

    Each call ranks all other items (ITEMS.candidates.csv) and writes questions about some of them
    (ITEMS.questions.csv). Call it again with --answers: the surest items get the tag in ITEMS.tagged.*, no other cell
    changes, and a certificate bounds how many of them are wrong. The bound holds after every answer.

    \b
    Examples:
      halflabel new-tag archive.csv --id doc --labels 'tag_*' --tag tag_tax
      halflabel new-tag archive.csv --id doc --labels 'tag_*' --tag tag_tax --answers archive.questions.csv
    """  # noqa: D301
    from halflabel.completion.new_tag import NewTag

    items = _declare(items, tag)
    source = items.read()
    first = require_one(items.paths, source)
    journal = name_output(first, "newtag.jsonl")
    if answers is not None and not journal.exists():
        raise ValueError(
            f"{journal} does not exist, so that no question was asked: call the command without --answers."
        )
    planned = {name: name_output(first, f"{name}.csv") for name in ("questions", "candidates")}
    if answers is not None or work.list_answers(journal) is not None:
        planned["table"] = output or name_plain_table(items.paths, source, "tagged")
        planned["certificate"] = name_output(first, "certificate.json")
    outputs = Outputs.plan((*items.inputs, *source.paths, journal), planned)
    opened = open_and_print(items, source)
    with closing(NewTag(opened, tag, journal=journal, **asked)) as task:
        if answers is not None:
            task.answer(work.read_file(answers).raw.frame)
        with show_progress():
            task.take_fit(work.complete(opened, answers=task.answers, effort=effort, random_state=asked["seed"] or 0))
        written = outputs.write(
            table=lambda path: task.completion.write(path),
            certificate=lambda path: _write_text(json.dumps(task.certify(), indent=1) + "\n", path),
            candidates=lambda path: work.write_frame(task.candidates.round({"probability": 4}), path),
            questions=lambda path: work.write_frame(task.next(number), path),
        )
        print_note(*task.notes, *(written.get("table") or ()))
        print_entries(task.candidates.drop(columns="rank"), f"The first {MAX_LINES} candidates")
        print_result(repr(task))
        outputs.print_paths(*([] if task.done else ["Fill in the column 'answer', then call again with --answers."]))


def _declare(items: ItemsFile, tag: str) -> ItemsFile:
    """Return the items, whose tag is positive-only."""
    stated = items.columns.positive_only
    return replace(items, given={**items.given, "positive_only": tuple(dict.fromkeys((*stated, tag)))})


def _write_text(text: str, path: Path) -> None:
    with atomic_write(path, "w") as file:
        file.write(text)
