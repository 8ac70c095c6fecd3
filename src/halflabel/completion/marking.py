"""The completed table with columns that distinguish given entries from filled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._wording import option
from halflabel.table import OpenTable
from halflabel.table.cells import use_text_names
from halflabel.table.marks import FILLED, GIVEN, OPEN, holds_marks, name_added, name_marks
from halflabel.table.tag_notations import TagNotation, name_open_column


def take_label_columns(opened: OpenTable, table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the completed table that hold labels, with the ids of the items as index."""
    tags = opened.roles.tags
    names = opened.written_labels.names if tags is None else (tags, name_open_column(tags))
    return table[[name for name in names if name in table]].set_axis(opened.index)


def mark_filled(opened: OpenTable, state: NDArray[np.int8], table: pd.DataFrame) -> pd.DataFrame:
    """Return the completed table with the source of its entries. ``state`` has the values of all its labels.

    For label columns, a column ``source_<label>`` holds "given", "filled" or "open" (left empty). For a column of tags,
    ``<tags>_filled`` lists the tags that were added, in the notation of the column.

    Raises
    ------
    ValueError
        If a column of the table has one of these names and is not such a column of an earlier completion.
    """
    check_marks(opened)
    table, labels = table.copy(), opened.written_labels
    gaps, names = ~labels.observed, np.array(labels.names, dtype=object)
    if (tags := opened.roles.tags) is not None:
        notation = opened.notation or TagNotation()
        added = gaps & (state > 0)
        cells = [notation.write(names[row].tolist()) for row in added]
        table[name_added(tags)] = pd.Series(cells, index=table.index, dtype=object)
        return table
    sources = np.select([~gaps, state != 0], [GIVEN, FILLED], OPEN)
    marks = pd.DataFrame(sources, index=table.index, columns=[name_marks(name) for name in names])
    return pd.concat([table.drop(columns=marks.columns, errors="ignore"), marks], axis=1)


def check_marks(opened: OpenTable) -> None:
    """Raise if marks would replace a column of the table that an earlier completion did not write."""
    if opened.frame is None:
        return
    frame, tags = use_text_names(opened.frame), opened.roles.tags
    names = [name_marks(name) for name in opened.written_labels.names] if tags is None else [name_added(tags)]
    for name in names:
        if name in frame and not (holds_marks(frame[name]) if tags is None else _holds_tags(opened, frame[name])):
            raise ValueError(
                f"the table has a column {name!r}, which {option('mark')} would replace: rename this column, or leave "
                f"{option('mark')} out."
            )


def _holds_tags(opened: OpenTable, cells: pd.Series[Any]) -> bool:
    """Return whether each cell lists labels of the table, in the notation of its tags, or is empty."""
    notation, known = opened.notation or TagNotation(), set(opened.written_labels.names)
    try:
        return all(set(notation.read(cell) or ()) <= known for cell in cells.dropna())
    except ValueError:  # a cell is neither text nor a list
        return False
