"""JSON arrays and JSON lines of any records: fields, and one key per label."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._wording import Notes, option, quoted
from halflabel.files.bounded import join_names
from halflabel.files.field_values import frame_of, plain, rows_of
from halflabel.files.json_files import dumped, layout_of, read_records, write_array, write_lines
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm
from halflabel.files.registry import base_suffix


def list_rows(document: dict[str, Any], path: Path, stated: str | None = None) -> tuple[list[dict[str, Any]], str]:
    """Return the records of a file that is one object, and a sentence about their place in it.

    Parameters
    ----------
    document : dict
        Lists of records under names, as exports of programs have them.
    path : Path
    stated : str, optional
        The name of the list; by default the longest one.
    """
    tables = {name: value for name, value in document.items() if _are_records(value)}
    inner = [value for value in document.values() if isinstance(value, dict)]
    if stated is not None and stated not in tables:
        raise ReadError.at(path, f"there is no list of records {stated!r} in it; it has {quoted(tables)}.")
    if tables:
        name = stated or max(tables, key=lambda key: len(tables[key]))
        others = [other for other in tables if other != name]
        way = f", not {quoted(others)}. Name another list with {option('items_table', others[0])}." if others else "."
        return tables[name], f"The records under {name!r} were read{way}"
    if len(inner) == 1 and len(document) > 1:
        return list_rows(inner[0], path)
    way = 'save it as [{"id": 1, ...}, ...], as to_json(orient="records") does.'
    raise ReadError.at(path, f"it is one object without a list of records: {way}")


def _are_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _read_table(*paths: Path, items_table: str | None = None) -> RawTable:
    rows, notes = [], list[str]()
    for path in paths:
        found = [record for _, record in read_records([path])]
        if base_suffix(path) == ".json" and layout_of(path) == "document":
            found, note = list_rows(found[0], path, items_table)
            notes += [note] if note else []
        rows += found
    if not rows:
        raise ReadError.at(paths[0], "there are no records in it.")
    return RawTable(frame_of(rows, pd.RangeIndex(len(rows))), source=join_names(*paths), notes=tuple(notes))


def _write_array(frame: pd.DataFrame, path: Path, form: TextForm | None = None) -> Notes:
    write_array(path, rows_of(frame))
    return ()


def _write_lines(frame: pd.DataFrame, path: Path, form: TextForm | None = None) -> Notes:
    write_lines(path, rows_of(frame))
    return ()


def _check_numbers(frame: pd.DataFrame) -> None:
    """Raise for an infinite number."""
    for name, column in frame.items():
        try:
            dumped(plain(column.tolist()))
        except ValueError:
            raise ValueError(
                f"column {name!r} holds an infinite number, which JSON does not have: write another format."
            ) from None


ARRAY = TableFormat(
    "json", (".json",), _read_table, _write_array, _check_numbers, ("items_table",), in_parts=True, title="JSON records"
)
LINES = replace(ARRAY, name="jsonl", suffixes=(".jsonl", ".ndjson"), write=_write_lines, title="JSON lines")
