"""The journal of a review: one line per record, appended and on the disk before an answer is acknowledged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from halflabel._ledger import Ledger, read_lines
from halflabel._wording import plural
from halflabel.review_page.answers import Record

#: The word in the first line of a journal.
TASK = "review"


class Journal:
    """The records of a review, in a ledger that is locked as long as it is open.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    header : dict
        Facts about the table, written as the first line of a new journal.

    Attributes
    ----------
    header : dict
        The first line as it was written.
    records : list of Record
        The content of the file when it was opened.
    notes : list of str
        Sentences for the user.

    Raises
    ------
    ValueError
        If another process has the journal open, or a line is damaged that is not the last one.
    """

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.path = Path(path)
        self._ledger = Ledger(path, TASK)
        try:
            self.records = parse_records(self._ledger.records, str(path))
            if self._ledger.header is None:
                self._ledger.begin(header)
        except BaseException:
            self.close()
            raise
        self.header: dict[str, Any] = self._ledger.header or {}
        self.notes = self._ledger.notes

    @property
    def chain(self) -> str:
        """The digest of all lines."""
        return self._ledger.chain

    def append(self, records: Sequence[Record]) -> None:
        """Write records, and return when they are on the disk. A failed write leaves the file as it was."""
        self._ledger.append(record.to_dict() for record in records)

    def close(self) -> None:
        """Close the file, which unlocks it. A second call does no harm."""
        self._ledger.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parse_records(lines: Iterable[dict[str, Any]], name: str) -> list[Record]:
    """Return the records of a journal. Raise a ValueError that names the first line which is not the next record."""
    records: list[Record] = []
    for number, line in enumerate(lines, 2):
        try:
            record = Record.from_dict(line)
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from None
        if records and record.n <= records[-1].n:
            raise ValueError(f"{name}, line {number}: record {record.n} does not follow record {records[-1].n}.")
        records.append(record)
    return records


def read_journal(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Record]]:
    """Return the header and the records of a journal that may be open elsewhere, without a line that is cut off."""
    found = read_lines(path, TASK)
    return found.header, parse_records(found.records, str(path))


def describe_change(header: dict[str, Any], now: dict[str, Any], n_unplaced: int) -> list[str]:
    """Return sentences about a table that is not the table of the journal."""
    notes = []
    if header.get("table") != now.get("table"):
        notes.append("The table has changed since the journal was begun: answers are matched by item id and label.")
    if n_unplaced:
        notes.append(f"{plural(n_unplaced, 'answer')} of the journal are about items or labels that are not in the "
                     "table, and are kept without effect.")  # fmt: skip
    return notes
