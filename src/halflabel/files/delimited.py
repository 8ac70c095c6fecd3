"""CSV, TSV and other delimited text.

pyarrow parses, as text, and is strict about the number of cells in a row. Whole
columns then become numbers where that loses nothing, and a file that pyarrow cannot
parse is read once more, slowly, to report in which line and why.

A cell is missing if it is empty, quoted or not, or one of the bare words ``NA``,
``N/A``, ``NaN``, ``nan``, ``NULL``, ``null``, ``None`` and ``<NA>``. In quotes these
words are text (R writes a text in quotes and a missing value without).
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute
from pyarrow import csv as arrow_csv

from halflabel._wording import listed, option, plural, quoted
from halflabel.files.bounded import encoding_of, join_names, lines, open_text, sha256_of
from halflabel.files.delimited_writing import DELIMITERS, to_values, write_delimited
from halflabel.files.ragged import check_cells, check_row_names, diagnose
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm
from halflabel.files.registry import base_suffix
from halflabel.files.skipped import MAX_LINES, count_headers, describe_headers, find_line, find_title
from halflabel.files.text_form import (
    CANDIDATES,
    MAX_LINE,
    MISSING_WORDS,
    describe_row_names,
    read_header,
    read_rows,
    recognise,
    strip_names,
)

#: A number that can be one with a point for thousands, and one that has this point.
_POINTS, _POINT = r"^\s*[+-]?(0|[1-9][0-9]{0,2}(\.[0-9]{3})*)\s*$", r"\.[0-9]{3}\s*$"

#: Minimum number of cells with such a point where no other column has a decimal comma. Decimals always have a point
#: then, or not always three digits behind it.
MIN_POINTS = 10


def read_delimited(
    path: Path,
    *parts: Path,
    delimiter: str | None = None,
    encoding: str | None = None,
    skip_rows: str | None = None,
) -> RawTable:
    """Read a delimited text file with a header line, ``.gz`` or not.

    Parameters
    ----------
    path : Path
        Text with quotes doubled inside quotes and line breaks allowed inside quotes.
    *parts : Path
        Further files with the same columns, in any order: their rows follow.
    delimiter : str, optional
        One ASCII character, or the word ``tab``; by default the mark of the suffix, or the one other mark
        (comma, semicolon, tab, bar) that separates the first rows.
    encoding : str, optional
        By default the byte order mark decides, else UTF-8 where the file is valid UTF-8, else Windows-1252.
    skip_rows : str, optional
        Lines that do not belong to rows of the table, such as "1-2,504" or "last".

    Returns
    -------
    RawTable
        ``form`` holds the notation of the file, ``notes`` the choices that were recognised.

    Raises
    ------
    ReadError
        With the line, for a row with more or fewer cells than the header, bytes
        that cannot be decoded, a NUL byte, a line of more than a million bytes; also
        for an empty file, a missing or ambiguous header, a delimiter that does not
        occur, a truncated gzip file, and above the limits of size.
    """
    form, table, notes = _read_cells(path, delimiter, encoding, skip_rows)
    for part in parts:
        _, cells, _ = _read_cells(part, delimiter, encoding, skip_rows)
        check_same_columns(part, cells.column_names, path, table.column_names)
        table = pa.concat_tables([table, cells.select(table.column_names)])
    frame, remarks = _frame(table, decimal_comma=form.delimiter != ",")
    form, digest = replace(form, cells=table), sha256_of(path, *parts)
    return RawTable(frame, source=join_names(path, *parts), sha256=digest, form=form, notes=(*notes, *remarks))


def _read_cells(
    path: Path, delimiter: str | None, encoding: str | None, skip_rows: str | None
) -> tuple[TextForm, pa.Table, list[str]]:
    """Return the form of a file, its cells as text, and notes. Raise for lines that are not rows."""
    try:
        form, table, notes = _parse_cells(path, delimiter, encoding, skip_rows)
    except ReadError:
        if skip_rows is None:
            _check_title(path, delimiter, encoding)
        raise
    if skip_rows is None and len(form.header) == 1:
        _check_title(path, delimiter, encoding)
    if skip_rows is None and (number := count_headers(table)):
        raise ReadError.at(path, describe_headers([*range(2, number + 2)]), line=2)
    _check_repeated_header(path, form, table)
    return form, table, notes


def _check_title(path: Path, delimiter: str | None, encoding: str | None) -> None:
    """Raise if the column names are below a title."""
    chosen = encoding or encoding_of(path)
    head = [line for _, line in islice(lines(path, max_line=MAX_LINE, encoding=chosen), MAX_LINES)]
    mark = _checked_mark(delimiter)
    if number := find_title(head, CANDIDATES if mark is None else (mark,)):
        above = "1" if number == 2 else f"1-{number - 1}"
        reason = f"the column names seem to stand in line {number}, below a title: state {option('skip_rows', above)}."
        raise ReadError.at(path, reason, line=1) from None


def _parse_cells(
    path: Path, delimiter: str | None, encoding: str | None, skip_rows: str | None
) -> tuple[TextForm, pa.Table, list[str]]:
    default = DELIMITERS.get(base_suffix(path), ",")
    form, notes = recognise(path, _checked_mark(delimiter), encoding, default, skip_rows=skip_rows)
    names = read_header(path, form)
    try:
        table, names, row_names = _parse_with_row_names(path, form, names)
    except pa.ArrowInvalid as error:
        raise diagnose(path, form, names) or ReadError.at(path, f"it cannot be read ({error}).") from None
    if table.num_rows == 0:
        raise ReadError.at(path, "there is a header but no row below it.")
    check_cells(path, form, names, table)
    return form, table, [*notes, *row_names]


def _check_repeated_header(path: Path, form: TextForm, table: pa.Table) -> None:
    """Raise if lines between the rows repeat the column names, as joined exports have them."""
    column = table.column(table.num_columns - 1)
    if not compute.any(compute.equal(compute.utf8_trim_whitespace(column), form.header[-1].strip())).as_py():
        return
    rows = read_rows(path, form)
    starts = [1] + [rows.line_num + 1 for _ in rows]
    header, lines_read = strip_names(form.header), zip(starts, read_rows(path, form), strict=False)
    found = [start for start, row in lines_read if strip_names(row) == header][1:]
    if found:
        numbers = ",".join(str(find_line(line, form.skip)) for line in found)
        repeat = "line repeats" if len(found) == 1 else "lines repeat"
        reason = f"{len(found)} {repeat} the column names: state {option('skip_rows', numbers)}."
        raise ReadError.at(path, reason, line=int(numbers.split(",")[0]))


def check_same_columns(path: Path, names: Sequence[str], first: Path, expected: Sequence[str]) -> None:
    """Raise if a part of a table does not have the columns of its first part."""
    if set(names) == set(expected):
        return
    missing, added = ([n for n in a if n not in b] for a, b in ((expected, names), (names, expected)))
    what = [*([f"it lacks {quoted(missing)}"] if missing else []), *([f"it adds {quoted(added)}"] if added else [])]
    raise ReadError.at(path, f"its columns differ from the columns of {first}: {' and '.join(what)}.")


def _checked_mark(delimiter: str | None) -> str | None:
    mark = "\t" if delimiter in ("tab", "\\t") else delimiter
    if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n'):
        raise ValueError(f'a delimiter is one character, not {mark!r}: ASCII, no quote, no line break; or "tab".')
    return mark


def _parse_with_row_names(path: Path, form: TextForm, names: list[str]) -> tuple[pa.Table, list[str], list[str]]:
    """Parse a file. If each row has one cell more than the header, the first column holds row names."""
    try:
        return _parse(path, form, names), names, []
    except pa.ArrowInvalid:
        with_names = ["index", *names]
        if "index" in names or _first_width(path, form) != len(with_names):
            raise
        check_row_names(path, form, names)
        return _parse(path, form, with_names), with_names, [describe_row_names(len(names), len(with_names))]


def _parse(path: Path, form: TextForm, names: list[str]) -> pa.Table:
    with open_text(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip) as stream:
        return arrow_csv.read_csv(stream, **_choose_options(form, names))


def _choose_options(form: TextForm, names: list[str], kept: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options of pyarrow's readers, which read the columns of ``kept`` only if it is stated."""
    return {
        "read_options": arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=1 << 22),
        "parse_options": arrow_csv.ParseOptions(delimiter=form.delimiter, newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=["", *MISSING_WORDS],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            include_columns=list(kept),
        ),
    }


def open_delimited(
    path: Path, delimiter: str | None = None, encoding: str | None = None, skip_rows: str | None = None
) -> tuple[TextForm, list[str]]:
    """Return the form of a file of any size and the names of its columns, for :func:`read_batches`."""
    default = DELIMITERS.get(base_suffix(path), ",")
    mark = _checked_mark(delimiter)
    form, _ = recognise(path, mark, encoding, default, max_bytes=sys.maxsize, skip_rows=skip_rows)
    names = read_header(path, form)
    if "index" in names or _first_width(path, form) != len(names) + 1:
        return form, names
    check_row_names(path, form, names)
    return form, ["index", *names]


def read_batches(path: Path, form: TextForm, names: list[str], kept: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
    """Yield the cells of a file as text, some MB at a time. The file may be without rows.

    Parameters
    ----------
    path, form, names
        From :func:`open_delimited`.
    kept : sequence of str
        The columns that are read; by default all.
    """
    if _first_width(path, form) == 0:
        return
    try:
        size = {"max_line": MAX_LINE, "max_bytes": sys.maxsize}
        with open_text(path, **size, encoding=form.encoding, skip=form.skip) as stream:
            yield from arrow_csv.open_csv(stream, **_choose_options(form, names, kept))
    except pa.ArrowInvalid as error:
        raise diagnose(path, form, names) or ReadError.at(path, f"it cannot be read ({error}).") from None


def read_words(path: Path, form: TextForm, names: Sequence[str], column: str) -> list[str | None]:
    """Return the cells of a column as they are written, also the words for a missing value."""
    options = _choose_options(form, list(names), [column])
    convert = arrow_csv.ConvertOptions(column_types={column: pa.string()}, null_values=[], include_columns=[column])
    with open_text(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip) as stream:
        table = arrow_csv.read_csv(stream, **{**options, "convert_options": convert})
    cells: list[str | None] = table.column(column).to_pylist()
    return cells


def find_first_line(cells: Iterable[pa.Table], form: TextForm, paths: Iterable[Path]) -> int | None:
    """Return the line of the first row of a file, or None if rows are not lines: one of several, or some are blank."""
    columns = (column for table in cells for column in table.columns)
    has_breaks = any(compute.any(compute.match_substring(column, "\n")).as_py() for column in columns)
    return None if has_breaks or any(_has_blank_lines(path, form) for path in paths) else find_line(2, form.skip)


def _has_blank_lines(path: Path, form: TextForm) -> bool:
    """Return whether lines between the rows are blank. Those at the end count for nothing."""
    rest = b""
    with open_text(path, max_line=MAX_LINE, max_bytes=sys.maxsize, encoding=form.encoding, skip=form.skip) as stream:
        while chunk := stream.read(1 << 20):
            if re.search(rb"\n\r?\n[^\r\n]", rest + chunk):
                return True
            rest = (rest + chunk)[-3:]
    return False


def to_frame(table: pa.Table, *, decimal_comma: bool, as_text: Collection[str] = ()) -> pd.DataFrame:
    """Return cells as values, except that the columns of ``as_text`` stay as they are written."""
    values, _ = _frame(table.drop_columns(list(as_text)), decimal_comma=decimal_comma)
    texts = table.select(list(as_text)).to_pandas()
    frame: pd.DataFrame = pd.concat([values, texts], axis=1)[table.column_names]
    return frame


def _first_width(path: Path, form: TextForm) -> int:
    """Return the number of cells in the first row below the header."""
    rows = read_rows(path, form)
    try:
        next(rows)
        return next((len(row) for row in rows if row), 0)
    except csv.Error:  # the diagnosis will report it, with its line
        return 0


def _frame(table: pa.Table, *, decimal_comma: bool) -> tuple[pd.DataFrame, list[str]]:
    """Return the columns as values, with one note per unusual notation."""
    columns, remarks = {}, dict[str, list[str]]()
    for name in table.column_names:
        columns[name], remark = to_values(table.column(name), decimal_comma=decimal_comma)
        if remark:
            remarks.setdefault(remark, []).append(name)
    for name in _find_thousands(table, columns, remarks.get("decimal comma", ())):
        columns[name] = table.column(name).to_pandas()
        remarks.setdefault("point unclear", []).append(name)
    sentences = {
        "decimal comma": "as numbers with a decimal comma",
        "comma unclear": "as text, because a comma may stand for decimals or for thousands (write 1240 or 1.24)",
        "point unclear": "as text, because a point may stand for decimals or for thousands (write 1240 or 1,24)",
    }
    notes = [_describe_reading(names, sentences[remark]) for remark, names in remarks.items()]
    return pd.DataFrame(columns), notes


def _find_thousands(table: pa.Table, columns: Mapping[str, Any], local: Collection[str]) -> list[str]:
    """Return columns such as 12.345, if other columns have a decimal comma or other cells have no point."""
    floats = [name for name, values in columns.items() if getattr(getattr(values, "dtype", None), "kind", "") == "f"]
    found = []
    for name in floats:
        cells = table.column(name).drop_null()
        if name not in local and compute.all(compute.match_substring_regex(cells, _POINTS)).as_py():
            points = compute.sum(compute.match_substring_regex(cells, _POINT)).as_py() or 0
            found += [name] if points and (local or MIN_POINTS <= points < len(cells)) else []
    return found


def _describe_reading(names: list[str], how: str) -> str:
    """Return which columns were read in an unusual way."""
    return f"{plural(len(names), 'column')} {'was' if len(names) == 1 else 'were'} read {how}: {listed(names)}."


FORMAT = TableFormat(
    "csv",
    tuple(DELIMITERS),
    read_delimited,
    write_delimited,
    options=("delimiter", "encoding", "skip_rows"),
    in_parts=True,
)
