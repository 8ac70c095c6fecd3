"""The reading of a table, printed before anything is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from halflabel._wording import count, escape_controls, plural
from halflabel.cli.console import make_roles_table, out, print_note, print_result

if TYPE_CHECKING:
    from halflabel.cli.options import ItemsFile
    from halflabel.table import OpenTable
    from halflabel.table.sources import Source


#: The nouns of the counts.
NOUNS = ("item", "feature", "label")


def open_and_print(items: ItemsFile, source: Source | None = None) -> OpenTable:
    """Open the table of a command, and print its reading."""
    opened = items.open(source)
    print_reading(opened)
    return opened


def print_new_notes(notes: Sequence[str], opened: OpenTable) -> None:
    """Print the notes that were not printed with the reading of a table."""
    print_note(*(note for note in notes if note not in opened.notes))


def print_reading(opened: OpenTable, *, verbose: bool = False) -> None:
    """Print the size of the table and the meaning of each form of nothing, in one line, and the notes.

    Verbose output also has the roles of the columns, some rows, and the labels.
    """
    reading, labels = opened.reading, opened.labels
    if verbose:
        format = "" if opened.source is None else opened.source.format
        out.print(make_roles_table(opened.roles, opened.encoder.matrix_names, format))
        table = Table(*reading.rows.columns, title="Some rows as they were read", title_justify="left", box=None,
                      padding=(0, 2, 0, 0), pad_edge=False)  # fmt: skip
        for row in reading.rows.itertuples(index=False, name=None):
            table.add_row(*map(escape_controls, row))
        out.print(table)
        print_result(reading.labels)
    size = ", ".join(
        plural(n, noun) for n, noun in zip((len(labels), opened.X.shape[1], reading.n_labels), NOUNS, strict=True)
    )
    known = f"{count(int(labels.observed.sum()))} of {count(labels.observed.size)} values known"
    print_result(" ".join([f"Read: {size}; {known}.", *reading.nothing]))
    print_note(*(note for note in opened.notes if note not in reading.nothing))
