"""The forms in which a column of tags has no tag for an item, with the meaning and the number of each form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halflabel._wording import option, plural
from halflabel.table.columns import Empty
from halflabel.table.tag_cells import take_tags

#: The tags and the missing values of a cell; None for a cell that is missing.
Parts = list[str | None] | None


@dataclass(frozen=True)
class Nothing:
    """How many cells have no tag, by form, and how many missing values are next to tags.

    Parameters
    ----------
    cells : int
        Missing or blank cells.
    lists : int
        Empty lists.
    nulls : int
        Lists of missing values only, such as ``[NULL]`` of a left join in a database.
    next_to : int
        Missing values in lists that hold a tag, too.
    """

    cells: int
    lists: int
    nulls: int
    next_to: int

    def describe(self, column: str, empty: Empty | None) -> tuple[str, ...]:
        """Return a sentence for each form that needs one. An empty list needs one if its meaning was stated."""
        forms = (
            (self.cells, "an empty cell", ""),
            (self.lists if empty is not None else 0, "an empty list", ""),
            (self.nulls, "a list of missing values only", f" ({option('empty', 'none')} states the opposite)"),
        )
        meaning = "annotated, without tags" if empty == "none" else "unlabelled"
        sentences = [
            f"{plural(number, 'item')} {'has' if number == 1 else 'have'} {form} in the tags column {column!r}: taken "
            f"as {meaning}{way if empty is None else ''}."
            for number, form, way in forms
            if number
        ]
        if self.next_to:
            sentences.append(f"{plural(self.next_to, 'missing value')} next to tags in the column {column!r} left out.")
        return tuple(sentences)


def count_nothing(cells: Sequence[Parts]) -> Nothing:
    """Return how many cells have no tag, by form.

    Examples
    --------
    >>> count_nothing([None, [], [None], ["rock", None]])
    Nothing(cells=1, lists=1, nulls=1, next_to=1)
    """
    tags = [take_tags(parts) for parts in cells]
    return Nothing(
        cells=sum(parts is None for parts in cells),
        lists=sum(parts == [] for parts in cells),
        nulls=sum(bool(parts) and not each for parts, each in zip(cells, tags, strict=True)),
        next_to=sum(parts.count(None) for parts, each in zip(cells, tags, strict=True) if parts and each),
    )


def read_meaning(parts: Parts, empty: Empty | None) -> list[str] | None:
    """Return the tags of an item: an empty list for an annotated item without tags, None for an unlabelled item.

    Examples
    --------
    >>> [read_meaning(parts, None) for parts in (None, [None], [], ["rock", None])]
    [None, None, [], ['rock']]
    >>> read_meaning([None], "none"), read_meaning([], "unlabelled")
    ([], None)
    """
    tags = take_tags(parts)
    if tags or empty is None:
        return tags
    return [] if empty == "none" else None
