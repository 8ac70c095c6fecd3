"""Cells that hold the tags of an item: how a notation is read, and how tags are written in it.

How the notation of a column is recognised is in :mod:`halflabel.table.tag_recognition`.
"""

from __future__ import annotations

import ast
import json
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from halflabel.labels.answers import fold_word
from halflabel.table.nothing_words import is_empty_list, is_nothing
from halflabel.table.tag_calls import Call
from halflabel.table.tag_marks import NAME, Mark
from halflabel.table.tag_text import fold_tag, quote_tag, read_score, split_tags, strip_number, unquote_tag
from halflabel.table.word_meanings import find_plain_meaning

#: The marks of a list.
BRACKETS = ("[]", "()", "{}")

#: Characters of the longest cell that is read as a list.
MAX_CELL = 100_000

#: A missing value between the commas of a list that is written as text.
_NULL = re.compile(r"(?<=[\[(,])\s*(?:NULL|null|nan|NaN|<NA>)\s*(?=[,\])])")

Form = Literal["separated", "wrapped", "prefixed", "call", "json", "python", "choices", "list", "numbers", "object"]

#: The types of lists.
LISTS = (list, tuple, set, frozenset, np.ndarray)

#: Forms that are lists or objects written as text.
_LISTS = ("json", "python", "choices")


class Tag(NamedTuple):
    """One tag of a cell.

    Parameters
    ----------
    name : str
    relevant : bool or None
        False for a tag that the item is known not to have, such as ``-rock``; None for one that it may have.
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

    #: Text with separators, ``<a><b>``, ``#a #b``, ``["a", "b"]``, ``['a', 'b']``, ``{"choices": ["a", "b"]}``
    #: (Label Studio; a single tag is not in a list), lists of text, lists of whole numbers,
    #: ``{"a": true, "b": false}``. One of "separated", "wrapped", "prefixed", "call", "json", "python", "choices",
    #: "list", "numbers", "object".
    form: Form = "separated"
    #: The separator of the form "separated", where an empty one means that a cell is one tag; the two marks of the
    #: form "wrapped"; the mark of the form "prefixed".
    sep: str = ";"
    glue: str = ";"  #: The text between two tags, as the table writes it.
    #: The two brackets around a whole cell of the form "separated", such as ``{a,b}`` of a database.
    around: str = ""
    call: Call | None = None  #: The notation of the form "call", a list as a program prints it.
    #: The marks around names, and the mark before each tag that an item has.
    marks: tuple[Mark, ...] = ()
    plus: str = ""
    #: Whether tags have scores, such as ``rock:0.9``: "given" leaves the scores out, "prior" reads a tag with a
    #: score as the suggestion of a model. One of "", "given", "prior".
    #: "numbers" leaves numbers of another kind out, such as ``rock x3``.
    scores: Literal["", "given", "prior", "numbers"] = ""
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
        between = {" ": "blanks", "\n": "line breaks", "\t": "tabs"}.get(self.sep, repr(self.sep))
        whole = f"separated by {between}" if self.sep else "one tag in each cell"
        parts = [
            {
                "separated": whole + (f" in {self.around!r}" if self.around else ""),
                "wrapped": f"each in {self.sep!r}",
                "prefixed": f"each after {self.sep!r}",
                "call": f"as {self.call.write(['a', 'b'])}" if self.call else "",
                "json": "JSON lists",
                "python": "lists as Python writes them",
                "choices": "choices of Label Studio",
                "list": f"lists of objects, of which {self.fields[0]!r} is the tag" if self.fields else "lists",
                "numbers": "lists of numbers",
                "object": "objects with a value of each tag",
            }[self.form]
        ]
        meaning = {True: "has", False: "does not have", None: "may have"}
        parts += [f"{NAME.join(mark[:2])!r} is a tag that an item {meaning[mark.relevant]}" for mark in self.marks]
        has_value = self.form != "object" and any(self.fields[2:])
        parts += [f"{self.fields[2]!r} states whether an item has it"] if has_value else []
        scored = {"given": "scores are left out", "prior": "a tag with a score is a suggestion",
                  "numbers": "numbers next to tags are left out"}  # fmt: skip
        parts += [scored[self.scores]] if self.scores else []
        parts += ["upper and lower case are the same"] if self.names else []
        return "; ".join(parts)

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
        words = {*self.no, *self.unknown}
        parts = (self.cut(cell) or ()) if words else ()
        return next((str(part).strip() for part in parts if fold_word(str(part)) in words), None)

    def cut(self, cell: Any) -> list[Any] | None:
        """Return the parts of a cell as they are written: texts, objects, numbers, or missing values."""
        if isinstance(cell, LISTS):
            return _list_parts(cell)
        if isinstance(cell, Mapping):
            return _split_object(cell) if self.form != "object" else self._split_values(cell)
        if not isinstance(cell, str):
            if is_missing(cell):
                return None
            raise ValueError("text or a list was expected")
        if not cell.strip():
            return None
        if fold_word(cell) in {*self.no, *self.unknown}:
            return [cell.strip()]
        if self._has_lists and is_empty_list(cell):  # which is not an empty cell
            return []
        if self.form == "object":
            return self._split_values(read_object(cell))
        if self.form in _LISTS:
            return _parse(cell, self.form, objects=bool(self.fields))
        parts = self._cut_text(cell.strip())
        return parts if any(parts) else None

    @property
    def shows_lists(self) -> bool:
        """Whether a text without the marks of this notation is neither a list nor a single tag."""
        is_single = self.form == "choices" or (self.call is not None and self.call.has_single)
        return bool(self.around) or (self.form != "separated" and not is_single)

    @property
    def _has_lists(self) -> bool:
        """Whether the marks of a list are around all tags of a cell, or around each."""
        return self.form in ("call", "object", *_LISTS) or bool(self.around) or self.sep in ("<>", *BRACKETS)

    def edit(self, cell: Any, added: Sequence[str] = (), dropped: Iterable[str] = ()) -> Any:
        """Return a cell with more tags, or with fewer. All other tags stay as they are written."""
        gone, words = set(dropped), {*self.no, *self.unknown}
        raw = [part for part in self.cut(cell) or () if fold_word(str(part)) not in words]
        tags = [self._read_tag(part) for part in raw]
        kept = [part for part, tag in zip(raw, tags, strict=True) if tag is not None and tag.name not in gone]
        return self._join([*kept, *map(self._write_tag, added)])

    def write(self, tags: Sequence[str]) -> Any:
        """Return a cell with these tags."""
        return self._join(list(map(self._write_tag, tags)))

    def _cut_text(self, text: str) -> list[str]:
        if self.form == "wrapped":
            if text[0] + text[-1] != self.sep:
                raise ValueError(f"{self.sep!r} was expected around each tag")
            return match_wrapped(self.sep).findall(text)
        if self.form == "prefixed":
            mark = re.escape(self.sep)
            if not text.startswith(self.sep):
                raise ValueError(f"{self.sep!r} was expected before each tag")
            between = r"[\s,;|]*\n\s*" if "\n" in self.glue else r"[\s,;|]+"
            parts = re.split(mark if self.glue == self.sep else rf"(?:^|{between}){mark}", text)
            return [part.strip() for part in parts if part.strip()]
        if self.call is not None:
            return self.call.read(text)
        if self.around and text[0] + text[-1] == self.around:
            text = text[1:-1]
        is_word = is_nothing(text) and text.strip(f"{self.sep} ")  # such as N/A, whatever separates tags
        return [text] if is_word else [part for part in split_tags(text, self.sep) if part]

    def _split_values(self, cell: Mapping[str, Any]) -> list[Any]:
        """Return the tags of an object of names and values."""
        name, score, value = self.fields or ("name", "", "value")
        return [{name: tag, score or value: each} for tag, each in cell.items()]

    def _read_tag(self, raw: Any) -> Tag | None:
        """Return the tag of a part, or None for a missing value."""
        if isinstance(raw, Mapping):
            name, score, value = self.fields or ("name", "", "")
            tag = self._make_tag(raw.get(name), raw.get(score))
            has = self._read_value(raw.get(value)) if value else True
            return tag if tag is None or has else tag._replace(relevant=has)
        if is_missing(raw) or fold_word(str(raw)) in self.unknown:
            return None
        text = str(raw).strip()
        if not text:
            return None
        literal = unquote_tag(text) if self.form == "separated" else None
        if literal is not None:
            return Tag(self._spelling.get(fold_tag(literal), literal))
        if self.scores == "numbers":
            text = strip_number(text)
        return self._make_tag(*(read_score(text) if self.scores else (text, None)))

    def _make_tag(self, name: Any, score: Any) -> Tag | None:
        text = "" if is_missing(name) else str(name).strip()
        fits = ((inner, mark.relevant) for mark in self.marks if (inner := mark.strip(text)))
        text, relevant = next(fits, (text, True))
        suggested = None if is_missing(score) or self.scores != "prior" else float(score)
        return Tag(self._spelling.get(fold_tag(text), text), relevant, suggested) if text else None

    def _read_value(self, value: Any) -> bool | None:
        """Return whether a value means that an item has a tag, or None if it may have it."""
        if isinstance(value, bool | np.bool_) or is_missing(value):
            return None if is_missing(value) else bool(value)
        word = fold_word(str(value))
        if word in self.unknown:
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
        is_plain = not any(mark.strip(tag) for mark in self.marks)
        tag = f"{self.plus}{tag}"
        return quote_tag(tag, self.sep, is_plain=is_plain) if self.form == "separated" and self.sep else tag

    def _join(self, raw: list[Any]) -> Any:
        """Return a cell of parts as they are written."""
        if self.form == "object":
            name, score, value = self.fields or ("name", "", "value")
            values = {part[name]: part.get(score or value, self.one) for part in raw}
            return json.dumps(values, ensure_ascii=False) if self.around else values
        if self.form == "separated":
            left, right = self.around[:1], self.around[1:]
            return f"{left}{self.glue.join(part.strip() for part in raw)}{right}"
        if self.form == "wrapped":
            empty = self.sep if self._has_lists else ""
            return self.glue.join(f"{self.sep[0]}{part}{self.sep[1]}" for part in raw) or empty
        if self.form == "prefixed":
            return self.glue.removesuffix(self.sep).join(f"{self.sep}{part}" for part in raw)
        if self.call is not None:
            return self.call.write(raw)
        if self.form == "choices":
            return raw[0] if len(raw) == 1 else json.dumps({"choices": raw}, ensure_ascii=False)
        if self.form == "json":
            return json.dumps(raw, ensure_ascii=False)
        return repr(raw) if self.form == "python" else raw


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


def match_wrapped(pair: str) -> re.Pattern[str]:
    """Return the pattern of a tag between two marks. An apostrophe inside a word is a part of a name.

    Examples
    --------
    >>> match_wrapped("<>").findall("<a><b>"), match_wrapped("''").findall("'drum'n'bass', 'a'")
    (['a', 'b'], ["drum'n'bass", 'a'])
    """
    left, right = map(re.escape, pair)
    inner = rf"[^{left}{right}]" if left != right else rf"(?:[^{left}]|(?<=\w){left}(?=\w))"
    return re.compile(f"{left}({inner}*){right}")


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


def read_list(cell: str, form: str) -> list[Any]:
    """Return the parts of a list that is written as text, which may be objects. Nothing is executed."""
    return _parse(cell, form, objects=True)


def read_object(cell: str) -> dict[str, Any]:
    """Return an object of names and values that is written as text."""
    try:
        value = json.loads(cell) if len(cell) <= MAX_CELL else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or any(isinstance(each, dict | list) for each in value.values()):
        raise ValueError("an object of names and values was expected")
    return value


def _split_object(cell: Mapping[str, Any]) -> list[Any]:
    """Return the tags of an object of Label Studio, ``{"choices": ["a", "b"]}``."""
    if "choices" not in cell:
        raise ValueError("an object was not expected")
    chosen = cell["choices"]
    return list(chosen) if isinstance(chosen, list | tuple | np.ndarray) else [chosen]


def _parse(cell: str, form: str, *, objects: bool) -> list[Any]:
    if len(cell) > MAX_CELL:
        raise ValueError(f"the cell has more than {MAX_CELL:,} characters")
    try:
        value = _parse_python(cell) if form == "python" else json.loads(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        if form == "choices" and not cell.startswith(("{", "[")):
            return [cell]
        raise ValueError("the list is not well formed") from None
    if form == "choices" and isinstance(value, dict):
        value = value.get("choices")
    if isinstance(value, str) and form == "choices":
        return [value]
    nested = list | tuple | set | bytes | (type(None) if objects else dict)
    if isinstance(value, list | tuple) and ... in value:
        raise ValueError("the list was cut when it was written: '...'")
    if not isinstance(value, list | tuple | set) or any(tag is not None and isinstance(tag, nested) for tag in value):
        raise ValueError("a list of tags was expected")
    return list(value)


def _parse_python(cell: str) -> Any:
    """Return the value of a list as Python writes it, also with the missing values of databases and of pandas."""
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError):
        return ast.literal_eval(_NULL.sub("None", cell))
