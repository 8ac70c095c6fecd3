"""Arrow tables from Parquet, Feather and Arrow streams, read within limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import ipc, parquet

from halflabel._wording import count
from halflabel.files.bounded import check_ordinary, size_limit
from halflabel.files.parquet import explain_damage, read_parquet_table
from halflabel.files.raw_table import ReadError


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
    budget, size, batches = size_limit(), 0, []
    with _open(path) as reader:
        for batch in _batches(reader):
            batch.validate(full=True)  # before anything follows the offsets in it
            size += batch.nbytes
            if size > budget:
                reason = f"it unpacks to more than {count(size)} bytes, above the limit of {count(budget)}: split it."
                raise ReadError.at(path, reason)
            batches.append(batch)
        _check_names(reader.schema)
        return pa.Table.from_batches(batches, reader.schema)


def read_dataset(dataset: Any) -> pa.Table:
    """Read a Dataset of pyarrow, which may be many files, within the limit of size.

    Raises
    ------
    ValueError
        If it does not fit; the sentence names the function for larger ones.
    """
    budget, size, batches = size_limit(), 0, []
    for batch in dataset.to_batches():
        size += batch.nbytes
        if size > budget:
            raise ValueError(
                f"the Dataset takes more than {count(size)} bytes, above the limit of {count(budget)}: complete its "
                "files with `halflabel complete-folder` of halflabel-scale (in a clone: pip install ./scale)."
            )
        batches.append(batch)
    return pa.Table.from_batches(batches, dataset.schema)


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


def _batches(reader: Any) -> Iterator[Any]:
    if isinstance(reader, ipc.RecordBatchFileReader):
        return map(reader.get_batch, range(reader.num_record_batches))
    return iter(reader)


def _begins(path: Path, magic: bytes) -> bool:
    with explain_damage(path, "Parquet or Arrow"), path.open("rb") as file:
        return file.read(len(magic)) == magic
