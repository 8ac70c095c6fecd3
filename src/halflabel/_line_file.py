"""An append-only file of JSON objects, one per line: on the disk before a record is acknowledged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halflabel._files import fcntl, sync_folder


class LineFile:
    """A file of JSON objects, locked as long as it is open.

    A record is acknowledged when :meth:`append_lines` returns: one write, then a flush of the disk's cache. A line that
    a crash cut off was never acknowledged. It is dropped when the file is opened, with a notice.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    is_locked : str
        The end of the sentence for a file that another process has open.

    Attributes
    ----------
    content : bytes
        The whole lines of the file when it was opened.
    notes : list of str
        Sentences for the user.
    """

    def __init__(self, path: str | os.PathLike[str], is_locked: str) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            self._lock(is_locked)
            self.content = self._read()
        except BaseException:
            self.close()
            raise

    def append_lines(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write objects, and return when they are on the disk. A failed write leaves the file as it was."""
        self._write("".join(map(_as_line, lines)).encode())

    def begin(self, header: Mapping[str, Any]) -> None:
        """Write the first line of a new file."""
        self.append_lines([header])
        sync_folder(self.path.parent)

    def close(self) -> None:
        """Close the file, which unlocks it. A second call does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self, is_locked: str) -> None:
        if fcntl is None:  # Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{self.path} is open in another {is_locked}") from None

    def _read(self) -> bytes:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._file, whole)
            self.notes.append(f"The last line of {self.path} was cut off by a crash and is dropped.")
        return content[:whole]

    def _write(self, content: bytes) -> None:
        before = os.fstat(self._file).st_size
        try:
            if os.write(self._file, content) < len(content):
                raise OSError(f"{self.path}: the disk is full.")
            getattr(os, "fdatasync", os.fsync)(self._file)
        except OSError:
            os.ftruncate(self._file, before)
            raise


def read_clock() -> str:
    """Return the time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def parse_line(line: str, name: str, number: int) -> dict[str, Any]:
    """Return the object of a line. Raise a ValueError that names the line if it is none."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{name}, line {number}: the line is damaged; a journal has one JSON object per line.")
    return values


def split_lines(content: bytes) -> list[str]:
    """Return the lines of the content of a file."""
    return content.decode("utf-8", "replace").removesuffix("\n").split("\n")


def _as_line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n"
