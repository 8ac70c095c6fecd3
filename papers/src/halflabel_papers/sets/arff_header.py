"""The declarations of an ARFF file: attribute names and types, quoting and escapes.

The grammar is Weka's: keywords in any case, names and values bare or in single or
double quotes, inside which a backslash escapes the next character; ``%`` starts a
comment line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from halflabel.files import ReadError

#: A wider header raises.
MAX_ATTRIBUTES = 1_000_000

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_CELL = re.compile(rf"""\s*(?:({QUOTED})\s*|([^,'"\s][^,]*)|)(,|\Z)""")
_ATTRIBUTE = re.compile(rf"""@attribute\s+({QUOTED}|[^\s{{'"][^\s{{]*)\s*(.*)""", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{3}|.)")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Attribute:
    """One declared column.

    ``number`` is numeric, real or integer; ``binary`` is the nominal {0,1} in this
    order, so that value, code and the value that a sparse row leaves out agree.
    """

    name: str
    kind: Literal["number", "binary", "nominal", "text", "date"]
    values: tuple[str, ...] = ()


def unquote(token: str) -> str:
    r"""Return a token without its quotes and escapes. A bare token is not changed.

    Examples
    --------
    >>> unquote(r"'rock \'n\' roll'"), unquote(r"a\b")
    ("rock 'n' roll", 'a\\b')
    """
    return _ESCAPE.sub(_unescape, token[1:-1]) if token[:1] in ("'", '"') else token


def split_cells(text: str) -> list[str | None]:
    """Return the cells of a comma-separated line, ``None`` for a bare ``?``, a missing value.

    Examples
    --------
    >>> split_cells("1, 'a, b', ?, '?'")
    ['1', 'a, b', None, '?']
    """
    cells: list[str | None] = []
    position, comma = 0, ","
    while comma:
        match = _CELL.match(text, position)
        if match is None:
            raise ValueError(f"near {text[position : position + 20]!r} a quote is not closed, or text follows it.")
        quoted, bare, comma = match.groups()
        cells.append(bare_value(bare or "") if quoted is None else unquote(quoted))
        position = match.end()
    return cells


def bare_value(token: str) -> str | None:
    """Return a token without quotes, ``None`` for ``?``."""
    token = token.strip()
    return None if token == "?" else token


def read_header(numbered: Iterator[tuple[int, str]], path: Path) -> tuple[Attribute, ...]:
    """Read up to and including ``@data`` and return the attributes. The next element of the iterator is the first row.

    Raises
    ------
    ReadError
        With the line, for anything but comments, ``@relation``, ``@attribute`` and ``@data``.
    """
    attributes: dict[str, Attribute] = {}
    for number, line in numbered:
        text = line.strip()
        keyword = text.split(maxsplit=1)[0].lower() if text else "%"
        if keyword == "@data":
            if not attributes:
                raise ReadError.at(path, "@data stands here before any @attribute was declared.", line=number)
            return tuple(attributes.values())
        if keyword.startswith("%") or keyword == "@relation":
            continue
        if keyword != "@attribute":
            raise ReadError.at(
                path, f"expected @attribute or @data, but found {text[:40]!r}: is this an ARFF file?", line=number
            )
        attribute = _declaration(text, number, path)
        if attribute.name in attributes:
            raise ReadError.at(
                path, "an attribute of this name was declared before.", line=number, column=attribute.name
            )
        if len(attributes) == MAX_ATTRIBUTES:
            raise ReadError.at(path, f"there are more than {MAX_ATTRIBUTES:,} attributes, the limit.", line=number)
        attributes[attribute.name] = attribute
    raise ReadError.at(path, "the file ends without @data: it is empty, truncated, or not an ARFF file.")


def _declaration(text: str, number: int, path: Path) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise ReadError.at(path, f"cannot read the attribute's name in {text[:60]!r}: is a quote missing?", line=number)
    declared = match[2]
    try:
        name = unquote(match[1])
    except ValueError as error:
        raise ReadError.at(path, f"in the attribute's name, {error}", line=number) from None
    kind = declared.split(maxsplit=1)[0].lower() if declared else ""
    if declared.startswith("{"):
        return _nominal(name, declared, number, path)
    if kind in ("numeric", "real", "integer"):
        return Attribute(name, "number")
    if kind in ("string", "date"):
        return Attribute(name, "date" if kind == "date" else "text")
    reason = (
        f"the type {declared[:40]!r} is not one of numeric, real, integer, string, date or {{value, ...}}; "
        "a name with spaces stands in quotes."
    )
    raise ReadError.at(path, reason, line=number, column=name)


def _nominal(name: str, declared: str, number: int, path: Path) -> Attribute:
    if not declared.endswith("}"):
        raise ReadError.at(path, "the list of values has no closing brace on this line.", line=number, column=name)
    inside = declared[1:-1].strip()
    try:
        cells = split_cells(inside) if inside else []
    except ValueError as error:
        raise ReadError.at(path, f"in the list of values, {error}", line=number, column=name) from None
    values = tuple("?" if cell is None else cell for cell in cells)
    if len(set(values)) < len(values):
        raise ReadError.at(path, "a value is listed twice.", line=number, column=name)
    return Attribute(name, "binary", values) if values == ("0", "1") else Attribute(name, "nominal", values)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        number = int(code[1:], 16)
        if 0xD800 <= number <= 0xDFFF:
            raise ValueError(f"\\{code} is half of a surrogate pair, not a character: write the character itself.")
        return chr(number)
    return chr(int(code, 8)) if len(code) == 3 else _CONTROL.get(code, code)
