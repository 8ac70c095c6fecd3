"""The kind of the cells of one column, and how they are read as numbers or as text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Column, Floats
from halflabel._wording import name_row, option, quoted

Kind = Literal["numbers", "text", "dates", "lists", "nothing", "other"]

#: The results of ``pandas.api.types.infer_dtype`` in the words of this package.
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("boolean", "integer", "floating", "mixed-integer-float", "decimal"), "numbers"),
    **dict.fromkeys(("string", "categorical", "mixed-integer"), "text"),
    **dict.fromkeys(("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period"), "dates"),
}


#: A date as most of Europe or the United States write it, with or without a time.
_LOCAL_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2\d{4}([ T,]+\d{1,2}:\d{2}(:\d{2})?)?")


def use_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its column names as text. Raise if a name appears twice."""
    names = pd.Index([str(name) for name in frame.columns], dtype=object)
    if names.has_duplicates:
        twice = quoted(names[names.duplicated()].unique())
        raise ValueError(f"column names must be distinct, but {twice} appears more than once: rename the columns.")
    return frame if names.equals(frame.columns) else frame.set_axis(names, axis=1)


def has_categories(column: Column | None) -> bool:
    """Return whether there is a column, and it holds categories."""
    return column is not None and isinstance(column.dtype, pd.CategoricalDtype)


def write_out(column: Column) -> Column:
    """Return a column of categories as numbers or texts, and any other one as it is."""
    if not has_categories(column):
        return column
    is_number = pd.api.types.is_numeric_dtype(column.cat.categories.dtype)
    return column.astype(float if is_number else column.cat.categories.dtype)


def is_unnamed(frame: pd.DataFrame) -> bool:
    """Return whether a library made up the names of all columns: their numbers, with or without "column_"."""
    return list(map(str, frame.columns)) in (
        [f"{before}{j}" for j in range(frame.shape[1])] for before in ("", "column_")
    )


def infer_kind(column: Column) -> Kind:
    """Return the kind of the values of a column, missing ones aside. Text that can be read as dates counts as dates."""
    if not column.notna().any():
        return "nothing"
    if _is_real(column.dtype):
        return "numbers"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    kind = None if inferred == "mixed-integer" and _holds_nested(column) else _KINDS.get(inferred)
    if kind is None:
        return "lists" if isinstance(_get_first(column), list | tuple | np.ndarray | set | frozenset) else "other"
    return "dates" if kind == "text" and _reads_as_dates(column) else kind


def read_as_numbers(column: Column) -> Floats:
    """Return a column as floats, missing as NaN. Raise at the first value that is not a finite number."""
    kind = "numbers" if _is_real(column.dtype) else infer_kind(column)
    if kind in ("numbers", "nothing"):
        values = as_floats(column)
        if np.isfinite(values).all():
            return values
    elif kind == "text":
        values = as_floats(pd.to_numeric(column.astype(object), errors="coerce"))
    else:
        values = np.full(len(column), np.nan)
    wrong = np.isinf(values) | (np.isnan(values) & column.notna().to_numpy())
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"column {column.name!r} holds {show_cell(column, row)} ({name_row(row)}), but it must hold finite "
            f"numbers: correct the cell or leave it empty, or leave the column out ({option('ignore')})."
        )
    return values


def read_as_text(column: Column) -> NDArray[np.object_]:
    """Return a column as text, missing as None. Whole numbers have no decimal point."""
    codes, values = pd.factorize(column)  # each value is written once
    write = str if pd.api.types.is_integer_dtype(values.dtype) else _write_value
    return np.array([*map(write, values.tolist()), None], dtype=object)[codes]


def describe_missing(name: str, columns: Iterable[str]) -> str:
    """Return the sentence about a name or pattern that fits no column, with near misses."""
    by_lower = {column.lower(): column for column in columns}
    near = difflib.get_close_matches(name.strip("*?").lower(), by_lower, n=3, cutoff=0.5)
    hint = (
        f"did you mean {quoted(by_lower[hit] for hit in near)}?" if near else f"there are {quoted(by_lower.values())}."
    )
    return f"no column is called or matches {name!r}: {hint}"


def require_columns(names: Iterable[str], frame: pd.DataFrame) -> None:
    """Raise for a name that no column has."""
    if lacking := next((name for name in names if name not in frame.columns), None):
        raise ValueError(describe_missing(lacking, frame.columns))


def as_floats(column: Column) -> Floats:
    """Return a column of numbers as floats, missing as NaN."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def looks_like_label(column: Column) -> bool:
    """Return whether a column holds 0, 1 and gaps, and nothing else."""
    return bool(column.isna().any()) and infer_kind(column) == "numbers" and holds_only(column, (0, 1))


def holds_only(column: Column, values: Iterable[Any]) -> bool:
    """Return whether a column has no other values than these, missing ones aside. The first rows decide mostly."""
    return all(column.iloc[:n].dropna().isin(values).all() for n in (100, None))


#: Characters of the longest cell in a sentence.
MAX_SHOWN = 200


def show_cell(column: Column, row: int) -> str:
    """Return a cell as a person would write it: ``3``, not ``np.int64(3)``."""
    text = repr(column.iloc[row : row + 1].tolist()[0])
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _holds_nested(column: Column) -> bool:
    """Return whether a column holds lists or objects next to plain values."""
    return any(isinstance(value, list | tuple | set | frozenset | dict | np.ndarray) for value in column)


def _is_real(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)


def _get_first(column: Column) -> Any:
    return column[column.notna()].iloc[0]


def _reads_as_dates(column: Column) -> bool:
    """Whether all observed text is a date. For most columns, the first value is enough to decide."""
    if _LOCAL_DATE.fullmatch(str(_get_first(column)).strip()):
        return all(_LOCAL_DATE.fullmatch(str(text).strip()) for text in column.dropna().unique())
    if not re.match(r"\d{4}-\d\d", str(_get_first(column))):
        return False
    values = column.dropna().astype("str").drop_duplicates()
    return bool(pd.to_datetime(values, format="ISO8601", errors="coerce", utc=True).notna().all())


def _write_value(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)
