"""The completed table as a DataFrame: the columns that were given, their gaps filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.table import OpenTable
from halflabel.table.cells import use_text_names
from halflabel.table.label_words import write_label_words
from halflabel.table.tag_notations import TagNotation, name_open_column


def build_frame(opened: OpenTable, state: NDArray[np.int8]) -> pd.DataFrame:
    """Return the table with the completed values of all its labels. For arrays, it is a table of the labels alone."""
    filled = _make_table(state, opened.index, opened.written_labels.names)
    if opened.frame is None:
        return filled
    table = opened.frame.copy()
    position = {str(column): j for j, column in enumerate(table.columns)}
    if opened.roles.tags is not None:
        return _write_tags(opened, state, table, position[opened.roles.tags])
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


def fill_known(
    frame: pd.DataFrame,
    labels: PartialLabels,
    relevant: Ints,
    tags: str | None = None,
    notation: TagNotation | None = None,
    words: Mapping[str, tuple[Any, Any]] | None = None,
) -> pd.DataFrame:
    """Return a table of new items with its gaps filled. Given cells stay. A label without a column gets one.

    ``labels`` are the labels that the table states, and ``relevant`` has their values, too. ``words`` has the words of
    a column for irrelevant and for relevant entries; columns of 0 and 1 have none.
    """
    table = use_text_names(frame).copy()
    if tags is not None:
        from halflabel.table import fill_tags

        column = table[tags] if tags in table else pd.Series(None, table.index, object, tags)
        table[tags] = fill_tags(column, labels, relevant.astype(np.float64), notation)
        if name_open_column(tags) in table:
            table[name_open_column(tags)] = None  # nothing is undecided
        return table
    for j, name in enumerate(labels.names):
        table[name] = _fill_column(table.get(name), labels.observed[:, j], relevant[:, j], (words or {}).get(name))
    return table


def _fill_column(given: pd.Series[Any] | None, known: Mask, relevant: Ints, words: tuple[Any, Any] | None) -> Any:
    """Return the cells of a label: numbers, or the given cells and words for the gaps."""
    if words is None:
        return relevant if given is None else _match_type(pd.array(relevant, dtype=np.int64), given)
    cells = [None] * len(known) if given is None else given.astype(object).tolist()
    return [cell if is_known else words[value] for cell, is_known, value in zip(cells, known, relevant, strict=True)]


def _write_tags(opened: OpenTable, state: NDArray[np.int8], table: pd.DataFrame, place: int) -> pd.DataFrame:
    """Return the table with its column of tags filled, and with a column of undecided tags if there are any."""
    from halflabel.table.tag_columns import fill_tags, list_open_tags  # imported here: other tables have no tags

    labels = opened.written_labels
    values = np.where(state == 0, np.nan, state > 0)
    undecided = name_open_column(str(opened.roles.tags))
    has_column = undecided in map(str, table.columns)
    table.isetitem(place, fill_tags(table.iloc[:, place], labels, values, opened.notation).array)
    if np.isnan(values).any() or has_column:
        notation = opened.notation or TagNotation()
        table[undecided] = pd.Series(list_open_tags(values, labels.names, notation), table.index, object)
    return table


def _make_table(state: NDArray[np.int8], index: pd.Index[Any], names: tuple[str, ...]) -> pd.DataFrame:
    """Return 1, 0 and missing. Without missing values these are plain integers."""
    table = pd.DataFrame((state > 0).astype(np.int64), index=index, columns=list(names))
    return table if state.all() else table.astype("Int64").mask(state == 0)


def _match_type(filled: Any, given: pd.Series[Any]) -> Any:
    """Return booleans where booleans were given."""
    return filled.astype("boolean") if pd.api.types.is_bool_dtype(given.dropna().infer_objects()) else filled
