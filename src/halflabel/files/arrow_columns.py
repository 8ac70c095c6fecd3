"""From a DataFrame to an Arrow table, whatever its columns hold: a column of mixed types becomes text."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

from halflabel._arrays import Column
from halflabel._wording import Notes, listed
from halflabel.files.field_values import plain

#: The errors of pyarrow for values that do not have one type.
_MIXED = (pa.ArrowException, OverflowError, TypeError, ValueError)


def to_arrow_table(frame: pd.DataFrame) -> tuple[pa.Table, Notes]:
    """Return a DataFrame as an Arrow table without its index, and a sentence on the columns that became text.

    A column has one type. One that holds numbers and text, or objects and numbers, becomes text: a text as it is,
    anything else as JSON has it. No value is lost that way.

    Examples
    --------
    >>> table, notes = to_arrow_table(pd.DataFrame({"a": [3, "x", [1.5]], "b": [1, 2, 3]}))
    >>> table.column("a").to_pylist(), notes
    (['3', 'x', '[1.5]'], ('Columns of mixed types (“a”) are written as text.',))
    """
    mixed = [name for name in frame.columns if not _has_one_type(frame[name])]
    texts = {name: pd.Series(list(map(_as_text, frame[name])), frame.index, dtype=object) for name in mixed}
    table = pa.Table.from_pandas(frame.assign(**texts) if mixed else frame, preserve_index=False)
    return table, (f"Columns of mixed types ({listed(list(map(str, mixed)))}) are written as text.",) if mixed else ()


def to_arrow_array(values: list[Any]) -> pa.Array:
    """Return plain values, None where missing, as an array of one type. Values of mixed types become text."""
    try:
        return pa.array(values)
    except _MIXED:
        return pa.array(list(map(_as_text, values)), pa.string())


def _has_one_type(column: Column) -> bool:
    if column.dtype != object:
        return True
    try:
        return not _has_empty_structure(pa.array(column, from_pandas=True).type)
    except _MIXED:
        return False


def _has_empty_structure(kind: Any) -> bool:
    """Return whether a type has an object without any key in it, which Parquet cannot hold."""
    if pa.types.is_struct(kind) and kind.num_fields == 0:
        return True
    return pa.types.is_nested(kind) and any(_has_empty_structure(kind.field(i).type) for i in range(kind.num_fields))


def _as_text(value: Any) -> str | None:
    simple = plain(value)
    if simple is None:
        return None
    text = simple if isinstance(simple, str) else json.dumps(simple, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()
