"""The columns of a completed table that hold labels."""

from __future__ import annotations

import pandas as pd

from halflabel.table import OpenTable
from halflabel.table.tag_notations import name_open_column


def take_label_columns(opened: OpenTable, table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the completed table that hold labels, with the ids of the items as index."""
    tags = opened.roles.tags
    names = opened.written_labels.names if tags is None else (tags, name_open_column(tags))
    return table[[name for name in names if name in table]].set_axis(opened.index)
