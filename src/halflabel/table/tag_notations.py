"""Cells of tags: from a cell to its tags, and from tags to a cell, in six notations."""

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
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from halflabel._wording import quoted
from halflabel.labels.answers import fold_word
from halflabel.labels.tables import is_missing
from halflabel.table.tag_text import fold_tag, quote_tag, split_tags, unquote_tag
from halflabel.table.words import find_plain_meaning, is_empty_list, is_nothing

#: The types of lists.
LISTS = (list, tuple, set, frozenset, np.ndarray)

#: Characters of the longest cell that is read as a list.
MAX_CELL = 100_000

#: A missing value between the commas of a list that is written as text.
_NULL = re.compile(r"(?<=[\[(,])\s*(?:NULL|null|nan|NaN|<NA>)\s*(?=[,\])])")

#: Text with a mark between tags, or with marks around each; lists and objects, as text or in memory.
Form = Literal["separated", "marked", "json", "python", "list", "object"]


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

    form: Form = "separated"
    #: The separator of the form "separated", where an empty one means that a cell is one tag.
    sep: str = ";"
    glue: str = ";"  #: The text between two tags, as the table writes it.
    #: The mark before each tag, or the marks before and after it; the brackets of a list of Python, and of an object
    #: that is text.
    around: str = ""
    #: Whether tags have scores: "given" leaves them out, "prior" reads a tag with a score as the suggestion of a model.
    scores: Literal["", "given", "prior"] = ""
    #: The keys of the name, the score and the value of a tag that is an object; an empty text for a key that there is
    #: not. A value states whether the item has the tag.
    fields: tuple[str, ...] = ()
    one: Any = True  #: The value of a tag that an item has.
    #: The value of each tag that is not a text wherever it is given: ``{"id": 3, "name": "rock"}``, or a number.
    objects: Mapping[str, Any] = field(default_factory=dict)
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

    @property
    def has_numbers(self) -> bool:
        """Whether tags are numbers."""
        return bool(self.objects) and not self.fields

    def read(self, cell: Any) -> list[str] | None:
        """Return the tags that a cell gives to its item, or None for a cell without any value."""
        tags = take_tags(self.read_parts(cell))
        return None if tags is None else [tag.name for tag in tags if tag.relevant]

    def read_parts(self, cell: Any) -> Parts:
        """Return the tags of a cell, and None for each missing value among them. A missing cell is None."""
        raw = self.cut(cell)
        return None if raw is None else [
            self._read_tag(part) for part in raw if not self.no or self.fold(part) not in self.no]  # fmt: skip

    def find_word(self, cell: Any) -> str | None:
        """Return the first word for "no tag", or for a missing value, of a cell."""
        words = self.stated
        parts = (self.cut(cell) or ()) if words else ()
        return next((self.name_part(part) for part in parts if self.fold(part) in words), None)

    def name_part(self, part: Any) -> str:
        """Return the text of a part of a cell: of an object the name in it."""
        if isinstance(part, str):
            return part.strip()
        name = part.get((self.fields or ("name",))[0]) if isinstance(part, Mapping) else part
        return "" if is_missing(name) else str(name).strip()

    def fold(self, part: Any) -> str:
        """Return the text of a part of a cell as words are compared."""
        return fold_word(self.name_part(part))

    def cut(self, cell: Any) -> list[Any] | None:
        """Return the parts of a cell as they are written: texts, objects, numbers, or missing values."""
        if isinstance(cell, LISTS):
            return _check_parts(cell)
        if isinstance(cell, Mapping):
            return self._open(cell)
        if not isinstance(cell, str):
            if is_missing(cell):
                return None
            raise ValueError("text or a list was expected")
        text = cell.strip()
        if not text:
            return None
        if fold_word(text) in self.stated or self.form == "list":
            return [text]
        if self.form == "separated":  # a word such as N/A is whole, whatever separates tags
            is_word = is_nothing(text) and text.strip(f"{self.sep} ")
            return [text] if is_word else [part for part in split_tags(text, self.sep) if part] or None
        if is_empty_list(text) and self.around != "#":
            return []
        return self._cut_marked(text) or None if self.form == "marked" else self._parse(text)

    def edit(self, cell: Any, added: Sequence[str] = (), dropped: Iterable[str] = ()) -> Any:
        """Return a cell with more tags, or with fewer. All other tags stay as they are written."""
        gone, words = set(dropped), self.stated
        raw = [part for part in self.cut(cell) or () if self.fold(part) not in words]
        tags = [self._read_tag(part) for part in raw]
        kept = [part for part, tag in zip(raw, tags, strict=True) if tag is not None and tag.name not in gone]
        return self._join([*kept, *map(self._write_tag, added)])

    def write(self, tags: Sequence[str]) -> Any:
        """Return a cell with these tags."""
        return self._join(list(map(self._write_tag, tags)))

    def _cut_marked(self, text: str) -> list[Any]:
        """Return the parts between marks: ``<a><b>``, ``#a #b``."""
        before, after = self.around[:1], self.around[1:]
        if not (text.startswith(before) and text.endswith(after)):
            raise ValueError(f"{self.around!r} was expected around each tag")
        between = rf"[^{self.around}]*" if after else r"[\s,;|]+" if self.glue else ""
        parts = re.split(after + between + before, text[1 : len(text) - len(after)])
        return [part for each in parts if (part := each.strip(" \t\n,;|"))]

    def _parse(self, text: str) -> list[Any]:
        """Return the parts of a list or an object that is written as text. Nothing is executed."""
        value = _parse(text, _parse_python if self.form == "python" else json.loads)
        if isinstance(value, dict) and self.form == "object":
            return self._open(value)
        return _check_list(value, bool(self.fields))

    def _open(self, cell: Mapping[str, Any]) -> list[Any]:
        """Return the parts of an object: ``{"a": true, "b": false}``."""
        if self.form != "object":
            raise ValueError("an object was not expected")
        if any(isinstance(each, Mapping | list) for each in cell.values()):
            raise ValueError("an object of names and values was expected")
        name, score, value = self.fields or ("name", "", "value")
        return [{name: tag, score or value: each} for tag, each in cell.items()]

    def _join(self, raw: list[Any]) -> Any:
        """Return the cell of parts."""
        if self.form == "separated":
            return self.glue.join(part.strip() for part in raw)
        if self.form == "marked":
            before, after = self.around[:1], self.around[1:]
            return self.glue.join(f"{before}{part}{after}" for part in raw) or (after and self.around)
        if self.form == "python":
            inner = ", ".join(map(repr, raw))
            of_set = f"{{{inner}}}" if raw else "set()"
            return repr(tuple(raw)) if self.around == "()" else of_set if self.around == "{}" else repr(raw)
        value: Any = raw
        if self.form == "object":
            name, score, has = self.fields or ("name", "", "value")
            value = {part[name]: part.get(score or has, self.one) for part in raw}
        return json.dumps(value, ensure_ascii=False) if self.form == "json" or self.around else value

    def _read_tag(self, raw: Any) -> Tag | None:
        """Return the tag of a part, or None for a missing value."""
        text = self.name_part(raw)
        if not text or fold_word(text) in self.unknown:
            return None
        if isinstance(raw, Mapping):
            _, score, value = self.fields or ("name", "", "")
            tag = self._make_tag(text, raw.get(score))
            return tag._replace(relevant=self._read_value(raw.get(value))) if value else tag
        return self._make_tag((unquote_tag(text) if self.form == "separated" else None) or text, None)

    def _make_tag(self, text: str, score: Any) -> Tag:
        suggested = None if is_missing(score) or self.scores != "prior" else float(score)
        return Tag(self._spelling.get(fold_tag(text), text) if self.names else text, True, suggested)

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
        if self.fields:
            name, _, value = self.fields
            return {**self.objects.get(tag, {name: tag}), **({value: self.one} if value else {})}
        if self.form == "separated" and self.sep:
            return quote_tag(tag, self.sep)
        return self.objects.get(tag, tag)


def _describe(notation: TagNotation) -> str:
    around = notation.around
    if notation.form == "separated":
        between = {" ": "blanks", "\n": "line breaks", "\t": "tabs"}.get(notation.sep, repr(notation.sep))
        return f"separated by {between}" if notation.sep else "one tag in each cell"
    if notation.form == "object":
        return "objects with a value of each tag"
    if notation.form == "marked":
        return f"each {'in' if len(around) > 1 else 'after'} {around!r}"
    if notation.fields:
        return f"lists of objects, of which {notation.fields[0]!r} is the tag"
    plain = "lists of numbers" if notation.has_numbers else "lists"
    return {"json": "JSON lists", "python": "lists as Python writes them"}.get(notation.form, plain)


def take_tags(parts: Parts) -> list[Tag] | None:
    """Return the tags that a cell gives, or None if it is missing, or has missing values and suggestions only."""
    tags = [tag for tag in parts or () if tag is not None and tag.score is None]
    return None if parts is None or (parts and not tags) else tags


def name_open_column(tags: str) -> str:
    """Return the name of the column that lists the undecided labels of a tags column."""
    return f"{tags}_open"


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


def _check_parts(cell: Iterable[Any]) -> list[Any]:
    """Return the parts of a list: text, numbers, missing values, or objects with a name."""
    parts = list(cell)
    for part in parts:
        if isinstance(part, LISTS):
            raise ValueError("a list in a list was not expected")
        if not isinstance(part, str | numbers.Number | np.bool_ | Mapping) and not is_missing(part):
            raise ValueError(f"{type(part).__name__} was not expected in a list of tags, which are text")
    return parts


def _check_list(value: Any, objects: bool) -> list[Any]:
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
