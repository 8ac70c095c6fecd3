"""The notation of delimited text, recognised by its first lines: encoding, delimiter, quotes, and the column names."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from halflabel._wording import Notes, option, plural
from halflabel.files.bounded import encoding_of, lines
from halflabel.files.header import (
    MAX_SAMPLE,
    MISSING_WORDS,
    Line,
    find_header,
    find_start,
    fits,
    has_names,
    holds_values,
    is_number,
    parse_lines,
)
from halflabel.files.raw_table import ReadError, TextForm
from halflabel.files.registry import base_suffix

#: Suffixes of delimited text, with the delimiter that each suggests; text also with ``.gz``.
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}

#: Bytes of the longest line, and lines from which the notation is learned.
MAX_LINE, SAMPLE_LINES = 1_000_000, 2000

#: Characters that separate cells; a space does so in files of the suffix .txt, where R writes it.
CANDIDATES = ",;\t|"

#: A line of a table that is drawn for people, as psql, mysql and Markdown have it.
_DRAWN = re.compile(r"[+|]?(?: ?:?-{2,}:? ?[+|])+(?: ?:?-{2,}:?)?")

#: Words of Anki for delimiters, and the first line of a file that states one: for Excel, or by Anki, whose notes have
#: no names of columns.
_MARKS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_STATED = re.compile(rf"\"?sep=([\t -~])\"?\s*|#separator:({'|'.join(_MARKS)}|[!-~])\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Stated:
    """The statements of a user about a text. None is recognised."""

    delimiter: str | None = None
    encoding: str | None = None
    skip_rows: str | None = None
    header: str | None = None

    @property
    def mark(self) -> str | None:
        """The character between cells."""
        mark = "\t" if self.delimiter in ("tab", "\\t") else self.delimiter
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n'):
            raise ValueError(f'a delimiter is one character, not {mark!r}: ASCII, no quote, no line break; or "tab".')
        return mark


def recognise(path: Path, stated: Stated) -> tuple[TextForm, list[str], Notes]:
    """Return the form of a file, the names of its columns, and one sentence for each choice that may be corrected.

    Raises
    ------
    ReadError
        If the file is empty, is not text, or two delimiters are equally likely.
    """
    encoding = stated.encoding or encoding_of(path)
    skip: tuple[int, ...] = ()
    if stated.skip_rows is not None:
        skip = parse_lines(stated.skip_rows, sum(1 for _ in lines(path, max_line=MAX_LINE, encoding=encoding)))
    head = list(islice(lines(path, max_line=MAX_LINE, encoding=encoding, skip=skip), SAMPLE_LINES))
    _check_lines(path, head)
    comments, mark = _take_preamble(head)
    body = head[len(comments) :] or head
    default = DELIMITERS.get(base_suffix(path), ",")
    form = TextForm(stated.mark or mark or default, encoding, "\r\n" if head[0][1].endswith("\r\n") else "\n")
    form = _choose_delimiter(path, body, form, is_given=bool(stated.mark or mark))
    own = split_lines(body, form)
    rows, on_names = _name_rows(_take_comment(comments, own, form))
    texts, n_above = [text.rstrip("\r\n") for _, text in body], rows[find_start([cells for _, cells in rows])][0] - 1
    if comments and form.delimiter in comments[-1][1] and not has_names([cells for _, cells in own]):
        n_above = len(comments) - 1
    _check_notation(path, texts, form.delimiter, n_above)
    nameless = "none" if head[0][1].startswith("#separator:") else None
    try:
        header = find_header(rows, stated.header or nameless)
    except ValueError as error:
        raise ReadError.at(path, str(error), line=rows[0][0]) from None
    if len(header.names) == 1:
        _check_single(path, texts, form.delimiter)
    first = header.line or next(number for number, _ in rows if number and number not in header.skip)
    above = "".join(text for number, text in head if number < first)
    written = next((tuple(cells) for number, cells in split_lines(head, form) if number == header.line), ())
    if written and len(written) == len(header.names) and any(number == first for number, _ in comments):
        name = written[0].lstrip("# ")
        above, written = above + written[0].removesuffix(name), (name, *written[1:])
    form = replace(
        form,
        missing=_find_missing_word([text for number, text in head if number > header.line], form.delimiter),
        header=written,
        skip=tuple(sorted({*skip, *header.skip, *(number for number, _ in head if number < first)})),
        above=above,
    )
    return form, header.names, (*_describe(path, form, default, stated), *on_names, *header.notes)


def _describe(path: Path, form: TextForm, default: str, stated: Stated) -> Iterator[str]:
    if stated.encoding is None and form.encoding == "cp1252":
        yield (
            f"{path.name} is not UTF-8 and was read as Windows-1252 (as Excel in Western Europe writes); name "
            f"another encoding with {option('encoding')} if letters are wrong."
        )
    if stated.delimiter is None and form.delimiter != default:
        name = {"\t": "tabs", " ": "spaces"}.get(form.delimiter, f"{form.delimiter!r}")
        yield f"The cells of {path.name} are separated by {name}; name another delimiter with {option('delimiter')}."


def split_lines(head: Sequence[tuple[int, str]], form: TextForm) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the number of its first line, as far as the text can be read."""
    reader, rows, start = csv.reader((text for _, text in head), **form.dialect), [], 0
    try:
        for cells in reader:
            if any(cells):
                rows.append((head[start][0], cells))
            start = reader.line_num
            if len(rows) == MAX_SAMPLE:
                break
    except csv.Error:  # a field beyond the limit, or old line ends
        pass
    return rows or [(head[0][0], [head[0][1].strip()])]


def _check_lines(path: Path, head: Sequence[tuple[int, str]]) -> None:
    """Raise for a text without cells."""
    if not any(text.strip("\r\n") for _, text in head):
        raise ReadError.at(path, "the file is empty.")
    text = head[0][1]
    if "\r" in text.rstrip("\r\n"):
        way = "write other line ends (tr '\\r' '\\n' < old.csv > new.csv)."
        raise ReadError.at(path, f"its lines end with a carriage return only: {way}", line=1)
    if text.startswith('{"'):
        raise ReadError.at(path, f"its lines are JSON: state {option('format', 'jsonl')}.", line=1)
    if line := next((number for number, each in head[:3] if _DRAWN.fullmatch(each.strip())), None):
        way = "export the table as CSV (psql --csv, mysql --batch), or write it with one mark between its cells."
        raise ReadError.at(path, f"its columns are drawn with lines: {way}", line=line)


def _take_preamble(head: Sequence[tuple[int, str]]) -> tuple[list[tuple[int, str]], str | None]:
    """Return the first lines that are comments, and the delimiter that the first one states."""
    stated = _STATED.fullmatch(head[0][1].rstrip("\r\n"))
    if stated and stated[1]:
        return [*head[:1]], stated[1]
    is_comment = [text.startswith("#") and text[1:2] not in set(CANDIDATES) for _, text in head]
    number = next((place for place, each in enumerate(is_comment) if not each), 0)
    return [*head[:number]], _MARKS.get(stated[2].lower(), stated[2]) if stated else None


def _take_comment(comments: Sequence[tuple[int, str]], rows: Sequence[Line], form: TextForm) -> Sequence[Line]:
    """Return the rows with the last comment in front of them, if it has their names."""
    if not comments or has_names([cells for _, cells in rows]):
        return rows
    number, text = comments[-1]
    (_, cells), *_ = split_lines([(number, text.lstrip("# "))], form)
    width = len(rows[0][1])
    is_header = len(cells) == width > 1 and (width > 2 or any(map(is_number, rows[0][1])))
    return [(number, cells), *rows] if is_header else rows


def _name_rows(rows: Sequence[Line]) -> tuple[Sequence[Line], Notes]:
    """Return the rows with as many names as cells, where each row has one cell more than the header."""
    place = find_start([cells for _, cells in rows])
    (number, names), below = rows[place], [cells for _, cells in rows[place + 1 :]]
    if not fits([cells for _, cells in rows], place) or len(below[0]) == len(names):
        return rows, ()
    note = (
        f"The header has {plural(len(names), 'name')} and each row {plural(len(below[0]), 'cell')}: the first column "
        "was read as row names and is called 'index'."
    )
    at_end = not any(cells[-1] for cells in below if len(cells) == len(names) + 1)
    return [*rows[:place], (number, [*names, ""] if at_end else ["", *names]), *rows[place + 1 :]], (
        () if at_end else (note,)
    )


def _choose_delimiter(path: Path, body: Sequence[tuple[int, str]], form: TextForm, *, is_given: bool) -> TextForm:
    """Return the form whose delimiter separates the header and the rows below it: that of the suffix, or the only one.

    Raises
    ------
    ReadError
        If several other ones do.
    """
    if is_given:
        return form
    blank = " " * (base_suffix(path) == ".txt")
    found = dict[int, dict[str, list[list[str]]]]()
    for mark in (form.delimiter, *CANDIDATES.replace(form.delimiter, ""), *blank):
        for quote in ('"', ""):  # a quote may be opened and not closed
            rows = [cells for _, cells in split_lines(body, replace(form, delimiter=mark, quote=quote))]
            place = find_start(rows)
            if fits(rows, place) and any(any(cells[1::2]) for cells in rows):  # no mark that is doubled
                if mark != blank or not found:
                    found.setdefault(place, {})[mark] = rows[place:]
                break
    if not found:
        return form
    place = min(found)
    able = sorted(found[place].items(), key=lambda pair: len(pair[1][0]), reverse=True)
    if not place and len(able) > 1:
        has_values = any(holds_values(rows) for _, rows in able)
        if not has_values and form.delimiter in found[0]:
            return form  # names rarely hold a mark that rows hold as often
        sizes = [(len(rows[0]), _count_numbers(rows)) for _, rows in able]
        is_clear = all(width < sizes[0][0] and numbers < sizes[0][1] for width, numbers in sizes[1:])
        if not (has_values and is_clear):
            raise _ask_which(path, "rows" if has_values else "header", [mark for mark, _ in able])
    return replace(form, delimiter=able[0][0])


def _count_numbers(rows: Sequence[Sequence[str]]) -> int:
    return sum(all(map(is_number, column)) for column in zip(*rows, strict=False))


def _ask_which(path: Path, what: str, able: Sequence[str]) -> ReadError:
    shown = " and ".join("tabs" if mark == "\t" else repr(mark) for mark in sorted(able, key=CANDIDATES.find))
    verb = "its rows have no names and" if what == "rows" else "its header"
    reason = f"{verb} can be separated by {shown}: name the right one with {option('delimiter')}."
    return ReadError.at(path, reason, line=1)


def _check_notation(path: Path, texts: Sequence[str], mark: str, n_above: int) -> None:
    """Raise for a text in a rare notation, with two lines of Python that convert it."""
    border = re.escape(mark)
    if sum(re.search(rf'{border} +"(?!")', text) is not None for text in texts) > len(texts) / 2 and mark != " ":
        raise _convert(path, "blanks in front of its quotes", f"sep={mark!r}, skipinitialspace=True", n_above)
    if re.fullmatch(rf"('[^'{border}]*'{border})+'[^'{border}]*'", texts[0]):
        raise _convert(path, "single quotes around its cells", f'sep={mark!r}, quotechar="\'"', n_above)
    if any(re.search(rf'(?:^|{border})"[^"]*\\"[^{border}"]', text) for text in texts):
        raise _convert(path, "a backslash in front of quotes", f"sep={mark!r}, escapechar='\\\\'", n_above)


def _check_single(path: Path, texts: Sequence[str], mark: str) -> None:
    """Raise where the only column seems to be several: its name has a mark that is one, or is as often in each row."""
    name = texts[0]
    for other in re.findall(r"[^\w \"'.()-]", name):
        is_even = len(texts) > 3 and {text.count(other) for text in texts[:4]} == {name.count(other)}
        if other != mark and other * 2 not in name and other.isascii() and (is_even or other in CANDIDATES):
            shown, word = ("a tab", "tab") if other == "\t" else (repr(other), other)
            reason = (
                f"there is one column only, and its name {name[:40]!r} holds {shown}: name the delimiter with "
                f"{option('delimiter', word)} if that separates the columns."
            )
            raise ReadError.at(path, reason, line=1)


def _convert(path: Path, found: str, options: str, n_above: int) -> ReadError:
    read = f"pd.read_csv({str(path)!r}, {options}, skiprows={n_above}, dtype=str)"
    write = f"to_csv({str(path.with_suffix('.new.csv'))!r}, index=False)"
    way = f"convert it by two lines of Python, `import pandas as pd` and `{read}.{write}`"
    return ReadError.at(path, f"it has {found}: {way}.", line=1)


def _find_missing_word(head: Sequence[str], mark: str) -> str:
    """Return the most frequent marker of a missing value, or an empty text."""
    border = re.escape(mark)
    words = "|".join(map(re.escape, MISSING_WORDS))
    found = re.findall(rf"(?:^|{border})({words})(?={border}|\r?$)", "".join(head), re.MULTILINE)
    return Counter(found).most_common(1)[0][0] if found else ""
