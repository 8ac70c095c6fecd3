"""Output of the command: tables, progress, and errors as one sentence."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from halflabel._progress import report_progress
from halflabel._wording import escape_controls, name_command_options
from halflabel.cli import work
from halflabel.cli.termination import Terminated, raise_on_sigterm

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion
    from halflabel.table import Roles

#: Results go to standard output, everything about the run to standard error.
#: Names and paths are never read as markup.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)

#: Metrics as columns of a table; ↓ marks the metrics that should be small.
_COLUMNS = {
    "average_precision": "avg.prec",
    "macro_auc": "AUC",
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "brier": "Brier↓",
    "ece": "ECE↓",
    "above": "pairs",
    "mean_rank": "rank↓",
    "recall": "recall",
    "filled": "filled",
    "pu_f1": "PU-F1",
    "seconds": "sec↓",
}

#: A word with the space before it. A command in quotes is one word.
_WORDS = re.compile(r"(\s*)(`[^`]*`\S*|\S+)")

#: Errors whose message is meant for the user.
FORESEEN = (ValueError, OSError, MemoryError, EOFError)

#: Messages of other libraries and of the loader of libraries where memory or address space ran out.
OUT_OF_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "Failed to launch worker thread",
    "can't start new thread",
)

#: The text that is printed for an error without a message.
UNNAMED = {
    MemoryError: "memory ran out: close other programs, or give a smaller table.",
    EOFError: "a file ended before it was complete: write it again.",
}


def print_note(*sentences: str) -> None:
    """Print sentences about the run."""
    for sentence in sentences:
        err.print(wrap(escape_controls(sentence), err), soft_wrap=True)


def print_result(*sentences: str) -> None:
    """Print results in words."""
    for sentence in sentences:
        out.print(wrap(escape_controls(sentence), out), soft_wrap=True)


def wrap(text: str, console: Console) -> str:
    """Return a text whose lines fit into a terminal. Only words are set apart: a path or a command stays whole.

    A file and a pipe get each sentence on one line. A longer word goes over the edge, where the terminal wraps it
    without a break that a copy would have.
    """
    if not console.is_terminal:
        return text
    return "\n".join(_wrap_line(line, console.width) for line in text.split("\n"))


def _wrap_line(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    lines = [""]
    for space, word in _WORDS.findall(line):
        if cell_len(lines[-1] + space + word) <= width or not lines[-1].strip():
            lines[-1] += space + word
        else:
            lines.append(word)
    return "\n".join(lines)


@contextmanager
def report_errors() -> Iterator[None]:
    """End a foreseen error in one sentence and exit code 1, an interrupt in 130, a request to terminate in 143."""
    try:
        with name_command_options(), raise_on_sigterm():
            yield
    except Terminated:
        err.print("Terminated.")
        sys.exit(143)
    except KeyboardInterrupt:
        err.print("Interrupted.")
        sys.exit(130)
    except FORESEEN as error:
        print_error(error)
        sys.exit(1)
    except Exception as error:
        if not any(sign in str(error) for sign in OUT_OF_MEMORY):
            raise
        print_marked("Error:", "bold red", UNNAMED[MemoryError])
        sys.exit(1)


def print_error(error: Exception) -> None:
    """Print the sentence of an error, and the notes that it carries."""
    print_marked("Error:", "bold red", _make_sentence(error))
    print_note(*getattr(error, "__notes__", ()))


def print_marked(mark: str, style: str, sentence: str) -> None:
    """Print a sentence about the run after a word in colour."""
    text = wrap(f"{mark} {sentence}", err)
    err.print(Text.assemble((mark, style), text.removeprefix(mark)), soft_wrap=True)


def _make_sentence(error: Exception) -> str:
    """Return the message on one line. A message of the system has the form "file: message."."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}."
    message = " ".join(str(error).split()) or UNNAMED.get(type(error), f"{type(error).__name__} without a message.")
    return escape_controls(message)


@contextmanager
def show_progress() -> Iterator[None]:
    """Show progress and the time left while something runs, and every warning as a note, once."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # A file or a pipe gets no progress, not even an empty line.
    shown = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    notes: set[str] = set()

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in notes:
            notes.add(str(message))
            print_marked("Note:", "yellow", escape_controls(str(message)))

    with warnings.catch_warnings(), shown as progress:
        warnings.simplefilter("default")
        warnings.showwarning = show_warning
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        with report_progress(show):
            yield


def count_gaps(filled: Completion, items: str = "") -> dict[str, Any]:
    """Return how many items, labels and gaps there are, and how many gaps were filled (also as relevant) and left.

    For positive-only labels also under which assumption. ``items`` are the words of a command line that name the table.
    """
    gaps, evidence = ~filled.labels.observed, filled.evidence
    counts: dict[str, Any] = {
        "items": len(filled.labels),
        "labels": len(filled.labels.names),
        "gaps": int(gaps.sum()),
        "filled": int((gaps & (filled.state != 0)).sum()),
        "left": int((gaps & (filled.state == 0)).sum()),
        "filled_relevant": int((gaps & (filled.state > 0)).sum()),
        "has_precision": evidence.has_precision,
        "warnings": evidence.warnings,
        "verdict": list(work.decide(evidence, items).sentences),
        "rule": filled.rule.name,
    }
    if filled.labels.positive_only:
        counts["observed_rate"], counts["probability_of"] = evidence.observed_rate, filled.probability_of
    return counts


def make_roles_table(roles: Roles, matrix_names: Sequence[str] = (), format: str = "") -> Table:
    """Return the roles of all columns. Consecutive columns with the same role and reason share a line."""
    title = f"Which column plays which role (format: {format})" if format else "Which column plays which role"
    table = Table("columns", "role", "why", title=title, title_justify="left", box=None)
    for columns, role, why in roles.describe_groups():
        table.add_row(escape_controls(columns), role, escape_controls(why))
    if matrix_names:
        from halflabel.table.roles import shorten_names

        table.add_row(shorten_names(matrix_names), "number", "one feature, from the matrix")
    return table


def make_comparison_table(summary: pd.DataFrame, title: str) -> Table:
    """Return methods against metrics. The best values of a column, to three decimals, are bold.

    ↓ marks metrics that should be small. Metrics that were not measured have no column.
    """
    names = {name: title for name, title in _COLUMNS.items() if name in summary}
    # One space between columns: all of them fit into 80.
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("method", no_wrap=True)
    for name in names:
        table.add_column(names[name], justify="right", no_wrap=True)
    shown = summary[list(names)].round(3)
    best = {c: shown[c].min() if title.endswith("↓") else shown[c].max() for c, title in names.items()}
    best["filled"] = math.nan  # neither a small nor a large number is better
    for method, row in shown.iterrows():
        table.add_row(str(method), *(_format_cell(row[name], row[name] == best[name]) for name in names))
    return table


def _format_cell(value: float, best: bool) -> Text | str:
    if math.isnan(value):
        return "–"
    return Text(f"{value:,.0f}" if value >= 100 else f"{value:.3f}", "bold" if best else "")
