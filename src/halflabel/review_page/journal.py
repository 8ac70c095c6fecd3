"""The journal of a review: one line per record, appended and on the disk before an answer is acknowledged."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halflabel._files import fcntl, sync_folder
from halflabel._version import __version__
from halflabel._wording import plural
from halflabel.review_page.answers import Record

#: The content of the first line of a journal, so that no other file is taken for a journal.
KIND, VERSION = "halflabel review", 1


class Journal:
    """An append-only file of records, locked as long as it is open.

    A record is acknowledged when :meth:`append` returns: one write, then a flush of the disk's cache. A line that a
    crash cut off was never acknowledged. It is dropped when the journal is opened, with a notice.

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
        self.notes: list[str] = []
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            self._lock()
            self.header, self.records = self._open(header)
        except BaseException:
            self.close()
            raise

    def append(self, records: Sequence[Record]) -> None:
        """Write records, and return when they are on the disk. A failed write leaves the file as it was."""
        self._write("".join(_as_line(record.to_dict()) for record in records).encode())

    def close(self) -> None:
        """Close the file, which unlocks it. A second call does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> None:
        if fcntl is None:  # Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(
                f"{self.path} is open in another review: end that one, or give this one its own journal (--journal)."
            ) from None

    def _open(self, header: dict[str, Any]) -> tuple[dict[str, Any], list[Record]]:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._file, whole)
            self.notes.append(f"The last line of {self.path} was cut off by a crash and is dropped.")
        if whole:
            return parse_journal(content[:whole], str(self.path))
        made = {"journal": KIND, "version": VERSION, "halflabel": __version__, "at": read_clock(), **header}
        self._write(_as_line(made).encode())
        sync_folder(self.path.parent)
        return made, []

    def _write(self, content: bytes) -> None:
        before = os.fstat(self._file).st_size
        try:
            if os.write(self._file, content) < len(content):
                raise OSError(f"{self.path}: the disk is full.")
            getattr(os, "fdatasync", os.fsync)(self._file)
        except OSError:
            os.ftruncate(self._file, before)
            raise


def parse_journal(content: bytes, name: str) -> tuple[dict[str, Any], list[Record]]:
    """Return the header and the records of a journal whose last line is whole.

    Raises
    ------
    ValueError
        If it is not a journal, is of a newer version, or a line is damaged.
    """
    lines = content.decode("utf-8", "replace").removesuffix("\n").split("\n")
    try:
        header = _parse_line(lines[0], name, 1)
    except ValueError:
        header = {}
    if header.get("journal") != KIND:
        raise ValueError(f"{name} is not the journal of a review: name another file, or remove this one.")
    if header.get("version") != VERSION:
        raise ValueError(f"{name} was written by another version of halflabel ({header.get('halflabel')}).")
    records: list[Record] = []
    for number, line in enumerate(lines[1:], 2):
        try:
            record = Record.from_dict(_parse_line(line, name, number))
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


def read_clock() -> str:
    """Return the time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _as_line(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n"


def _parse_line(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{name}, line {number}: the line is damaged; a journal has one JSON object per line.")
    return values
