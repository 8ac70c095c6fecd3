"""Rows that do not have the cells of the header, and cells that hold whole rows, each with the way on."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from halflabel._wording import option, plural
from halflabel.files.bounded import lines
from halflabel.files.raw_table import ReadError, TextForm
from halflabel.files.skipped import find_line
from halflabel.files.text_form import MAX_LINE, describe_conversion, read_rows

#: Maximum number of lines below a table that are taken for remarks, and of rows that are examined.
MAX_REMARKS, N_ROWS = 20, 1000

#: Minimum number of marks between the cells of a row that shows inside a cell, and maximum number that is counted.
MIN_MARKS, MAX_MARKS = 3, 500


def check_row_names(path: Path, form: TextForm, names: list[str]) -> None:
    """Raise where rows have one cell more than the header, but the first one does not hold row names."""
    if (error := _find_escapes(path, form, names)) is not None:
        raise error
    if not any(row[-1] for row in islice(read_rows(path, form), 1, N_ROWS) if row):
        reason = (
            f"each row has {len(names) + 1} cells, but the header has {len(names)}, and the last cell is always empty. "
            "If the first cells are row names, put a name for them in front of the header; else put one at its end."
        )
        raise ReadError.at(path, reason, line=2)


def _find_escapes(path: Path, form: TextForm, names: list[str]) -> ReadError | None:
    """Return the error about quotes that are written with a backslash, if rows fit the header in this reading."""
    text = [line for _, line in islice(lines(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip), N_ROWS)]
    if not any('\\"' in line for line in text):
        return None
    try:
        rows = list(csv.reader(text, delimiter=form.delimiter, doublequote=False, escapechar="\\"))[:-1]
    except csv.Error:
        return None
    if any(row and len(row) != len(names) for row in rows):
        return None
    way = describe_conversion(path, f"sep={form.delimiter!r}, escapechar='\\\\', doublequote=False")
    return ReadError.at(path, f"it has a backslash before the quotes inside its cells: {way}.")


def check_cells(path: Path, form: TextForm, names: list[str], table: pa.Table) -> None:
    """Raise for a quote that is never closed, or closed many rows later: a cell then holds the rows between."""
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py()
    if last is not None and "\n" in last and (error := diagnose(path, form, names)):
        raise error
    mark, number = re.escape(form.delimiter), len(names) - 1
    row = rf"\n(?:[^{mark}\n]*{mark}){{{min(number, MAX_MARKS)}}}[^\n]*"
    pattern = rf"^[^\n]*(?:{row}){{2,}}\n[^\n]*$"
    for name in table.column_names if number >= MIN_MARKS else ():
        cells = table.column(name)
        if compute.any(compute.match_substring(cells, "\n")).as_py():
            found = compute.index(compute.match_substring_regex(cells, pattern), True).as_py()
            if found >= 0:
                start = cells[found].as_py().partition("\n")[0][:40]
                reason = (
                    f"a cell that begins with {start!r} holds whole rows, as if a quote is opened and not closed: "
                    "remove this quote, or write it twice, in a cell in quotes."
                )
                raise ReadError.at(path, reason, column=name)


def diagnose(path: Path, form: TextForm, names: list[str]) -> ReadError | None:
    """Read the file slowly and return its first error. :func:`lines` raises for wrong bytes."""
    error = _find_error(path, form, names)
    return error if error is None else _find_escapes(path, form, names) or error


def _find_error(path: Path, form: TextForm, names: list[str]) -> ReadError | None:
    reader, end = read_rows(path, form, strict=True), 0
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            if row and len(row) != len(names):
                way = _leave_out_remarks(row, start, reader, form, len(names))
                return ReadError.at(path, _ragged(row, names) + way, line=find_line(start, form.skip))
    except csv.Error as error:
        if "field limit" in str(error):  # a limit of this second reader only
            return None
        reason = f"the row that begins here cannot be read ({error}): is a quote opened and not closed?"
        return ReadError.at(path, reason, line=end + 1)
    return None


def _leave_out_remarks(row: list[str], start: int, reader: Any, form: TextForm, width: int) -> str:
    """Return the way to leave out the last lines of a file, if these have fewer cells than others, or an empty text."""
    found, end, widest = [start], reader.line_num, len(row)
    for after in islice(reader, MAX_REMARKS):
        found += [end + 1] if after else []
        widest, end = max(widest, len(after)), reader.line_num
    if widest >= width or next(reader, None) is not None:
        return ""
    remark = "this is a remark" if len(found) == 1 else "these last lines are remarks"
    numbers = ",".join(str(find_line(line, form.skip)) for line in found)
    return f" If {remark}, state {option('skip_rows', numbers)}."


def _ragged(row: list[str], names: list[str]) -> str:
    cells = f"{plural(len(row), 'cell')}, but the header has {len(names)}"
    if len(row) < len(names):
        return f"{cells}: there is no cell for {names[len(row)]!r}."
    return f"{cells}: give each column a name, or put a cell that holds the delimiter into quotes."
