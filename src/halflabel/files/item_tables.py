"""Tables with one row per item: fields, one column per label, and the suggestions of a model.

Written, a label is 1, 0 or missing; ``probabilities`` holds an object with one number per label, and ``filled`` lists
the labels whose value is a suggestion. Nested, these two cannot be mistaken for features of the items.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import listed
from halflabel.files.formats import Format
from halflabel.files.loss import Loss
from halflabel.files.raw_table import TableFormat, TextForm
from halflabel.files.records import Records

#: The two fields of the suggestions of a model.
PROBABILITIES, FILLED = "probabilities", "filled"

#: The losses of such a table.
LOSSES = (Loss.BOTH, Loss.UNSURE, Loss.PEOPLE, Loss.MODEL, Loss.ANNOTATED)


def to_format(table: TableFormat) -> Format:
    """Return the format of records that are written as a table. Such a file is read as a table."""
    write = table.write
    assert write is not None  # of the formats that hold both
    return Format(
        name=table.name,
        title=table.title,
        dialect="cells",
        suffixes=tuple(filter(None, table.suffixes)),
        read=None,
        write=lambda records, path: write(to_frame(records), path, TextForm()),
        losses=LOSSES,
    )


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
    probabilities, suggested = records.probabilities.to_numpy(), records.suggestions.to_numpy()
    filled = ~np.isnan(suggested) & (suggested != records.labels.to_numpy())
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


def hide_suggestions(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Undo what :func:`to_frame` adds to labels that are columns: suggested values become unknown.

    Returns
    -------
    frame : DataFrame
        Without the fields :data:`PROBABILITIES` and :data:`FILLED`.
    n_hidden : int
        The number of values that were suggestions; 0 for a table without such fields.
    """
    lists = [_as_list(row) for row in frame[FILLED]] if FILLED in frame.columns else []
    if all(row is None for row in lists):
        return frame, 0
    names = [name for name in frame.columns if name not in (PROBABILITIES, FILLED)]
    filled = np.array([[str(name) in (row or ()) for name in names] for row in lists], dtype=np.bool_)
    return frame[names].mask(filled), int(filled.sum())


def _as_objects(probabilities: Floats, names: tuple[str, ...]) -> list[dict[str, float] | None]:
    """Return one object per item with the probabilities that are known, or None for an item without any."""
    rows = (zip(names, row, strict=True) for row in probabilities.tolist())
    return [{name: p for name, p in row if p == p} or None for row in rows]


def _as_list(value: Any) -> list[str] | None:
    """Return a list of names, which a workbook has as JSON text, or None for every other value."""
    with suppress(ValueError, RecursionError):
        value = json.loads(value) if isinstance(value, str) and value.startswith("[") else value
    return list(map(str, value)) if isinstance(value, list | tuple | np.ndarray) else None
