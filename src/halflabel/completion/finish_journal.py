"""The journal of a finish: every seed, question and answer, on the disk before the next step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._ledger import Ledger, read_lines

#: The word in the first line of a journal.
TASK = "finish"

#: The seeds of a random order are below this number.
MAX_SEED = 2**63


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_cells(value: Any) -> bool:
    """Whether it lists entries by item and label."""
    return type(value) is list and all(type(each) is list and list(map(type, each)) == [str, str] for each in value)


def _is_answers(value: Any) -> bool:
    """Whether it lists entries by item and label, each with 1, 0 or None."""
    if type(value) is not list or not all(type(each) is list and len(each) == 3 for each in value):
        return False
    return _is_cells([each[:2] for each in value]) and all(each[2] in (0, 1, None) for each in value)


#: The operations of a record, the names of their values, and a test of each value.
_OPERATIONS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "begin": {
        "seed": lambda seed: type(seed) is int and 0 <= seed < MAX_SEED,
        "seed_from": _is_text,
        "values": _is_text,
        "aim": lambda share: type(share) is float and 0 <= share < 1,
    },
    "ask": {"why": _is_text, "cells": _is_cells},
    "answer": {"answers": _is_answers},
    "undo": {"cells": _is_cells},
    "certificate": {"sentence": _is_text},
}


def open_journal(path: str | os.PathLike[str] | None) -> Ledger:
    """Return the ledger of a finish, locked as long as it is open. Without a path its records are in memory."""
    return Ledger(path, TASK, lambda records: check_records(records, str(path)))


def check_records(records: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the records of a journal. Raise a ValueError, in one sentence, for any other content."""
    for number, record in enumerate(records, 2):
        operation = record.get("op")
        tests = _OPERATIONS.get(operation) if isinstance(operation, str) else None
        if not tests or not all(is_one(record.get(key)) for key, is_one in tests.items()):
            raise ValueError(f"{name}, line {number}: it is not a record of a finish.")
    return records


def list_answers(path: str | os.PathLike[str]) -> pd.DataFrame | None:
    """Return the answers of a journal as a review table, which ``complete(answers=...)`` reads, or None without any.

    Raises
    ------
    ValueError
        If the file is not the journal of a finish.
    """
    if not Path(path).exists() or b"\n" not in Path(path).read_bytes():
        return None
    return tabulate_answers(check_records(read_lines(path, TASK).records, str(path)))


def tabulate_answers(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame | None:
    """Return the last answer about each entry: item, label, answer (1 or 0), why."""
    why = {tuple(cell): each["why"] for each in records if each["op"] == "ask" for cell in each["cells"]}
    last: dict[tuple[str, str], int | None] = {}
    for each in records:
        last |= {(item, label): value for item, label, value in each.get("answers", ())}
        if each["op"] == "undo":
            last |= dict.fromkeys((item, label) for item, label in each["cells"])
    rows = [(*entry, value, why.get(entry, "")) for entry, value in last.items() if value is not None]
    return pd.DataFrame(rows, columns=["item", "label", "answer", "why"]) if rows else None
