"""The journal of a review: one line per record, appended and on the disk before an answer is acknowledged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from halflabel._ledger import Ledger
from halflabel._wording import plural
from halflabel.review_page.answers import Record

#: The word in the first line of a journal.
TASK = "review"


def open_journal(path: str | os.PathLike[str], header: dict[str, Any], repeat: Callable[[Record], Any]) -> Ledger:
    """Return the ledger of a review, locked as long as it is open, and ``repeat`` each of its records.

    A new one begins with the facts of the header about the table.
    """

    def repeat_all(lines: Iterable[dict[str, Any]]) -> None:
        repeat_records(lines, str(path), repeat)

    journal = Ledger(path, TASK, repeat_all)
    if journal.header is None:
        journal.begin(header)
    return journal


def repeat_records(lines: Iterable[dict[str, Any]], name: str, repeat: Callable[[Record], Any]) -> None:
    """Call a function with each record. Raise a ValueError that names the first line which is not the next record."""
    last = 0
    for number, line in enumerate(lines, 2):
        try:
            record = Record.from_dict(line)
            if record.n <= last:
                raise ValueError(f"record {record.n} does not follow record {last}.")
            repeat(record)
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from None
        last = record.n


def describe_change(header: dict[str, Any], now: dict[str, Any], n_unplaced: int) -> list[str]:
    """Return sentences about a table that is not the table of the journal."""
    notes = []
    if header.get("table") != now.get("table"):
        notes.append("The table has changed since the journal was begun: answers are matched by item id and label.")
    if n_unplaced:
        notes.append(f"{plural(n_unplaced, 'answer')} of the journal are about items or labels that are not in the "
                     "table, and are kept without effect.")  # fmt: skip
    return notes
