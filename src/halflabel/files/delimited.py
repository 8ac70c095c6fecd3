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
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute
from pyarrow import csv as arrow_csv

from halflabel._wording import Notes, listed, option, plural, quoted
from halflabel.files.bounded import join_names, lines, open_text, sha256_of
from halflabel.files.delimited_writing import all_match, to_values, write_delimited
from halflabel.files.dialect import DELIMITERS, MAX_LINE, Stated, recognise
from halflabel.files.header import MISSING_WORDS, find_line
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm

#: A number that can be one with a point for thousands, and one that has this point.
_POINTS, _POINT = r"^\s*[+-]?(0|[1-9][0-9]{0,2}(\.[0-9]{3})*)\s*$", r"\.[0-9]{3}\s*$"

#: Minimum number of cells with such a point where no other column has a decimal comma. Decimals always have a point
#: then, or not always three digits behind it.
MIN_POINTS = 10

#: Maximum number of lines below a table that are taken for remarks.
MAX_REMARKS = 20

#: Minimum number of marks between the cells of a row that shows inside a cell, and maximum number that is counted.
MIN_MARKS, MAX_MARKS = 3, 500


def read_delimited(
    path: Path,
    *parts: Path,
    delimiter: str | None = None,
    encoding: str | None = None,
    skip_rows: str | None = None,
    header: str | None = None,
) -> RawTable:
    """Read a delimited text file, ``.gz`` or not.

    Parameters
    ----------
    path : Path
        Text with quotes doubled inside quotes and line breaks allowed inside quotes.
    *parts : Path
        Further files with the same columns, in any order: their rows follow.
    delimiter : str, optional
        One ASCII character, or the word ``tab``; by default the mark of the suffix, or the one other mark that
        separates the first rows.
    encoding : str, optional
        By default the byte order mark decides, else UTF-8 where the file is valid UTF-8, else Windows-1252.
    skip_rows : str, optional
        Lines that do not belong to rows of the table, such as "1-2,504" or "last"; "none" keeps every row.
    header : str, optional
        The line of the column names, "none", or up to three lines such as "1-2"; found by default.

    Returns
    -------
    RawTable
        ``form`` holds the notation of the file, ``notes`` the choices that were recognised.

    Raises
    ------
    ReadError
        With the line, for a row with more or fewer cells than the header, bytes
        that cannot be decoded, a NUL byte, a line of more than a million bytes; also
        for an empty file, a delimiter that does not occur, a truncated gzip file, and above the limits of size.
    """
    stated = Stated(delimiter, encoding, skip_rows, header)
    form, table, notes = _read_cells(path, stated)
    for part in parts:
        _, cells, _ = _read_cells(part, stated)
        check_same_columns(part, cells.column_names, path, table.column_names)
        table = pa.concat_tables([table, cells.select(table.column_names)])
        form = replace(form, first=None)
    raw = RawTable(pd.DataFrame(), source=join_names(path, *parts), sha256=sha256_of(path, *parts), form=form)
    return read_values(replace(raw, notes=tuple(notes)), table)


def _read_cells(path: Path, stated: Stated) -> tuple[TextForm, pa.Table, list[str]]:
    """Return the form of a file, its cells as text, and notes: the first reading in which all rows fit the names."""
    form, names, notes = recognise(path, stated)
    for each, note in _list_readings(path, form, names, keeps_all=stated.skip_rows == "none"):
        try:
            each, table = _parse(path, each, names)
        except pa.ArrowInvalid:
            continue
        if table.num_rows == 0:
            raise ReadError.at(path, "there is a header but no row below it.")
        if not _holds_rows(path, table, each):
            each, table, again = _leave_out_headers(path, each, table)
            return each, table, [*notes, *note, *again]
    reason = "a cell holds whole rows, as if a quote is opened and not closed: remove this quote, or write it twice."
    raise _find_error(path, form, names) or ReadError.at(path, reason)


def _list_readings(
    path: Path, form: TextForm, names: Sequence[str], *, keeps_all: bool
) -> Iterator[tuple[TextForm, Notes]]:
    """Yield the forms that a file can have, each with a sentence: the next one is tried where rows do not fit."""
    yield form, ()
    if remarks := [] if keeps_all else _find_remarks(path, form, len(names)):
        shown = plural(len(remarks), "line below the table has", "lines below the table have")
        note = f"{shown} fewer cells, and {'was' if len(remarks) == 1 else 'were'} left out: line {remarks[0]}."
        yield replace(form, skip=tuple(sorted({*form.skip, *remarks}))), (note,)
    _, first = next(lines(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip))
    if not form.header or '"' not in first:
        error = _find_error(path, form, names)
        at = "" if error is None else f" in line {error.line}"
        yield replace(form, quote=""), (f"Quotes are read as characters, because one is opened{at} and not closed.",)


def _find_remarks(path: Path, form: TextForm, width: int) -> list[int]:
    """Return the last lines of a file, if these have one text and fewer cells than the other rows, which all fit.

    A line of several texts is rather an item whose line was cut.
    """
    found: list[int] = []
    try:
        for line, cells in number_rows(path, form, strict=True):
            if len(cells) < width and line > 1 and len(found) < MAX_REMARKS and sum(map(bool, map(_strip, cells))) < 2:
                found.append(line)
            elif found or len(cells) > width:
                return []
    except ReadError:  # the next readings have it, too
        return []
    return found


def number_rows(path: Path, form: TextForm, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, also the header, each with its first line in the file."""
    taken: list[int] = []

    def take() -> Iterator[str]:
        for number, text in lines(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip):
            taken.append(number)
            yield text

    try:
        for cells in csv.reader(take(), **form.dialect, strict=strict):
            if cells:
                yield taken[0], cells
            taken.clear()
    except csv.Error as error:
        if "field limit" not in str(error):  # a limit of this reader only
            reason = f"the row that begins here cannot be read ({error}): is a quote opened and not closed?"
            raise ReadError.at(path, reason, line=taken[0]) from None


def _holds_rows(path: Path, table: pa.Table, form: TextForm) -> bool:
    """Return whether a quote is never closed, or closed many rows later: a cell then holds the rows between."""
    columns = [table.column(name) for name in table.column_names]
    if not form.quote:  # a cell in quotes is not one with quotes as characters
        return any(_matches(cells, '^".*"$') for cells in columns)
    mark, number = re.escape(form.delimiter), min(table.num_columns - 1, MAX_MARKS)
    if form.first is not None:  # each row is a line
        return False
    several = [cells.filter(compute.match_substring(cells, "\n")) for cells in columns]
    last = columns[-1][table.num_rows - 1].as_py()
    if "\n" in (last or "") or any(_matches(cells, rf"(?:[^{mark}]*{mark}){{{number}}}") for cells in several):
        try:
            for _ in number_rows(path, form, strict=True):
                pass
        except ReadError:
            return True
    row = rf"\n(?:[^{mark}\n]*{mark}){{{number}}}[^\n]*"
    return number >= MIN_MARKS and any(_matches(cells, rf"^[^\n]*(?:{row}){{2,}}\n[^\n]*$") for cells in several)


def _matches(cells: pa.ChunkedArray, pattern: str) -> bool:
    return bool(compute.any(compute.match_substring_regex(cells, pattern)).as_py())


def _find_error(path: Path, form: TextForm, names: Sequence[str]) -> ReadError | None:
    """Read a file slowly, and return the error about its first row that does not fit."""
    try:
        for line, cells in number_rows(path, form, strict=True):
            if len(cells) != len(names) and line > 1 and cells != [*form.header]:
                found = f"{plural(len(cells), 'cell')}, but the header has {len(names)}"
                way = "give each column a name, or put a cell that holds the delimiter into quotes."
                if len(cells) < len(names):
                    way = f"there is no cell for {names[len(cells)]!r}. Complete the line, or leave it out "
                    way += f"({option('skip_rows', str(line))})."
                return ReadError.at(path, f"{found}: {way}", line=line)
    except ReadError as error:
        return error
    return None


def _leave_out_headers(path: Path, form: TextForm, table: pa.Table) -> tuple[TextForm, pa.Table, list[str]]:
    """Return the table without lines that repeat the column names, as joined files have them."""
    names = [_strip(cell) for cell in form.header]
    last = table.column(table.num_columns - 1)
    if not names or not compute.any(compute.equal(compute.utf8_trim_whitespace(last), names[-1])).as_py():
        return form, table, []
    found = [line for line, cells in number_rows(path, form) if [*map(_strip, cells)] == names][1:]
    if not found:
        return form, table, []
    form = replace(form, skip=tuple(sorted({*form.skip, *found})))
    repeats = plural(len(found), "line repeats", "lines repeat")
    note = f"{repeats} the column names, and {'was' if len(found) == 1 else 'were'} left out: line {found[0]}."
    return *_parse(path, form, table.column_names), [note]


def _strip(cell: str) -> str:
    return cell.strip("\ufeff\u200b").strip()


def check_same_columns(path: Path, names: Sequence[str], first: Path, expected: Sequence[str]) -> None:
    """Raise if a part of a table does not have the columns of its first part."""
    if set(names) == set(expected):
        return
    missing, added = ([n for n in a if n not in b] for a, b in ((expected, names), (names, expected)))
    what = [*([f"it lacks {quoted(missing)}"] if missing else []), *([f"it adds {quoted(added)}"] if added else [])]
    raise ReadError.at(path, f"its columns differ from the columns of {first}: {' and '.join(what)}.")


def _parse(path: Path, form: TextForm, names: list[str]) -> tuple[TextForm, pa.Table]:
    """Return the form with the line of the first row, and the cells. As many lines as rows mean that rows are lines."""
    text = _read_text(path, form)
    n_lines, first = text.rstrip(b"\r\n").count(b"\n") + 1, 1 + bool(form.header)
    has_lines = b"\r" not in text or text.count(b"\r") == text.count(b"\r\n")  # no other end of a row
    table = arrow_csv.read_csv(pa.BufferReader(text), **_choose_options(form, names))
    is_line = has_lines and n_lines == table.num_rows + bool(form.header)
    return replace(form, first=find_line(first, form.skip) if is_line else None), table


def _read_text(path: Path, form: TextForm) -> bytes:
    """Return the text of a file. A stream of Python would be read in a thread of Arrow, which the end can interrupt."""
    with open_text(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip) as stream:
        return b"".join(iter(partial(stream.read, 1 << 18), b""))


def _choose_options(form: TextForm, names: Sequence[str], **convert: Any) -> dict[str, Any]:
    """Return the options of pyarrow's reader."""
    options = {"column_types": dict.fromkeys(names, pa.string()), "null_values": ["", *MISSING_WORDS]}
    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=names, skip_rows_after_names=bool(form.header), use_threads=False
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=form.delimiter,
            quote_char=form.quote or False,
            newlines_in_values=bool(form.quote),
        ),
        "convert_options": arrow_csv.ConvertOptions(
            strings_can_be_null=True, quoted_strings_can_be_null=False, **options | convert
        ),
    }


def read_words(path: Path, form: TextForm, names: Sequence[str], column: str) -> list[str | None]:
    """Return the cells of a column as they are written, also the words for a missing value."""
    options = _choose_options(form, names, null_values=[], include_columns=[column])
    return list(arrow_csv.read_csv(pa.BufferReader(_read_text(path, form)), **options).column(column).to_pylist())


def read_values(raw: RawTable, table: pa.Table) -> RawTable:
    """Return a table with the values of these cells, and one note per unusual notation."""
    assert raw.form is not None
    decimal_comma = raw.form.delimiter != ","
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
    on_notation = (
        f"{plural(len(names), 'column was', 'columns were')} read {sentences[remark]}: {listed(names)}."
        for remark, names in remarks.items()
    )
    notes = tuple(dict.fromkeys([*raw.notes, *on_notation]))
    return replace(raw, frame=pd.DataFrame(columns), form=replace(raw.form, cells=table), notes=notes)


def _find_thousands(table: pa.Table, columns: Mapping[str, Any], local: Collection[str]) -> list[str]:
    """Return columns such as 12.345, if other columns have a decimal comma or other cells have no point."""
    floats = [name for name, values in columns.items() if getattr(getattr(values, "dtype", None), "kind", "") == "f"]
    found = []
    for name in floats:
        cells = table.column(name)
        if name not in local and all_match(cells.slice(0, 100), _POINTS) and all_match(cells, _POINTS):
            points = compute.sum(compute.match_substring_regex(cells, _POINT)).as_py() or 0
            found += [name] if points and (local or MIN_POINTS <= points < len(cells) - cells.null_count) else []
    return found


FORMAT = TableFormat(
    "csv",
    tuple(DELIMITERS),
    read_delimited,
    write_delimited,
    options=("delimiter", "encoding", "skip_rows", "header"),
    in_parts=True,
)
