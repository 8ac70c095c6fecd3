"""The completed table as a DataFrame: the columns that were given, their gaps filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel.table import fill_tags
from halflabel.table.label_words import write_label_words
from halflabel.table.labelling import list_open_tags
from halflabel.table.tag_cells import TagNotation, name_open_column

if TYPE_CHECKING:
    from halflabel.completion.result import Completion


def build_frame(completion: Completion) -> pd.DataFrame:
    """Return the completed table; without a table of the user, a table of the labels alone."""
    opened, filled = completion.opened, _make_table(completion.state, completion.index, completion.labels.names)
    if opened.frame is None:
        return filled
    table = opened.frame.copy()
    position = {str(column): j for j, column in enumerate(table.columns)}
    if opened.roles.tags is not None:
        return _write_tags(completion, table, position[opened.roles.tags])
    for name in filled:
        if name not in position:
            table[name] = filled[name].array
            continue
        given = table.iloc[:, position[name]]
        if opened.meanings is not None:
            values = filled[name].to_numpy(np.float64, na_value=np.nan)
            table.isetitem(position[name], write_label_words(given, values, opened.meanings).array)
        else:
            table.isetitem(position[name], _match_type(filled[name].array, given))
    return table


def _write_tags(completion: Completion, table: pd.DataFrame, place: int) -> pd.DataFrame:
    """Return the table with its column of tags filled, and with a column of undecided tags if there are any."""
    opened, labels = completion.opened, completion.labels
    values = np.where(completion.state == 0, np.nan, completion.state > 0)
    undecided = name_open_column(str(opened.roles.tags))
    has_column = undecided in map(str, table.columns)
    table.isetitem(place, fill_tags(table.iloc[:, place], labels, values, opened.notation).array)
    if np.isnan(values).any() or has_column:
        notation = opened.notation or TagNotation()
        table[undecided] = pd.Series(list_open_tags(values, labels.names, notation), table.index, object)
    return table


def _make_table(state: NDArray[np.int8], index: pd.Index[Any], names: tuple[str, ...]) -> pd.DataFrame:
    """Return 1, 0 and missing; plain integers where nothing is missing."""
    table = pd.DataFrame((state > 0).astype(np.int64), index=index, columns=list(names))
    return table if state.all() else table.astype("Int64").mask(state == 0)


def _match_type(filled: Any, given: pd.Series[Any]) -> Any:
    """Return booleans where booleans were given."""
    return filled.astype("boolean") if pd.api.types.is_bool_dtype(given.dropna().infer_objects()) else filled
