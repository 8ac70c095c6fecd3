"""CSV, TSV and Parquet.

pyarrow parses, as text, and is strict about the number of cells in a row. Whole
columns then become numbers where that loses nothing, and a file that pyarrow refuses
is read once more, slowly, to say in which line and why.

What counts as missing: an empty cell, quoted or not, and the bare words ``NA``,
``N/A``, ``NaN``, ``nan``, ``NULL``, ``null``, ``None`` and ``<NA>``. In quotes these
words are text (R writes a text in quotes and a missing value without).

What becomes a number: a column in which every value is one. Digits with a leading
zero (``007``) and whole numbers beyond 2^53 are names, not quantities: the column
stays text, as written.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute, parquet
from pyarrow import csv as arrow_csv

from halflabel._arrays import Floats
from halflabel.datasets.files import MAX_BYTES, base_suffix, lines, open_text, sha256_of
from halflabel.datasets.records import RawTable, ReadError

#: Bare words that say missing, beside the empty cell.
MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")

#: Bytes of the longest line, and columns of the widest table.
MAX_LINE, MAX_COLUMNS = 1_000_000, 100_000

_DIGITS, _LEADING_ZERO = r"^\s*[+-]?\d+\s*$", r"^\s*[+-]?0\d"
_TRUTH = ["True", "TRUE", "true", "False", "FALSE", "false"]


def read_delimited(path: Path, *, delimiter: str | None = None) -> RawTable:
    """Read a delimited text file with a header line, ``.gz`` or not.

    Parameters
    ----------
    path : Path
        UTF-8 text, quotes doubled inside quotes, line breaks allowed inside quotes.
    delimiter : str, optional
        One ASCII character, or the word ``tab``; by default a tab for ``.tsv`` and ``.tab``, else a comma.

    Raises
    ------
    ReadError
        With the line, for a row with more or fewer cells than the header, bytes
        that are not UTF-8, a NUL byte, a line of more than a million bytes; also
        for an empty file, a missing or ambiguous header, a delimiter that does not
        occur, a truncated gzip file, and above the limits of size.
    """
    mark = delimiter or ("\t" if base_suffix(path) in (".tsv", ".tab") else ",")
    mark = "\t" if mark in ("tab", "\\t") else mark
    if len(mark) != 1 or not mark.isascii() or mark in '"\r\n':
        raise ValueError(f'a delimiter is one character, not {mark!r}: ASCII, no quote, no line break; or "tab".')
    names = _header(path, mark)
    try:
        table = _parse(path, mark, names)
    except pa.ArrowInvalid as error:
        raise _diagnosis(path, mark, names) or ReadError.at(path, f"it cannot be read ({error}).") from None
    if table.num_rows == 0:
        raise ReadError.at(path, "there is a header but no row below it.")
    _check_last_cell(path, mark, names, table)
    return RawTable(_frame(table), None, (), (), str(path), sha256_of(path))


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; an index that was saved with a name comes back as a column.

    Raises
    ------
    ReadError
        If it is not a Parquet file, is above the limits of size, or has no or equal column names.
    """
    try:
        described = parquet.read_metadata(path)
        size = sum(described.row_group(i).total_byte_size for i in range(described.num_row_groups))
        if size > MAX_BYTES:
            raise ReadError.at(path, f"it unpacks to {size:,} bytes, above the limit of {MAX_BYTES:,}: split it.")
        frame = pd.read_parquet(path)
    except ReadError:
        raise
    except Exception as error:  # damaged metadata make pyarrow raise KeyError, JSON and Unicode errors too
        raise ReadError.at(path, f"it cannot be read as Parquet ({' '.join(str(error).split())[:200]}).") from None
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = pd.Index(_checked_names([str(name) for name in frame.columns], path, None))
    if frame.empty:
        raise ReadError.at(path, "there are no rows or no columns in it.")
    return RawTable(frame, None, (), (), str(path), sha256_of(path))


def _parse(path: Path, mark: str, names: list[str]) -> pa.Table:
    with open_text(path, max_line=MAX_LINE) as stream:
        return arrow_csv.read_csv(
            stream,
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=1 << 22),
            parse_options=arrow_csv.ParseOptions(delimiter=mark, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=["", *MISSING_WORDS],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )


def _header(path: Path, mark: str) -> list[str]:
    """Return the column names, or say why the first line cannot be a header."""
    try:
        first = next(csv.reader((line for _, line in lines(path, max_line=MAX_LINE)), delimiter=mark), None)
    except csv.Error as error:
        raise ReadError.at(path, f"the header cannot be read ({error}).", line=1) from None
    if first is None:
        raise ReadError.at(path, "the file is empty.")
    names = [cell.strip() for cell in first]
    if not any(names):
        raise ReadError.at(path, "the first line is empty, where the column names should stand.", line=1)
    if len(names) == 1:
        for other in ";\t|,":
            if other != mark and other in names[0]:
                shown = "a tab" if other == "\t" else repr(other)
                reason = (
                    f"there is one column only, and its name {names[0][:40]!r} holds {shown}: "
                    f"say --delimiter {'tab' if other == chr(9) else repr(other)} if that separates the columns."
                )
                raise ReadError.at(path, reason, line=1)
    counted = len(names) > 2 and names == [str(j) for j in range(len(names))]  # how pandas names an array's columns
    if not counted and all(_is_number(name) for name in names):
        reason = f"the first line holds numbers ({', '.join(names[:3])}), not column names: put a header line above it."
        raise ReadError.at(path, reason, line=1)
    return _checked_names(names, path, 1)


def _checked_names(names: list[str], path: Path, line: int | None) -> list[str]:
    if len(names) > MAX_COLUMNS:
        raise ReadError.at(path, f"{len(names):,} columns are more than {MAX_COLUMNS:,}, the limit.", line=line)
    if names and not names[0]:
        names = ["index", *names[1:]]  # pandas and R leave the name of the row names empty
    if "" in names:
        raise ReadError.at(path, f"column {names.index('') + 1} of the header has no name.", line=line)
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ReadError.at(path, "two columns have this name; rename one of them.", line=line, column=twice)
    return names


def _check_last_cell(path: Path, mark: str, names: list[str], table: pa.Table) -> None:
    """Look for a quote that is never closed: it swallows the rest of the file into the last cell."""
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py()
    if last is not None and "\n" in last and (error := _diagnosis(path, mark, names)):
        raise error


def _diagnosis(path: Path, mark: str, names: list[str]) -> ReadError | None:
    """Read the file slowly and return what is wrong with it first; :func:`lines` raises for what concerns bytes."""
    reader = csv.reader((line for _, line in lines(path, max_line=MAX_LINE)), delimiter=mark, strict=True)
    end = 0
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            if row and len(row) != len(names):
                return ReadError.at(path, _ragged(row, names), line=start)
    except csv.Error as error:
        if "field limit" in str(error):  # only this second reader minds a long cell
            return None
        reason = f"the row that begins here cannot be read ({error}): is a quote opened and not closed?"
        return ReadError.at(path, reason, line=end + 1)
    return None


def _ragged(row: list[str], names: list[str]) -> str:
    if len(row) < len(names):
        return f"{len(row)} cells, but the header has {len(names)}: nothing stands for {names[len(row)]!r}."
    return f"{len(row)} cells, but the header has {len(names)}: quote a cell that holds the delimiter."


def _frame(table: pa.Table) -> pd.DataFrame:
    return pd.DataFrame({name: _typed(table.column(name)) for name in table.column_names})


def _typed(column: pa.ChunkedArray) -> Any:
    """Return a text column as numbers or truth values where every value is one and nothing is lost."""
    column = compute.if_else(compute.equal(column, ""), None, column)  # quoted, and empty all the same
    try:
        numbers = compute.utf8_trim_whitespace(column).cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return _words(column)
    fractions = np.isfinite(numbers) & (numbers != np.floor(numbers))
    return numbers if fractions.any() or column.null_count == len(column) else _whole_numbers(column, numbers)


def _words(column: pa.ChunkedArray) -> Any:
    if not compute.all(compute.is_in(column.drop_null(), pa.array(_TRUTH))).as_py():
        return column.to_pandas()
    truth = compute.equal(compute.utf8_lower(column), "true")
    return truth.to_pandas() if column.null_count == 0 else pd.array(truth.to_pylist(), dtype="boolean")


def _whole_numbers(column: pa.ChunkedArray, numbers: Floats) -> Any:
    """Return integers, floats where a value is missing or written as one, or the text where it is a name."""
    all_digits = _all_match(column, _DIGITS)
    name = compute.any(compute.match_substring_regex(column, _LEADING_ZERO)).as_py()
    if name or (all_digits and np.nanmax(np.abs(numbers)) > 2**53):
        return column.to_pandas()
    return numbers.astype(np.int64) if all_digits and column.null_count == 0 else numbers


def _all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    return bool(compute.all(compute.match_substring_regex(column, pattern)).as_py())


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
