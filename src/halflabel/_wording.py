"""Numbers, names, lists and options as people read them: the one pluraliser, the one clipper."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan
from typing import TypeAlias

#: Sentences for a person: a choice that was recognised, rows left out, a loss, each with the way to change it.
Notes: TypeAlias = tuple[str, ...]

#: Shown where there is no number.
NONE = "–"

#: The options of the command that is running, by argument; None where messages name arguments of Python.
_options: ContextVar[Mapping[str, str] | None] = ContextVar("halflabel_options", default=None)

#: The line of the first row of the table that is read, where it comes from a text file with one line per row.
_first_line: ContextVar[int | None] = ContextVar("halflabel_first_line", default=None)


#: Arguments whose option in each command has another name. An option that ends with "=" is followed by its value.
_OPTIONS = {
    "random_state": "--seed",
    "observed_rate": "--set observed_rate=",
    "marks": "--set thumbnails=",
}

#: Arguments that are words of a table, which may hold commas.
_WORDS = ("yes", "no", "unknown")

#: Maximum length of a text on a page; names and ids come from outside and may be anything.
MAX_CHARACTERS = 120


#: Characters that are not printable and do no harm: line ends, tabs, and the joiners of scripts and emoji.
_HARMLESS = "\n\t\u200c\u200d"


def count(number: int) -> str:
    """Return a whole number with its thousands set apart.

    Examples
    --------
    >>> count(17970)
    '17,970'
    """
    return f"{number:,}"


def plural(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "item"), plural(1797, "item"), plural(2, "entry", "entries")
    ('1 item', '1,797 items', '2 entries')
    """
    return f"{count(number)} {noun if number == 1 else several or noun + 's'}"


def percent(share: float | None) -> str:
    r"""Return a share in percent, with the digits that matter. Only exact shares are written as 0 % or 100 %.

    Examples
    --------
    >>> [percent(share).replace("\xa0", " ") for share in (0, 0.0002, 0.0312, 0.418, 0.95, 0.9999, 1)]
    ['0 %', '< 0.1 %', '3.1 %', '42 %', '95 %', '> 99.9 %', '100 %']
    """
    if share is None or isnan(share):
        return NONE
    if 0 < share < 0.001:
        return "<\xa00.1\xa0%"
    if 0.999 < share < 1:
        return ">\xa099.9\xa0%"
    digits = 1 if 0 < share < 0.1 or 0.9 < share < 1 else 0
    return f"{100 * share:.{digits}f}".removesuffix(".0") + "\xa0%"


def decimal(value: float | None, digits: int = 2) -> str:
    """Return a number with a fixed number of digits after the point.

    Examples
    --------
    >>> decimal(0.8349), decimal(None)
    ('0.83', '–')
    """
    return NONE if value is None or isnan(value) else f"{value:.{digits}f}"


def escape_controls(text: str) -> str:
    r"""Return a text in which characters that steer a terminal or turn the direction of writing are visible.

    Examples
    --------
    >>> print(escape_controls("a\x1b]0;x\x07 \u202e b"))
    a\x1b]0;x\x07 \u202e b
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _HARMLESS else c.encode("unicode_escape").decode() for c in text)


def clipped(text: object, limit: int = MAX_CHARACTERS) -> str:
    """Return the text of a value, on one line, cut where it is too long for a page.

    Examples
    --------
    >>> clipped("a name that goes on", 10)
    'a name th…'
    """
    line = escape_controls(" ".join(str(text)[: 4 * limit].split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def listed(names: Sequence[str], limit: int = 8) -> str:
    """Return names as a sentence shows them, the tail counted.

    Examples
    --------
    >>> listed(["rock"]), listed(["rock", "sad"]), listed(["rock", "sad", "live"], 1)
    ('“rock”', '“rock” and “sad”', '“rock” and 2 more')
    """
    return _join_parts([f"“{clipped(name)}”" for name in names[:limit]], len(names) - limit)


def quoted(names: Iterable[object], limit: int = 8) -> str:
    """Return names as an error shows them, ready to be copied: in straight quotes, the tail counted.

    Examples
    --------
    >>> print(quoted(["rock"]), quoted("abcd", 2), quoted([7, 8]), sep="; ")
    'rock'; 'a', 'b' and 2 more; 7 and 8
    """
    names = list(names)
    shown = [repr(clipped(name)) if isinstance(name, str) else clipped(repr(name)) for name in names[:limit]]
    return _join_parts(shown, len(names) - limit)


def closest(name: str, names: Iterable[str]) -> str:
    """Return the end of an error about a name that does not exist: the nearest one, else all of them.

    Examples
    --------
    >>> closest("jsn", ["csv", "json"]), closest("?", ["csv", "json"])
    ("did you mean 'json'?", "there are 'csv' and 'json'.")
    """
    names = list(names)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {quoted(names, len(names))}."


@contextmanager
def name_command_options(options: Mapping[str, str] | None = None) -> Iterator[None]:
    """Let :func:`option` name options as the command does. The ``options`` are names for one command."""
    token = _options.set({**_OPTIONS, **(options or {})})
    try:
        yield
    finally:
        _options.reset(token)


def names_command_options() -> bool:
    """Return whether messages name the options of the command."""
    return _options.get() is not None


def option(name: str, value: object = None) -> str:
    """Return an argument as its reader writes it: in Python, or as an option of the command.

    Examples
    --------
    >>> option("absent", "unknown"), option("max_categories"), option("observed_rate", 0.7)
    ("absent='unknown'", 'max_categories=', 'observed_rate=0.7')
    >>> with name_command_options({"group": "--set group="}):
    ...     option("absent", "unknown"), option("group", "album"), option("group"), option("no", ["a b", "-"])
    ('--absent unknown', '--set group=album', '--set group=...', "--no 'a b,-'")
    """
    options = _options.get()
    if options is None:
        return f"{name}=" if value is None else f"{name}={value!r}"
    flag = options.get(name, f"--{name.replace('_', '-')}")
    if isinstance(value, list | tuple) or (name in _WORDS and value is not None):
        value = ",".join(map(quote_cell, [value] if isinstance(value, str) else value))  # type: ignore[call-overload]
    if flag.endswith("="):
        return f"{flag}{'...' if value is None else _quote(str(value))}"
    return flag if value is None else f"{flag} {_quote(str(value))}"


def _quote(text: str) -> str:
    """Return a text as a shell reads it whole. A text in single quotes is ready."""
    return text if text.startswith("'") else shlex.quote(text)


def option_names(name: str, values: Sequence[str]) -> str:
    """Return an argument with several names as its reader writes it, all of them, ready to be copied.

    Examples
    --------
    >>> option_names("labels", ["rock", "very sad"])
    "labels=['rock', 'very sad']"
    >>> with name_command_options():
    ...     print(option_names("labels", ["rock", "very sad"]))
    --labels 'rock,very sad'
    """
    if not names_command_options():
        return option(name, list(values))
    return option(name, shlex.quote(",".join(map(quote_cell, values))))


def quote_cell(text: str) -> str:
    """Return a name or a word as a list with commas has it: in double quotes if it holds a character of the list.

    Examples
    --------
    >>> quote_cell("rock"), quote_cell("a,b")
    ('rock', '"a,b"')
    """
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",;=\n\r') else text


@contextmanager
def name_lines(first: int | None) -> Iterator[None]:
    """Let :func:`name_row` name the lines of a text file. ``first`` is the line of the first row."""
    token = _first_line.set(first)
    try:
        yield
    finally:
        _first_line.reset(token)


def name_row(row: int) -> str:
    """Return the place of a row as its reader finds it: row 0 in Python, a line or item 1 in the command.

    Examples
    --------
    >>> name_row(2)
    'row 2'
    >>> with name_command_options():
    ...     with name_lines(2):
    ...         print(name_row(2))
    ...     name_row(2)
    line 4
    'item 3'
    """
    first = _first_line.get()
    if not names_command_options():
        return f"row {row}"
    return f"item {row + 1}" if first is None else f"line {row + first}"


def option_to_skip(rows: Sequence[int]) -> str:
    """Return how rows are left out of a table: by their lines in a text file, or by a line of Python.

    Examples
    --------
    >>> print(option_to_skip([0, 2]))
    items.drop(items.index[[0, 2]])
    >>> with name_lines(2):
    ...     print(option_to_skip([0, 2]))
    skip_rows='2,4'
    """
    first = _first_line.get()
    if len(rows) > 20:
        return option("skip_rows")
    if first is None:
        return f"items.drop(items.index[{list(rows)}])"
    return option("skip_rows", ",".join(str(row + first) for row in rows))


def _join_parts(parts: list[str], left_out: int) -> str:
    """Join the parts of a sentence with commas and a last "and"."""
    parts = parts + [f"{count(left_out)} more"] * (left_out > 0)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
