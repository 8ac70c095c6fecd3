"""The parts of a table: Parquet files with the same columns, read in batches by pyarrow."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import dataset

AnyPath = str | os.PathLike[str]

#: Number of rows that are read at a time. It is fixed, so that the bytes of a part do not depend on the machine.
BATCH = 20_000


@dataclass(frozen=True)
class Part:
    """A file of the table, and its name in the output: with the folders that state columns."""

    path: Path
    name: str
    root: Path  #: Folders below it, such as ``year=2024``, state columns.

    def open(self, schema: pa.Schema | None = None) -> dataset.Dataset:
        """Return the part as a data set of pyarrow."""
        return dataset.dataset(
            [str(self.path)], schema, format="parquet", partitioning="hive", partition_base_dir=str(self.root)
        )

    def batches(self, schema: pa.Schema, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield tables of at most :data:`BATCH` rows, with the types of a schema."""
        for batch in self.open(schema).to_batches(columns=columns, batch_size=BATCH, use_threads=False):
            if batch.num_rows:
                yield pa.Table.from_batches([batch])

    def digest(self) -> str:
        """Return the SHA-256 of the content."""
        return digest_file(self.path)


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def list_parts(items: AnyPath | Sequence[AnyPath]) -> list[Part]:
    """Return the Parquet files of a folder, a pattern or a list, ordered by name."""
    given = [items] if isinstance(items, str | os.PathLike) else list(items)
    paths = sorted({path for each in given for path in _find_files(Path(each))})
    if odd := [path for path in paths if not path.suffix == ".parquet"]:
        raise ValueError(
            f"{odd[0]} is no Parquet file: write the parts as Parquet, for text with "
            'pyarrow.dataset.write_dataset(pyarrow.dataset.dataset(FOLDER, format="csv"), NEW, format="parquet").'
        )
    folders = [Path(each) for each in given if Path(each).is_dir()]
    root = folders[0] if len(folders) == len(given) == 1 else Path(os.path.commonpath([path.parent for path in paths]))
    return [Part(path, path.relative_to(root).as_posix(), root) for path in paths]


def _find_files(place: Path) -> list[Path]:
    """Return the files of a path. Names that begin with a dot or an underscore belong to other programs."""
    if place.is_dir():
        inside = (path for path in place.rglob("*.parquet") if path.is_file())
        found = [path for path in inside if not any(word[0] in "._" for word in path.relative_to(place).parts)]
    else:
        found = [place] if place.is_file() else [Path(name) for name in glob(str(place))]
    if not found:
        raise FileNotFoundError(f"{place}: there is no part of a table here: name Parquet files, or a folder of them.")
    return found


def unify_parts(parts: Sequence[Part]) -> pa.Schema:
    """Return the columns that all parts have, with one type each. Raise where names or types differ.

    A column of codes for words has the type of the words, and a column without a value in one part the type that it
    has in the others.
    """
    schemas = [_decode(part.open().schema) for part in parts]
    for part, schema in zip(parts, schemas, strict=True):
        if odd := sorted({*schema.names} ^ {*schemas[0].names}):
            raise ValueError(f"{part.path}: its columns differ from the columns of {parts[0].path}: {odd[0]!r}.")
    whole = schemas[0]
    for part, schema in zip(parts[1:], schemas[1:], strict=True):
        try:
            whole = pa.unify_schemas([whole, schema], promote_options="permissive")
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise ValueError(f"{part.path}: a column has another type than in the parts before it: {error}") from None
    return whole


def _decode(schema: pa.Schema) -> pa.Schema:
    def plain(kind: Any) -> Any:
        return plain(kind.value_type) if pa.types.is_dictionary(kind) else kind

    return pa.schema([(field.name, plain(field.type)) for field in schema])
