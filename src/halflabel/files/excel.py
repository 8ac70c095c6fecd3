"""Workbooks of Excel, with the extra ``excel`` (openpyxl): one sheet is a table."""

from __future__ import annotations

import datetime
import importlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

from halflabel._files import atomic_write
from halflabel._wording import clipped, count, listed, option, quoted
from halflabel.files.bounded import size_limit
from halflabel.files.field_values import frame_of, plain
from halflabel.files.json_files import dumped
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm
from halflabel.files.skipped import MAX_ROWS as MAX_SECOND
from halflabel.files.skipped import count_headers, describe_headers, parse_lines

#: The limits of Excel.
MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 1_048_576, 16_384, 32_767

#: The text of a cell whose formula failed.
ERRORS = frozenset(("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"))

#: Maximum number of titles above a header.
MAX_TITLES = 20

Row = tuple[Any, ...]

#: The number of a row in its sheet, and its cells.
Line = tuple[int, Row]


def _openpyxl() -> Any:
    try:
        return importlib.import_module("openpyxl")
    except ImportError:
        raise ImportError("workbooks (.xlsx) need openpyxl: pip install 'halflabel[excel]'.") from None


def _read_table(path: Path, *, sheet: str | None = None, skip_rows: str | None = None) -> RawTable:
    """Read the sheet of a name, or the first sheet that is not empty."""
    with _open_book(path) as book:
        sheets = _list_sheets(book, path)
        chosen = next(iter(sheets)) if sheet is None else sheet
        if chosen not in sheets:
            raise ReadError.at(path, f"there is no visible sheet {sheet!r} with rows in it: it has {quoted(sheets)}.")
        rows = sheets[chosen]
        skip = () if skip_rows is None else parse_lines(skip_rows, rows[-1][0])
        rows = _leave_out(rows, skip)
        frame, notes = _table(rows, path, chosen)
        numbers = tuple(number for number, _ in rows[_find_header(rows) + 1 :])
        if skip_rows is None:
            _check_second_header(rows, path)
    others = [name for name in sheets if name != chosen]
    if others and sheet is None and frame.shape[1] == 1:
        way = option("sheet", others[0])
        reason = f"the first sheet, {chosen!r}, has one column: if the items are in another, state {way}."
        raise ReadError.at(path, reason)
    if others and sheet is None:
        way = option("sheet", others[0])
        notes += (f"Only the first sheet, {chosen!r}, was read, not {listed(others)}. Name another one with {way}.",)
    return RawTable(frame, source=str(path), notes=notes, table=chosen, skip=skip, lines=numbers)


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


def _leave_out(rows: Sequence[Line], skip: Sequence[int]) -> list[Line]:
    """Return the rows that are not skipped: at least the last one, so that there is a header."""
    return [row for row in rows if row[0] not in skip] or list(rows[-1:])


def _check_second_header(rows: Sequence[Line], path: Path) -> None:
    (_, names), *below = rows[_find_header(rows) :][: MAX_SECOND + 2]
    cells = [[_value(cell) for cell in (*row, *[None] * len(names))[: len(names)]] for _, row in below]
    texts = {str(j): [None if row[j] is None else str(row[j]) for row in cells] for j in range(len(names))}
    if found := [line for line, _ in below[: count_headers(pa.table(texts)) if below else 0]]:
        raise ReadError.at(path, describe_headers(found), line=found[0])


def _find_header(rows: Sequence[Line]) -> int:
    """Return the place of the header: the first row of several cells below titles of one cell, if all are text."""
    cells = [[cell for cell in row if cell is not None] for _, row in rows[: MAX_TITLES + 1]]
    wider = next((place for place, row in enumerate(cells) if len(row) > 1), 0)
    return wider if all(isinstance(cell, str) for row in cells[: wider + 1] for cell in row) else 0


def _table(rows: Sequence[Line], path: Path, title: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the rows of a sheet below its header, and a sentence about the titles above it."""
    place = _find_header(rows)
    line, first = rows[place]
    names = [str(cell).strip() if cell is not None else "" for cell in first]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        reason = f"sheet {title!r}: column {names.index('') + 1} of the header has no name, as merged cells leave it."
        raise ReadError.at(path, reason, line=line)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ReadError.at(path, f"sheet {title!r}: two columns have the name {twice!r}.", line=line)
    cells = []
    for number, row in rows[place + 1 :]:
        if any(cell is not None for cell in row[len(names) :]):
            reason = f"sheet {title!r}: the row has cells beyond the {len(names)} columns of the header."
            raise ReadError.at(path, reason, line=number)
        cells.append({name: _value(cell) for name, cell in zip(names, row, strict=False)})
    frame = frame_of([dict.fromkeys(names), *cells], pd.RangeIndex(len(cells) + 1)).iloc[1:].reset_index(drop=True)
    titles = [next(str(cell) for cell in row if cell is not None) for _, row in rows[:place]]
    found = f"The header of the sheet {title!r} is in row {line}; above it are titles that were left out: "
    return frame, (f"{found}{listed(titles)}.",) if titles else ()


def _value(cell: Any) -> Any:
    return None if isinstance(cell, str) and (not cell or cell in ERRORS) else cell


def _write_table(frame: pd.DataFrame, path: Path, form: TextForm) -> tuple[str, ...]:
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


def _rewrite(frame: pd.DataFrame, raw: RawTable, path: Path) -> tuple[str, ...]:
    """Write a completed table into a copy of its workbook: only cells that are new or other, and new columns."""
    source, (names, *cells) = Path(raw.source), _list_cells(frame)
    with _open_book(source) as values:
        rows = _leave_out(_list_sheets(values, source)[raw.table], raw.skip)
    place = _find_header(rows)
    (line, header), lines = rows[place], [number for number, _ in rows[place + 1 :]]
    columns = {str(cell).strip(): number for number, cell in enumerate(header, start=1) if cell is not None}
    book = _openpyxl().load_workbook(source)
    sheet = book[raw.table]
    for place, name in enumerate(names):
        is_new = name not in columns
        column = columns.setdefault(name, max(columns.values()) + 1)
        if is_new:
            _put(sheet, line, column, name)
        before = [None] * len(frame) if is_new else [*map(_plain, raw.frame[name])]
        for number, old, new in zip(lines, before, (row[place] for row in cells), strict=True):
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


def _describe_copy(book: Any, source: Path) -> tuple[str, ...]:
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
    options=("sheet", "skip_rows"),
    tables=_list_names,
    rewrite=_rewrite,
    title="Excel",
)
