"""Which row of a further table belongs to which item: by a column that both have, never by an order that it denies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints
from halflabel._wording import option, quoted
from halflabel.table.cells import read_as_text, show_cell, use_text_names


def find_places(table: pd.DataFrame, items: pd.DataFrame, skip: Collection[str]) -> dict[str, Ints]:
    """Return the item of each row of a table, -1 for none, by every column that identifies the rows of both.

    Parameters
    ----------
    table, items : DataFrame
        Column names are text.
    skip : collection of str
        Columns that do not identify rows, such as labels.

    Examples
    --------
    >>> items = pd.DataFrame({"song": ["a", "b"], "tempo": [90, 90]})
    >>> find_places(pd.DataFrame({"song": ["b", "a"], "tempo": [90, 80]}), items, skip=())
    {'song': array([1, 0])}
    """
    places = {}
    for name in table.columns:
        if name in items.columns and name not in skip and is_key(items[name]):
            rows = find_values(items[name], table[name])
            if (rows >= 0).any():
                places[str(name)] = rows
    return places


def find_key(table: pd.DataFrame, items: pd.DataFrame, skip: Collection[str], noun: str) -> tuple[str, Ints] | None:
    """Return the column that identifies the rows of both tables, and the item of each row, or None.

    The values of one table are a part of the values of the other one.

    Raises
    ------
    ValueError
        If two columns disagree about the rows, or only a part of the values of both tables is the same.
    """
    places = {name: rows for name, rows in find_places(table, items, skip).items() if is_key(table[name])}
    if not places:
        return None
    whole = {name: rows for name, rows in places.items() if (rows >= 0).all() or (rows >= 0).sum() == len(items)}
    first = next(iter(whole or places))
    denied = [name for name, rows in places.items() if not np.array_equal(rows, places[first])]
    if not whole or denied:
        columns = f"by {quoted([first, *denied])}" if denied else f"by {first!r}, which has further values in both"
        raise ValueError(
            f"it is not clear which row of {noun} belongs to which item: {columns}; name the column ({option('id')})."
        )
    return first, whole[first]


def check_rows(table: pd.DataFrame, items: pd.DataFrame, rows: Ints, skip: Collection[str], noun: str) -> None:
    """Raise if a table names its items by row number, but a column that identifies the items denies these numbers.

    Parameters
    ----------
    table : DataFrame
    items : DataFrame
    rows : ndarray of int
        The number of the item that each row of the table is about.
    skip : collection of str
        Columns of the table that are not columns of the items.
    noun : str
        The name of the table in the error.
    """
    table, items = use_text_names(table), use_text_names(items)
    for name, places in find_places(table, items, skip).items():
        moved = (places >= 0) & (places != rows)
        if moved.any():
            row = int(moved.argmax())
            raise ValueError(
                f"{noun} has {name!r} {show_cell(table[name], row)} for item {rows[row]}, but this value belongs to "
                f"item {places[row]} of the table: the rows have changed. Name a column of ids ({option('id', name)}) "
                "in every step."
            )


def check_other_names(table: pd.DataFrame, items: pd.DataFrame, skip: Collection[str], noun: str) -> None:
    """Raise if a column of text has the ids of the items in another order, under a name that the items do not have."""
    ids = {name: items[name] for name in items.columns if _is_text_key(items[name])}
    for own in table.columns:
        if own in skip or own in items.columns or not _is_text_key(table[own]):
            continue
        for name, column in ids.items():
            rows = find_values(column, table[own])
            if (rows >= 0).all() and (rows != np.arange(len(rows))).any():
                raise ValueError(
                    f"the column {own!r} of {noun} has the ids of {name!r} in another order: give both the same name."
                )


def _is_text_key(column: pd.Series[Any]) -> bool:
    return not pd.api.types.is_numeric_dtype(column) and is_key(column)


def is_key(column: pd.Series[Any]) -> bool:
    """Return whether every cell of a column of numbers or text has a value of its own."""
    try:
        return bool(column.notna().all()) and column.is_unique
    except TypeError:  # lists
        return False


def find_values(column: pd.Series[Any], values: pd.Series[Any]) -> Ints:
    """Return the row of a column of distinct values that holds each value as it is written, or -1."""
    try:
        wanted = read_as_text(values)
    except TypeError:  # lists
        return np.full(len(values), -1)
    known = {text: row for row, text in enumerate(read_as_text(column))}
    return np.array([-1 if text is None else known.get(text, -1) for text in wanted], dtype=np.intp)


def order_by_row_labels(table: Any, indexes: Sequence[pd.Index[Any]], noun: str) -> Any:
    """Return a table with row labels of its own in the order of the items, and anything else as it is.

    Parameters
    ----------
    table : object
        A DataFrame or Series of pandas is ordered. One whose rows are numbered from 0 is in the order of the items,
        unless the items have these numbers in another order.
    indexes : sequence of Index
        The ids of the items, and their row labels.
    noun : str
        The name of the table in the error.

    Raises
    ------
    ValueError
        If the row labels are others.
    """
    if not isinstance(table, pd.DataFrame | pd.Series) or any(table.index.equals(index) for index in indexes):
        return table
    same = [index for index in indexes if len(index) == len(table) and index.isin(table.index).all()]
    numbered = isinstance(table.index, pd.RangeIndex)
    if numbered and not same:
        return table
    if numbered or not same or table.index.has_duplicates:
        raise ValueError(f"{noun} has other row labels than the items, or another order of them: give it their index.")
    return table.loc[same[0]]
