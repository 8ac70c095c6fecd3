"""A part in batches: read as Arrow tables, given to the model as DataFrames, and written as it was read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import parquet

from halflabel._files import atomic_write
from halflabel.files.bounded import check_ordinary
from halflabel.files.delimited import find_first_line, open_delimited, read_batches, to_frame
from halflabel.files.delimited_writing import write_text
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import ReadError, TextForm
from halflabel.files.text_form import check_names
from halflabel.folders.parts import Part

#: Maximum number of rows of a batch.
BATCH = 20_000

#: Parquet codecs that are kept. Any other codec is replaced by the first.
CODECS = ("SNAPPY", "ZSTD", "GZIP", "BROTLI", "UNCOMPRESSED")

#: Bytes of a number in Parquet.
WIDTHS = {"INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8}


@dataclass(frozen=True)
class TextOptions:
    """The notation of delimited text, as far as the user has stated it. None is recognised from the file."""

    delimiter: str | None = None
    encoding: str | None = None
    skip_rows: str | None = None


class PartFile(Protocol):
    """A part that is open: its columns, its rows, and a way to write rows in the same notation."""

    @property
    def names(self) -> list[str]:
        """The columns of the file."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types. All columns of text are strings."""
        ...

    def batches(self, kept: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Yield at most :data:`BATCH` rows at a time, of all columns or of the named columns."""
        ...

    def to_frame(self, table: pa.Table, as_text: Collection[str] = ()) -> pd.DataFrame:
        """Return rows as values, and the columns of ``as_text`` as they are written."""
        ...

    def find_first_line(self) -> int | None:
        """Return the line of the first row, or None if rows are not lines."""
        ...

    def writer(self, path: Path, schema: pa.Schema) -> Any:
        """Return a context manager whose value writes tables of this schema."""
        ...


def open_part(part: Part, options: TextOptions) -> PartFile:
    """Open a part. Raise a ReadError if it is damaged."""
    check_ordinary(part.path)
    return TextFile.open(part.path, options) if part.is_text else ParquetFile.open(part.path)


@dataclass(frozen=True, eq=False)
class ParquetFile:
    """A part of the format Parquet."""

    path: Path
    schema: pa.Schema

    @classmethod
    def open(cls, path: Path) -> ParquetFile:
        """Read the footer."""
        with explain_damage(path):
            schema = parquet.read_schema(path)
        check_names(schema.names, path, None)
        return cls(path, schema)

    @property
    def names(self) -> list[str]:
        """The columns of the file."""
        return list(self.schema.names)

    def batches(self, kept: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Yield rows, with only the pages of a batch in memory."""
        with explain_damage(self.path), parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(BATCH, columns=list(kept) or None, use_threads=False):
                yield pa.Table.from_batches([batch])

    def to_frame(self, table: pa.Table, as_text: Collection[str] = ()) -> pd.DataFrame:
        """Return rows as values, without an index that was saved with the table."""
        unnamed = [name for name in table.column_names if name.startswith("__index_level_")]
        with explain_damage(self.path):
            frame: pd.DataFrame = table.drop_columns(unnamed).to_pandas(ignore_metadata=True)
        return frame

    def find_first_line(self) -> None:
        """Rows of Parquet have no lines."""

    @contextmanager
    def writer(self, path: Path, schema: pa.Schema) -> Iterator[parquet.ParquetWriter]:
        """Write Parquet with the codec and the dictionaries of this file."""
        codec, coded = self._find_codec(), self._find_coded()
        with (
            atomic_write(path) as file,
            parquet.ParquetWriter(file, schema, compression=codec, use_dictionary=coded) as writer,
        ):
            yield writer

    def _find_codec(self) -> str:
        footer = parquet.read_metadata(self.path)
        groups, columns = footer.num_row_groups, footer.num_columns
        codec = footer.row_group(0).column(0).compression if groups and columns else CODECS[0]
        return "NONE" if codec == "UNCOMPRESSED" else codec if codec in CODECS else CODECS[0]

    def _find_coded(self) -> list[str]:
        """Return the paths of the columns that are written with a dictionary, because it makes the file smaller."""
        footer = parquet.read_metadata(self.path)
        if not footer.num_row_groups:
            return list(self.schema.names)
        chunks = map(footer.row_group(0).column, range(footer.num_columns))
        return [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page and not _is_inflated(chunk)]


def _is_inflated(chunk: parquet.ColumnChunkMetaData) -> bool:
    """Whether a column with a dictionary takes more bytes than its numbers alone, because nearly all are distinct."""
    width = WIDTHS.get(chunk.physical_type)
    return width is not None and chunk.total_uncompressed_size > width * chunk.num_values


@dataclass(frozen=True, eq=False)
class TextFile:
    """A part of delimited text."""

    path: Path
    form: TextForm
    names: list[str]

    @classmethod
    def open(cls, path: Path, options: TextOptions) -> TextFile:
        """Recognise the notation of the file."""
        return cls(path, *open_delimited(path, options.delimiter, options.encoding, options.skip_rows))

    @property
    def schema(self) -> pa.Schema:
        """All columns, as strings."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def batches(self, kept: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Yield rows, with at most some MB of the file in memory."""
        for batch in read_batches(self.path, self.form, self.names, kept):
            for first in range(0, batch.num_rows, BATCH):
                yield pa.Table.from_batches([batch.slice(first, BATCH)])

    def to_frame(self, table: pa.Table, as_text: Collection[str] = ()) -> pd.DataFrame:
        """Return cells as values where they are numbers or truth values."""
        texts = [name for name in table.column_names if name in as_text]
        return to_frame(table, decimal_comma=self.form.delimiter != ",", as_text=texts)

    def find_first_line(self) -> int | None:
        """Return the line of the first row. It reads the file, because a cell may hold a line break."""
        return find_first_line(self.batches(), self.form, [self.path])

    @contextmanager
    def writer(self, path: Path, schema: pa.Schema) -> Iterator[TextWriter]:
        """Write text in the notation of this file, from cells that are strings."""
        form, packed = self.form, path.suffix == ".gz"
        with atomic_write(path) as file, write_text(file, form, form.header, form.delimiter, packed=packed) as write:
            yield TextWriter(write)

    def with_cells(self, table: pa.Table) -> TextForm:
        """Return the notation together with cells as they are written."""
        return replace(self.form, cells=table)


@dataclass(frozen=True, eq=False)
class TextWriter:
    """Writes tables of text one after the other."""

    write_rows: Callable[[pd.DataFrame], None]

    def write_table(self, table: pa.Table) -> None:
        """Write rows."""
        self.write_rows(table.to_pandas())


def unify_schemas(parts: Sequence[Part], schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the types that the columns of all parts have in common. Raise at the first part that does not fit."""
    plain = [_decode_types(schema).remove_metadata() for schema in schemas]
    unified = plain[0]
    for part, schema in zip(parts[1:], plain[1:], strict=True):
        try:
            unified = pa.unify_schemas([unified, schema], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            wrong = next(name for name in unified.names if not _fit(unified.field(name), schema.field(name)))
            kinds = f"{schema.field(wrong).type}, but {unified.field(wrong).type} in the parts before"
            hint = "write it with one type in all parts"
            raise ReadError.at(part.path, f"the column {wrong!r} has the type {kinds}: {hint}.") from None
    return unified


def decode(table: pa.Table) -> pa.Table:
    """Return a table with values in place of the codes of dictionaries."""
    return table.cast(_decode_types(table.schema))


def _decode_types(schema: pa.Schema) -> pa.Schema:
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema
    ]
    return pa.schema(fields, schema.metadata)


def _fit(one: pa.Field, other: pa.Field) -> bool:
    try:
        pa.unify_schemas([pa.schema([one]), pa.schema([other])], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return False
    return True
