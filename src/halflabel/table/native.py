"""Tables of other libraries: into pandas, and the completed table back into their kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

from halflabel._arrays import Column
from halflabel.labels.tables import is_missing

Restore = Callable[[pd.DataFrame], Any]

#: Returns some rows of a table, as a table of a kind that can be opened.
Take = Callable[[Sequence[int]], Any]

#: From a method of objects that become a table to the way.
_WAYS = {
    "to_parquet": "items.to_parquet('items.parquet'), and then the path of this file",
    "to_table": "items.to_table()",
    "to_pandas": "items.to_pandas()",
}

#: An Arrow table without columns, from which no type of a column is taken.
_NO_SCHEMA = pa.schema([])


@dataclass(frozen=True, eq=False)
class Native:
    """A table of another library as a DataFrame."""

    frame: pd.DataFrame
    take: Take
    #: Turns a completed DataFrame into the kind of the original; None for a DataFrame of pandas.
    restore: Restore | None = None
    #: Turns any other DataFrame into the library of the items; None for pandas, and for objects of no such
    #: library.
    convert: Restore | None = None

    def give_back(self, table: pd.DataFrame) -> Any:
        """Return the completed table as the kind of the original."""
        return table if self.restore is None else self.restore(table)

    def as_given(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return any other table as a DataFrame of the library of the original, or of pandas."""
        return table if self.convert is None else cast(pd.DataFrame, self.convert(table))


def open_native(items: Any) -> Native | None:
    """Return items as a DataFrame, or None if they are not a table.

    Parameters
    ----------
    items : object
        A DataFrame of pandas or of a library that narwhals supports, a list of dict, or an object with
        ``__arrow_c_stream__``.

    Raises
    ------
    ValueError
        For a lazy table, a Dataset, and one column.
    """
    if isinstance(items, pd.DataFrame):
        return Native(items, _take_from(items))
    if isinstance(items, Sequence) and len(items) and isinstance(items[0], Mapping):
        frame = pd.DataFrame(list(items))
        return Native(frame, _take_from(frame))
    native = nw.from_native(items, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        kind = name_kind(items)
        raise ValueError(f"items are a {kind}, which is not computed yet: collect it first, such as items.collect().")
    if isinstance(native, nw.DataFrame):
        return _open_frame(native)
    if isinstance(nw.from_native(items, pass_through=True, allow_series=True), nw.Series) or _is_column(items):
        raise ValueError("items are one column, but a table is needed: pass the table that holds it.")
    if hasattr(items, "__arrow_c_stream__"):
        return _open_frame(nw.from_native(pa.table(items), eager_only=True))
    if way := next((way for method, way in _WAYS.items() if hasattr(items, method)), None):
        raise ValueError(f"items are a {name_kind(items)}, and not a table in memory: give {way}.")
    return None


def name_kind(items: Any) -> str:
    """Return the name of a class with that of its package, such as ``polars.DataFrame``."""
    package = type(items).__module__.partition(".")[0]
    return type(items).__name__ if package == "builtins" else f"{package}.{type(items).__name__}"


def _take_from(frame: pd.DataFrame) -> Take:
    return lambda rows: frame.iloc[list(rows)]


def _is_column(items: Any) -> bool:
    return isinstance(items, pa.Array | pa.ChunkedArray)


def as_pandas(table: Any) -> Any:
    """Return a table of another library as a DataFrame, and anything else as it is."""
    if isinstance(table, pd.DataFrame | pd.Series):
        return table
    is_native = table is not None and isinstance(nw.from_native(table, pass_through=True), nw.DataFrame)
    native = open_native(table) if is_native else None
    return table if native is None else native.frame


def _open_frame(frame: Any) -> Native:
    if frame.implementation.is_pandas():
        return Native(frame.to_native(), _take_from(frame.to_native()))
    from halflabel.files.arrow_tables import frame_of_table  # not for pandas

    arrow = frame.to_arrow()
    read = frame_of_table(arrow)

    def restore(table: pd.DataFrame) -> Any:
        changed = [name for name in table.columns if name not in read or not table[name].equals(read[name])]
        added = pa.table({name: _as_arrow(table[name], arrow.schema) for name in changed})
        new = nw.from_arrow(added, backend=frame.implementation)
        return frame.with_columns(*(new[name] for name in changed)).to_native()

    def convert(table: pd.DataFrame) -> Any:
        columns = name_rows(table)
        arrays = {str(name): _as_typed(columns[name]) for name in columns}
        return nw.from_arrow(pa.table(arrays), backend=frame.implementation).to_native()

    return Native(read, lambda rows: frame[list(rows)].to_native(), restore, convert=convert)


def name_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose row labels are its first column, under a name that no other column has, if they have one."""
    if table.index.name is None:
        return table
    name = str(table.index.name)
    while name in table.columns:
        name = f"_{name}"
    return pd.DataFrame(table.rename_axis(index=name).reset_index())


def _as_typed(column: Column) -> pa.Array:
    """Return a column of pandas with its type, also where it is empty: a person fills in answers."""
    try:
        return pa.Array.from_pandas(column)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _as_arrow(column, _NO_SCHEMA)


def _as_arrow(column: Column, schema: pa.Schema) -> pa.Array:
    """Return a column with the type that it had, if its values fit."""
    from halflabel.files.arrow_columns import to_arrow_array  # not for pandas

    index = schema.get_field_index(str(column.name))
    kind = schema.field(index).type if index >= 0 else None
    values = [None if is_missing(value) else value for value in column.astype(object)]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return to_arrow_array(values)
