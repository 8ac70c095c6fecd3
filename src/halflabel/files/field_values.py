"""The items' own fields: plain values in files, typed columns in a table."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Index
from halflabel.labels.tables import is_missing


def frame_of(rows: Sequence[Mapping[str, Any]], index: Index) -> pd.DataFrame:
    """Return fields as a table with one typed column per key. The value of a key that a row lacks is missing.

    Examples
    --------
    >>> frame_of([{"text": "a", "n": 1}, {"n": None}], pd.Index(["x", "y"])).dtypes.astype(str).to_dict()["n"]
    'Int64'
    """
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {str(name): typed_column([row.get(name) for row in rows], index) for name in names}
    return pd.DataFrame(columns, index=index)


def typed_column(values: Sequence[Any], index: Index) -> Column:
    """Return values as a column of truth values, whole numbers, numbers or text, or as a column of objects."""
    kinds = {type(value) for value in values if value is not None}
    has_gaps = any(value is None for value in values)
    dtype: str | None = "object"
    if kinds == {bool}:
        dtype = "boolean" if has_gaps else "bool"
    elif kinds == {int} and _fit_int64(values):
        dtype = "Int64" if has_gaps else "int64"
    elif kinds and kinds <= {int, float} and _fit_int64(values):
        dtype = "float64"
    elif kinds == {str}:
        dtype = "str"
    elif kinds == {datetime.datetime}:
        dtype = None  # pandas finds the unit
    return pd.Series(list(values), index=index, dtype=dtype)


def _fit_int64(values: Sequence[Any]) -> bool:
    return all(abs(value) < 2**63 for value in values if isinstance(value, int))


def rows_of(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield one dict of plain values per row, missing values as None."""
    names = list(map(str, frame.columns))
    columns = [list(map(plain, frame.iloc[:, j].tolist())) for j in range(frame.shape[1])]
    if not columns:
        yield from ({} for _ in range(len(frame)))
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def number_in(value: Any) -> float | None:
    """Return a number as a float, or None for any other value, for a truth value and for a number too large."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def share_in(value: Any) -> float | None:
    """Return a number from 0 to 1 as a float, or None for any other value."""
    number = number_in(value)
    return number if number is not None and 0 <= number <= 1 else None


def names_in(values: Iterable[Any]) -> list[str]:
    """Return the names in a list, without missing and blank values.

    Examples
    --------
    >>> names_in(["rock", None, " ", 7]), names_in([float("nan")])
    (['rock', '7'], [])
    """
    present = (value for value in values if not is_missing(value))
    return [str(value) for value in present if not isinstance(value, str) or value.strip()]


def text_of(value: Any) -> str | None:
    """Return a value as text, None as None."""
    return None if value is None else str(value)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: None, truth value, number, text, list or object.

    Examples
    --------
    >>> plain(np.int64(3)), plain(np.array([1.0, np.nan])), plain(pd.NA), plain(pd.Timestamp("2026-11-22"))
    (3, [1.0, None], None, '2026-11-22T00:00:00')
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
