"""Feather and other Arrow files: one column per label, with the labels named in the schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import ipc

from halflabel._files import atomic_write
from halflabel.files.arrow_columns import to_arrow_table
from halflabel.files.arrow_tables import frame_of_table, read_arrow
from halflabel.files.bounded import join_names
from halflabel.files.field_values import text_of
from halflabel.files.formats import Format, Options
from halflabel.files.item_tables import LOSSES, OPTIONS, from_frame, has_ids, to_frame
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm
from halflabel.files.recognition import KEY
from halflabel.files.records import Records


def read_tables(paths: Sequence[Path]) -> pa.Table:
    """Read files and join their rows. The first file states the schema."""
    tables = [read_arrow(path) for path in paths]
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowInvalid as error:
        raise ReadError.at(paths[0], f"its columns do not fit the columns of the other files ({error}).") from None


def to_table(records: Records) -> pa.Table:
    """Return records as an Arrow table that names its labels."""
    table = _with_short_text(to_arrow_table(to_frame(records))[0])
    name = str(records.items.index.name or "id") if has_ids(records.items) else None
    stated = {"labels": list(records.names), "id": name}
    return table.replace_schema_metadata({KEY: json.dumps(stated, ensure_ascii=False)})


def _with_short_text(table: pa.Table) -> pa.Table:
    """Return a table with the type of text that every program reads, where the texts are short enough for it."""
    types = [pa.string() if pa.types.is_large_string(field.type) else field.type for field in table.schema]
    try:
        return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
    except pa.ArrowInvalid:  # more than 2 GiB of text in a column
        return table


def from_table(table: pa.Table, path: Path, options: Options, format: str, **more: Any) -> Records:
    """Read an Arrow table as :func:`from_frame` does. The schema names the labels if the caller does not."""
    metadata = table.schema.metadata or {}
    if KEY in metadata and not options.names_fields:
        options = _stated(metadata[KEY], path, options)
    return from_frame(_frame(table, path), path, options, format, **more)


def _frame(table: pa.Table, path: Path) -> pd.DataFrame:
    with explain_damage(path, "Parquet or Arrow"):  # some texts are decoded only now
        return frame_of_table(table)


def _stated(text: bytes, path: Path, options: Options) -> Options:
    """Return the options with the labels and the id that the schema names."""
    try:
        stated = json.loads(text)
        return replace(options, labels=tuple(map(str, stated["labels"])), id=text_of(stated["id"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ReadError.at(path, "its schema names the labels in a way that cannot be read.") from None


def to_raw_table(table: pa.Table, *paths: Path) -> RawTable:
    """Return an Arrow table as a raw table, with the labels and the id that its schema names."""
    metadata = table.schema.metadata or {}
    stated = _stated(metadata[KEY], paths[0], Options()) if KEY in metadata else Options()
    frame = _frame(table, paths[0])
    return RawTable(frame, label_names=stated.labels, source=join_names(*paths), id=stated.id)


def _read(paths: Sequence[Path], options: Options) -> Records:
    return from_table(read_tables(paths), paths[0], options, FORMAT.name)


def _read_table(*paths: Path) -> RawTable:
    return to_raw_table(read_tables(paths), *paths)


def _write(records: Records, path: Path) -> None:
    _write_arrow(to_table(records), path)


def _write_table(frame: pd.DataFrame, path: Path, form: TextForm) -> tuple[str, ...]:
    table, mixed = to_arrow_table(frame)
    _write_arrow(_with_short_text(table), path)
    return mixed


def _write_arrow(table: pa.Table, path: Path) -> None:
    with atomic_write(path) as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


FORMAT = Format(
    name="arrow",
    title="Arrow (Feather)",
    dialect="cells",
    suffixes=(".feather", ".arrow"),
    read=_read,
    write=_write,
    losses=LOSSES,
    options=OPTIONS,
    table=TableFormat("arrow", (".feather", ".arrow"), _read_table, _write_table, in_parts=True),
)
