"""Which row of a further table belongs to which item: by a column that both have, never by an order that it denies."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Index, Ints
from halflabel._wording import Notes, count, option, quoted
from halflabel.table.cells import read_as_text, require_columns, show_cell, use_text_names

#: The ids of the items.
Ids: TypeAlias = "Sequence[Hashable] | Column | Index"


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


def match_rows(
    table: pd.DataFrame, items: pd.DataFrame, id: str | None, on: str | None, skip: Collection[str], noun: str
) -> tuple[Ints, Notes] | None:
    """Return the item of each row of a table, -1 for none, and sentences on how they were found, or None.

    Rows are found by the column ``on``, by the id, by row labels, or by a column that identifies the rows of both.

    Parameters
    ----------
    table, items : DataFrame
    id, on : str or None
        The columns of ids of the items, and of the table.
    skip : collection of str
        Columns of the table that are not ids, such as labels.
    noun : str
        The name of the table in an error.
    """
    if on is None and id in table.columns and id not in skip:
        on = id
    if on is None and isinstance(table.index, pd.RangeIndex):
        found = find_key(table, items, skip, noun)
        how = "The rows of {} are found by the column {!r}, which the items have, too."
        return None if found is None else (found[1], (how.format(noun, found[0]),))
    for name, frame in ((on, table), (id, items)):
        require_columns(filter(None, (name,)), frame)
    own, known = (frame.index if name is None else frame[name] for name, frame in ((on, table), (id, items)))
    if pd.Index(own).equals(pd.Index(known)):
        return np.arange(len(table)), ()
    texts = pd.Index(read_as_text(pd.Series(own)))
    if texts.hasnans or texts.has_duplicates:
        twice = "an empty id" if texts.hasnans else f"{texts[texts.duplicated()][0]!r} more than once"
        raise ValueError(f"{noun} has {twice}{'' if on is None else f' in {on!r}'}: it needs one row per item.")
    numbered = on is not None and id is None and isinstance(items.index, pd.RangeIndex)
    notes = (f"{on!r} is the number of the item, from 0, because the items have no ids.",) if numbered else ()
    rows, others = find_rows(pd.Series(own), read_ids(known), "rows")
    return rows, (*notes, *others)


def read_ids(ids: Ids) -> Index:
    """Return the ids of the items as they are written."""
    known = pd.Index(read_as_text(pd.Series(ids)))
    if not known.is_unique:
        twice = quoted(pd.unique(known[known.duplicated()]))
        raise ValueError(f"ids must be distinct as written, but {twice} appears more than once in the table.")
    return known


def find_rows(ids: Column, known: Index, noun: str = "pairs") -> tuple[Ints, Notes]:
    """Return the item of each row, -1 for ids that no item has, and a sentence about these.

    Rows about other items are left out. If they are most rows, or differ from items by leading zeros only, the ids are
    written in another way.
    """
    named = read_as_text(ids)
    rows = np.asarray(known.get_indexer(pd.Index(named)), dtype=np.intp)
    others = sorted(set(named[rows < 0]))
    if not others:
        return rows, ()
    found = f"{count(int((rows < 0).sum()))} of {count(len(rows))} {noun} name ids that are not in the table"
    without_zeros = {str(each).lstrip("0") for each in known}
    if 2 * (rows < 0).sum() <= len(rows) and not any(each.lstrip("0") in without_zeros for each in others):
        return rows, (f"{found}, such as {others[0]!r}: left out.",)
    raise ValueError(
        f"{found}: {quoted(others)}. The ids of the table are written {quoted(known[:3])}; where leading zeros were "
        f"lost, read both as text; leave these {noun} out if they are about other items."
    )


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


def is_key(column: Column) -> bool:
    """Return whether every cell of a column of numbers or text has a value of its own."""
    try:
        return bool(column.notna().all()) and column.is_unique
    except TypeError:  # lists
        return False


def find_values(column: Column, values: Column) -> Ints:
    """Return the last row of a column that holds each value as it is written, or -1: ids are checked later."""
    try:
        wanted = read_as_text(values)
    except TypeError:  # lists
        return np.full(len(values), -1)
    known = {text: row for row, text in enumerate(read_as_text(column)) if text is not None}
    return np.array([known.get(text, -1) for text in wanted], dtype=np.intp)


def order_by_row_labels(table: Any, indexes: Sequence[Index], noun: str) -> Any:
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
