"""Cells of delimited text as values, and values as cells: in the notation of the file that the table was read from."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from halflabel._arrays import Column, Floats, Mask
from halflabel._files import atomic_write
from halflabel._wording import Notes, listed
from halflabel.files.dialect import DELIMITERS
from halflabel.files.header import MISSING_WORDS
from halflabel.files.raw_table import TextForm
from halflabel.files.registry import base_suffix

#: Numbers of a list that still fit a cell; a longer vector has its place in Parquet.
MAX_NUMBERS = 16


def write_delimited(table: pd.DataFrame, path: Path, form: TextForm) -> Notes:
    """Write a table as text, atomically and without row numbers.

    Parameters
    ----------
    table : DataFrame
    path : Path
        Its suffix states the delimiter, except that ``.csv`` and ``.txt`` keep the delimiter of ``form``.
    form : TextForm
        The notation of the file that the table was read from: encoding, line ends, header and missing value are
        written alike, and a cell whose value did not change is written as it was, character for character.

    Returns
    -------
    tuple of str
        A sentence on the vectors that are left out.
    """
    suffix = base_suffix(path)
    stated = suffix == ".csv" or (suffix == ".txt" and (form.cells is not None or form.delimiter != ","))
    mark = form.delimiter if stated else DELIMITERS[suffix]
    kept, notes = _without_vectors(table)
    packed = path.name.lower().endswith(".gz")
    with atomic_write(path) as file:
        target: Any = gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if packed else file
        text = io.TextIOWrapper(target, encoding=form.encoding, newline="")
        form = replace(form, delimiter=mark)
        if form.cells is not None:
            text.write(form.above)
        if header := _header(kept, form):
            options = form.dialect
            csv.writer(text, lineterminator=form.line_end, **options).writerow(header)
        _write_rows(_as_written(kept, form), text, form)
        text.flush()
        text.detach()
        if packed:
            target.close()
    return notes


def _without_vectors(table: pd.DataFrame) -> tuple[pd.DataFrame, Notes]:
    vectors = [str(name) for name in table.columns if _holds_vectors(table[name])]
    if not vectors:
        return table, ()
    note = f"Vectors ({listed(vectors)}) do not fit a text file and were left out: write Parquet to keep them."
    return table.drop(columns=vectors), (note,)


def _holds_vectors(column: Column) -> bool:
    if column.dtype != object:
        return False
    first = next((value for value in column if isinstance(value, list | tuple | np.ndarray)), None)
    return first is not None and len(first) > MAX_NUMBERS and not isinstance(first[0], str)


def _write_rows(columns: list[pa.ChunkedArray], text: IO[str], form: TextForm) -> None:
    """Write rows. The only cell of a row is quoted where it is empty, because an empty line is not a row."""
    if columns:
        rows = compute.binary_join_element_wise(*(_quote(cells, form) for cells in columns), form.delimiter).to_pylist()
        rows = [row or '""' for row in rows] if len(columns) == 1 and form.quote else rows
        text.write(form.line_end.join([*rows, ""]))


def _quote(cells: pa.ChunkedArray, form: TextForm) -> pa.ChunkedArray:
    """Return cells in quotes where they would be read as something else: a word such as NA, marks and line ends."""
    ambiguous = compute.is_in(cells, pa.array(MISSING_WORDS))
    for mark in (*form.quote, "\r", "\n", form.delimiter):
        ambiguous = compute.or_kleene(ambiguous, compute.match_substring(cells, mark))
    if compute.any(ambiguous).as_py():
        if not form.quote:
            raise ValueError(
                "a text has a line end or a mark between cells, or is a word for a missing value, and this file "
                "has no quotes: write a file of another format."
            )
        quoted = compute.binary_join_element_wise('"', compute.replace_substring(cells, '"', '""'), '"', "")
        cells = compute.if_else(compute.fill_null(ambiguous, False), quoted, cells)
    return compute.fill_null(cells, form.missing)


def _as_written(table: pd.DataFrame, form: TextForm) -> list[pa.ChunkedArray]:
    """Return the columns as text, with the cells of the file wherever a value is the one that was read."""
    cells = form.cells if form.cells is not None and form.cells.num_rows == len(table) else None
    known = set(cells.column_names) if cells is not None else set()
    return [
        _texts(table[name], cells.column(name) if cells is not None and name in known else None, form.delimiter != ",")
        for name in table.columns
    ]


def _header(table: pd.DataFrame, form: TextForm) -> list[str]:
    """Return the names as the file wrote them. A column of row names without a name has none again."""
    if form.cells is None:
        return [str(name) for name in table.columns]
    if not form.header:
        return []
    known = form.cells.column_names
    lacking = len(known) - len(form.header)
    written = dict(zip(known[lacking:], form.header, strict=True))
    return [written.get(name, str(name)) for name in table.columns if name not in known[:lacking]]


def _texts(new: Column, cells: pa.ChunkedArray | None, decimal_comma: bool) -> pa.ChunkedArray:
    """Return a column as it is to be written: where its value is that of the cell it came from, as the cell wrote it.

    A new value is written as another cell of the column wrote it, so that TRUE stays TRUE.
    """
    if cells is None:
        if isinstance(new.dtype, pd.CategoricalDtype):  # integers stay integers next to gaps
            texts: Any = np.array([*new.cat.categories.astype("string"), None], dtype=object)[new.cat.codes]
        else:
            texts = [_text(value) for value in new.tolist()] if new.dtype == object else new.astype("string")
        return pa.array(texts, pa.string())
    was = pd.Series(to_values(cells, decimal_comma=decimal_comma)[0], index=new.index)
    same = _find_equal(was, new)
    if same.all():
        return cells
    written, first = np.array(cells.to_pylist(), dtype=object), ~was.duplicated() & was.notna()
    spelled = dict(zip(was[first].tolist(), written[first].tolist(), strict=True))
    changed = np.flatnonzero(~same)
    written[changed] = [_spelled(value, spelled) for value in new.iloc[changed].tolist()]
    return pa.array(written, pa.string())


def _find_equal(was: Column, new: Column) -> Mask:
    """Return where two columns have the same value, or both none."""
    if all(pd.api.types.is_numeric_dtype(column.dtype) for column in (was, new)):
        a, b = (column.to_numpy(dtype=np.float64, na_value=np.nan) for column in (was, new))
        return np.asarray((a == b) | ((a != a) & (b != b)))
    values = (column.astype(object).where(column.notna(), None).tolist() for column in (was, new))
    return np.array([a == b for a, b in zip(*values, strict=True)], dtype=bool)


def _spelled(value: Any, spelled: dict[Any, str]) -> str | None:
    try:
        return spelled[value] if value in spelled else _text(value)
    except TypeError:  # a list, or pandas' missing value
        return _text(value)


def _text(value: Any) -> str | None:
    """Return a value as a cell: whole numbers without a point, lists as JSON."""
    if isinstance(value, list | tuple | np.ndarray):
        return json.dumps(np.asarray(value, dtype=object).tolist(), ensure_ascii=False)
    if pd.isna(value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


_DIGITS, _LEADING_ZERO = r"^\s*[+-]?\d+\s*$", r"^\s*[+-]?0\d"
_TRUTH = ["True", "TRUE", "true", "False", "FALSE", "false"]

#: A number as most of Europe writes it: 40,92 or 1.240,5; and one that may as well be 1,240 with a thousands comma.
_COMMA = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})?$"


def to_values(column: pa.ChunkedArray, *, decimal_comma: bool = False) -> tuple[Any, str | None]:
    """Return a text column as values, with a remark where its notation was not the plain one.

    Digits with a leading zero (``007``) and whole numbers from 2^53 on are names, not quantities: the column stays
    text, as it is written.

    Parameters
    ----------
    column : ChunkedArray of string
        Null where a cell is missing.
    decimal_comma : bool
        Whether ``1,240`` is 1.24 where nothing in the column decides: the cells are not separated by commas.

    Returns
    -------
    values : array-like
    remark : {"decimal comma", "comma unclear", None}
    """
    numbers = _to_numbers(column)
    if numbers is None:
        trimmed = compute.utf8_trim_whitespace(column)
        is_empty = compute.equal(trimmed, "")  # in quotes, or blanks, and empty all the same
        column, trimmed = (compute.if_else(is_empty, None, cells) for cells in (column, trimmed))
        numbers = _to_numbers(trimmed)
    if numbers is None:
        return _comma_numbers(column, trimmed, decimal_comma)
    fractions = (np.isfinite(some) & (some != np.floor(some)) for some in (numbers[:100], numbers))
    plain = any(map(np.any, fractions)) or column.null_count == len(column)
    return (numbers if plain else _whole_numbers(column, numbers)), None


def _to_numbers(cells: pa.ChunkedArray) -> Floats | None:
    try:
        return cells.cast(pa.float64()).to_numpy()  # type: ignore[no-any-return]
    except pa.ArrowInvalid:
        return None


def _comma_numbers(column: pa.ChunkedArray, trimmed: pa.ChunkedArray, decimal_comma: bool) -> tuple[Any, str | None]:
    with_comma = compute.match_substring(trimmed, ",")
    if not compute.any(with_comma).as_py() or not all_match(trimmed, _COMMA):
        return _words(column), None
    if not decimal_comma and all_match(trimmed, _THOUSANDS):
        return _words(column), "comma unclear"
    plain = compute.replace_substring(compute.replace_substring(trimmed, ".", ""), ",", ".")
    return plain.cast(pa.float64()).to_numpy(), "decimal comma"


def _words(column: pa.ChunkedArray) -> Any:
    if not compute.all(compute.is_in(column.drop_null(), pa.array(_TRUTH))).as_py():
        return column.to_pandas()
    truth = compute.equal(compute.utf8_lower(column), "true")
    return truth.to_pandas() if column.null_count == 0 else pd.array(truth.to_pylist(), dtype="boolean")


def _whole_numbers(column: pa.ChunkedArray, numbers: Floats) -> Any:
    """Return integers, floats where a value is missing or written as one, or the text where it is a name."""
    cells = column.unique()
    all_digits = all_match(cells, _DIGITS)
    name = compute.any(compute.match_substring_regex(cells, _LEADING_ZERO)).as_py()
    if name or (all_digits and np.nanmax(np.abs(numbers)) >= 2**53):
        return column.to_pandas()
    return numbers.astype(np.int64) if all_digits and column.null_count == 0 else numbers


def all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    """Return whether all cells that are not missing match a pattern."""
    return bool(compute.all(compute.match_substring_regex(column, pattern), min_count=0).as_py())
