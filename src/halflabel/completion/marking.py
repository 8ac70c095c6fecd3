"""The completed table with columns that distinguish given entries from filled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel.table.tag_cells import TagNotation, name_open_column

if TYPE_CHECKING:
    from halflabel.completion.result import Completion


def take_label_columns(completion: Completion) -> pd.DataFrame:
    """Return the columns of the completed table that hold labels, with the ids of the items as index."""
    roles, table = completion.opened.roles, completion.frame
    names = completion.labels.names if roles.tags is None else (roles.tags, name_open_column(roles.tags))
    return table[[name for name in names if name in table]].set_axis(completion.index)


def mark_filled(completion: Completion) -> pd.DataFrame:
    """Return the completed table with the source of its entries.

    For label columns, a column ``source_<label>`` holds "given", "filled" or "open" (left empty). For a column of tags,
    ``<tags>_filled`` lists the tags that were added, in the notation of the column.
    """
    table = completion.frame.copy()
    gaps, names = ~completion.labels.observed, np.array(completion.labels.names, dtype=object)
    if (tags := completion.opened.roles.tags) is not None:
        notation = completion.opened.notation or TagNotation()
        added = gaps & (completion.state > 0)
        cells = [notation.write(names[row].tolist()) for row in added]
        table[f"{tags}_filled"] = pd.Series(cells, index=table.index, dtype=object)
        return table
    sources = np.select([~gaps, completion.state != 0], ["given", "filled"], "open")
    marks = pd.DataFrame(sources, index=table.index, columns=[f"source_{name}" for name in names])
    return pd.concat([table.drop(columns=marks.columns, errors="ignore"), marks], axis=1)
