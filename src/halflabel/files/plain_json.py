"""JSON arrays and JSON lines of any records: fields, and one key per label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import name_row
from halflabel.files.fields import frame_of, rows_of
from halflabel.files.flat import LOSSES, OPTIONS, from_frame, to_frame
from halflabel.files.formats import Format, Options, Plain
from halflabel.files.json_files import layout_of, read_records, write_array, write_lines
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Records
from halflabel.files.sample import Sample


def _read_array(paths: Sequence[Path], options: Options) -> Records:
    return _read(paths, options, ARRAY.name)


def _read_lines(paths: Sequence[Path], options: Options) -> Records:
    return _read(paths, options, LINES.name)


def _read(paths: Sequence[Path], options: Options, format: str) -> Records:
    return from_frame(_read_plain(paths).frame, paths[0], options, format)


def _read_plain(paths: Sequence[Path]) -> Plain:
    rows = [record for _, record in read_records(paths)]
    if paths[0].suffix.lower() == ".json" and layout_of(paths[0]) == "document":
        raise ReadError.at(paths[0], 'it is one object, not a list of records: save it as [{"id": 1, ...}, ...].')
    if not rows:
        raise ReadError.at(paths[0], "there are no records in it.")
    return Plain(frame_of(rows, pd.RangeIndex(len(rows))))


def _write_array(records: Records, path: Path) -> None:
    _write_plain_array(to_frame(records), path)


def _write_lines(records: Records, path: Path) -> None:
    _write_plain_lines(to_frame(records), path)


def _write_plain_array(frame: pd.DataFrame, path: Path) -> None:
    write_array(path, rows_of(frame))


def _write_plain_lines(frame: pd.DataFrame, path: Path) -> None:
    write_lines(path, rows_of(frame))


def _check_plain(frame: pd.DataFrame) -> None:
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


def _recognise_array(sample: Sample) -> str | None:
    return "It is a JSON array of objects." if sample.layout == "array" and sample.records else None


def _recognise_lines(sample: Sample) -> str | None:
    return "Each line is a JSON object." if sample.layout == "lines" else None


ARRAY = Format(
    name="json",
    title="JSON records",
    dialect="cells",
    suffixes=(".json",),
    read=_read_array,
    write=_write_array,
    recognise=_recognise_array,
    losses=LOSSES,
    options=OPTIONS,
    is_general=True,
    read_plain=_read_plain,
    write_plain=_write_plain_array,
    check_plain=_check_plain,
)

LINES = replace(
    ARRAY,
    name="jsonl",
    title="JSON lines",
    suffixes=(".jsonl", ".ndjson"),
    read=_read_lines,
    write=_write_lines,
    recognise=_recognise_lines,
    write_plain=_write_plain_lines,
)
