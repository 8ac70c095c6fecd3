"""The column names of a table in rows of text: below a title, in no, one or two rows, and above further headers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from halflabel._wording import Notes, count, listed, option, plural, quoted

#: Maximum number of rows that are read to find the names, of titles above them, and of lines of a header.
MAX_SAMPLE, MAX_TITLES, MAX_HEADERS = 60, 20, 3

#: Maximum number of columns of a table.
MAX_COLUMNS = 100_000

_RANGE = re.compile(r"\s*([1-9][0-9]{0,8})\s*(?:-\s*([1-9][0-9]{0,8})\s*)?")
_MIXED = re.compile("[0-9].*[^0-9.]|[^0-9.].*[0-9]")
_NUMBER, _DIGITS = re.compile(r"\s*[+-]?[0-9][0-9.,]*\s*%?\s*"), re.compile(r"[0-9]+")

#: Bare words that mean a missing value, like the empty cell.
MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")
_GAPS = {"", *MISSING_WORDS}

#: The number of a line or row in its file, and its cells as text.
Line = tuple[int, Sequence[str]]


class Header(NamedTuple):
    """The names of columns, and where they stand."""

    names: list[str]  #: One distinct name for each column.
    line: int  #: The line of the names, or 0 for a table without such a line.
    skip: tuple[int, ...]  #: The lines that are neither the names nor a row.
    notes: Notes  #: One sentence for each thing that a user may want to correct.


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


def find_header(rows: Sequence[Line], stated: str | None = None) -> Header:
    """Return the names of the columns of a table.

    Parameters
    ----------
    rows : sequence of (int, sequence of str)
        The first rows that are not empty, at least one.
    stated : str, optional
        The line of the names, "none", or up to three lines such as "2-3"; by default they are found.
    """
    if stated is not None:
        return _take_stated(rows, stated)
    texts = [cells for _, cells in rows]
    start = find_start(texts)
    (line, cells), table = rows[start], texts[start:]
    read_as = "The first line has numbers like the rows below, and was read as"
    if holds_values(table):
        note = f"{read_as} a row. If it has the names of the columns, state {option('header', str(line))}."
        return _take_stated(rows[start:], "none")._replace(skip=tuple(each for each, _ in rows[:start]), notes=(note,))
    notes = _describe_titles(rows[:start], line)
    numbers = [cell for cell in _take_above_numbers(table) if cell not in _GAPS]
    if numbers and all(map(is_number, numbers)):
        notes += (f"{read_as} the names of the columns. If it is a row, state {option('header', 'none')}.",)
    if len(table) > 2 and (joined := join_names(cells, table[1])) is not None:
        start += 1
        notes += (f"The column names are in lines {line} and {rows[start][0]}.",)
        cells, stated = joined, f"{line}-{rows[start][0]}"
    names, remarks = name_columns(cells)
    further = [number for number, _ in rows[start + 1 :][: _count_headers(texts[start + 1 :])]]
    if further:
        way = option("header", stated or str(line))
        which = f"{plural(len(further), 'line has', 'lines have')} text where the other rows have numbers"
        found = f"{which}, as a second header, and left out: {', '.join(map(str, further))}"
        remarks += (f"{found}. {way} keeps them as rows.",)
    skip = (*(number for number, _ in rows[:start]), *further)
    return Header(names, rows[start][0], skip, (*notes, *remarks))


def _take_stated(rows: Sequence[Line], stated: str) -> Header:
    if stated == "none":
        return Header([f"column {number}" for number in range(1, len(rows[0][1]) + 1)], 0, (), ())
    match = _RANGE.fullmatch(stated)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
    if not 0 <= last - first < MAX_HEADERS:
        raise ValueError(f"{option('header', stated)}: a header is one line (2), up to three lines (1-3), or none.")
    held = dict(rows)
    if not held.keys() >= {*range(first, last + 1)}:
        raise ValueError(f"{option('header', stated)}: there is no such line among the first {count(len(rows))} ones.")
    cells = held[last]
    for line in range(last - 1, first - 1, -1):
        cells = _join(held[line], cells)
    names, notes = name_columns(cells)
    return Header(names, last, tuple(number for number in held if number < last), notes)


def find_start(rows: Sequence[Sequence[str]]) -> int:
    """Return the place of the column names: below a title there are several distinct texts, with rows of this width.

    A title has at most half as many cells with text.
    """
    if fits(rows, 0) and all(cell.strip() for cell in rows[0][1:]):
        return 0
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows[: MAX_TITLES + 1]]
    for place in range(1, len(filled)):
        if _is_header(rows[place]) and fits(rows, place) and 2 * max(filled[:place]) <= len(rows[place]):
            is_second = not rows[place][0].strip() and rows[place - 1][0].strip() and fits(rows, place - 1)
            return place - 1 if is_second else place  # it has names above it, not a title
    return 0


def fits(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether several columns begin in a row: the next rows have as many cells, or all one more (row names)."""
    widths = {len(cells) - len(rows[place]) for cells in rows[place + 1 : place + 4]}
    return len(rows[place]) > 1 and len(widths) == 1 and widths <= {0, 1}


def _is_header(cells: Sequence[str]) -> bool:
    names = [cell.strip() for cell in cells]
    return len(names) > 1 and all(names[1:]) and len(set(names)) == len(names) and not any(map(is_number, names))


def is_number(text: str) -> bool:
    """Return whether a text is a number, with points, commas or a sign of per cent."""
    return _NUMBER.fullmatch(text) is not None


def _list_columns(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield each cell of the first row, and the cells below it. Of the gaps, only the first one of a row is a cell."""
    first, *rest = rows
    for place, cell in enumerate(map(str.strip, first)):
        below = [row[place].strip() for row in rest[:MAX_SAMPLE] if place < len(row)]
        if not place or cell not in _GAPS:
            yield cell, [each for each in below if each not in _GAPS]


def has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a text of the first row stands above numbers."""
    return not all(map(is_number, _take_above_numbers(rows)))


def _take_above_numbers(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (cell for cell, below in _list_columns(rows) if below and all(map(is_number, below)))


def holds_values(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is one of values: no text stands above numbers, and a cell cannot be a name.

    Such a cell is like each cell below it but for its digits (a1, b/7.jpg), or it is a number above numbers.
    """
    numbers = [*_take_above_numbers(rows)]
    texts = [(cell, below) for cell, below in _list_columns(rows) if len(below) > 1 and _MIXED.search(cell)]
    is_like = any({_DIGITS.sub("0", cell)} == {_DIGITS.sub("0", each) for each in below} for cell, below in texts)
    are_names = len(set(numbers)) == len(numbers) and all(map(str.isdecimal, numbers))  # years, 0 to n, ids of genes
    return not has_names(rows) and (is_like or not are_names)


def join_names(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """Return the names that two rows hold, where the second one names the columns that the first one leaves empty.

    Merged cells, and a question above its answers, leave empty cells behind their text.

    Examples
    --------
    >>> join_names(["id", "Channels?", ""], ["", "Email", "Phone"])
    ['id', 'Email', 'Phone']
    >>> join_names(["id", "jazz", "", "rock", ""], ["", "yes", "no", "yes", "no"])
    ['id', 'jazz: yes', 'jazz: no', 'rock: yes', 'rock: no']
    """
    empty = [place for place, cell in enumerate(first) if place and not cell.strip()]
    if not empty or len(second) != len(first) or any(map(is_number, second)):
        return None
    return _join(first, second) if all(second[place].strip() for place in empty) else None


def _join(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the names of two rows: the lower one below several columns, with the upper one where it is not unique."""
    names, above = [], ""
    for place, (upper, lower) in enumerate(zip(first, second, strict=False)):
        above = upper.strip() or above
        spans = not upper.strip() or (place + 1 < len(first) and not first[place + 1].strip())
        names.append((above, lower.strip()) if spans and lower.strip() else (above, ""))
    lower_names = [lower or upper for upper, lower in names]
    is_unique = len(set(lower_names)) == len(names)
    return [lower or upper if is_unique or not lower else f"{upper}: {lower}" for upper, lower in names]


def name_columns(cells: Sequence[str]) -> tuple[list[str], Notes]:
    """Return distinct names, and sentences about them. The first column of R and pandas has row names, and no name.

    Examples
    --------
    >>> name_columns(["", "tag", "tag", ""])[0]
    ['index', 'tag', 'tag 2', 'column 4']
    """
    if len(cells) > MAX_COLUMNS:
        raise ValueError(f"{len(cells):,} columns are more than {MAX_COLUMNS:,}, the limit.")
    given = [cell.strip("\ufeff\u200b").strip() for cell in cells]
    names: dict[str, None] = {}
    without, twice = [], dict[str, list[str]]()
    for number, name in enumerate(given, start=1):
        new = base = name or ("index" if number == 1 else f"column {number}")
        repeat = 1
        while new in names or (new != name and new in given):
            repeat += 1
            new = f"{base} {repeat}"
        names[new] = None
        if name and new != name:
            twice.setdefault(name, [name]).append(new)
        elif not name and number > 1:
            without.append(new)
    notes = [f"{plural(len(without), 'column has', 'columns have')} no name: {quoted(without)}."] if without else []
    notes += [f"{len(found)} columns have the name {name!r}: {listed(found)}." for name, found in twice.items()]
    return list(names), tuple(notes)


def _describe_titles(titles: Sequence[Line], line: int) -> Notes:
    texts = [next((cell for cell in cells if cell.strip()), "") for _, cells in titles]
    found = f"The column names are in line {line}; above them are titles that were left out"
    return (f"{found}: {listed(list(filter(None, texts)))}.",) if any(texts) else ()


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of first rows that have text in every column of numbers.

    These texts differ: a row with the same word in all of them is that of an item without known values. One column of
    numbers is enough if all cells of such a row are texts that are filled in, and new.
    """
    return next((n for n in range(1, MAX_HEADERS + 1) if _are_headers(rows[:n], rows[n:])), 0)


def _are_headers(rows: Sequence[Sequence[str]], rest: Sequence[Sequence[str]]) -> bool:
    width = len(rows[0]) if rows else 0
    if len(rest) < 3 or width < 2 or any(len(row) != width for row in rows):
        return False
    below = [{row[place].strip() for row in rest if place < len(row)} - {""} for place in range(width)]
    numbers = [place for place, cells in enumerate(below) if cells and all(map(is_number, cells))]
    if not numbers or any(not row[place].strip() or is_number(row[place]) for row in rows for place in numbers):
        return False
    others = set(range(width)) - set(numbers)
    cells = [(row[place].strip(), place) for row in rows for place in others]
    is_new = all(cell and not is_number(cell) and cell not in below[place] for cell, place in cells)
    words = [{row[place].strip() for place in numbers} - {*MISSING_WORDS} for row in rows]
    if len(numbers) > 1:
        return all(len(each) > 1 for each in words)
    return is_new and width > 2 and all(re.search(r"\w", "".join(each)) for each in words)
