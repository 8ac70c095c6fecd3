"""From label columns, a tags column or a long table of tags to PartialLabels, and back into a tags column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel._wording import clipped, closest, name_row, option, plural, quoted
from halflabel.labels import Absent, PartialLabels
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.cells import use_text_names
from halflabel.table.columns import Empty
from halflabel.table.label_words import check_label_values, read_label_words
from halflabel.table.nothing import (
    Form,
    count_blanks,
    count_forms,
    count_zeros,
    describe_forms,
    describe_zeros,
    name_form,
    read_meaning,
)
from halflabel.table.roles import Roles
from halflabel.table.tag_cells import Parts, Tag, TagNotation, name_open_column
from halflabel.table.tag_recognition import TagOptions, recognise_tags

#: Minimum number of annotated items with one tag each that are taken for items with a class.
MIN_CLASSES = 10

#: Forms of a cell that becomes an empty list once all of its labels are decided.
_GAPS = ("an empty cell", "a list of missing values only")


@dataclass(frozen=True, eq=False)
class LabelReading:
    """Labels as read, and notes for the user about the reading.

    Parameters
    ----------
    labels : PartialLabels
        One row per row of the table.
    notes : tuple of str
        Sentences, such as the number of empty cells and their meaning.
    notation : TagNotation or None
        How a tags column is written.
    nothing : tuple of Form
        The forms of nothing, each with its meaning.
    suggested : ndarray of shape (n_items, n_labels), or None
        The scores of tags that a model suggests.
    """

    labels: PartialLabels
    notes: tuple[str, ...] = ()
    notation: TagNotation | None = None
    nothing: tuple[Form, ...] = ()
    suggested: Floats | None = None


def read_labels(
    frame: pd.DataFrame,
    roles: Roles,
    *,
    absent: Absent | None = None,
    empty: Empty | None = None,
    sep: str | None = None,
    meanings: Mapping[str, float] | None = None,
    options: TagOptions | None = None,
) -> LabelReading:
    """Read the label columns, or the tags column, that the roles name.

    Parameters
    ----------
    frame : DataFrame
        One row per item.
    roles : Roles
        From :func:`choose_roles`.
    absent : {"irrelevant", "unknown"}, optional
        The meaning of a tag that an item does not list; needed for a tags column. Of label columns, "unknown" means
        that 0 and an empty cell are labels that were not assigned, see :meth:`PartialLabels.from_positives`.
    empty : {"unlabelled", "none"}, optional
        The meaning of a cell without a tag, in any form: an unlabelled item, or an annotated item without tags. By
        default an empty list is an annotated item; an empty cell, a missing list and a list of missing values only are
        unlabelled items. Of label columns with ``absent="unknown"``, the meaning of an item whose cells are all empty.
    sep : str, optional
        The separator of the tags in a text cell; recognised by default, as are lists that are written as text.
        Blanks around tags, and empty tags, are dropped.
    meanings : mapping of str to float, optional
        The meaning of the words of label columns, from :func:`halflabel.table.label_words.find_meanings`.
    options : TagOptions, optional
        All statements about the notation of tags, in place of ``sep``.

    Raises
    ------
    ValueError
        For invalid values of labels, if ``absent`` is missing or superfluous, and if nothing is observed.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": ["rock; sad", "live", None]})
    >>> reading = read_labels(frame, Roles(tags="tags"), absent="irrelevant")
    >>> reading.labels.names
    ('live', 'rock', 'sad')
    >>> reading.notes
    ("1 item has an empty cell in the tags column 'tags': taken as unlabelled.",)
    """
    frame = use_text_names(frame)
    if roles.tags is None:
        if absent == "irrelevant":
            raise ValueError(
                f"{option('absent', 'irrelevant')} is about tag lists, but the labels are columns: if an empty cell of "
                f"them means no, state {option('no', '')} in its place."
            )
        table = PartialLabels.from_table(_read_columns(frame, roles.labels, meanings))
        forms = count_blanks(frame, roles.labels, meanings, None if absent is None else "not assigned")
        if absent is not None:
            return LabelReading(_read_positive_columns(table, empty), nothing=forms)
        blank, asks = _find_blank_rows(frame, roles.labels), (meanings or {}).get("") == 0
        zeros = (table.state < 0).all(axis=1) & ~blank & (len(table.names) > 1)
        of_zeros = count_zeros(table, zeros, "none" if asks else empty)
        blank = blank | zeros if empty == "unlabelled" and not asks else blank
        read = _read_blank_rows(table, blank, empty, asks=asks)
        return LabelReading(read, describe_zeros(of_zeros), nothing=(*forms, *of_zeros))
    if absent is None:
        raise ValueError(
            f"the column {roles.tags!r} lists the tags that an item has; "
            "state the meaning of a tag that is not listed: "
            f"{option('absent', 'irrelevant')} if every tag was checked for every item, {option('absent', 'unknown')} "
            "if a tag may be missing where it is true."
        )
    undecided = name_open_column(roles.tags)
    return _read_tags(frame[roles.tags], frame.get(undecided), absent, empty, options or TagOptions(sep))


def read_stated_labels(labels: PartialLabels, names: Sequence[str]) -> LabelReading:
    """Return the labels of these names from a file that states them entry by entry."""
    if missing := [name for name in names if name not in labels.names]:
        are = "is not a label" if len(missing) == 1 else "are not labels"
        raise ValueError(f"{quoted(missing)} {are} of this file: {closest(missing[0], labels.names)}")
    if tuple(names) != labels.names:
        kept = [labels.names.index(name) for name in names]
        labels = labels.select(kept)
    return LabelReading(labels)


def fill_tags(
    column: pd.Series[Any],
    labels: PartialLabels,
    filled: NDArray[np.floating[Any]],
    notation: TagNotation | None = None,
) -> pd.Series[Any]:
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
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
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


def read_known_labels(
    frame: pd.DataFrame,
    roles: Roles,
    names: Sequence[str],
    *,
    absent: Absent = "irrelevant",
    empty: Empty | None = None,
    notation: TagNotation | None = None,
    meanings: Mapping[str, float] | None = None,
) -> PartialLabels:
    """Read the labels of a part of a table, or of new items, whose label names and notation are known.

    There may be no observed entry, and no label column: its entries are unknown then. Tags that are not among the names
    are passed over.

    Parameters
    ----------
    frame, roles, absent, empty, meanings
        As in :func:`read_labels`.
    names : sequence of str
        The labels that are read.
    notation : TagNotation, optional
        How the tags column is written; recognised by default.
    """
    frame = use_text_names(frame)
    if roles.tags is not None:
        column = frame[roles.tags] if roles.tags in frame else pd.Series(None, frame.index, object, roles.tags)
        notation = notation or recognise_tags(column)
        undecided = frame.get(name_open_column(roles.tags))
        return _read_tag_cells(column, undecided, notation, absent, empty, names)[0]
    values = _read_columns(frame, [name for name in names if name in frame], meanings)
    if not values.notna().any(axis=None):
        annotated = np.full(len(frame), absent == "unknown" and empty == "none")
        return _leave_unknown(annotated, names, positive_only=absent == "unknown")
    table = PartialLabels.from_table(values.reindex(columns=list(names)))
    if absent == "unknown":
        return _read_positive_columns(table, empty)
    known = [name for name in names if name in frame]
    return _read_blank_rows(table, _find_blank_rows(frame, known), empty, asks=False)


def _read_columns(frame: pd.DataFrame, names: Sequence[str], meanings: Mapping[str, float] | None) -> pd.DataFrame:
    """Return label columns with values that are 1, 0 or missing. Raise for any other value."""
    if meanings is not None:
        return read_label_words(frame, names, meanings)
    check_label_values(frame, names)
    return frame[list(names)]


def _find_blank_rows(frame: pd.DataFrame, names: Sequence[str]) -> Mask:
    """Return the items whose cells are empty in all label columns. One label column alone has none."""
    blank = frame[list(names)].isna().to_numpy().all(axis=1)
    return np.asarray(blank & (len(names) > 1))


def _read_blank_rows(table: PartialLabels, blank: Mask, empty: Empty | None, *, asks: bool) -> PartialLabels:
    """Return label columns, where the items without any value have the stated meaning.

    Raises
    ------
    AmbiguousReading
        If an empty cell means no, and it was not stated whether an item with empty cells only was asked at all.
    """
    if not blank.any():
        return table
    if asks and empty is None:
        raise AmbiguousReading(
            f"{plural(int(blank.sum()), 'item')} {'has' if blank.sum() == 1 else 'have'} empty cells in all "
            f"{len(table.names)} label columns ({name_row(int(blank.argmax()))} is the first), and an empty cell means "
            "no.",
            ("these items have none of the labels", option("empty", "none")),
            ("these items were never annotated", option("empty", "unlabelled")),
        )
    if empty is None:
        return table
    state = np.where(blank[:, None], -1 if empty == "none" else 0, table.state).astype(np.int8)
    return replace(table, state=state, annotated=np.where(blank, empty == "none", table.annotated))


def _read_positive_columns(table: PartialLabels, empty: Empty | None) -> PartialLabels:
    """Return columns of 1 and "not assigned" (0 or empty) as positive-only labels.

    An item is annotated if one of its cells is not empty. A label that all items have does not count: it does
    not show which items were annotated.
    """
    both = table.observed.any(axis=1) & ~table.observed.all(axis=1)
    if ((table.state < 0).any(axis=1) & both).any():
        raise ValueError(
            f"{option('absent', 'unknown')} is for label columns of 1 and empty cells, or of 1 and 0, but these have 0 "
            f"and empty cells in one row ({name_row(int(((table.state < 0).any(axis=1) & both).argmax()))}), so that 0 "
            "is a known no: leave the option out."
        )
    varies = ~table.relevant.all(axis=0)
    annotated = np.asarray(table.observed[:, varies].any(axis=1) | (empty == "none"))
    return replace(table, state=np.maximum(table.state, 0), annotated=annotated, positives=True)


def _leave_unknown(annotated: Mask, names: Sequence[str], *, positive_only: bool) -> PartialLabels:
    """Return labels without an observed entry."""
    return PartialLabels(np.zeros((len(annotated), len(names)), np.int8), tuple(names), annotated, positive_only)


def _read_tags(
    column: pd.Series[Any], undecided: pd.Series[Any] | None, absent: Absent, empty: Empty | None, options: TagOptions
) -> LabelReading:
    notation = recognise_tags(column, options)
    labels, parts = _read_tag_cells(column, undecided, notation, absent, empty)
    name = str(column.name)
    forms = count_forms([cell for cell, _ in parts], [each for _, each in parts], notation, name, empty)
    missing = sum(each.count(None) for cell, each in parts if each and name_form(cell, each, notation) is None)
    next_to = f"{plural(missing, 'missing value')} next to tags in the column {name!r} left out."
    notes = (*describe_forms(forms, empty), *([next_to] if missing else []))
    suggested = _take_scores([each for _, each in parts], labels) if notation.scores == "prior" else None
    return LabelReading(labels, notes, notation, forms, suggested)


def describe_single(labels: PartialLabels, column: str) -> tuple[str, ...]:
    """Return a sentence if each annotated item has exactly one tag, as a column of classes has."""
    number = labels.relevant[labels.annotated].sum(axis=1)
    if len(number) < MIN_CLASSES or len(labels.names) < 3 or (number != 1).any():
        return ()
    return (
        f"Each annotated item has exactly one tag in {column!r}. Tags are filled in one by one, so that an item can "
        f"get several or none; {option('rules', 'one of: *')} fills in exactly one.",
    )


def _take_scores(parts: Sequence[Parts], labels: PartialLabels) -> Floats:
    """Return the scores of the tags that a model suggests, NaN for all other entries."""
    scores, place = np.full(labels.shape, np.nan), {name: j for j, name in enumerate(labels.names)}
    for row, each in enumerate(parts):
        for tag in each or ():
            if tag is not None and tag.score is not None:
                scores[row, place[tag.name]] = tag.score
    return scores


def _read_tag_cells(
    column: pd.Series[Any],
    undecided: pd.Series[Any] | None,
    notation: TagNotation,
    absent: Absent,
    empty: Empty | None,
    known_names: Sequence[str] | None = None,
) -> tuple[PartialLabels, list[tuple[Any, Parts]]]:
    """Return the labels of the cells, of all tags in them or of known names, and the cells that may hold nothing."""
    cells = list(zip(column, read_tag_parts(column, notation), strict=True))
    still_open = _read_tag_lists(undecided, notation) if undecided is not None else [None] * len(cells)
    read = [read_meaning(parts, empty, name_form(cell, parts, notation) or "") for cell, parts in cells]
    given = [[] if tags is None and left else tags for tags, left in zip(read, still_open, strict=True)]
    found = {tag.name for _, parts in cells for tag in parts or () if tag is not None}
    names = sorted(found.union(*(left or () for left in still_open))) if known_names is None else list(known_names)
    counted = [cell for cell, left in zip(cells, still_open, strict=True) if not left]
    place = {name: j for j, name in enumerate(names)}
    kept = [None if tags is None else [tag for tag in tags if tag.name in place] for tags in given]
    lists = [None if tags is None else [tag.name for tag in tags if tag.relevant] for tags in kept]
    if known_names is not None and not any(kept if absent == "unknown" else (tags is not None for tags in kept)):
        annotated = np.array([tags is not None for tags in kept], dtype=bool)
        return _leave_unknown(annotated, names, positive_only=absent == "unknown"), counted
    if known_names is None and not any(lists) and notation.scores == "prior":
        raise ValueError(
            f"each tag of the column {column.name!r} has a score, so that no tag is given: state "
            f"{option('scores', 'given')}, or give tags or labels in another column."
        )
    labels = PartialLabels.from_tags(lists, absent=absent, names=names)
    labels = _reject(labels, kept)
    written = [[tag.name for tag in parts or () if tag is not None and tag.is_open] for _, parts in cells]
    is_open = np.zeros(labels.shape, dtype=bool)
    for row, each in enumerate(zip(still_open, written, strict=True)):
        is_open[row, [place[name] for names in each for name in names or () if name in place]] = True
    labels = labels.hide(is_open & ~labels.relevant) if is_open.any() else labels
    return labels, counted


def _reject(labels: PartialLabels, tags: Sequence[list[Tag] | None]) -> PartialLabels:
    """Return the labels with -1 for the tags that an item is known not to have."""
    state, place = labels.state.copy(), {name: j for j, name in enumerate(labels.names)}
    for row, each in enumerate(tags):
        for tag in each or ():
            if tag.relevant is False and labels.relevant[row, place[tag.name]]:
                raise ValueError(
                    f"a cell of tags has {tag.name!r} both with and without a mark that means no ({name_row(row)}): "
                    "keep one of them."
                )
            if tag.relevant is False:
                state[row, place[tag.name]] = -1
    return replace(labels, state=state)


def _read_tag_lists(column: pd.Series[Any], notation: TagNotation) -> list[list[str] | None]:
    """Return the names of the tags of each cell, or None for a cell without a value."""
    return [notation.read(cell) for cell in column]


def read_tag_parts(column: pd.Series[Any], notation: TagNotation) -> list[Parts]:
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
