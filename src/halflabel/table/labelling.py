"""The labels of a table, from wherever they are: its columns, a second argument, a table of pairs, or its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Index, Mask
from halflabel._wording import closest, name_row, option, plural, quoted
from halflabel.files.raw_table import RawTable
from halflabel.labels import Absent, PartialLabels
from halflabel.labels.tables import as_frame
from halflabel.table.cells import is_unnamed, use_text_names
from halflabel.table.columns import BY_NAME, Description, Empty
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import find_meanings, read_label_columns
from halflabel.table.nothing import count_blanks, count_zeros, list_notes
from halflabel.table.question import Question
from halflabel.table.roles import Roles
from halflabel.table.sources import Source, assign_columns
from halflabel.table.tag_notations import TagNotation, name_open_column
from halflabel.table.votes import leaves_labels_to_votes

#: The things that a key can be about, in words.
_ABOUT = {
    "columns": "label columns",
    "tags": "a column of tags (tags)",
    "pairs": "a long table of tags (pairs)",
    "further": "a table with the ids of the items",
    "file": "a file",
}


def read_labels(
    frame: pd.DataFrame,
    roles: Roles,
    columns: Description,
) -> LabelReading:
    """Read the label columns, or the tags column, that the roles name.

    Parameters
    ----------
    frame : DataFrame
        One row per item.
    roles : Roles
        From :func:`choose_roles`.
    columns : Description
        The statements about labels. ``absent`` is needed for a column of tags; of label columns, "unknown" means that 0
        and an empty cell are labels that were not assigned, see :meth:`PartialLabels.from_positives`. By default
        (``empty``) an empty list is an annotated item; an empty cell, a missing list and a list of missing values only
        are unlabelled items.

    Raises
    ------
    ValueError
        For invalid values of labels, if ``absent`` is missing or superfluous, and if nothing is observed.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": ["rock; sad", "live", None]})
    >>> reading = read_labels(frame, Roles(tags="tags"), Description(absent="irrelevant"))
    >>> reading.labels.names
    ('live', 'rock', 'sad')
    >>> reading.notes
    ("An empty cell in the tags column 'tags': 1 item, unlabelled.",)
    """
    frame, absent, empty, meanings = use_text_names(frame), columns.absent, columns.empty, find_meanings(columns)
    if roles.tags is None:
        if absent == "irrelevant":
            raise ValueError(
                f"{option('absent', 'irrelevant')} is about tag lists, but the labels are columns: if an empty cell of "
                f"them means no, state {option('no', '')} in its place."
            )
        table = PartialLabels.from_table(read_label_columns(frame, roles.labels, meanings))
        forms = count_blanks(frame, roles.labels, meanings, None if absent is None else "not assigned")
        if absent is not None:
            return LabelReading(_read_positive_columns(table, empty), nothing=forms)
        if empty is not None and len(roles.labels) == 1:
            raise ValueError(
                f"{option('empty', empty)} is about items whose cells are empty in all of several label columns: of "
                f"one column, an empty cell is unknown, or no with {option('no', '')}."
            )
        blank, asks = _find_blank_rows(frame, roles.labels), (meanings or {}).get("") == 0
        zeros = (table.state < 0).all(axis=1) & ~blank & (len(table.names) > 1)
        of_zeros = count_zeros(table, zeros, "none" if asks else empty)
        blank = blank | zeros if empty == "unlabelled" and not asks else blank
        read = _read_blank_rows(table, blank, empty, asks=asks)
        return LabelReading(read, list_notes(of_zeros), nothing=(*forms, *of_zeros))
    if absent is None:
        from halflabel.table.seen_labels import ask_absent

        raise ask_absent(f"The column {roles.tags!r} lists the tags that an item has.")
    undecided = name_open_column(roles.tags)
    from halflabel.table.tag_columns import read_tags

    return read_tags(frame[roles.tags], frame.get(undecided), absent, columns)


def read_stated_labels(labels: PartialLabels, names: Sequence[str]) -> LabelReading:
    """Return the labels of these names from a file that states them entry by entry."""
    if missing := [name for name in names if name not in labels.names]:
        are = "is not a label" if len(missing) == 1 else "are not labels"
        raise ValueError(f"{quoted(missing)} {are} of this file: {closest(missing[0], labels.names)}")
    if tuple(names) != labels.names:
        kept = [labels.names.index(name) for name in names]
        labels = labels.select(kept)
    return LabelReading(labels)


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
        from halflabel.table.tag_columns import read_tag_cells
        from halflabel.table.tag_recognition import recognise_tags

        column = frame[roles.tags] if roles.tags in frame else pd.Series(None, frame.index, object, roles.tags)
        notation = notation or recognise_tags(column)
        undecided = frame.get(name_open_column(roles.tags))
        return read_tag_cells(column, undecided, notation, absent, empty, names)[0]
    values = read_label_columns(frame, [name for name in names if name in frame], meanings)
    if not values.notna().any(axis=None):
        annotated = np.full(len(frame), absent == "unknown" and empty == "none")
        state = np.zeros((len(frame), len(names)), np.int8)
        return PartialLabels(state, tuple(names), annotated, positives=absent == "unknown")
    table = PartialLabels.from_table(values.reindex(columns=list(names)))
    if absent == "unknown":
        return _read_positive_columns(table, empty)
    known = [name for name in names if name in frame]
    return _read_blank_rows(table, _find_blank_rows(frame, known), empty, asks=False)


def _find_blank_rows(frame: pd.DataFrame, names: Sequence[str]) -> Mask:
    """Return the items whose cells are empty in all label columns. One label column alone has none."""
    blank = frame[list(names)].isna().to_numpy().all(axis=1)
    return np.asarray(blank & (len(names) > 1))


def _read_blank_rows(table: PartialLabels, blank: Mask, empty: Empty | None, *, asks: bool) -> PartialLabels:
    """Return label columns, where the items without any value have the stated meaning.

    Raises
    ------
    Question
        If an empty cell means no, and it was not stated whether an item with empty cells only was asked at all.
    """
    if not blank.any():
        return table
    if asks and empty is None:
        raise Question(
            f"{plural(int(blank.sum()), 'item')} {'has' if blank.sum() == 1 else 'have'} empty cells in all "
            f"{len(table.names)} label columns ({name_row(int(blank.argmax()))} is the first), and an empty cell means "
            "no.",
            ("these items have none of the labels", {"empty": "none"}),
            ("these items were never annotated", {"empty": "unlabelled"}),
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


def check_labels_once(Y: Any, columns: Description) -> None:
    """Raise if names are in the place of labels, or labels come from two places."""
    is_list = isinstance(Y, Sequence) and len(Y) > 0 and all(isinstance(name, str) for name in Y)
    if isinstance(Y, str) or (is_list and find_meanings(columns) is None):
        names = [name.strip() for name in Y.split(",")] if isinstance(Y, str) else list(Y)
        raise ValueError(
            f"the second argument is a table of labels, not {Y!r:.80}: name label columns by {option('labels', names)}."
        )
    given = [name for name in ("pairs", "labels", "tags", "labels_file") if getattr(columns, name) is not None]
    if (Y is not None and given) or (columns.pairs is not None and given != ["pairs"]):
        both = [*(["Y"] if Y is not None else []), *map(option, given)]
        raise ValueError(f"labels were given twice, as {' and as '.join(both[:2])}: keep one of them.")


def check_effects(stated: Iterable[str], source: Source, Y: Any, columns: Description, *, joined: bool) -> None:
    """Raise for a key that has no effect on these items and labels.

    Parameters
    ----------
    stated : iterable of str
    source, Y, columns
        The items, labels that come apart, and the description. Its further tables are joined already.
    joined : bool
        Whether a table with the ids of the items was joined.
    """
    if columns.pairs is not None:
        place, found = "pairs", "the labels are a long table of tags"
    elif source.records is not None or isinstance(Y, PartialLabels):
        place, found = "stated", "each entry of these labels is stated"
    elif Y is not None or columns.tags is None:
        place, found = "columns", "the labels are columns"
    else:
        place, found = "tags", f"the labels are the column of tags {columns.tags!r}"
    places = {place, *(["further"] if joined else []), *(["file"] if source.paths else [])}
    read = ("absent", "empty") if source.records is not None else ()  # by the reader of the file
    for name in stated:
        if name not in read and (about := BY_NAME[name].about) and not places & {*about}:
            found = "the items are in memory" if "file" in about else found
            nouns = " or ".join(_ABOUT[each] for each in about)
            raise ValueError(f"{option(name)} has no effect: it is about {nouns}, but {found}.")


def find_labels(
    source: Source, frame: pd.DataFrame, Y: Any, columns: Description, roles: Roles, index: Index
) -> LabelReading:
    """Read the labels from wherever they are, one row per item."""
    if columns.pairs is not None:
        from halflabel.table.pairs import read_pairs

        reading = read_pairs(columns, None if roles.id is None else index)
    elif isinstance(Y, PartialLabels):
        reading = LabelReading(Y)
    elif Y is not None:
        reading = read_labels(*_read_apart(frame, Y, columns), columns)
    elif leaves_labels_to_votes(frame, columns, roles.labels):
        return LabelReading(PartialLabels.unknown(len(frame), roles.labels))
    elif source.labels is not None:
        return read_stated_labels(source.labels, roles.labels)
    else:
        return read_labels(frame, roles, columns)
    if len(reading.labels) != len(frame):
        found = f"there are {len(frame)} items but labels for {len(reading.labels)}"
        raise ValueError(f"{found}: give one row of labels per item.")
    has_names = columns.pairs is not None or isinstance(Y, pd.DataFrame)
    if has_names and (both := [name for name in frame.columns if name in reading.labels.names]):
        raise ValueError(f"{quoted(both)} is a label and also a column of the items: rename it in one of them.")
    return reading


def _read_apart(frame: pd.DataFrame, Y: Any, columns: Description) -> tuple[pd.DataFrame, Roles]:
    """Return labels that come apart from the items as label columns. Names that a library made up do not count."""
    if isinstance(Y, pd.DataFrame | pd.Series) and not Y.index.equals(frame.index):
        way = "such as Y.loc[X.index]" if frame.index.isin(Y.index).all() else "such as Y.reindex(X.index)"
        raise ValueError(f"items and labels have different row labels: bring them into the same order, {way}.")
    apart = use_text_names(as_frame(Y))
    if is_unnamed(apart):
        apart = apart.set_axis([f"label{j}" for j in range(apart.shape[1])], axis=1)
    names = tuple(map(str, apart.columns))
    words = Description(labels=names, yes=columns.yes, no=columns.no, unknown=columns.unknown)
    raw, _ = assign_columns(Source(RawTable(apart)), words)
    return raw.frame, Roles(labels=names)
