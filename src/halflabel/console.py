"""What the command prints: tables, progress, and errors as one sentence."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from halflabel.progress import listening
from halflabel.table import OpenTable

__all__ = ["comparison_table", "counted", "errors_as_sentences", "out", "roles_table", "say", "working"]

#: Results go to standard output, everything about the run to standard error.
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

#: Errors whose message is meant for the user.
FORESEEN = (ValueError, OSError, MemoryError)


def say(*sentences: str) -> None:
    """Print sentences about the run."""
    for sentence in sentences:
        err.print(escape(sentence))


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """End a foreseen error in one sentence and exit code 1, an interrupt in 130."""
    try:
        yield
    except KeyboardInterrupt:
        err.print("Interrupted.")
        sys.exit(130)
    except FORESEEN as error:
        err.print(f"[bold red]Error:[/] {escape(' '.join(str(error).split()))}", soft_wrap=True)
        sys.exit(1)


@contextmanager
def working() -> Iterator[None]:
    """Show progress and the time left while something runs; warnings become notes at its end."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with warnings.catch_warnings(record=True) as caught, Progress(*columns, console=err, transient=True) as progress:
        warnings.simplefilter("default")
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        with listening(show):
            yield
    for sentence in dict.fromkeys(str(warning.message) for warning in caught):
        err.print(f"[yellow]Note:[/] {escape(sentence)}", soft_wrap=True)


def counted(number: int, noun: str) -> str:
    """Return "1 item" or "2 items"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def roles_table(opened: OpenTable) -> Table:
    """Return the roles of all columns; neighbours with the same role and reason share a line."""
    table = Table("columns", "role", "why", title="Which column plays which role", title_justify="left", box=None)
    for (role, why), lines in groupby(opened.roles.describe(), key=lambda line: line[1:]):
        table.add_row(escape(_shortened([line[0] for line in lines])), role, escape(why))
    if beside := opened.encoder.matrix_names:
        table.add_row(escape(_shortened(beside)), "number", "one feature, kept beside the table")
    return table


def _shortened(names: Sequence[str], most: int = 4) -> str:
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])}, … {names[-1]} ({len(names)} columns)"


def comparison_table(summary: pd.DataFrame, title: str) -> Table:
    """Return methods against metrics, the best of each column bold (ties, to the third decimal, too).

    ``F1@.5`` is the micro-F1 of a method's own scores cut at .5, as its library would; ↓ marks what should be small.
    """
    names = {
        "average_precision": "avg.prec",
        "macro_auc": "AUC",
        "micro_f1": "micro-F1",
        "macro_f1": "macro-F1",
        "brier": "Brier↓",
        "micro_f1_at_half": "F1@.5",
        "seconds": "sec↓",
    }
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("method", no_wrap=True)
    for name in names:
        table.add_column(names[name], justify="right", no_wrap=True)
    shown = summary[list(names)].round(3)
    best = {c: shown[c].min() if c in ("brier", "seconds") else shown[c].max() for c in shown}
    for method, row in shown.to_dict(orient="index").items():
        cells = [
            "–" if pd.isna(row[c]) else f"[bold]{row[c]:.3f}[/]" if row[c] == best[c] else f"{row[c]:.3f}"
            for c in shown
        ]
        table.add_row(str(method), *cells)
    return table
