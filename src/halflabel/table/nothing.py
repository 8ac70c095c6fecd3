"""The forms in which a table has nothing for an item or an entry, each with its meaning and its number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Mask
from halflabel._wording import Notes, option, plural
from halflabel.labels import PartialLabels
from halflabel.labels.answers import fold_word
from halflabel.table.cells import read_as_text
from halflabel.table.columns import Description, Empty
from halflabel.table.tag_notations import Parts, Tag, TagNotation, take_tags

#: The meanings of a form of nothing for an item.
IN_WORDS = {"relevant": "yes", "irrelevant": "no"}
UNLABELLED, WITHOUT_TAGS = "unlabelled", "annotated, without tags"


@dataclass(frozen=True)
class Form:
    """One form of nothing."""

    what: str  #: The form, such as "an empty cell".
    where: str  #: The column, such as "the tags column 'tags'".
    number: int  #: How many items, or entries, have it.
    meaning: str  #: Its meaning, such as "unlabelled".
    unit: str = "item"  #: One of "item", "entry".
    noted: bool = False  #: Whether it is a note, too.
    way: str = ""  #: How another meaning is stated.

    def __str__(self) -> str:
        number = plural(self.number, "value" if self.unit == "entry" else "item")
        what, way = f"{self.what[0].upper()}{self.what[1:]}", self.way and f" ({self.way})"
        return f"{what} in {self.where}: {number}, {IN_WORDS.get(self.meaning, self.meaning)}{way}."


def name_form(cell: Any, parts: Parts, notation: TagNotation) -> str | None:
    """Return the form in which a cell has no given tag, or None for a cell with a given tag.

    Examples
    --------
    >>> [name_form(None, parts, TagNotation()) for parts in (None, [], [None], [Tag("rock"), None])]
    ['an empty cell', 'an empty list', 'a list of missing values only', None]
    """
    if take_tags(parts):
        return None
    if parts is None:
        return "an empty cell"
    if (word := notation.find_word(cell)) is not None:
        return f"the word {word!r}"
    if any(tag is not None for tag in parts):
        return "suggestions of a model only"
    return "a list of missing values only" if parts else "an empty list"


def count_forms(
    cells: Sequence[Any], parts: Sequence[Parts], notation: TagNotation, column: str, empty: Empty | None
) -> tuple[Form, ...]:
    """Return the forms of nothing of a column of tags."""
    forms = Counter[str]()
    meanings: dict[str, str] = {}
    for cell, each in zip(cells, parts, strict=True):
        if (form := name_form(cell, each, notation)) is not None:
            forms[form] += 1
            meanings[form] = UNLABELLED if read_meaning(each, empty, form) is None else WITHOUT_TAGS
    where, opposite = f"the tags column {column!r}", f"{option('empty', 'none')} states the opposite"
    ways = {"a list of missing values only": opposite} if empty is None else {}
    return tuple(
        Form(form, where, number, meanings[form], "item", form != "an empty list" or empty is not None,
             ways.get(form, ""))
        for form, number in forms.items()
    )  # fmt: skip


def count_blanks(
    frame: pd.DataFrame, names: Sequence[str], meanings: Mapping[str, float] | None, unassigned: str | None
) -> tuple[Form, ...]:
    """Return the forms of nothing of label columns: empty cells, and words that mean unknown."""
    where = plural(len(names), "label column")
    blank = (meanings or {}).get("", np.nan)
    of_blank = "irrelevant" if blank == 0 else "relevant" if blank == 1 else unassigned or "unknown"
    number = int(frame[list(names)].isna().to_numpy().sum())
    words = Counter[str]()
    for name in names if meanings else ():
        texts = (text for text in read_as_text(frame[name]) if text is not None)
        words.update(text.strip() for text in texts if np.isnan((meanings or {}).get(fold_word(text), 0.0)))
    return (
        *((Form("an empty cell", where, number, of_blank, "entry"),) if number else ()),
        *(Form(f"the word {word!r}", where, n, "unknown", "entry") for word, n in words.items()),
    )


def count_zeros(table: PartialLabels, zeros: Mask, empty: Empty | None) -> tuple[Form, ...]:
    """Return the form of nothing of items whose label cells are all 0, as tables made of missing lists have them.

    It needs a note where there are more such items than labels that occur independently of each other would leave.
    """
    if not zeros.any():
        return ()
    others = table.state[~zeros]
    expected = len(others) * float(np.prod(1 - (others > 0).mean(axis=0))) if len(others) else 0.0
    meaning = UNLABELLED if empty == "unlabelled" else "annotated, without labels"
    noted = empty is None and zeros.sum() > 2 * expected + 3
    way = f"{option('empty', 'unlabelled')} if they were never annotated" if noted else ""
    return (Form("only 0", f"all {len(table.names)} label columns", int(zeros.sum()), meaning, "item", noted, way),)


def count_unlisted(labels: PartialLabels, columns: Description) -> tuple[Form, ...]:
    """Return the form of nothing of lists of tags: a tag that an annotated item does not list."""
    if columns.absent is None or (columns.tags is None and columns.pairs is None):
        return ()
    number = int((labels.annotated[:, None] & ~labels.relevant & (labels.positive_only | labels.observed)).sum())
    where = f"the tags column {columns.tags!r}" if columns.tags is not None else "the long table of tags"
    return (Form("a tag that is not listed", where, number, columns.absent, "entry"),)


def list_notes(forms: Sequence[Form]) -> Notes:
    """Return the sentences about the forms that are notes."""
    return tuple(str(form) for form in forms if form.noted)


def read_meaning(parts: Parts, empty: Empty | None, form: str = "") -> list[Tag] | None:
    """Return the given tags of an item: an empty list for an annotated item without tags, None for an unlabelled item.

    A word has the meaning that was stated for it.

    Examples
    --------
    >>> rock = Tag("rock")
    >>> [read_meaning(parts, None) for parts in (None, [None], [], [rock, None])] == [None, None, [], [rock]]
    True
    >>> read_meaning([None], "none"), read_meaning([], "unlabelled")
    ([], None)
    """
    tags = take_tags(parts)
    if tags or empty is None or form.startswith(("the word", "suggestions")):
        return tags
    return [] if empty == "none" else None
