"""Parquet, read within a budget of decoded bytes, because the size that a file declares need not be true."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray
from pyarrow import compute, parquet

from halflabel._files import atomic_write
from halflabel._wording import Notes, count
from halflabel.files.arrow_columns import to_arrow_table
from halflabel.files.bounded import check_ordinary, join_names, sha256_of, size_limit
from halflabel.files.delimited import check_same_columns
from halflabel.files.header import name_columns
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm

#: Rows of one batch.
BATCH = 65_536

#: Bytes of a decoded value by the physical type of its column; one type states its own width.
FIXED = "FIXED_LEN_BYTE_ARRAY"
_WIDTH = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}

#: Prints the numbers of values of all columns. Damaged statistics of a column end this process, without an exception.
_COUNT = """import sys; from pyarrow import parquet; file = parquet.read_metadata(sys.argv[1])
for group in map(file.row_group, range(file.num_row_groups)):
    print(*(group.column(j).num_values for j in range(group.num_columns)))"""


def read_parquet(path: Path, *parts: Path) -> RawTable:
    """Read a Parquet file. An index that was saved with a name becomes a column.

    Parameters
    ----------
    path : Path
    *parts : Path
        Further files with the same columns, in any order: their rows follow.

    Raises
    ------
    ReadError
        If it is not a Parquet file, is above the limits of size, or has no or equal column names.
    """
    frame = _read_frame(path)
    frames = [_read_frame(part) for part in parts]
    for part, rows in zip(parts, frames, strict=True):
        check_same_columns(part, list(rows.columns), path, list(frame.columns))
    if parts:
        frame = pd.concat([frame, *frames], ignore_index=True)
    return RawTable(frame, source=join_names(path, *parts), sha256=sha256_of(path, *parts))


def write_parquet(table: pd.DataFrame, path: Path, form: TextForm) -> Notes:
    """Write a table. Return a sentence on the columns of mixed types, which become text."""
    written, mixed = to_arrow_table(table)
    with atomic_write(path) as file:
        parquet.write_table(written, file)
    return mixed


def _read_frame(path: Path) -> pd.DataFrame:
    table = read_parquet_table(path)
    with explain_damage(path):
        frame: pd.DataFrame = table.to_pandas()
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(allow_duplicates=True)
    return frame.set_axis(name_columns([str(name) for name in frame.columns])[0], axis=1)


def read_parquet_table(path: Path) -> pa.Table:
    """Read a Parquet file as an Arrow table, with the metadata of its schema.

    Raises
    ------
    ReadError
        If it is not a Parquet file, or is above the limits of size.
    """
    check_ordinary(path)
    with explain_damage(path):
        return _read_within(path)


@contextmanager
def explain_damage(path: Path, kind: str = "Parquet") -> Iterator[None]:
    """Turn any error of a library about a damaged file of a kind into one sentence."""
    try:
        yield
    except ReadError:
        raise
    except Exception as error:  # damage makes libraries raise KeyError, JSON and Unicode errors too
        raise ReadError.at(path, f"it cannot be read as {kind} ({' '.join(str(error).split())[:200]}).") from None


def gather(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    reject: Callable[[int, int], Exception],
    size_of: Callable[[pa.RecordBatch], int] = lambda batch: int(batch.nbytes),
) -> pa.Table:
    """Return batches as a table, or raise what ``reject`` returns for (size, limit) as soon as they are too large."""
    gathered, size, limit = [], 0, size_limit()
    for batch in batches:
        size += size_of(batch)
        if size > limit:
            raise reject(size, limit)
        gathered.append(batch)
    return pa.Table.from_batches(gathered, schema)


def too_large(path: Path, size: int, limit: int) -> ReadError:
    """Return the error about a file that is larger in memory than on the disk."""
    return ReadError.at(
        path, f"it unpacks to more than {count(size)} bytes, above the limit of {count(limit)}: split it."
    )


def run_apart(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, because some libraries end the process if a file is damaged."""
    # -P: no module next to the file of a user is imported in place of the library
    command = [sys.executable, "-P", "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _read_within(path: Path) -> pa.Table:
    """Decode batch by batch. Text stays in its dictionary until its decoded size is known."""
    file = parquet.ParquetFile(path)
    schema, limit = file.schema_arrow, size_limit()
    if (least := _declared_size(path, file)) > limit:
        raise too_large(path, least, limit)
    file = parquet.ParquetFile(path, read_dictionary=_list_text_columns(file.schema))
    batches = (_with_sound_text(path, batch) for batch in file.iter_batches(batch_size=BATCH))
    return gather(
        batches, file.schema_arrow, partial(too_large, path), lambda batch: sum(map(_decoded_size, batch.columns))
    ).cast(schema)


def _with_sound_text(path: Path, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Raise for text that is not UTF-8: nothing else looks at it before it is used."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            reason = f"it holds text that is not UTF-8, or is damaged ({' '.join(str(error).split())[:100]})."
            raise ReadError.at(path, reason, column=name) from None
    return batch


def _declared_size(path: Path, file: Any) -> int:
    """Return a lower bound on the decoded size of all columns: of one of fixed width run lengths hide the size."""
    schema, groups = file.schema, list(map(file.metadata.row_group, range(file.metadata.num_row_groups)))
    columns = list(map(schema.column, range(len(schema))))
    widths = np.array([each.length if each.physical_type == FIXED else _WIDTH.get(each.physical_type, 0)
                       for each in columns])  # fmt: skip
    values = np.repeat([[group.num_rows] for group in groups], len(columns), axis=1)
    if any(each.max_repetition_level and width for each, width in zip(columns, widths, strict=True)):
        values = _count_values(path).reshape(values.shape)
    return sum(max(int(size), group.total_byte_size) for size, group in zip(values @ widths, groups, strict=True))


def _count_values(path: Path) -> NDArray[Any]:
    """Return the number of values of each column of each row group, as pyarrow reads it: a row may hold a long list."""
    done = run_apart(_COUNT, path)
    if done.returncode:
        raise ReadError.at(path, "it cannot be read as Parquet (the description of its columns is damaged).")
    return np.array(done.stdout.split(), dtype=object).astype(int)


def _list_text_columns(schema: Any) -> list[str]:
    """Return the paths of all columns of text or bytes, also inside lists and structures."""
    columns = map(schema.column, range(len(schema)))
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
    ]


def _decoded_size(column: Any) -> int:
    """Return the bytes of a column when decoded. A value of a dictionary counts as often as it is used."""
    if pa.types.is_struct(column.type):
        return sum(map(_decoded_size, column.flatten()))
    if pa.types.is_nested(column.type):
        return 8 * len(column) + _decoded_size(column.flatten())
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary)
    return int(compute.sum(lengths.take(column.indices.drop_null())).as_py() or 0) + 4 * len(column)


FORMAT = TableFormat("parquet", (".parquet", ".pq"), read_parquet, write_parquet, in_parts=True)
