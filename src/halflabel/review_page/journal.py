"""The journal of a review: one line per record, appended and on the disk before an answer is acknowledged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halflabel._line_file import LineFile, parse_line, read_clock, split_lines
from halflabel._version import __version__
from halflabel._wording import plural
from halflabel.review_page.answers import Record

#: The content of the first line of a journal, so that no other file is taken for a journal.
KIND, VERSION = "halflabel review", 1


class Journal(LineFile):
    """The records of a review, in a file that is locked as long as it is open.

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
        super().__init__(path, "review: end that one, or give this one its own journal (--journal).")
        try:
            self.header, self.records = self._open(header)
        except BaseException:
            self.close()
            raise

    def append(self, records: Sequence[Record]) -> None:
        """Write records, and return when they are on the disk. A failed write leaves the file as it was."""
        self.append_lines(record.to_dict() for record in records)

    def _open(self, header: dict[str, Any]) -> tuple[dict[str, Any], list[Record]]:
        if self.content:
            return parse_journal(self.content, str(self.path))
        made = {"journal": KIND, "version": VERSION, "halflabel": __version__, "at": read_clock(), **header}
        self.begin(made)
        return made, []


def parse_journal(content: bytes, name: str) -> tuple[dict[str, Any], list[Record]]:
    """Return the header and the records of a journal whose last line is whole.

    Raises
    ------
    ValueError
        If it is not a journal, is of a newer version, or a line is damaged.
    """
    lines = split_lines(content)
    try:
        header = parse_line(lines[0], name, 1)
    except ValueError:
        header = {}
    if header.get("journal") != KIND:
        raise ValueError(f"{name} is not the journal of a review: name another file, or remove this one.")
    if header.get("version") != VERSION:
        raise ValueError(f"{name} was written by another version of halflabel ({header.get('halflabel')}).")
    records: list[Record] = []
    for number, line in enumerate(lines[1:], 2):
        try:
            record = Record.from_dict(parse_line(line, name, number))
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {str(error).removeprefix(f'{name}, line {number}: ')}") from None
        if records and record.n <= records[-1].n:
            raise ValueError(f"{name}, line {number}: record {record.n} does not follow record {records[-1].n}.")
        records.append(record)
    return header, records


def read_journal(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Record]]:
    """Return the header and the records of a journal that may be open elsewhere, without a line that is cut off."""
    content = Path(path).read_bytes()
    return parse_journal(content[: content.rfind(b"\n") + 1], str(path))


def describe_change(header: dict[str, Any], now: dict[str, Any], n_unplaced: int) -> list[str]:
    """Return sentences about a table that is not the table of the journal."""
    notes = []
    if header.get("table") != now.get("table"):
        notes.append("The table has changed since the journal was begun: answers are matched by item id and label.")
    if n_unplaced:
        notes.append(f"{plural(n_unplaced, 'answer')} of the journal are about items or labels that are not in the "
                     "table, and are kept without effect.")  # fmt: skip
    return notes
