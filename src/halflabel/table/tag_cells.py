"""Cells that hold the tags of an item: from a cell to its tags, and from tags to a cell in the notation of its column.

The notations are in :mod:`halflabel.table.tag_notations`, and :mod:`halflabel.table.tag_recognition` finds that of a
column.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from halflabel.labels.answers import fold_word
from halflabel.table.nothing_words import is_empty_list
from halflabel.table.tag_notations import NOTATIONS, Form, Object, describe_notation
from halflabel.table.tag_text import fold_tag, quote_tag, unquote_tag
from halflabel.table.word_meanings import find_plain_meaning

#: The types of lists.
LISTS = (list, tuple, set, frozenset, np.ndarray)


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
    #: Words that mean "no tag", and words that mean a missing value.
    no: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  #: The spelling of each tag, where upper and lower case are the same.

    @property
    def description(self) -> str:
        """The notation, for a sentence."""
        parts = [describe_notation(self)]
        has_value = self.form != "object" and any(self.fields[2:])
        parts += [f"{self.fields[2]!r} states whether an item has it"] if has_value else []
        scored = {"given": "scores are left out", "prior": "a tag with a score is a suggestion"}
        parts += [scored[self.scores]] if self.scores else []
        parts += ["upper and lower case are the same"] if self.names else []
        return "; ".join(parts)

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
        if raw is None:
            return None
        listed = [part for part in raw if fold_word(str(part)) not in self.no]
        return [self._read_tag(part) for part in listed]

    def find_word(self, cell: Any) -> str | None:
        """Return the first word for "no tag", or for a missing value, of a cell."""
        words = self.stated
        parts = (self.cut(cell) or ()) if words else ()
        return next((str(part).strip() for part in parts if fold_word(str(part)) in words), None)

    def cut(self, cell: Any) -> list[Any] | None:
        """Return the parts of a cell as they are written: texts, objects, numbers, or missing values."""
        if isinstance(cell, LISTS):
            return _list_parts(cell)
        if isinstance(cell, Mapping):
            return Object().cut_object(cell, self) if self.form == "object" else _take_choices(cell)
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
        return Tag(self._spelling.get(fold_tag(text), text), True, suggested) if text else None

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
            return {self.fields[0]: tag, **({self.fields[2]: self.one} if self.fields[2] else {})}
        return quote_tag(tag, self.sep) if self.form == "separated" and self.sep else tag


def take_tags(parts: Parts) -> list[Tag] | None:
    """Return the tags that a cell gives, or None if it is missing, or has missing values and suggestions only."""
    tags = [tag for tag in parts or () if tag is not None and tag.score is None]
    return None if parts is None or (parts and not tags) else tags


def name_open_column(tags: str) -> str:
    """Return the name of the column that lists the undecided labels of a tags column."""
    return f"{tags}_open"


def _list_parts(cell: Iterable[Any]) -> list[Any]:
    """Return the parts of a list: text, numbers, missing values, or objects with a name."""
    parts = list(cell)
    for part in parts:
        if isinstance(part, LISTS):
            raise ValueError("a list in a list was not expected")
        if not isinstance(part, str | numbers.Number | np.bool_ | Mapping) and not is_missing(part):
            raise ValueError(f"{type(part).__name__} was not expected in a list of tags, which are text")
    return parts


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


def _take_choices(cell: Mapping[str, Any]) -> list[Any]:
    """Return the tags of an object of Label Studio, ``{"choices": ["a", "b"]}``."""
    if "choices" not in cell:
        raise ValueError("an object was not expected")
    chosen = cell["choices"]
    return list(chosen) if isinstance(chosen, list | tuple | np.ndarray) else [chosen]
