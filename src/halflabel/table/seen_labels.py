"""The labels of a table of which none was named: its columns of yes, no and gaps, or its one column of tags."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import pandas as pd

from halflabel._arrays import Column
from halflabel._wording import quoted
from halflabel.labels import Absent
from halflabel.labels.answers import fold_word
from halflabel.table.cells import holds_only, infer_kind, read_as_text
from halflabel.table.columns import Description
from halflabel.table.question import Question
from halflabel.table.tag_recognition import recognise_tags
from halflabel.table.words import find_plain_meaning

#: Minimum share of the cells that hold several tags, in a column of text that is not called tags.
MIN_SEVERAL = 0.2

#: Names of columns of tags.
_NAME = re.compile(r"tags?|labels?|categor(y|ies)|topics?|genres?|keywords?|classes|subjects?|themes?", re.I)

#: The meanings of an unlisted tag. None of them is ever assumed.
ABSENT: tuple[tuple[str, Absent], ...] = (
    ("every tag was checked for every item, so that an unlisted one does not apply", "irrelevant"),
    ("a tag may be missing where it applies", "unknown"),
)


def ask_absent(found: str) -> Question:
    """Return the question about the meaning of a tag that an item does not list."""
    return Question(found, *((text, {"absent": meaning}) for text, meaning in ABSENT), likely=False)


def see_labels(frame: pd.DataFrame, columns: Description) -> Question | None:
    """Return the question about the labels that a table shows, which has one way if nothing else can be the labels.

    Parameters
    ----------
    frame : DataFrame
        Column names are text.
    columns : Description
        The columns that it names have another role.

    Examples
    --------
    >>> songs = pd.DataFrame({"tempo": [90.5, 91, 99], "rock": [1, 0, None], "sad": ["yes", None, "no"]})
    >>> print(see_labels(songs, Description()))
    No labels were named. If 'rock' and 'sad' are the labels, state labels=['rock', 'sad'].
    """
    single = (columns.id, columns.text, columns.group, columns.vectors)
    named = {*map(str, filter(None, single)), *columns.ignore, *(columns.features or ())}
    free = [name for name in map(str, frame.columns) if name not in named]
    binary = [name for name in free if _is_binary(frame[name])]
    open_ = [name for name in binary if frame[name].isna().any()]
    tags = [name for name in free if name not in binary and _holds_tags(frame[name])]
    called = [name for name in tags if _NAME.search(name)]
    ways: list[tuple[str, dict[str, Any]]] = []
    for labels in [open_, *([binary] if len(binary) > len(open_) else [])] if open_ else []:
        are = "is the label" if len(labels) == 1 else "are the labels"
        ways.append((f"{quoted(labels, 5)} {are}", {"labels": labels}))
    for name in (called or tags)[:2]:
        if columns.absent is not None:
            ways.append((f"{name!r} lists tags", {"tags": name}))
        else:
            ways += [(f"{name!r} lists tags, and {text}", {"tags": name, "absent": absent}) for text, absent in ABSENT]
    if not ways:
        return None
    others = [name for name in binary if name not in open_]
    left = f" {quoted(others, 5)} {'has' if len(others) == 1 else 'have'} yes and no, but no gap." if others else ""
    found = f"No labels were named.{left if open_ else ''}"
    return Question(found, *ways, likely=not tags or columns.absent is not None)


def _is_binary(column: Column) -> bool:
    """Return whether a column holds 0 and 1, or words for yes and no, and gaps."""
    kind = infer_kind(column)
    if kind == "numbers":
        return holds_only(column, (0, 1))
    if kind != "text":
        return False
    words: Collection[str] = {fold_word(text) for text in read_as_text(column) if text}
    return len(words) < 4 and all(find_plain_meaning(word) is not None for word in words)


def _holds_tags(column: Column) -> bool:
    """Return whether the cells of a column are lists of text, or text with several tags."""
    kind, is_called = infer_kind(column), _NAME.search(str(column.name)) is not None
    if kind not in ("lists", "text", "other"):
        return False
    try:
        notation = recognise_tags(column)
        lists = [names for cell in column if (names := notation.read(cell))]
    except Question:
        return is_called
    except ValueError:
        return False
    several = sum(len(names) > 1 for names in lists)
    distinct = len({name for names in lists for name in names})
    repeats = 2 * distinct <= sum(map(len, lists))
    are_numbers = notation.form == "list" and notation.has_numbers
    return repeats and not are_numbers and (is_called or several > MIN_SEVERAL * len(lists))
