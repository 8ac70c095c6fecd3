"""A ledger: an append-only file of JSON objects, one per line. Each line holds the digest of all lines up to itself.

A record is on the disk before it is acknowledged. A line that was changed, lost, doubled or moved breaks the chain of
digests, and is named when the file is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halflabel._files import fcntl, sync_folder
from halflabel._version import __version__

#: The version of the first line.
VERSION = 2

#: The end of a line: the digest of the chain up to this line.
_DIGEST = re.compile(r',"chain":"([0-9a-f]{64})"\}$')


@dataclass(frozen=True)
class Lines:
    """The content of a ledger."""

    header: dict[str, Any]  #: The first line.
    records: list[dict[str, Any]]  #: The other lines.
    digests: tuple[str, ...]  #: The digest of each line and all lines before it.

    @property
    def chain(self) -> str:
        """The digest of all lines."""
        return self.digests[-1]


class Ledger:
    """The ledger of a task, locked as long as it is open.

    A record is acknowledged when :meth:`append` returns: one write, then a flush of the disk's cache. A line that a
    crash cut off was never acknowledged. It is dropped when the file is opened, with a notice.

    Parameters
    ----------
    path : path or None
        Made if it does not exist. None keeps the records in memory.
    task : str
        The word in the first line, so that no other file is taken for a ledger of the task, such as "review".
    check : callable, optional
        Called with the records of the file. If it raises, the file is closed.

    Attributes
    ----------
    header : dict or None
        The first line. None for a new file.
    records : list of dict
        The lines of the file when it was opened, together with the appended records.
    chain : str
        The digest of all lines.
    notes : list of str
        Sentences for the user.

    Raises
    ------
    ValueError
        In one sentence: the file is of another task or a newer version, is open elsewhere, or a line is damaged.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        task: str,
        check: Callable[[list[dict[str, Any]]], object] | None = None,
    ) -> None:
        self.path = None if path is None else Path(path)
        self.task, self.notes = task, list[str]()
        self.header: dict[str, Any] | None = None
        self.records: list[dict[str, Any]] = []
        self.chain, self._file = "", -1
        if path is None:
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(path, flags, 0o600)
        try:
            self._lock()
            self._read(Path(path))
            if check is not None:
                check(self.records)
        except BaseException:
            self.close()
            raise

    def begin(self, header: Mapping[str, Any]) -> None:
        """Write the first line of a new ledger."""
        self.header = _make_header(self.task, header)
        self._write([self.header])
        if self.path is not None:
            sync_folder(self.path.parent)

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write records, and return when they are on the disk. A failed write leaves the file as it was."""
        added = [dict(record) for record in records]
        self._write(added)
        self.records += added

    def close(self) -> None:
        """Close the file, which unlocks it. A second call does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Any:
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
                f"{self.path} is open in another {self.task}: end that one, or give this one its own journal "
                "(--journal)."
            ) from None

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole:
            lines = parse_lines(content[:whole], str(path), self.task)
            self.header, self.records, self.chain = lines.header, lines.records, lines.chain
        if whole < len(content):
            os.ftruncate(self._file, whole)
            self.notes.append(f"The last line of {path} was cut off by a crash and is dropped.")

    def _write(self, values: Iterable[Mapping[str, Any]]) -> None:
        text, chain = _write_lines(values, self.chain)
        if self._file >= 0:
            self._flush(text.encode())
        self.chain = chain

    def _flush(self, content: bytes) -> None:
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


def read_lines(path: str | os.PathLike[str], task: str | None = None) -> Lines:
    """Read a ledger that may be open elsewhere, without a line that is cut off. See :func:`parse_lines`."""
    content = Path(path).read_bytes()
    return parse_lines(content[: content.rfind(b"\n") + 1], str(path), task)


def parse_lines(content: bytes, name: str, task: str | None = None) -> Lines:
    """Return the lines of a ledger whose chain of digests is whole.

    Raises
    ------
    ValueError
        In one sentence with the number of the line: the file is not a ledger of this task, is of a newer version, or a
        line was changed, lost, doubled or moved.
    """
    texts = content.decode("utf-8", "replace").removesuffix("\n").split("\n")
    header = _read_header(texts[0], name, task)
    values, digests = list[dict[str, Any]](), list[str]()
    for number, text in enumerate(texts, 1):
        found = _DIGEST.search(text)
        plain = text if found is None else text[: found.start()] + "}"
        values.append(_parse_line(plain, name, number))
        digests.append(_extend(digests[-1] if digests else "", plain))
        if found is None or found[1] != digests[-1]:
            raise ValueError(
                f"{name}, line {number}: its digest does not follow from the lines up to it, because one of them was "
                "changed, lost or moved: use a copy of the journal from before, or begin another one."
            )
    return Lines(header, values[1:], tuple(digests))


def format_ledger(task: str, records: Iterable[Mapping[str, Any]]) -> str:
    """Return the whole content of a new ledger."""
    return _write_lines([_make_header(task, {}), *records], "")[0]


def is_ledger(path: Path) -> bool:
    """Return whether the first line of a file is that of a ledger."""
    with open(path, "rb") as file:
        return file.read(21) == b'{"journal":"halflabel'


def _make_header(task: str, header: Mapping[str, Any]) -> dict[str, Any]:
    own = {"journal": f"halflabel {task}", "version": VERSION, "halflabel": __version__, "at": read_clock()}
    return {**own, **header}


def _write_lines(values: Iterable[Mapping[str, Any]], chain: str) -> tuple[str, str]:
    """Return the lines that continue a chain, and the digest of the last one."""
    lines = list[str]()
    for each in values:
        text = json.dumps(each, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
        chain = _extend(chain, text)
        lines.append(f'{text[:-1]},"chain":"{chain}"}}\n')
    return "".join(lines), chain


def _read_header(text: str, name: str, task: str | None) -> dict[str, Any]:
    try:
        header = _parse_line(text, name, 1)
    except ValueError:
        header = {}
    if not str(header.get("journal")).startswith("halflabel ") or task not in (None, header["journal"][10:]):
        raise ValueError(f"{name} is not the journal of a {task or 'task'}: name another file, or remove this one.")
    if header.get("version") != VERSION:
        raise ValueError(f"{name} was written by another version of halflabel ({header.get('halflabel')}).")
    return header


def _parse_line(text: str, name: str, number: int) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{name}, line {number}: the line is damaged; a journal has one JSON object per line.")
    return values


def _extend(chain: str, text: str) -> str:
    """Return the digest of a chain and the line that follows."""
    return hashlib.sha256((chain + text).encode("utf-8", "surrogatepass")).hexdigest()
