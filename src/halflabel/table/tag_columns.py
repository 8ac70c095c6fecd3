"""A column of tags: from its cells to labels, and from filled labels back into its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Column, Floats, Mask
from halflabel._wording import Notes, clipped, name_row, option, plural
from halflabel.labels import Absent, PartialLabels
from halflabel.labels.tables import check_size
from halflabel.table.cells import write_out
from halflabel.table.columns import Description, Empty
from halflabel.table.label_reading import LabelReading
from halflabel.table.nothing import count_forms, list_notes, name_form, read_meaning
from halflabel.table.tag_notations import Parts, TagNotation
from halflabel.table.tag_recognition import recognise_tags

#: Minimum number of annotated items with one tag each that are taken for items with a class.
MIN_CLASSES = 10

#: Forms of a cell that becomes an empty list once all of its labels are decided.
_GAPS = ("an empty cell", "a list of missing values only")


def read_tags(column: Column, undecided: Column | None, absent: Absent, columns: Description) -> LabelReading:
    """Read a column of tags, together with the column of the labels that are still undecided."""
    notation, empty = recognise_tags(column, columns), columns.empty
    labels, parts, on_both = read_tag_cells(column, undecided, notation, absent, empty)
    name = str(column.name)
    forms = count_forms([cell for cell, _ in parts], [each for _, each in parts], notation, name, empty)
    missing = sum(each.count(None) for cell, each in parts if each and name_form(cell, each, notation) is None)
    next_to = f"{plural(missing, 'missing value')} next to tags in the column {name!r} left out."
    on_choice = () if columns.rules else _describe_single(labels, name)
    notes = (*list_notes(forms), *([next_to] if missing else []), *on_both, *on_choice)
    suggested = _take_scores([each for _, each in parts], labels) if notation.scores == "prior" else None
    return LabelReading(labels, notes, notation, forms, suggested)


def read_tag_cells(
    column: Column,
    undecided: Column | None,
    notation: TagNotation,
    absent: Absent,
    empty: Empty | None,
    known_names: Sequence[str] | None = None,
) -> tuple[PartialLabels, list[tuple[Any, Parts]], Notes]:
    """Return the labels of the cells, of all tags in them or of known names, and the cells that may hold nothing.

    An entry that is given as yes and as no is unknown: the last result names the first one.
    """
    cells = list(zip(column, read_tag_parts(column, notation), strict=True))
    still_open = [None] * len(cells) if undecided is None else list(map(notation.read, undecided))
    found = {tag.name for _, parts in cells for tag in parts or () if tag is not None}
    names = sorted(found.union(*(left or () for left in still_open))) if known_names is None else list(known_names)
    place = {name: j for j, name in enumerate(names)}
    check_size(len(cells), len(names))
    state, is_open = np.zeros((len(cells), len(names)), np.int8), np.zeros((len(cells), len(names)), dtype=bool)
    annotated, both = np.zeros(len(cells), dtype=bool), np.zeros_like(is_open)
    for row, ((cell, parts), left) in enumerate(zip(cells, still_open, strict=True)):
        tags = read_meaning(parts, empty, name_form(cell, parts, notation) or "")
        annotated[row] = tags is not None or bool(left)
        for tag in tags or ():
            if tag.name in place and tag.relevant is not None:
                value, j = 1 if tag.relevant else -1, place[tag.name]
                both[row, j] |= state[row, j] == -value
                state[row, j] = value
        written = (tag.name for tag in parts or () if tag is not None and tag.is_open)
        is_open[row, [place[name] for name in (*(left or ()), *written) if name in place]] = True
    if known_names is None and notation.scores == "prior" and not (state > 0).any():
        raise ValueError(
            f"each tag of the column {column.name!r} has a score, so that no tag is given: state "
            f"{option('scores', 'given')}, or give tags or labels in another column."
        )
    state[both] = 0
    is_open = (is_open | both) & (state == 0)
    if absent == "irrelevant":
        state[annotated[:, None] & (state == 0)] = -1
    labels = PartialLabels(state, tuple(names), annotated, positives=absent == "unknown")
    if known_names is None:
        labels.require_observed()
    labels = labels.hide(is_open) if is_open.any() else labels
    nothing = [cell for cell, left in zip(cells, still_open, strict=True) if not left]
    return labels, nothing, _describe_both(both, names, str(column.name))


def _describe_both(both: Mask, names: Sequence[str], column: str) -> Notes:
    """Return a sentence about entries that are given as yes and as no."""
    if not both.any():
        return ()
    row, j = np.argwhere(both)[0].tolist()
    number = plural(int(both.sum()), "entry", "entries")
    return (f"{number} of {column!r} with both values, first {names[j]!r} ({name_row(row)}): taken as unknown.",)


def _take_scores(parts: Sequence[Parts], labels: PartialLabels) -> Floats:
    """Return the scores of the tags that a model suggests, NaN for all other entries."""
    scores, place = np.full(labels.shape, np.nan), {name: j for j, name in enumerate(labels.names)}
    for row, each in enumerate(parts):
        for tag in each or ():
            if tag is not None and tag.score is not None:
                scores[row, place[tag.name]] = tag.score
    return scores


def read_tag_parts(column: Column, notation: TagNotation) -> list[Parts]:
    """Return the tags and the missing values of each cell, or None for a cell that is missing."""
    lists: list[Parts] = []
    for row, cell in enumerate(column):
        try:
            lists.append(notation.read_parts(cell))
        except ValueError as error:
            raise ValueError(
                f"the tags column {column.name!r} holds {_quote(cell)} ({name_row(row)}), but it must hold text such "
                f"as 'rock{notation.sep} sad', or lists of text: {error}."
            ) from None
    return lists


def _quote(cell: Any) -> str:
    return repr(clipped(cell, 60) if isinstance(cell, str) else cell)[:80]


def fill_tags(
    column: Column,
    labels: PartialLabels,
    filled: NDArray[np.floating[Any]],
    notation: TagNotation | None = None,
) -> Column:
    """Add the labels that were filled in to a column of tags.

    Known tags stay verbatim and first in their order; a cell to which nothing is
    added is returned as it was. An empty cell stays empty while any of its labels is
    undecided, and becomes an empty list (an empty text) once all are irrelevant.

    Parameters
    ----------
    column : Series
        Text or lists, as given to :func:`read_labels`.
    labels : PartialLabels
        The labels that were read from it; its names are the columns of ``filled``.
    filled : ndarray of shape (n_items, n_labels)
        1 (relevant), 0 (irrelevant) or NaN (left unknown).
    notation : TagNotation, optional
        From :func:`read_labels`; recognised by default.

    Examples
    --------
    >>> column = pd.Series(["sad; rock", None])
    >>> labels = PartialLabels.from_tags([["sad", "rock"], None], absent="unknown", names=["live", "rock", "sad"])
    >>> fill_tags(column, labels, np.array([[1, 1, 1], [0, 1, np.nan]])).tolist()
    ['sad; rock; live', 'rock']
    """
    if filled.shape != labels.shape or len(column) != len(labels):
        raise ValueError(
            f"filled has shape {filled.shape}, but {len(column)} cells and labels {labels.shape} were given."
        )
    column = write_out(column)
    notation = notation or recognise_tags(column)
    names = np.array(labels.names, dtype=object)
    cells = []
    for cell, parts, row in zip(column, read_tag_parts(column, notation), filled, strict=True):
        tags = [tag for tag in parts or () if tag is not None]
        known = {tag.name for tag in tags if tag.relevant and not tag.is_open}
        new = [name for name in names[row == 1] if name not in known]
        decided = {tag.name for tag in tags if tag.is_open} - known - {*names[np.isnan(row)]}
        is_empty = name_form(cell, parts, notation) in _GAPS
        if new or decided or (is_empty and not np.isnan(row).any()):
            cells.append(notation.edit(cell, new, decided))
        else:
            cells.append(cell)
    return pd.Series(cells, index=column.index, name=column.name, dtype=column.dtype)


def list_open_tags(filled: NDArray[np.floating[Any]], names: Sequence[str], notation: TagNotation) -> list[Any]:
    """Return per item a cell of the labels that stay undecided (NaN in ``filled``), or None if all are decided."""
    labels = np.array(names, dtype=object)
    return [notation.write(labels[row].tolist()) if row.any() else None for row in np.isnan(filled)]


def _describe_single(labels: PartialLabels, column: str) -> Notes:
    """Return a sentence if each annotated item has exactly one tag, as a column of classes has."""
    number = labels.relevant[labels.annotated].sum(axis=1)
    if len(number) < MIN_CLASSES or len(labels.names) < 3 or (number != 1).any():
        return ()
    return (
        f"Each annotated item has exactly one tag in {column!r}. Tags are filled in one by one, so that an item can "
        f"get several or none; {option('rules', 'one of: *')} fills in exactly one.",
    )
