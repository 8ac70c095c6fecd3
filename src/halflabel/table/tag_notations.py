"""The notations of tags: one class for each, which cuts a cell into parts and joins parts."""

from __future__ import annotations

import ast
import io
import itertools
import json
import re
import tokenize
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from halflabel.table.nothing_words import is_nothing
from halflabel.table.tag_text import split_tags

#: Characters of the longest cell that is read as a list.
MAX_CELL = 100_000

#: A missing value between the commas of a list that is written as text.
_NULL = re.compile(r"(?<=[\[(,])\s*(?:NULL|null|nan|NaN|<NA>)\s*(?=[,\])])")

Form = Literal["separated", "wrapped", "prefixed", "json", "python", "choices", "list", "numbers", "object"]


class Syntax(Protocol):
    """The details of a notation, see :class:`halflabel.table.tag_cells.TagNotation`."""

    @property
    def form(self) -> Form:
        """The name of the notation."""

    @property
    def sep(self) -> str:
        """The separator."""

    @property
    def glue(self) -> str:
        """The text between two tags."""

    @property
    def around(self) -> str:
        """The brackets."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys of a tag that is an object."""

    @property
    def one(self) -> Any:
        """The value of a tag that an item has."""


class Notation(Protocol):
    """One way to write the tags of an item."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the parts of a text that is not blank, as they are written."""

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the cell of parts."""


class Separated:
    """Text with a mark between tags, such as a semicolon, or one tag in each cell."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the parts between the marks. A word such as N/A is whole, whatever separates tags."""
        is_word = is_nothing(text) and text.strip(f"{notation.sep} ")
        return [text] if is_word else [part for part in split_tags(text, notation.sep) if part]

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the parts with the mark between them."""
        return notation.glue.join(part.strip() for part in raw)


class Wrapped:
    """``<a><b>``."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the parts in the brackets."""
        if not text.startswith("<") or not text.endswith(">"):
            raise ValueError("'<>' was expected around each tag")
        return re.findall("<([^<>]*)>", text)

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return each part in brackets."""
        return notation.glue.join(f"<{part}>" for part in raw) or "<>"


class Prefixed:
    """``#a #b``."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the parts after the marks."""
        if not text.startswith("#"):
            raise ValueError("'#' was expected before each tag")
        parts = re.split("#" if notation.glue == "#" else r"(?:^|[\s,;|])#", text)
        return [part.strip(" \t\n,;|") for part in parts if part.strip(" \t\n,;|")]

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return each part with the mark before it."""
        return notation.glue.removesuffix("#").join(f"#{part}" for part in raw)


class JsonList:
    """``["a", "b"]``."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the elements of the list."""
        return _check_list(_parse(text, json.loads), objects=bool(notation.fields))

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the list."""
        return json.dumps(raw, ensure_ascii=False)


class PythonList:
    """``['a', 'b']``, ``('a', 'b')`` and ``{'a', 'b'}``, of which the brackets are ``around``."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the elements of the list. Nothing is executed."""
        return _check_list(_parse(text, _parse_python), objects=bool(notation.fields))

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the list."""
        if notation.around == "()":
            return repr(tuple(raw))
        inner = ", ".join(map(repr, raw))
        return repr(raw) if notation.around != "{}" else f"{{{inner}}}" if raw else "set()"


class Choices:
    """``{"choices": ["a", "b"]}`` of Label Studio, and a single tag that is not in a list."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the choices."""
        try:
            value = _parse(text, json.loads)
        except ValueError:
            if text.startswith(("{", "[")):
                raise
            return [text]
        value = value.get("choices") if isinstance(value, dict) else value
        return [value] if isinstance(value, str) else _check_list(value, objects=False)

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the choices."""
        return raw[0] if len(raw) == 1 else json.dumps({"choices": raw}, ensure_ascii=False)


class Lists:
    """Lists in memory."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return the text as one tag."""
        return [text]

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the list."""
        return raw


class Object:
    """``{"a": true, "b": false}``, as text if it is ``around`` something."""

    def cut(self, text: str, notation: Syntax) -> list[Any]:
        """Return an object for each tag."""
        return self.cut_object(read_object(text), notation)

    def cut_object(self, cell: Mapping[str, Any], notation: Syntax) -> list[Any]:
        """Return an object for each tag."""
        name, score, value = notation.fields or ("name", "", "value")
        return [{name: tag, score or value: each} for tag, each in cell.items()]

    def join(self, raw: list[Any], notation: Syntax) -> Any:
        """Return the object."""
        name, score, value = notation.fields or ("name", "", "value")
        values = {part[name]: part.get(score or value, notation.one) for part in raw}
        return json.dumps(values, ensure_ascii=False) if notation.around else values


NOTATIONS: dict[str, Notation] = {
    "separated": Separated(), "wrapped": Wrapped(), "prefixed": Prefixed(), "json": JsonList(), "python": PythonList(),
    "choices": Choices(), "list": Lists(), "numbers": Lists(), "object": Object(),
}  # fmt: skip

#: The notations whose details change nothing in a sentence about them.
_WORDS = {
    "wrapped": "each in '<>'", "prefixed": "each after '#'", "json": "JSON lists",
    "python": "lists as Python writes them", "choices": "choices of Label Studio", "numbers": "lists of numbers",
    "object": "objects with a value of each tag",
}  # fmt: skip


def describe_notation(notation: Syntax) -> str:
    """Return a notation, for a sentence."""
    if notation.form == "separated":
        between = {" ": "blanks", "\n": "line breaks", "\t": "tabs"}.get(notation.sep, repr(notation.sep))
        return f"separated by {between}" if notation.sep else "one tag in each cell"
    lists = f"lists of objects, of which {notation.fields[0]!r} is the tag" if notation.fields else "lists"
    return _WORDS.get(notation.form, lists)


def read_object(cell: str) -> dict[str, Any]:
    """Return an object of names and values that is written as text."""
    try:
        value = json.loads(cell) if len(cell) <= MAX_CELL else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or any(isinstance(each, dict | list) for each in value.values()):
        raise ValueError("an object of names and values was expected")
    return value


def _parse(cell: str, read: Any) -> Any:
    if len(cell) > MAX_CELL:
        raise ValueError(f"the cell has more than {MAX_CELL:,} characters")
    try:
        return read(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, tokenize.TokenError):
        raise ValueError("the list is not well formed") from None


def _check_list(value: Any, *, objects: bool) -> list[Any]:
    """Return the elements of a list of text, or of objects."""
    nested = list | tuple | set | bytes | (type(None) if objects else dict)
    if isinstance(value, list | tuple) and ... in value:
        raise ValueError("the list was cut when it was written: '...'")
    if not isinstance(value, list | tuple | set) or any(tag is not None and isinstance(tag, nested) for tag in value):
        raise ValueError("a list of tags was expected")
    return list(value)


def _parse_python(cell: str) -> Any:
    """Return the value of a list as Python writes it, also with the missing values of databases and of pandas.

    Two texts next to each other, as NumPy prints an array, would be one text.
    """
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError):
        value = ast.literal_eval(_NULL.sub("None", cell))
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(cell).readline) if token.type != tokenize.NL]
    if any(one == other == tokenize.STRING for one, other in itertools.pairwise(kinds)):
        raise ValueError
    return value
