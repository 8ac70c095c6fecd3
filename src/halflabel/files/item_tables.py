"""Tables with one row per item: fields, one column per label, and the suggestions of a model.

Written, a label is 1, 0 or missing; ``probabilities`` holds an object with one number per label, and ``filled`` lists
the labels whose value is a suggestion. Nested, these two cannot be mistaken for features of the items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Mask
from halflabel._wording import clipped, listed, option, plural
from halflabel.files.collector import Collector
from halflabel.files.field_values import is_missing, names_in, number_in, plain
from halflabel.files.formats import Options
from halflabel.files.label_tables import from_tables
from halflabel.files.loss import Loss
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Records

#: The two fields of the suggestions of a model.
PROBABILITIES, FILLED = "probabilities", "filled"

#: The losses of such a table, and the options of its reader.
LOSSES = (Loss.BOTH, Loss.UNSURE, Loss.PEOPLE, Loss.MODEL, Loss.ANNOTATED)
OPTIONS = ("id", "labels", "tags", "negatives", "empty")


def has_ids(items: pd.DataFrame) -> bool:
    """Return whether the index holds ids, not just the numbers of the rows."""
    return not (isinstance(items.index, pd.RangeIndex) and items.index.name is None)


def to_frame(records: Records) -> pd.DataFrame:
    """Return records as one table."""
    items = records.items
    if has_ids(items):
        items = items.rename_axis(str(items.index.name or "id")).reset_index(allow_duplicates=True)
    parts: dict[str, Any] = {}
    labels = records.final.astype("Int8")
    probabilities, filled = records.probabilities.to_numpy(), filled_entries(records)
    if not np.isnan(probabilities).all():
        parts[PROBABILITIES] = _as_objects(probabilities, records.names)
    if filled.any():
        names = np.array(records.names, dtype=object)
        parts[FILLED] = [names[row].tolist() for row in filled]
    columns = [*map(str, items.columns), *records.names, *parts]
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise ValueError(f"{listed(twice)} would be the name of two columns: rename the field.")
    added = pd.DataFrame({name: pd.Series(part, dtype=object) for name, part in parts.items()})
    tables = [table for table in (items, labels, added) if len(table.columns)]
    aligned = [table.set_axis(pd.RangeIndex(len(items)), axis=0) for table in tables]
    return pd.concat(aligned, axis=1).set_axis(columns, axis=1)


def filled_entries(records: Records) -> Mask:
    """Return the mask of the entries whose final value is a suggestion."""
    suggested = records.suggestions.to_numpy()
    return np.asarray(~np.isnan(suggested) & (suggested != records.labels.to_numpy()))


def from_frame(
    frame: pd.DataFrame,
    path: Path,
    options: Options,
    format: str,
    *,
    declared: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> Records:
    """Read a table. Without options, every column is a field of the items.

    Parameters
    ----------
    frame : DataFrame
    path : Path
        The file, for errors.
    options : Options
        Which fields hold ids and labels.
    format : str
        The name of the format.
    declared : iterable of str
        The labels that lists may hold, in their order.
    notes : iterable of str
        Sentences for the user about the reading.

    Raises
    ------
    ReadError
        If a column that an option names is not there, an id is missing or not distinct, or a value is invalid.
    """
    tags = [name for name in (options.tags, options.negatives) if name is not None]
    wanted = [*([options.id] if options.id else ()), *options.labels, *tags]
    if missing := [name for name in wanted if name not in frame.columns]:
        known = listed(list(map(str, frame.columns)))
        raise ReadError.at(path, f"there is no field {missing[0]!r}; the fields are {known}.")
    if options.labels and tags:
        raise ValueError(
            f"labels are fields of their own ({option('labels')}) or in lists ({option('tags')}), not both."
        )
    frame = _with_ids(frame, path, options.id)
    if tags:
        collector = Collector(path, options.absent, notes=list(notes))
        collector.declare(declared)
        return _from_lists(frame, collector, options, format)
    if options.absent is not None:
        raise ValueError(f"{option('absent')} is about lists of labels: name their field with {option('tags')}.")
    return _from_columns(frame, path, options.labels, format, notes)


def hide_suggestions(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Undo what :func:`to_frame` adds to labels that are columns: suggested values become unknown.

    Returns
    -------
    frame : DataFrame
        Without the fields :data:`PROBABILITIES` and :data:`FILLED`.
    n_hidden : int
        The number of values that were suggestions; 0 for a table without such fields.
    """
    if FILLED not in frame.columns or not any(isinstance(row, list | tuple | np.ndarray) for row in frame[FILLED]):
        return frame, 0
    names = [name for name in frame.columns if name not in (PROBABILITIES, FILLED)]
    filled = _filled(frame[FILLED], tuple(map(str, names)))
    return frame[names].mask(filled), int(filled.sum())


def _with_ids(frame: pd.DataFrame, path: Path, name: str | None) -> pd.DataFrame:
    if name is None:
        return frame.set_axis(pd.RangeIndex(1, len(frame) + 1), axis=0)
    ids = frame[name]
    if any(isinstance(key, list | dict | np.ndarray) for key in ids):
        raise ReadError.at(path, "an id is a text or a number, not a list.", column=name)
    if ids.isna().any():
        raise ReadError.at(path, f"item {int(ids.isna().argmax()) + 1} has no id.", column=name)
    if ids.duplicated().any():
        raise ReadError.at(path, f"the id {plain(ids[ids.duplicated()].iloc[0])!r} appears twice.", column=name)
    return frame.set_index(name)


def _from_columns(
    frame: pd.DataFrame, path: Path, names: tuple[str, ...], format: str, notes: Iterable[str]
) -> Records:
    """Read labels that are columns, and what :func:`to_frame` adds to them."""
    values = frame[list(names)]
    added = [name for name in (PROBABILITIES, FILLED) if names and name in frame.columns]
    items = frame.drop(columns=[*names, *added])
    try:
        p = _probabilities(frame[PROBABILITIES], names) if PROBABILITIES in added else None
        given = values.mask(_filled(frame[FILLED], names)) if FILLED in added else values
        return from_tables(items, values, p, given, format=format, notes=tuple(notes))
    except (ValueError, TypeError) as error:
        raise ReadError.at(path, str(error)) from None


def _from_lists(frame: pd.DataFrame, collector: Collector, options: Options, format: str) -> Records:
    """Read labels from a field that lists the labels of an item, and a field with the labels that it does not have."""
    names = [name for name in (options.tags, options.negatives) if name is not None]
    lists = {name: [_checked_list(row, collector.path, name) for row in frame[name]] for name in names}
    for field, rows in lists.items():
        _note_left_out(frame[field], rows, collector)
    if options.negatives is None and options.tags is not None:
        collector.require_absent()
        for position, row in enumerate(lists[options.tags]):
            if row or options.empty == "none" or (row is not None and options.empty is None):
                collector.add_list(position, row or ())
        _note_nulls(frame[options.tags], lists[options.tags], collector, options)
    else:
        for name, value in ((options.tags, 1.0), (options.negatives, 0.0)):
            for position, row in enumerate(lists.get(name or "", ())):
                for label in row or ():
                    collector.add(position, label, value)
    return collector.records(format, items=frame.drop(columns=names))


def _checked_list(value: Any, path: Path, name: str) -> list[str] | None:
    """Return the labels of one list, or None for a missing list and for a list of missing values only."""
    if is_missing(value):
        return None
    if not isinstance(value, list | tuple | np.ndarray):
        shown = clipped(repr(value), 40)
        raise ReadError.at(path, f"it holds {shown}, but it must hold lists such as ['rock', 'sad'].", column=name)
    return names_in(value) or (None if len(value) else [])


def _note_nulls(column: pd.Series[Any], lists: list[list[str] | None], collector: Collector, options: Options) -> None:
    """Note how many lists hold missing values only. Each of their items has no label."""
    only = sum(row is None and not is_missing(cell) for cell, row in zip(column, lists, strict=True))
    if only:
        what = f"with a list of missing values only in {options.tags!r}"
        collector.note_empty(only, what, options.empty or "unlabelled")


def _note_left_out(column: pd.Series[Any], lists: list[list[str] | None], collector: Collector) -> None:
    """Note how many missing values are in lists with labels."""
    next_to = sum(len(cell) - len(row) for cell, row in zip(column, lists, strict=True) if row)
    if next_to:
        collector.notes.append(f"{plural(next_to, 'missing value')} in lists of {column.name!r} left out.")


def _as_objects(probabilities: Floats, names: tuple[str, ...]) -> list[dict[str, float] | None]:
    """Return one object per item with the probabilities that are known, or None for an item without any."""
    rows = (zip(names, row, strict=True) for row in probabilities.tolist())
    return [{name: p for name, p in row if p == p} or None for row in rows]


def _probabilities(column: pd.Series[Any], names: tuple[str, ...]) -> Floats:
    """Undo :func:`_as_objects`."""
    rows = [row if isinstance(row, Mapping) else {} for row in column]
    found = [[row.get(name) for name in names] for row in rows]
    if any(p is not None and number_in(p) is None for row in found for p in row):
        raise ValueError(f"{PROBABILITIES!r} holds something else than numbers.")
    return np.array(found, dtype=np.float64)


def _filled(column: pd.Series[Any], names: tuple[str, ...]) -> Mask:
    """Return the mask of the entries that are listed as suggestions."""
    rows = [frozenset(map(str, row)) if isinstance(row, list | tuple | np.ndarray) else () for row in column]
    return np.array([[name in row for name in names] for row in rows], dtype=np.bool_)
