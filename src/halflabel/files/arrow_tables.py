"""Arrow tables from Parquet, Feather and Arrow streams, read within limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import ipc, parquet

from halflabel.files.bounded import check_ordinary
from halflabel.files.parquet import explain_damage, gather, read_parquet_table, too_large


def read_arrow(path: Path) -> pa.Table:
    """Read a Parquet file, an Arrow file (Feather) or an Arrow stream.

    Raises
    ------
    ReadError
        If it is none of these, is damaged, or is above the limit of size.
    """
    check_ordinary(path)
    if _begins(path, b"PAR1"):
        return read_parquet_table(path)
    with _open(path) as reader:
        _check_names(reader.schema)
        return gather(_iterate(reader), reader.schema, partial(too_large, path))


def read_schema(path: Path) -> pa.Schema:
    """Read the schema of such a file."""
    check_ordinary(path)
    if not _begins(path, b"PAR1"):
        with _open(path) as reader:
            _check_names(reader.schema)
            return reader.schema
    with explain_damage(path, "Parquet or Arrow"):
        return parquet.read_schema(path)


def frame_of_table(table: pa.Table) -> pd.DataFrame:
    """Return a table as a DataFrame in which whole numbers and truth values with gaps keep their type."""
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    for field in table.schema:
        exact = pa.types.is_integer(field.type) or pa.types.is_boolean(field.type)
        if exact and table.column(field.name).null_count:
            kind = "boolean" if pa.types.is_boolean(field.type) else "Int64"
            frame[field.name] = pd.array(table.column(field.name).to_pylist(), dtype=kind)
    return frame


def _check_names(schema: pa.Schema) -> None:
    """Raise for a damaged name of a column: pyarrow decodes names only when they are asked for."""
    assert all(isinstance(name, str) for name in schema.names)


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    """Open an Arrow file or stream without a copy of its data."""
    with explain_damage(path, "Parquet or Arrow"), pa.memory_map(str(path)) as source:
        open_reader = ipc.open_file if _begins(path, b"ARROW1") else ipc.open_stream
        with open_reader(source) as reader:
            yield reader


def _iterate(reader: Any) -> Iterator[Any]:
    is_file = isinstance(reader, ipc.RecordBatchFileReader)
    for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
        batch.validate(full=True)  # before anything follows the offsets in it
        yield batch


def _begins(path: Path, magic: bytes) -> bool:
    with explain_damage(path, "Parquet or Arrow"), path.open("rb") as file:
        return file.read(len(magic)) == magic
