"""The labels of a table, from wherever they are: its columns, a second argument, a table of pairs, or its records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from halflabel._wording import option, quoted
from halflabel.files.raw_table import RawTable
from halflabel.labels import PartialLabels
from halflabel.labels.tables import as_frame
from halflabel.table.cells import is_unnamed, use_text_names
from halflabel.table.columns import BY_NAME, Description
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import find_meanings
from halflabel.table.labelling import read_labels, read_stated_labels
from halflabel.table.roles import Roles
from halflabel.table.sources import Source, assign_columns
from halflabel.table.votes import leaves_labels_to_votes

#: The things that a key can be about, in words.
_ABOUT = {
    "columns": "label columns",
    "tags": "a column of tags (tags)",
    "pairs": "a long table of tags (pairs)",
    "further": "a table with the ids of the items",
    "file": "a file",
}


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
    source: Source, frame: pd.DataFrame, Y: Any, columns: Description, roles: Roles, index: pd.Index[Any]
) -> LabelReading:
    """Read the labels from wherever they are, one row per item."""
    if columns.pairs is not None:
        from halflabel.table.pairs import read_pairs

        reading = read_pairs(columns, None if roles.id is None else index)
    elif isinstance(Y, PartialLabels):
        reading = LabelReading(Y)
    elif Y is not None:
        reading = _read_columns(*_read_apart(frame, Y, columns), columns)
    elif leaves_labels_to_votes(frame, columns, roles.labels):
        return LabelReading(PartialLabels.unknown(len(frame), roles.labels))
    elif source.labels is not None:
        return read_stated_labels(source.labels, roles.labels)
    else:
        return _read_columns(frame, roles, columns)
    if len(reading.labels) != len(frame):
        found = f"there are {len(frame)} items but labels for {len(reading.labels)}"
        raise ValueError(f"{found}: give one row of labels per item.")
    has_names = columns.pairs is not None or isinstance(Y, pd.DataFrame)
    if has_names and (both := [name for name in frame.columns if name in reading.labels.names]):
        raise ValueError(f"{quoted(both)} is a label and also a column of the items: rename it in one of them.")
    return reading


def _read_columns(frame: pd.DataFrame, roles: Roles, columns: Description) -> LabelReading:
    """Read label columns or a column of tags."""
    return read_labels(frame, roles, columns)


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
