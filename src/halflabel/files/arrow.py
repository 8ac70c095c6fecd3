"""Feather and other Arrow files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import ipc

from halflabel._files import atomic_write
from halflabel._wording import Notes
from halflabel.files.arrow_columns import to_arrow_table
from halflabel.files.arrow_tables import frame_of_table, read_arrow
from halflabel.files.bounded import join_names
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm


def read_tables(paths: Sequence[Path]) -> pa.Table:
    """Read files and join their rows. The first file states the schema."""
    tables = [read_arrow(path) for path in paths]
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowInvalid as error:
        raise ReadError.at(paths[0], f"its columns do not fit the columns of the other files ({error}).") from None


def _with_short_text(table: pa.Table) -> pa.Table:
    """Return a table with the type of text that every program reads, where the texts are short enough for it."""
    types = [pa.string() if pa.types.is_large_string(field.type) else field.type for field in table.schema]
    try:
        return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
    except pa.ArrowInvalid:  # more than 2 GiB of text in a column
        return table


def to_raw_table(table: pa.Table, *paths: Path) -> RawTable:
    """Return an Arrow table as a raw table."""
    with explain_damage(paths[0], "Parquet or Arrow"):  # some texts are decoded only now
        return RawTable(frame_of_table(table), source=join_names(*paths))


def _read_table(*paths: Path) -> RawTable:
    return to_raw_table(read_tables(paths), *paths)


def _write_table(frame: pd.DataFrame, path: Path, form: TextForm) -> Notes:
    table, mixed = to_arrow_table(frame)
    table = _with_short_text(table)
    with atomic_write(path) as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return mixed


FORMAT = TableFormat("arrow", (".feather", ".arrow"), _read_table, _write_table, in_parts=True, title="Arrow (Feather)")
