"""The keys of a table's description: how the value of each is written on a command line and in a table file."""

from __future__ import annotations

import csv
import itertools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from halflabel._wording import quoted
from halflabel.labels.label_rules import is_rule

Kind = Literal["text", "names", "words", "rules", "choice", "number", "share", "path", "size"]

#: The kinds of items and labels, as the keys about them name it.
Place = Literal["file", "columns", "tags", "pairs", "further"]


@dataclass(frozen=True)
class Key:
    """One key of the description of a table: a field of the record, an argument, an option, a key of a table file."""

    name: str
    help: str  #: One line for people.
    #: The kind of its value. Names that may be empty, as a cell can be, are words.
    kind: Kind = "text"
    metavar: str = "COL"  #: The name of its value in the help.
    choices: tuple[str, ...] = ()  #: The values of the kind "choice".
    #: The kinds of items and labels that it is about, if it has no effect on others.
    about: tuple[Place, ...] = ()

    @property
    def flag(self) -> str:
        """Its option."""
        return "--" + self.name.replace("_", "-")

    @property
    def is_list(self) -> bool:
        """Whether it has several values."""
        return self.kind in ("names", "words", "rules")

    def convert(self, value: Any) -> Any:
        """Return a value of Python as the record holds it.

        Raises
        ------
        ValueError
            If it is not a value of this kind.
        """
        if self.kind == "path" and isinstance(value, int):
            return str(value)  # the name of a column
        if value is None or self.kind in ("path", "number", "size"):
            return value
        if self.is_list:
            return self._check_rules((value,) if isinstance(value, str | int | float | os.PathLike) else value)
        if self.kind == "choice" and value not in self.choices:
            raise ValueError(f"{self.name} must be {' or '.join(map(repr, self.choices))}, not {value!r:.80}.")
        if hasattr(value, "__len__") and not isinstance(value, str | tuple):
            raise ValueError(
                f"{self.name} is a name, not {len(value)} values: add them to the table as a column, such as "
                f"pd.DataFrame(items).assign({self.name}=values), and give the name, such as {self.name}={self.name!r}."
            )
        return str(value)

    def parse(self, texts: Iterable[str]) -> Any:
        """Return the value that a command line states. Several texts are several names.

        Raises
        ------
        ValueError
            If a text is not a value of this kind.
        """
        texts = list(texts)
        if self.kind == "rules":
            return self._check_rules(texts)
        if self.is_list:
            return split_names(texts, keep_empty=self.kind == "words")
        if len(texts) > 1:
            raise ValueError(f"{self.name} was given {len(texts)} times: give it once.")
        return self._parse_one(texts[0])

    def load(self, value: Any) -> Any:
        """Return the value that a table file states.

        Raises
        ------
        ValueError
            If it is not a value of this kind.
        """
        kinds: tuple[type, ...] = (list,) if self.is_list else (int,) if self.kind == "number" else (str,)
        wrong = not isinstance(value, kinds) or isinstance(value, bool)
        if wrong or (self.is_list and not all(isinstance(name, str) for name in value)):
            noun = "a list of texts" if self.is_list else "a whole number" if self.kind == "number" else "a text"
            raise ValueError(f"{self.name} must be {noun}, not {value!r:.80}")
        return tuple(value) if self.is_list else self._parse_one(str(value))

    def _check_rules(self, values: Iterable[Any]) -> tuple[str, ...]:
        texts = tuple(map(str, values))
        if self.kind == "rules" and (wrong := [text for text in texts if not is_rule(text)]):
            raise ValueError(
                f"{wrong[0]!r:.80} is not a rule between labels: write 'a -> b', 'one of: a, b' or 'at most one of: a, "
                "b'; the list of rules of a table file holds many"
            )
        return texts

    def _parse_one(self, text: str) -> Any:
        if self.kind == "size":
            return parse_size(text)
        if self.kind == "choice" and text not in self.choices:
            raise ValueError(f"{self.name} is one of {quoted(self.choices)}, not {text!r:.80}")
        if self.kind == "number":
            if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
                raise ValueError(f"{self.name} is a whole number of 1 or more, not {text!r:.80}")
            return int(text)
        if self.kind == "share" and text != "ask":
            return parse_share(self.name, text)
        if not text:
            raise ValueError(f"{self.name} is empty")
        return text


def key(help: str, kind: Kind = "text", metavar: str = "COL", *, default: Any = None, **more: Any) -> Any:
    """Return a field of a record with its key, which has the name of the field."""
    kind = "choice" if "choices" in more else kind
    return field(default=default, metadata={"help": help, "kind": kind, "metavar": metavar, **more})


def split_names(texts: Iterable[str], *, keep_empty: bool = False) -> tuple[str, ...]:
    """Return names with commas between them. A name with a comma is in quotes.

    Examples
    --------
    >>> split_names(["rock, sad", '"a,b"'])
    ('rock', 'sad', 'a,b')
    >>> split_names(["no,"], keep_empty=True), split_names([""], keep_empty=True)
    (('no', ''), ('',))
    """
    try:
        rows = [row or [""] for row in csv.reader(texts, skipinitialspace=True)]
    except csv.Error:
        raise ValueError(f"names have commas between them, not line breaks: {quoted(texts)}") from None
    names = [name.strip() for name in itertools.chain.from_iterable(rows)]
    return tuple(name for name in names if name or keep_empty)


def parse_share(name: str, text: str) -> float:
    """Return the number of a text. Whether it is a share is checked with the labels."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} is a number, such as 0.7, or ask, not {text!r:.80}") from None


def parse_size(text: str) -> tuple[int, int]:
    """Return the height and the width of a size such as 8x8."""
    height, _, width = text.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal() and int(height) and int(width)):
        raise ValueError(f"{text!r:.80} is not a height and a width in pixels, such as 8x8")
    return int(height), int(width)
