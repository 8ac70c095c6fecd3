"""The notation of delimited text, and its header: the column names, or why the line cannot be one, with the way on."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from halflabel._wording import option, plural
from halflabel.files.bounded import encoding_of, lines
from halflabel.files.raw_table import ReadError, TextForm
from halflabel.files.skipped import parse_lines

#: Bare words that mean a missing value, like the empty cell.
MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")

#: Bytes of the longest line.
MAX_LINE = 1_000_000

#: Characters that separate cells; a space only in files of the suffix .txt, where R writes it.
CANDIDATES = (",", ";", "\t", "|")

#: A line of a table that is drawn for people, as psql, mysql and Markdown have it.
_DRAWN = re.compile(r"[+|]?(?: ?:?-{2,}:? ?[+|])+(?: ?:?-{2,}:?)?")

#: Lines from which the spelling of missing values is learned.
SAMPLE_LINES = 2000


def recognise(
    path: Path,
    delimiter: str | None,
    encoding: str | None,
    default: str,
    *,
    max_bytes: int | None = None,
    skip_rows: str | None = None,
) -> tuple[TextForm, list[str]]:
    """Return the form of a file and one sentence for each choice that a user may want to correct.

    Parameters
    ----------
    path : Path
    delimiter, encoding : str or None
        As stated by the user; None recognises them.
    default : str
        The delimiter that the suffix suggests.
    max_bytes : int, optional
        Maximum size of the file, by default the size that fits into memory.
    skip_rows : str, optional
        The lines that do not belong to rows of the table, see :func:`halflabel.files.skipped.parse_lines`.

    Raises
    ------
    ReadError
        If the file is empty, is not text, or two delimiters are equally likely.
    """
    chosen = encoding or encoding_of(path, max_bytes=max_bytes)
    notes = []
    if encoding is None and chosen == "cp1252":
        notes.append(
            f"{path.name} is not UTF-8 and was read as Windows-1252 (as Excel in Western Europe writes); name "
            f"another encoding with {option('encoding')} if letters are wrong."
        )
    skip: tuple[int, ...] = ()
    if skip_rows is not None:
        skip = parse_lines(skip_rows, sum(1 for _ in lines(path, max_line=MAX_LINE, encoding=chosen)))
    head = [line for _, line in islice(lines(path, max_line=MAX_LINE, encoding=chosen, skip=skip), SAMPLE_LINES)]
    if not head:
        raise ReadError.at(path, "the file is empty.")
    if line := next((number for number, text in enumerate(head[:3], start=1) if _DRAWN.fullmatch(text.strip())), None):
        way = "export the table as CSV (psql --csv, mysql --batch), or write it with one mark between its cells."
        raise ReadError.at(path, f"its columns are drawn with lines: {way}", line=line)
    mark = delimiter or _delimiter(path, head, default)
    if delimiter is None and mark != default:
        name = {"\t": "tabs", " ": "spaces"}.get(mark, f"{mark!r}")
        notes.append(
            f"The cells of {path.name} are separated by {name}; name another delimiter with {option('delimiter')}."
        )
    header = tuple(_first_rows(head, mark, 1)[0])
    line_end = "\r\n" if head[0].endswith("\r\n") else "\n"
    return TextForm(mark, chosen, line_end, _missing_word(head, mark), header, skip), notes


def _delimiter(path: Path, head: list[str], default: str) -> str:
    """Return the default where it separates the header, else the one other mark that separates the first rows."""
    if len(_first_rows(head, default, 1)[0]) > 1:
        return default
    candidates = [*CANDIDATES, *([" "] if path.name.lower().removesuffix(".gz").endswith(".txt") else [])]
    able = [mark for mark in candidates if mark != default and _separates(head, mark)]
    if len(able) > 1:
        shown = " and ".join("tabs" if mark == "\t" else repr(mark) for mark in able)
        reason = f"its header can be separated by {shown}: name the right one with {option('delimiter')}."
        raise ReadError.at(path, reason, line=1)
    return able[0] if able else default


def _separates(head: list[str], mark: str) -> bool:
    """Whether a mark makes several columns of the header, and as many of the first row (or one more: row names)."""
    names, *rows = _first_rows(head, mark, 2)
    return len(names) > 1 and all(len(row) in (len(names), len(names) + 1) for row in rows)


def _first_rows(head: list[str], mark: str, count: int) -> list[list[str]]:
    try:
        rows = list(islice((row for row in csv.reader(iter(head), delimiter=mark) if row), count))
    except csv.Error:
        rows = []
    first_is_empty = not head[0].strip()
    return rows if rows and not first_is_empty else [[]]


def _missing_word(head: list[str], mark: str) -> str:
    """Return the most frequent marker of a missing value, or an empty text."""
    border = re.escape(mark)
    words = "|".join(map(re.escape, MISSING_WORDS))
    found = re.findall(rf"(?:^|{border})({words})(?={border}|\r?$)", "".join(head[1:]), re.MULTILINE)
    return Counter(found).most_common(1)[0][0] if found else ""


def describe_row_names(header: int, cells: int) -> str:
    """Return the note for a header that lacks the name of the row names, as R's ``write.table`` writes it."""
    return (
        f"The header has {plural(header, 'name')} and each row {plural(cells, 'cell')}: the first column was read as "
        "row names and is called 'index'."
    )


#: Columns of the widest table, and of the widest whose names are compared with each other one by one.
MAX_COLUMNS, MAX_COMPARED = 100_000, 2000

#: Number of rows that confirm a mark between cells.
N_COMPARED = 3

#: Possible separators of cells: characters that names rarely hold.
_MARKS = re.compile(r"[^\w\s\"'()\[\]-]+|[\x01-\x08\x1c-\x1f]")


def _lines(path: Path, form: TextForm) -> Iterator[tuple[int, str]]:
    return lines(path, max_line=MAX_LINE, encoding=form.encoding, skip=form.skip)


def read_rows(path: Path, form: TextForm, *, strict: bool = False) -> Any:
    """Return the rows of a file, as cells of text."""
    text = (line for _, line in _lines(path, form))
    return csv.reader(text, delimiter=form.delimiter, strict=strict)


def strip_names(cells: Iterable[str]) -> list[str]:
    """Return the cells of a header without blanks and invisible marks, which joined files have inside."""
    return [cell.strip("\ufeff\u200b").strip() for cell in cells]


def read_header(path: Path, form: TextForm) -> list[str]:
    """Return the column names, or raise with the reason why the first line cannot be a header."""
    try:
        first: list[str] = next(read_rows(path, form), [])
    except csv.Error as error:
        line = next(_lines(path, form), (1, ""))[1]
        old = "new-line character" in str(error) and not line.endswith("\n")
        reason = (
            "its lines end with a carriage return only: write other line ends (tr '\\r' '\\n' < old.csv > new.csv)."
            if old
            else f"the header cannot be read ({error})."
        )
        raise ReadError.at(path, reason, line=1) from None
    names = strip_names(first)
    if not any(names):
        raise ReadError.at(path, "the first line is empty, where the column names should stand.", line=1)
    _check_notation(path, form, names)
    if len(names) == 1:
        _check_single_column(path, form, names[0])
    counted = len(names) > 2 and names == [str(j) for j in range(len(names))]  # how pandas names an array's columns
    twice = [name for name in names if names.count(name) > 1] if len(names) < MAX_COMPARED else []
    if not counted and (all(map(_is_number, names)) or (twice and all(map(_is_number, twice)))):
        held = [name for name in names if _is_number(name)]
        reason = f"the first line holds numbers ({', '.join(held[:3])}), not column names: put a header line above it."
        raise ReadError.at(path, reason, line=1)
    return check_names(names, path, 1)


def _check_notation(path: Path, form: TextForm, names: list[str]) -> None:
    """Raise where the lines are JSON, the cells are in single quotes, or two marks are between them."""
    if names[0].startswith('{"'):
        raise ReadError.at(path, f"its lines are JSON: state {option('format', 'jsonl')}.", line=1)
    if len(names) > 1 and all(len(name) > 1 and name[0] + name[-1] == "''" for name in names):
        way = describe_conversion(path, """quotechar="'\"""")
        raise ReadError.at(path, f"its cells are in single quotes: {way}.", line=1)
    if len(names) > 2 and all(names[::2]) and not any(any(row[1::2]) for row in islice(read_rows(path, form), 1000)):
        mark = 2 * form.delimiter
        way = describe_conversion(path, f"sep={re.escape(mark)!r}, engine='python'")
        raise ReadError.at(path, f"it has {mark!r} between its cells: {way}.", line=1)


def _check_single_column(path: Path, form: TextForm, name: str) -> None:
    """Raise where the one column name holds another delimiter."""
    for other in ";\t|,":
        if other != form.delimiter and other in name:
            shown, word = ("a tab", "tab") if other == "\t" else (repr(other), other)
            reason = (
                f"there is one column only, and its name {name[:40]!r} holds {shown}, but the rows below do not fit: "
                f"name the delimiter with {option('delimiter', word)} if that separates the columns."
            )
            raise ReadError.at(path, reason, line=1)
    below = [line.rstrip("\r\n") for _, line in islice(_lines(path, form), 1, 1 + N_COMPARED)]
    if len(below) < N_COMPARED:
        return
    marks = [mark for mark in _MARKS.findall(name) if all(line.count(mark) == name.count(mark) for line in below)]
    if marks:
        is_one = len(marks[0]) == 1 and marks[0].isascii()
        convert = describe_conversion(path, f"sep={re.escape(marks[0])!r}, engine='python'")
        way = f"state {option('delimiter', marks[0])}" if is_one else convert
        raise ReadError.at(path, f"it has one column, and {marks[0]!r} between its cells: {way}.", line=1)
    words = {len(line.split()) for line in [name, *below]}
    if len(words) == 1 and min(words) > 2:
        way = describe_conversion(path, r"sep=r'\s+'")
        raise ReadError.at(path, f"it has one column, and blanks between its cells: {way}.", line=1)


def describe_conversion(path: Path, options: str) -> str:
    """Return the two lines of Python that write a text file again, from the options that pandas reads it with."""
    read = f"pd.read_csv({str(path)!r}, {options}, dtype=str)"
    write = f"to_csv({str(path.with_suffix('.new.csv'))!r}, index=False)"
    return f"convert it by two lines of Python, `import pandas as pd` and `{read}.{write}`"


def check_names(names: list[str], path: Path, line: int | None) -> list[str]:
    """Return the names of columns, distinct and not empty, or raise. An empty first name becomes "index"."""
    if len(names) > MAX_COLUMNS:
        raise ReadError.at(path, f"{len(names):,} columns are more than {MAX_COLUMNS:,}, the limit.", line=line)
    if names and not names[0]:
        names = ["index", *names[1:]]  # pandas and R leave the name of the row names empty
    if "" in names:
        held = [name for name in names if _is_number(name)]
        way = "give it one, or delete the column if it is empty"
        if 2 * len(held) >= len(names) - names.count(""):
            way = f"the line holds numbers ({', '.join(held[:3])}): put a header line above it"
        raise ReadError.at(path, f"column {names.index('') + 1} of the header has no name: {way}.", line=line)
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ReadError.at(path, "two columns have this name; rename one of them.", line=line, column=twice)
    return names


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
