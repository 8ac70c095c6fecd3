"""Parquet, read within a budget of decoded bytes, because the size that a file declares need not be true."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute, parquet

from halflabel._files import atomic_write
from halflabel._wording import count
from halflabel.files.arrow_columns import to_arrow_table
from halflabel.files.bounded import check_ordinary, join_names, sha256_of, size_limit
from halflabel.files.delimited import check_same_columns
from halflabel.files.parquet_footer import count_values
from halflabel.files.raw_table import RawTable, ReadError, TableFormat, TextForm
from halflabel.files.text_form import check_names

#: Rows of one batch.
BATCH = 65_536

#: Bytes of a decoded value by the physical type of its column; one type states its own width.
FIXED = "FIXED_LEN_BYTE_ARRAY"
_WIDTH = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}


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


def write_parquet(table: pd.DataFrame, path: Path, form: TextForm) -> tuple[str, ...]:
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
    frame.columns = pd.Index(check_names([str(name) for name in frame.columns], path, None))
    if frame.empty:
        raise ReadError.at(path, "there are no rows or no columns in it.")
    return frame


def read_parquet_table(path: Path) -> pa.Table:
    """Read a Parquet file as an Arrow table, with the metadata of its schema.

    Raises
    ------
    ReadError
        If it is not a Parquet file, or is above the limits of size.
    """
    check_ordinary(path)
    with explain_damage(path):
        return _read_within(path, size_limit())


@contextmanager
def explain_damage(path: Path, kind: str = "Parquet") -> Iterator[None]:
    """Turn any error of a library about a damaged file of a kind into one sentence."""
    try:
        yield
    except ReadError:
        raise
    except Exception as error:  # damage makes libraries raise KeyError, JSON and Unicode errors too
        raise ReadError.at(path, f"it cannot be read as {kind} ({' '.join(str(error).split())[:200]}).") from None


def _read_within(path: Path, budget: int) -> pa.Table:
    """Decode batch by batch. Text stays in its dictionary until its decoded size is known."""
    file = parquet.ParquetFile(path)
    schema = file.schema_arrow
    if (least := _declared_size(path, file)) > budget:
        raise _too_large(path, least, budget)
    file = parquet.ParquetFile(path, read_dictionary=_list_text_columns(file.schema))
    batches, size = [], 0
    for batch in file.iter_batches(batch_size=BATCH):
        size += sum(map(_decoded_size, batch.columns))
        if size > budget:
            raise _too_large(path, size, budget)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            _check_text(path, name, column)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow).cast(schema)


def _check_text(path: Path, name: str, column: pa.Array) -> None:
    """Raise for text that is not UTF-8: nothing else looks at it before it is used."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        reason = f"it holds text that is not UTF-8, or is damaged ({' '.join(str(error).split())[:100]})."
        raise ReadError.at(path, reason, column=name) from None


def _too_large(path: Path, size: int, budget: int) -> ReadError:
    reason = f"it unpacks to more than {count(size)} bytes, above the limit of {count(budget)}: split it."
    return ReadError.at(path, reason)


def _declared_size(path: Path, file: Any) -> int:
    """Return a lower bound on the decoded size of all columns: of one of fixed width run lengths hide the size."""
    schema, groups = file.schema, list(map(file.metadata.row_group, range(file.metadata.num_row_groups)))
    columns = list(map(schema.column, range(len(schema))))
    widths = [each.length if each.physical_type == FIXED else _WIDTH.get(each.physical_type, 0) for each in columns]
    if any(each.max_repetition_level for each in columns):
        values = count_values(path)
    else:
        values = [[group.num_rows] * len(columns) for group in groups]
    sizes = [sum(a * b for a, b in zip(widths, each, strict=True)) for each in values]
    return sum(max(size, group.total_byte_size) for size, group in zip(sizes, groups, strict=True))


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
