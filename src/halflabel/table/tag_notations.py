"""Cells of tags: from a cell to its tags, and from tags to a cell, in eight notations with one class for each.

:mod:`halflabel.table.tag_recognition` finds the notation of a column.
"""

from __future__ import annotations

import ast
import io
import itertools
import json
import numbers
import re
import tokenize
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import pandas as pd

from halflabel._wording import quoted
from halflabel.labels.answers import fold_word
from halflabel.table.tag_text import fold_tag, quote_tag, split_tags, unquote_tag
from halflabel.table.words import find_plain_meaning, is_empty_list, is_nothing

#: The types of lists.
LISTS = (list, tuple, set, frozenset, np.ndarray)

#: Characters of the longest cell that is read as a list.
MAX_CELL = 100_000

#: A missing value between the commas of a list that is written as text.
_NULL = re.compile(r"(?<=[\[(,])\s*(?:NULL|null|nan|NaN|<NA>)\s*(?=[,\])])")

Form = Literal["separated", "wrapped", "prefixed", "json", "python", "choices", "list", "numbers", "object"]


class Tag(NamedTuple):
    """One tag of a cell.

    Parameters
    ----------
    name : str
    relevant : bool or None
        False for a tag that the item is known not to have; None for one that it may have.
    score : float or None
        The probability that a model gave. A tag with a score is a suggestion: it is not given.
    """

    name: str
    relevant: bool | None = True
    score: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the tag is written, but neither given nor excluded."""
        return self.relevant is None or self.score is not None


#: The tags and the missing values of a cell; None for a cell that is missing.
Parts = list[Tag | None] | None


@dataclass(frozen=True)
class TagNotation:
    """How a column writes the tags of an item."""

    form: Form = "separated"  #: One of :data:`NOTATIONS`.
    #: The separator of the form "separated", where an empty one means that a cell is one tag.
    sep: str = ";"
    glue: str = ";"  #: The text between two tags, as the table writes it.
    around: str = ""  #: The two brackets of a list of Python, and of an object that is text.
    #: Whether tags have scores: "given" leaves them out, "prior" reads a tag with a score as the suggestion of a model.
    scores: Literal["", "given", "prior"] = ""
    #: The keys of the name, the score and the value of a tag that is an object; an empty text for a key that there is
    #: not. A value states whether the item has the tag.
    fields: tuple[str, ...] = ()
    one: Any = True  #: The value of a tag that an item has.
    #: The object of each tag that is the same wherever it is given, such as ``{"id": 3, "name": "rock"}``.
    objects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()  #: The keys that differ between the objects of one tag: filled objects have none.
    #: Words that mean "no tag", and words that mean a missing value.
    no: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  #: The spelling of each tag, where upper and lower case are the same.

    @property
    def description(self) -> str:
        """The notation, for a sentence."""
        has_value = self.form != "object" and any(self.fields[2:])
        parts = [
            _describe(self),
            has_value and f"{self.fields[2]!r} states whether an item has it",
            {"given": "scores are left out", "prior": "a tag with a score is a suggestion"}.get(self.scores),
            self.lost and f"filled objects are without {quoted(self.lost)}",
            self.names and "upper and lower case are the same",
        ]
        return "; ".join(part for part in parts if part)

    @property
    def stated(self) -> set[str]:
        """The words whose meaning was stated."""
        return {*self.no, *self.unknown}

    def read(self, cell: Any) -> list[str] | None:
        """Return the tags that a cell gives to its item, or None for a cell without any value.

        Raises
        ------
        ValueError
            If the cell is not written in this notation.
        """
        tags = take_tags(self.read_parts(cell))
        return None if tags is None else [tag.name for tag in tags if tag.relevant]

    def read_parts(self, cell: Any) -> Parts:
        """Return the tags of a cell, and None for each missing value among them. A missing cell is None.

        Raises
        ------
        ValueError
            If the cell is not written in this notation.
        """
        raw = self.cut(cell)
        return None if raw is None else [self._read_tag(part) for part in raw if fold_word(str(part)) not in self.no]

    def find_word(self, cell: Any) -> str | None:
        """Return the first word for "no tag", or for a missing value, of a cell."""
        words = self.stated
        parts = (self.cut(cell) or ()) if words else ()
        return next((str(part).strip() for part in parts if fold_word(str(part)) in words), None)

    def cut(self, cell: Any) -> list[Any] | None:
        """Return the parts of a cell as they are written: texts, objects, numbers, or missing values."""
        if isinstance(cell, LISTS):
            return _check_parts(cell)
        if isinstance(cell, Mapping):
            return _pair(cell, self) if self.form == "object" else _take_choices(cell)
        if not isinstance(cell, str):
            if is_missing(cell):
                return None
            raise ValueError("text or a list was expected")
        if not cell.strip():
            return None
        if fold_word(cell) in self.stated:
            return [cell.strip()]
        if self.form not in ("separated", "prefixed", "list", "numbers") and is_empty_list(cell):
            return []
        parts = NOTATIONS[self.form].cut(cell.strip(), self)
        return parts if parts or self.form in ("json", "python", "choices", "object") else None

    def edit(self, cell: Any, added: Sequence[str] = (), dropped: Iterable[str] = ()) -> Any:
        """Return a cell with more tags, or with fewer. All other tags stay as they are written."""
        gone, words = set(dropped), self.stated
        raw = [part for part in self.cut(cell) or () if fold_word(str(part)) not in words]
        tags = [self._read_tag(part) for part in raw]
        kept = [part for part, tag in zip(raw, tags, strict=True) if tag is not None and tag.name not in gone]
        return NOTATIONS[self.form].join([*kept, *map(self._write_tag, added)], self)

    def write(self, tags: Sequence[str]) -> Any:
        """Return a cell with these tags."""
        return NOTATIONS[self.form].join(list(map(self._write_tag, tags)), self)

    def _read_tag(self, raw: Any) -> Tag | None:
        """Return the tag of a part, or None for a missing value."""
        if isinstance(raw, Mapping):
            name, score, value = self.fields or ("name", "", "")
            tag = self._make_tag(raw.get(name), raw.get(score))
            has = self._read_value(raw.get(value)) if value else True
            return tag if tag is None or has else tag._replace(relevant=has)
        if is_missing(raw) or fold_word(str(raw)) in self.unknown:
            return None
        return self._make_tag((unquote_tag(str(raw).strip()) if self.form == "separated" else None) or raw, None)

    def _make_tag(self, name: Any, score: Any) -> Tag | None:
        text = "" if is_missing(name) else str(name).strip()
        suggested = None if is_missing(score) or self.scores != "prior" else float(score)
        return Tag(self._spelling.get(fold_tag(text), text) if self.names else text, True, suggested) if text else None

    def _read_value(self, value: Any) -> bool | None:
        """Return whether a value means that an item has a tag, or None if it may have it."""
        word = fold_word(str(value))
        if is_missing(value) or word in self.unknown:
            return None
        meaning = 0.0 if word in self.no else read_truth(value)
        if meaning is None:
            raise ValueError(f"{value!r} does not state whether the item has the tag")
        return meaning == 1

    @cached_property
    def _spelling(self) -> dict[str, str]:
        return {fold_tag(name): name for name in self.names}

    def _write_tag(self, tag: str) -> Any:
        if self.form == "numbers":
            return int(tag)
        if self.fields:
            name, _, value = self.fields
            return {**self.objects.get(tag, {name: tag}), **({value: self.one} if value else {})}
        return quote_tag(tag, self.sep) if self.form == "separated" and self.sep else tag


class Notation(Protocol):
    """One way to write the tags of an item."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the parts of a text that is not blank, as they are written."""

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the cell of parts."""


class Separated:
    """Text with a mark between tags, such as a semicolon, or one tag in each cell."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the parts between the marks. A word such as N/A is whole, whatever separates tags."""
        is_word = is_nothing(text) and text.strip(f"{notation.sep} ")
        return [text] if is_word else [part for part in split_tags(text, notation.sep) if part]

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the parts with the mark between them."""
        return notation.glue.join(part.strip() for part in raw)


class Wrapped:
    """``<a><b>``."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the parts in the brackets."""
        if not text.startswith("<") or not text.endswith(">"):
            raise ValueError("'<>' was expected around each tag")
        return re.findall("<([^<>]*)>", text)

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return each part in brackets."""
        return notation.glue.join(f"<{part}>" for part in raw) or "<>"


class Prefixed:
    """``#a #b``."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the parts after the marks."""
        if not text.startswith("#"):
            raise ValueError("'#' was expected before each tag")
        parts = re.split("#" if notation.glue == "#" else r"(?:^|[\s,;|])#", text)
        return [part.strip(" \t\n,;|") for part in parts if part.strip(" \t\n,;|")]

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return each part with the mark before it."""
        return notation.glue.removesuffix("#").join(f"#{part}" for part in raw)


class JsonList:
    """``["a", "b"]``."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the elements of the list."""
        return _check_list(_parse(text, json.loads), objects=bool(notation.fields))

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the list."""
        return json.dumps(raw, ensure_ascii=False)


class PythonList:
    """``['a', 'b']``, ``('a', 'b')`` and ``{'a', 'b'}``, of which the brackets are ``around``."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the elements of the list. Nothing is executed."""
        return _check_list(_parse(text, _parse_python), objects=bool(notation.fields))

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the list."""
        if notation.around == "()":
            return repr(tuple(raw))
        inner = ", ".join(map(repr, raw))
        return repr(raw) if notation.around != "{}" else f"{{{inner}}}" if raw else "set()"


class Choices:
    """``{"choices": ["a", "b"]}`` of Label Studio, and a single tag that is not in a list."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the choices."""
        value = _parse(text, json.loads) if text[0] in '{["' else text
        value = value.get("choices") if isinstance(value, dict) else value
        return [value] if isinstance(value, str) else _check_list(value, objects=False)

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the choices."""
        return raw[0] if len(raw) == 1 else json.dumps({"choices": raw}, ensure_ascii=False)


class Lists:
    """Lists in memory."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return the text as one tag."""
        return [text]

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
        """Return the list."""
        return raw


class Object:
    """``{"a": true, "b": false}``, as text if it is ``around`` something."""

    def cut(self, text: str, notation: TagNotation) -> list[Any]:
        """Return an object for each tag."""
        return _pair(read_object(text), notation)

    def join(self, raw: list[Any], notation: TagNotation) -> Any:
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


def _describe(notation: TagNotation) -> str:
    if notation.form == "separated":
        between = {" ": "blanks", "\n": "line breaks", "\t": "tabs"}.get(notation.sep, repr(notation.sep))
        return f"separated by {between}" if notation.sep else "one tag in each cell"
    lists = f"lists of objects, of which {notation.fields[0]!r} is the tag" if notation.fields else "lists"
    return _WORDS.get(notation.form, lists)


def take_tags(parts: Parts) -> list[Tag] | None:
    """Return the tags that a cell gives, or None if it is missing, or has missing values and suggestions only."""
    tags = [tag for tag in parts or () if tag is not None and tag.score is None]
    return None if parts is None or (parts and not tags) else tags


def name_open_column(tags: str) -> str:
    """Return the name of the column that lists the undecided labels of a tags column."""
    return f"{tags}_open"


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or a missing value of pandas."""
    return value is None or (np.ndim(value) == 0 and not isinstance(value, Mapping) and bool(pd.isna(value)))


def read_truth(value: Any) -> float | None:
    """Return 1 for a value that means yes, 0 for one that means no, else None. Numbers may be written as text.

    Examples
    --------
    >>> [read_truth(value) for value in (True, 1, 1.0, "1.0", "yes", 0.0, "0", 0.5, "rock")]
    [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, None, None]
    """
    text = str(value)
    number = pd.to_numeric(text, errors="coerce")
    return float(number) if number in (0, 1) else find_plain_meaning(fold_word(text))


def read_object(cell: str) -> dict[str, Any]:
    """Return an object of names and values that is written as text."""
    value = _parse(cell, json.loads)
    if not isinstance(value, dict) or any(isinstance(each, dict | list) for each in value.values()):
        raise ValueError("an object of names and values was expected")
    return value


def _pair(cell: Mapping[str, Any], notation: TagNotation) -> list[Any]:
    """Return an object for each tag of an object of names and values."""
    name, score, value = notation.fields or ("name", "", "value")
    return [{name: tag, score or value: each} for tag, each in cell.items()]


def _take_choices(cell: Mapping[str, Any]) -> list[Any]:
    """Return the tags of an object of Label Studio, ``{"choices": ["a", "b"]}``."""
    if "choices" not in cell:
        raise ValueError("an object was not expected")
    chosen = cell["choices"]
    return list(chosen) if isinstance(chosen, list | tuple | np.ndarray) else [chosen]


def _check_parts(cell: Iterable[Any]) -> list[Any]:
    """Return the parts of a list: text, numbers, missing values, or objects with a name."""
    parts = list(cell)
    for part in parts:
        if isinstance(part, LISTS):
            raise ValueError("a list in a list was not expected")
        if not isinstance(part, str | numbers.Number | np.bool_ | Mapping) and not is_missing(part):
            raise ValueError(f"{type(part).__name__} was not expected in a list of tags, which are text")
    return parts


def _check_list(value: Any, *, objects: bool) -> list[Any]:
    """Return the elements of a list of text, or of objects."""
    nested = list | tuple | set | bytes | (type(None) if objects else dict)
    if isinstance(value, list | tuple) and ... in value:
        raise ValueError("the list was cut when it was written: '...'")
    if not isinstance(value, list | tuple | set) or any(tag is not None and isinstance(tag, nested) for tag in value):
        raise ValueError("a list of tags was expected")
    return list(value)


def _parse(cell: str, read: Callable[[str], Any]) -> Any:
    if len(cell) > MAX_CELL:
        raise ValueError(f"the cell has more than {MAX_CELL:,} characters")
    try:
        return read(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, tokenize.TokenError):
        raise ValueError("the list is not well formed") from None


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
