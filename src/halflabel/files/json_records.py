"""JSON arrays and JSON lines of any records: fields, and one key per label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import name_row
from halflabel.files.bounded import join_names
from halflabel.files.field_values import frame_of, rows_of
from halflabel.files.json_files import layout_of, read_records, write_array, write_lines
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm


def _are_numbers(keys: Iterable[str]) -> bool:
    return all(key.isdecimal() for key in keys)


def _are_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _differ(inner: list[Any]) -> bool:
    """Return whether columns, as lists, have different numbers of rows."""
    return isinstance(inner[0], list) and len({len(values) for values in inner}) > 1


def _describe_document(path: Path, document: dict[str, Any]) -> str:
    """Return the sentence about a file with one object, with two lines that convert a table as pandas writes it."""
    reason = "it is one object, not a list of records"
    inner = [value for value in document.values() if isinstance(value, dict | list)]
    keys = list(inner[0]) if inner and isinstance(inner[0], dict) else ()
    ids = ".rename_axis('id').reset_index()"
    tables = {key: len(value) for key, value in document.items() if _are_records(value)}
    if tables:  # such as {"bookmarks": [...], "lists": [...]}
        made, ids = f"pd.DataFrame(content[{max(tables, key=lambda key: tables[key])!r}])", ""
    elif "data" in document and {*document} & {"columns", "schema"}:
        made = "pd.DataFrame(**content)" if "columns" in document else "pd.DataFrame(content['data'])"
        ids = ""
    elif not (len(inner) == len(document) > 1 and len({type(value) for value in inner}) == 1) or _differ(inner):
        return f'{reason}: save it as [{{"id": 1, ...}}, ...].'
    elif keys and not _are_numbers(keys) and (_are_numbers(document) or len(keys) < len(document)):
        made, ids = "pd.DataFrame.from_dict(content, orient='index')", "" if _are_numbers(document) else ids
    else:
        made, ids = "pd.DataFrame(content)", "" if _are_numbers(keys) else ids
    made = made.replace("content", f"json.loads(pathlib.Path({str(path)!r}).read_text('utf-8'))")
    write = f"to_json({str(path.with_suffix('.jsonl'))!r}, orient='records', lines=True)"
    return (
        f"{reason}: convert it by two lines of Python, `import json, pathlib, pandas as pd` and `{made}{ids}.{write}`."
    )


def _read_table(*paths: Path) -> RawTable:
    rows = [record for _, record in read_records(paths)]
    if paths[0].suffix.lower() == ".json" and layout_of(paths[0]) == "document":
        raise ReadError.at(paths[0], _describe_document(paths[0], rows[0]))
    if not rows:
        raise ReadError.at(paths[0], "there are no records in it.")
    return RawTable(frame_of(rows, pd.RangeIndex(len(rows))), source=join_names(*paths))


def _write_array(frame: pd.DataFrame, path: Path, form: TextForm | None = None) -> tuple[str, ...]:
    write_array(path, rows_of(frame))
    return ()


def _write_lines(frame: pd.DataFrame, path: Path, form: TextForm | None = None) -> tuple[str, ...]:
    write_lines(path, rows_of(frame))
    return ()


def _check_numbers(frame: pd.DataFrame) -> None:
    """Raise for an infinite number."""
    for name, column in frame.items():
        for row, value in enumerate(column if column.dtype == object or column.dtype.kind == "f" else ()):
            if _is_infinite(value):
                raise ValueError(
                    f"column {name!r} holds an infinite number ({name_row(row)}), which JSON does not have: "
                    "replace it, or write another format."
                )


def _is_infinite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_infinite, value.values()))
    if isinstance(value, list | tuple | set | np.ndarray):
        return any(map(_is_infinite, value))
    return isinstance(value, float | np.floating) and math.isinf(value)


ARRAY = TableFormat("json", (".json",), _read_table, _write_array, _check_numbers, in_parts=True, title="JSON records")
LINES = replace(ARRAY, name="jsonl", suffixes=(".jsonl", ".ndjson"), write=_write_lines, title="JSON lines")
