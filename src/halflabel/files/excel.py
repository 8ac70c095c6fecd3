"""Workbooks of Excel, with the extra ``excel`` (openpyxl): one sheet is a table."""

from __future__ import annotations

import datetime
import importlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._files import atomic_write
from halflabel._wording import Notes, clipped, count, listed, option, quoted
from halflabel.files.bounded import size_limit
from halflabel.files.field_values import plain, typed_column
from halflabel.files.header import MAX_SAMPLE, find_header, parse_lines
from halflabel.files.json_files import dumped
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm

#: The limits of Excel.
MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 1_048_576, 16_384, 32_767

#: The text of a cell whose formula failed.
ERRORS = frozenset(("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"))

Row = tuple[Any, ...]

#: The number of a row in its sheet, and its cells.
Line = tuple[int, Row]


def _openpyxl() -> Any:
    try:
        return importlib.import_module("openpyxl")
    except ImportError:
        raise ImportError("workbooks (.xlsx) need openpyxl: pip install 'halflabel[excel]'.") from None


def _read_table(
    path: Path, *, sheet: str | None = None, skip_rows: str | None = None, header: str | None = None
) -> RawTable:
    """Read the sheet of a name, or the first sheet that is not empty."""
    with _open_book(path) as book:
        sheets = _list_sheets(book, path)
    chosen = next(iter(sheets)) if sheet is None else sheet
    if chosen not in sheets:
        raise ReadError.at(path, f"there is no visible sheet {sheet!r} with rows in it: it has {quoted(sheets)}.")
    skip = parse_lines(skip_rows or "none", sheets[chosen][-1][0])
    rows = [row for row in sheets[chosen] if row[0] not in skip] or sheets[chosen][-1:]
    width = max(len(_strip(cells)) for _, cells in rows)
    texts = [(number, ["" if cell is None else str(cell) for cell in _pad(cells, width)])
             for number, cells in rows[:MAX_SAMPLE]]  # fmt: skip
    try:
        found = find_header(texts, header)
    except ValueError as error:
        raise ReadError.at(path, f"sheet {chosen!r}: {error}") from None
    rows = [row for row in rows if row[0] > found.line and row[0] not in found.skip]
    columns = zip(*(map(_value, _pad(cells, width)) for _, cells in rows), strict=True) if rows else [()] * width
    index = pd.RangeIndex(len(rows))
    frame = pd.DataFrame({name: typed_column([*cells], index)
                          for name, cells in zip(found.names, columns, strict=True)}, index=index)  # fmt: skip
    others = [name for name in sheets if name != chosen and sheet is None]
    way = option("sheet", others[0]) if others else ""
    if others and width == 1:
        reason = f"the first sheet, {chosen!r}, has one column: if the items are in another, state {way}."
        raise ReadError.at(path, reason)
    note = f"Only the first sheet, {chosen!r}, was read, not {listed(others)}. Name another one with {way}."
    places = {name: number for number, name in enumerate(found.names, start=1)} | {"": found.line}
    return RawTable(
        frame,
        source=str(path),
        notes=(*found.notes, *([note] if others else [])),
        table=chosen,
        lines=tuple(number for number, _ in rows),
        places=places,
    )


def _strip(row: Row) -> Row:
    """Return a row without empty cells at its end."""
    return row[: max((place for place, cell in enumerate(row, start=1) if cell is not None), default=0)]


def _pad(row: Row, width: int) -> Row:
    return (*row, *[None] * width)[:width]


def _list_names(path: Path) -> tuple[str, ...]:
    """Return the names of the visible sheets with rows."""
    with _open_book(path) as book:
        return tuple(_list_sheets(book, path))


def _list_sheets(book: Any, path: Path) -> dict[str, list[Line]]:
    """Return the rows of the visible sheets that are not empty. The value of a formula is its last result."""
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    sheets = {sheet.title: list(_iterate_rows(sheet, path)) for sheet in visible}
    if not any(sheets.values()):
        raise ReadError.at(path, "there is no visible sheet with rows in it.")
    return {title: rows for title, rows in sheets.items() if rows}


@contextmanager
def _open_book(path: Path) -> Iterator[Any]:
    """Open a workbook within the limit of size."""
    openpyxl = _openpyxl()
    with explain_damage(path, "a workbook"):
        with zipfile.ZipFile(path) as archive:
            size, limit = sum(member.file_size for member in archive.infolist()), size_limit()
        if size > limit:
            raise ReadError.at(path, f"it unpacks to {count(size)} bytes, above the limit of {count(limit)}: split it.")
        # openpyxl leaves a file open whose parts are damaged.
        with path.open("rb") as file, closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            yield book


def _iterate_rows(sheet: Any, path: Path) -> Iterator[Line]:
    """Yield (number, cells) of the rows that are not empty. The size that a sheet states is not used."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_row=MAX_ROWS + 1, values_only=True), start=1):
        if number > MAX_ROWS:
            raise ReadError.at(path, f"sheet {sheet.title!r}: a row is beyond the {count(MAX_ROWS)} that Excel has.")
        if any(cell is not None for cell in row):
            yield number, row


def _value(cell: Any) -> Any:
    return None if isinstance(cell, str) and (not cell or cell in ERRORS) else cell


def _write_table(frame: pd.DataFrame, path: Path, form: TextForm) -> Notes:
    rows = _list_cells(frame)
    book = _openpyxl().Workbook(write_only=True)
    sheet = book.create_sheet("items")
    for row in rows:
        sheet.append([_cell(value, sheet) for value in row])
    _save(book, path)
    return ()


def _save(book: Any, path: Path) -> None:
    """Write a workbook that is whole in memory: openpyxl leaves an archive open that a disk cannot take."""
    content = io.BytesIO()
    book.save(content)
    with atomic_write(path) as file:
        file.write(content.getbuffer())


def _rewrite(frame: pd.DataFrame, raw: RawTable, path: Path) -> Notes:
    """Write a completed table into a copy of its workbook: only cells that are new or other, and new columns."""
    source, (names, *cells) = Path(raw.source), _list_cells(frame)
    book, columns = _openpyxl().load_workbook(source), dict(raw.places)
    sheet, line = book[raw.table], columns.pop("")
    for place, name in enumerate(names):
        is_new = name not in columns
        column = columns.setdefault(name, max(columns.values()) + 1)
        if is_new and line:
            _put(sheet, line, column, name)
        before = [None] * len(frame) if is_new else [*map(_plain, raw.frame[name])]
        for number, old, new in zip(raw.lines, before, (row[place] for row in cells), strict=True):
            if old != new and new is not None:
                _put(sheet, number, column, new)
    _save(book, path)
    return _describe_copy(book, source)


def _put(sheet: Any, row: int, column: int, value: Any) -> None:
    """Write a cell in which a text stays a text, even if it begins as a formula does."""
    cell = sheet.cell(row, column)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"


def _describe_copy(book: Any, source: Path) -> Notes:
    """Return sentences on the parts of a workbook that its copy lacks."""
    with zipfile.ZipFile(source) as archive:
        drawn = any(name.startswith(("xl/charts/", "xl/media/", "xl/drawings/drawing")) for name in archive.namelist())
    formulas = any(cell.data_type == "f" for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    lost = ("Charts and shapes of the workbook may be missing in its copy.",) if drawn else ()
    kept = ("Formulas of the workbook are kept; Excel shows their results when it opens the copy.",) if formulas else ()
    return (*lost, *kept)


def _list_cells(frame: pd.DataFrame) -> list[list[Any]]:
    """Return the header and the rows, with lists as JSON text. Raise for a table that a sheet cannot hold."""
    if len(frame) >= MAX_ROWS or frame.shape[1] > MAX_COLUMNS:
        raise ValueError(f"a sheet of Excel holds {count(MAX_ROWS)} rows and {count(MAX_COLUMNS)} columns at most.")
    values = [[_plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    rows = [[*map(str, frame.columns)], *([dumped(x) if isinstance(x, list | dict) else x for x in v] for v in values)]
    _check_texts(value for row in rows for value in row)
    return rows


def _check_texts(values: Iterable[Any]) -> None:
    """Raise for texts that a cell cannot hold. openpyxl would cut a long text."""
    illegal = importlib.import_module("openpyxl.cell.cell").ILLEGAL_CHARACTERS_RE
    for text in values:
        if isinstance(text, str):
            if len(text) > MAX_TEXT:
                raise ValueError(f"a text has more than {count(MAX_TEXT)} characters, the limit of a cell in Excel.")
            if illegal.search(text):
                raise ValueError(f"{clipped(repr(text), 40)} holds a control character, which Excel does not have.")


def _cell(value: Any, sheet: Any) -> Any:
    """Return a cell in which a text stays a text, even if it begins as a formula does."""
    cell = importlib.import_module("openpyxl.cell").WriteOnlyCell(sheet, value=value)
    if isinstance(value, str):
        cell.data_type = "s"
    return cell


def _plain(value: Any) -> Any:
    if isinstance(value, pd.Timestamp) and value.tzinfo is None:
        return value.to_pydatetime()
    return value if isinstance(value, datetime.datetime | datetime.date) and value is not pd.NaT else plain(value)


FORMAT = TableFormat(
    "excel",
    (".xlsx",),
    _read_table,
    _write_table,
    _list_cells,
    options=("sheet", "skip_rows", "header"),
    tables=_list_names,
    rewrite=_rewrite,
    title="Excel",
)
