"""A second FILE with other columns has the labels of the items, found by the column that both have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halflabel.cli import work


def describe_second(items: Path, second: Path, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the keys that describe a second file, or None if it shares more than the column of ids.

    A column of ids in which a value repeats is that of a long table of tags. Otherwise the file has one row per item,
    and its other columns are the labels unless they are named.

    Raises
    ------
    ValueError
        If the files share no column.
    """
    ours, theirs = (work.read_file(path).raw.frame for path in (items, second))
    shared = [name for name in theirs.columns if name in ours.columns]
    id = given.get("id", shared[0] if len(shared) == 1 else None)
    if not shared:
        raise ValueError(f"{items} and {second} share no column: give the ids of the items the same name in both.")
    if id not in shared:
        return None
    keys: dict[str, Any] = {"id": id, "on": id}
    own = tuple(name for name in theirs.columns if name not in shared)
    if theirs[id].duplicated().any():
        tag = given.get("tags", own[0] if len(own) == 1 else None)
        return {**keys, "pairs": str(second), "tags": None, **({} if tag is None else {"tag": tag})}
    named = "tags" in given or "labels" in given
    return {**keys, "labels_file": str(second), **({} if named else {"labels": own})}
