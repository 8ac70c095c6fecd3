"""The journal of a finish: every seed, question and answer, on the disk before the next step."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._line_file import LineFile, parse_line, read_clock, split_lines
from halflabel._version import __version__

#: The content of the first line of a journal, so that no other file is taken for a journal.
KIND, VERSION = "halflabel finish", 1

#: The operations of a record and the kinds of their values.
_OPERATIONS: dict[str, dict[str, type]] = {
    "begin": {"seed": int, "seed_from": str, "relevant": str, "filled": str},
    "ask": {"why": str, "cells": list, "expected": float},
    "answer": {"answers": list},
    "certificate": {"sentence": str},
}


class FinishJournal:
    """The records of a finish, in a file that is locked as long as it is open, or in memory.

    Parameters
    ----------
    path : path or None
        Made if it does not exist. None keeps the records in memory.

    Attributes
    ----------
    header : dict or None
        The facts about the table, None for a new journal.
    records : list of dict
    notes : list of str
        Sentences for the user.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = path
        self._file = None if path is None else LineFile(path, "finish: end that one, or name another journal.")
        self.notes = [] if self._file is None else self._file.notes
        try:
            found = parse_records(b"" if self._file is None else self._file.content, str(path))
        except BaseException:
            self.close()
            raise
        self.header, self.records = found

    def begin(self, header: Mapping[str, Any]) -> None:
        """Write the first line."""
        made = {"journal": KIND, "version": VERSION, "halflabel": __version__, "at": read_clock(), **header}
        if self._file is not None:
            self._file.begin(made)
        self.header = made

    def append(self, op: str, **body: Any) -> None:
        """Write a record. It is on the disk when this returns."""
        record = {"op": op, "at": read_clock(), **body}
        if self._file is not None:
            self._file.append_lines([record])
        self.records.append(record)

    def close(self) -> None:
        """Close the file, which unlocks it."""
        if self._file is not None:
            self._file.close()


def parse_records(content: bytes, name: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Return the header and the records of a journal. Raise a ValueError, in one sentence, for any other content."""
    if not content:
        return None, []
    lines = split_lines(content)
    try:
        header = parse_line(lines[0], name, 1)
    except ValueError:
        header = {}
    if header.get("journal") != KIND:
        raise ValueError(f"{name} is not the journal of a finish: name another file, or remove this one.")
    if header.get("version") != VERSION:
        raise ValueError(f"{name} was written by another version of halflabel ({header.get('halflabel')}).")
    records = [parse_line(line, name, number) for number, line in enumerate(lines[1:], 2)]
    for number, record in enumerate(records, 2):
        kinds = _OPERATIONS.get(record.get("op", ""))
        if kinds is None or any(type(record.get(key)) is not kind for key, kind in kinds.items()):
            raise ValueError(f"{name}, line {number}: it is not a record of a finish.")
    return header, records


def list_answers(path: str | os.PathLike[str]) -> pd.DataFrame | None:
    """Return the answers of a journal as a review table, which ``complete(review=...)`` reads, or None without any.

    Raises
    ------
    ValueError
        If the file is not the journal of a finish.
    """
    content = Path(path).read_bytes() if Path(path).exists() else b""
    _, records = parse_records(content[: content.rfind(b"\n") + 1], str(path))
    return tabulate_answers(records)


def tabulate_answers(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame | None:
    """Return the last answer about each entry: item, label, answer (1 or 0), why."""
    why = {tuple(cell): each["why"] for each in records if each["op"] == "ask" for cell in each["cells"]}
    last = {
        (item, label): value for each in records if each["op"] == "answer" for item, label, value in each["answers"]
    }
    rows = [(*entry, value, why.get(entry, "")) for entry, value in last.items() if value is not None]
    return pd.DataFrame(rows, columns=["item", "label", "answer", "why"]) if rows else None
