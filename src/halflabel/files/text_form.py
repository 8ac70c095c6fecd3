"""How a delimited text file is written: recognised when it is read, used again when its table is written."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice
from pathlib import Path

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
