"""Lines of a text file that do not belong to rows of its table: title rows, a second header, a total row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from halflabel._wording import option

#: Maximum number of lines that are read to find a title, of rows to find further headers, and of these.
MAX_LINES, MAX_ROWS, MAX_HEADERS = 40, 50, 3

_RANGE = re.compile(r"\s*([1-9][0-9]{0,8})\s*(?:-\s*([1-9][0-9]{0,8})\s*)?")
_NUMBER = r"^\s*[+-]?[0-9][0-9.,]*\s*%?\s*$"


def parse_lines(text: str, n_lines: int) -> tuple[int, ...]:
    """Return the lines that a text states.

    Parameters
    ----------
    text : str
        Numbers and ranges with commas between them, and the words "last" and "none".
    n_lines : int
        Number of lines of the file.

    Examples
    --------
    >>> parse_lines("1-2, 5, last", 9)
    (1, 2, 5, 9)
    """
    found: set[int] = set()
    for part in text.split(","):
        if part.strip() == "last":
            found.add(n_lines)
        elif (match := _RANGE.fullmatch(part)) is not None:
            found.update(range(int(match[1]), min(int(match[2] or match[1]), n_lines) + 1))
        elif part.strip() != "none":
            raise ValueError(f"lines to skip are written as '1-2,504' or 'last', not {text!r:.80}.")
    return tuple(sorted(found))


def find_line(line: int, skip: Collection[int]) -> int:
    """Return the line of the file, from the number of the line among the lines that are not skipped.

    Examples
    --------
    >>> find_line(1, ()), find_line(2, (1, 2, 4))
    (1, 5)
    """
    gone, at = set(skip), 0
    while line:
        at += 1
        line -= at not in gone
    return at


class SkippedLines(io.RawIOBase):
    """A stream of bytes without some of its lines."""

    def __init__(self, stream: io.BufferedReader[Any], skip: Collection[int]) -> None:
        self._lines = _take_lines(stream, frozenset(skip))
        self._rest = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with whole lines, or with the start of a line."""
        while len(self._rest) < len(buffer) and (line := next(self._lines, b"")):
            self._rest += line
        size = min(len(self._rest), len(buffer))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _take_lines(stream: io.BufferedReader[Any], skip: frozenset[int]) -> Iterator[bytes]:
    for number, line in enumerate(stream, start=1):
        if number not in skip:
            yield line


def find_title(head: Sequence[str], marks: Sequence[str]) -> int | None:
    """Return the line of the column names where lines above it hold a title, or None.

    Column names are several distinct texts, with rows of as many cells below, and at most half as many cells above.
    """
    found = [header for mark in marks if (header := _find_header(_split(head, mark))) is not None]
    return min(found, key=lambda header: (header[0], -header[1]), default=(None, 0))[0]


def _find_header(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, int] | None:
    """Return the line and the number of the column names below a title."""
    for i, (number, cells) in enumerate(rows):
        if number > 1 and _is_header(cells) and _has_rows(rows[i + 1 :], len(cells)):
            above = [sum(bool(cell.strip()) for cell in row) for _, row in rows[:i]]
            if 2 * max(above) <= len(cells):
                return number, len(cells)
    return None


def _split(head: Sequence[str], mark: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their first lines, as far as the text can be read."""
    reader, rows, start = csv.reader(iter(head), delimiter=mark), [], 1
    try:
        for cells in reader:
            rows.append((start, cells))
            start = reader.line_num + 1
    except csv.Error:  # a field beyond the limit, or old line ends
        pass
    return rows


def _is_header(cells: Sequence[str]) -> bool:
    names = [cell.strip() for cell in cells]
    return len(names) > 1 and all(names[1:]) and len(set(names)) == len(names) and not any(map(_is_number, names))


def _has_rows(rows: Sequence[tuple[int, list[str]]], width: int) -> bool:
    below = [cells for _, cells in islice(rows, 3) if cells]
    return len(below) > 0 and all(len(cells) == width for cells in below)


def _is_number(text: str) -> bool:
    return re.match(_NUMBER, text) is not None


def count_headers(table: pa.Table) -> int:
    """Return the number of first rows that have text in every column of numbers, and no value of the other rows.

    One column of numbers is enough if all cells of one such row are filled in.
    """
    tables = ((n, table.slice(0, n).to_pylist(), table.slice(n, MAX_ROWS)) for n in range(1, MAX_HEADERS + 1))
    return next((n for n, rows, rest in tables if _are_headers(rows, rest)), 0)


def _are_headers(rows: Sequence[Mapping[str, str | None]], rest: pa.Table) -> bool:
    if rest.num_rows < 3 or rest.num_columns < 2:
        return False
    below = {name: rest.column(name).drop_null() for name in rest.column_names}
    numbers = [name for name, cells in below.items() if len(cells) and _are_numbers(cells)]
    others = {name: set(below[name].to_pylist()) for name in below if name not in numbers}
    texts = [{name: (cell or "").strip() for name, cell in row.items()} for row in rows]
    if not numbers or any(not row[name] or _is_number(row[name]) for row in texts for name in numbers):
        return False
    is_new = all(row[name] and row[name] not in cells for row in texts for name, cells in others.items())
    return len(numbers) > 1 or (is_new and rest.num_columns > 2)


def describe_headers(found: Sequence[int]) -> str:
    """Return the reason of an error about further headers in these lines."""
    lines, like, way = "this line holds", "a second header does", "it is one"
    if len(found) > 1:
        lines, like, way = f"{len(found)} lines hold", "headers do", "they are"
    text = f"{lines} text in all columns that otherwise hold numbers, as {like}"
    return f"{text}: if {way}, state {option('skip_rows', ','.join(map(str, found)))}."


def _are_numbers(cells: pa.ChunkedArray) -> bool:
    return bool(compute.all(compute.match_substring_regex(cells, _NUMBER)).as_py())
