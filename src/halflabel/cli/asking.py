"""A question about a table is numbered in a terminal, and its answer is kept. Elsewhere it is a list of commands."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from halflabel.cli import WORDS, work
from halflabel.cli.console import err, print_error, print_note

if TYPE_CHECKING:
    from pathlib import Path

    from halflabel.table.described import Described
    from halflabel.table.question import Question, Way


def ask(question: Question) -> Way:
    """Return the way that a person chooses. Without a terminal, print the command of each way, and exit with code 2."""
    if not (sys.stdin.isatty() and err.is_terminal):
        print_error(question)
        words = shlex.join(["halflabel", *click.get_current_context().meta[WORDS]])
        print_note("One of these states it:", *(f"  {words} {way.statement}" for way in question.ways))
        sys.exit(2)
    print_note(question.found, *getattr(question, "__notes__", ()))
    for number, way in enumerate(question.ways, start=1):
        print_note(f"  {number}  {way.text}{way.gives and f' ({way.gives})'}")
    if question.other:
        print_note(question.other)
    choices = click.IntRange(1, len(question.ways))
    try:
        number = click.prompt("Which one?", type=choices, default=1 if question.likely else None, err=True)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    return question.ways[number - 1]


def keep_answers(described: Described, path: Path, answers: dict[str, Any]) -> None:
    """Keep answers in a table file, with its other keys and the place of the labels."""
    kept = {*answers, "labels", "tags"}
    stated = {key: value for key, value in described.columns.stated.items() if key in kept}
    work.write_table_file(path, {**described.file.values, **stated})
    print_note(f"The answer is kept in {path}, for every command.")
