"""Cells that hold the tags of an item, in whichever notation a table writes them: recognised, read and written back."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from halflabel._wording import option, quoted

#: Separators that are recognised; the first is the one that stays where no cell holds any.
SEPARATORS = (";", ",", "|")

#: Characters of the longest cell that is read as a list.
MAX_CELL = 100_000

#: A missing value between the commas of a list that is written as text.
_NULL = re.compile(r"(?<=[\[(,])\s*(?:NULL|null|nan|NaN|<NA>)\s*(?=[,\])])")

Form = Literal["separated", "json", "python", "choices", "list", "numbers"]


@dataclass(frozen=True)
class TagNotation:
    """How a column writes the tags of an item.

    Parameters
    ----------
    form : {"separated", "json", "python", "choices", "list", "numbers"}
        Text with separators, ``["a", "b"]``, ``['a', 'b']``, ``{"choices": ["a", "b"]}`` (Label Studio; a single tag
        is not in a list), lists of text, lists of whole numbers.
    sep : str
        The separator, for the form "separated".
    glue : str
        The separator with the blank that follows it in the table.
    """

    form: Form = "separated"
    sep: str = ";"
    glue: str = ";"

    @property
    def description(self) -> str:
        """The notation, for a sentence."""
        return {
            "separated": f"separated by {self.sep!r}",
            "json": "JSON lists",
            "python": "lists as Python writes them",
            "choices": "choices of Label Studio",
            "list": "lists",
            "numbers": "lists of numbers",
        }[self.form]

    def read(self, cell: Any) -> list[str] | None:
        """Return the tags of a cell, stripped, or None for a cell that is missing, or holds missing values only.

        Raises
        ------
        ValueError
            If the cell is not written in this notation.
        """
        return take_tags(self.read_parts(cell))

    def read_parts(self, cell: Any) -> list[str | None] | None:
        """Return the tags of a cell, and None for each missing value among them. A missing cell is None.

        Raises
        ------
        ValueError
            If the cell is not written in this notation.
        """
        if isinstance(cell, list | tuple | set | np.ndarray):
            return [_strip_tag(tag) for tag in cell]
        if not isinstance(cell, str):
            if _is_missing(cell):
                return None
            raise ValueError("text or a list was expected")
        if not cell.strip():
            return None
        if self.form == "separated":
            return [tag for tag in map(_strip_tag, cell.split(self.sep)) if tag] or None
        return [_strip_tag(tag) for tag in _parse(cell, self.form)]

    def write(self, tags: Sequence[str]) -> Any:
        """Return a cell with these tags."""
        if self.form == "separated":
            return self.glue.join(tags)
        if self.form == "choices":
            return tags[0] if len(tags) == 1 else json.dumps({"choices": list(tags)}, ensure_ascii=False)
        if self.form == "json":
            return json.dumps(list(tags), ensure_ascii=False)
        if self.form == "python":
            return repr(list(tags))
        return [int(tag) for tag in tags] if self.form == "numbers" else list(tags)


def take_tags(parts: list[str | None] | None) -> list[str] | None:
    """Return the tags of a cell without missing values, or None if the cell is missing or holds only missing values."""
    tags = [tag for tag in parts or () if tag is not None]
    return None if parts is None or (parts and not tags) else tags


def name_open_column(tags: str) -> str:
    """Return the name of the column that lists the undecided labels of a tags column."""
    return f"{tags}_open"


def recognise_tags(column: pd.Series[Any], sep: str | None) -> TagNotation:
    """Return the notation of a column of tags.

    Parameters
    ----------
    column : Series
    sep : str or None
        The separator as stated by the user; None recognises it.

    Raises
    ------
    ValueError
        If two separators are equally likely.
    """
    lists = next((cell for cell in column if isinstance(cell, list | tuple | set | np.ndarray) and len(cell)), None)
    if lists is not None:
        tags = [tag for cell in column if isinstance(cell, list | tuple | set | np.ndarray) for tag in cell]
        numbers = all(isinstance(tag, int | np.integer) for tag in tags if not _is_missing(tag))
        return TagNotation("numbers" if numbers else "list")
    texts = [cell.strip() for cell in column if isinstance(cell, str) and cell.strip()]
    if sep is None:
        form = _form_of(texts)
        if form is not None:
            return TagNotation(form)
    mark = sep or _separator(texts, str(column.name))
    return TagNotation("separated", mark, f"{mark} " if any(f"{mark} " in text for text in texts) else mark)


def _form_of(texts: list[str]) -> Form | None:
    """Return the form of cells that are lists written as text, if any is."""
    if any(text.startswith("{") and text.endswith("}") for text in texts):
        return "choices"
    listed = [text for text in texts if text.startswith("[") and text.endswith("]")]
    if len(listed) < max(1, len(texts) / 2):
        return None
    try:
        for text in listed:
            _parse(text, "json")
    except ValueError:
        return "python"
    return "json"


def _separator(texts: list[str], name: str) -> str:
    found = [mark for mark in SEPARATORS if any(mark in text for text in texts)]
    if len(found) < 2 or found[0] == SEPARATORS[0]:
        return found[0] if found else SEPARATORS[0]
    cells = {mark: sum(mark in text for text in texts) for mark in found}
    likely = max(found, key=lambda mark: cells[mark])
    raise ValueError(
        f"the cells of the tags column {name!r} hold {quoted(found)}: name the mark between tags with "
        f"{option('sep', likely)} (the likely one, in {cells[likely]} cells)."
    )


def _parse(cell: str, form: str) -> list[Any]:
    """Return the parts of a list that is written as text. Nothing is executed."""
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
    if not isinstance(value, list | tuple | set) or any(isinstance(tag, list | dict | tuple | set) for tag in value):
        raise ValueError("a list of tags was expected")
    return list(value)


def _parse_python(cell: str) -> Any:
    """Return the value of a list as Python writes it, also with the missing values of databases and of pandas."""
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError):
        return ast.literal_eval(_NULL.sub("None", cell))


def _strip_tag(tag: Any) -> str | None:
    """Return a tag without blanks around it, or None for a missing value and for a blank text."""
    return None if _is_missing(tag) else str(tag).strip() or None


def _is_missing(value: Any) -> bool:
    return value is None or (np.ndim(value) == 0 and bool(pd.isna(value)))
