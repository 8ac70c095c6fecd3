"""Datasets of Hugging Face, without their package: Parquet, and folders saved to disk.

The features are in the metadata of the schema, and in ``dataset_info.json`` of a folder. A list of ``ClassLabel`` is
a list of labels; its numbers become names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import parquet

from halflabel._arrays import Column
from halflabel._files import atomic_write
from halflabel._wording import listed
from halflabel.files.arrow import read_tables, to_raw_table
from halflabel.files.arrow_columns import to_arrow_table
from halflabel.files.json_files import read_document
from halflabel.files.parquet import write_parquet
from halflabel.files.raw_table import RawTable, ReadError, TableFormat


def _read_table(*paths: Path) -> RawTable:
    return name_classes(_read_parts(paths), *paths)


def _read_parts(paths: Sequence[Path]) -> pa.Table:
    return read_tables([file for part in paths for file in (_files_of(part) if part.is_dir() else [part])])


def name_classes(table: pa.Table, *paths: Path) -> RawTable:
    """Return an Arrow table in which the numbers of classes are their names, and the list of labels, if there is one.

    Parameters
    ----------
    table : Table
        Its schema, or the folder that it comes from, holds the features.
    *paths : Path
        The files or folders.
    """
    classes = _class_names(table, paths[0])
    for name, names in classes.items():
        column = _replace_numbers(table.column(name), names, paths[0], name)
        table = table.set_column(table.column_names.index(name), name, column)
    lists = [name for name in classes if is_list(table.schema.field(name).type)]
    return replace(to_raw_table(table, *paths), tags=lists[0] if len(lists) == 1 else None, classes=classes)


def restore_numbers(column: Column, classes: Mapping[str, list[str]]) -> Column:
    """Return a column with the numbers of its classes in place of their names, if it has classes."""
    names = classes.get(str(column.name))
    if names is None:
        return column
    number = {None: None} | {name: position for position, name in enumerate(names)}
    cells = [
        [number[name] for name in cell] if isinstance(cell, list | tuple | np.ndarray) else number.get(cell)
        for cell in column
    ]
    return pd.Series(cells, column.index, dtype=object, name=column.name)


def is_list(kind: Any) -> bool:
    """Return whether an Arrow type is a list of any kind."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _files_of(folder: Path) -> list[Path]:
    """Return the data files of a folder: as its ``state.json`` lists them, else its Parquet files by name."""
    if (folder / "dataset_dict.json").exists():
        splits = [str(name) for name in read_document(folder / "dataset_dict.json").get("splits") or []]
        raise ReadError.at(folder, f"it holds the splits {listed(splits)}: name one of these folders.")
    if not (folder / "state.json").exists():
        return sorted(folder.glob("*.parquet"))
    stated = read_document(folder / "state.json").get("_data_files")
    parts = stated if isinstance(stated, list) else []
    names = [str(part.get("filename")) for part in parts if isinstance(part, dict)]
    if not names or any(Path(name).name != name for name in names):
        raise ReadError.at(folder / "state.json", "it does not list the data files of this folder.")
    return [folder / name for name in names]


def _metadata(table: pa.Table) -> dict[bytes, bytes]:
    return table.schema.metadata or {}


def _class_names(table: pa.Table, path: Path) -> dict[str, list[str]]:
    """Return the names of the classes of each column of ``ClassLabel``, or of lists of them."""
    info = path / "dataset_info.json"
    try:
        if path.is_dir() and info.exists():
            features = read_document(info).get("features") or {}
        else:
            features = json.loads(_metadata(table).get(b"huggingface", b"{}")).get("info", {}).get("features", {})
        found = {name: _names_of(features[name]) for name in table.column_names if name in features}
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError.at(path, f"its features cannot be read ({error}).") from None
    return {name: names for name, names in found.items() if names is not None}


def _names_of(feature: Any) -> list[str] | None:
    """Return the names of a ``ClassLabel``, or of a list of them in today's notation or an older one."""
    if isinstance(feature, list) and len(feature) == 1:
        feature = feature[0]
    elif isinstance(feature, dict) and isinstance(feature.get("feature"), dict):
        feature = feature["feature"]
    if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and feature.get("names"):
        return [str(name) for name in feature["names"]]
    return None


def _replace_numbers(column: pa.ChunkedArray, names: list[str], path: Path, name: str) -> pa.Array:
    """Return a column with the names of its classes. The number -1 means a missing class and becomes missing."""
    numbers = column.type.value_type if is_list(column.type) else column.type
    if not (pa.types.is_integer(numbers) or pa.types.is_null(numbers)):
        raise ReadError.at(path, f"its classes are of the type {numbers}: they must be whole numbers.", column=name)

    def name_of(cell: Any) -> Any:
        if isinstance(cell, list):
            return list(map(name_of, cell))
        if cell is not None and cell >= len(names):
            raise ReadError.at(path, f"it holds the class {cell}, but has {len(names)} names.", column=name)
        return None if cell is None or cell < 0 else names[cell]

    return pa.array(map(name_of, column.to_pylist()), pa.list_(pa.string()) if is_list(column.type) else pa.string())


def write_with_classes(frame: pd.DataFrame, path: Path, classes: Mapping[str, list[str]], further: str) -> None:
    """Write a table as Parquet in which classes are numbers, with their names in the metadata of the schema.

    Parameters
    ----------
    frame : DataFrame
        Classes are names in it.
    path : Path
    classes : mapping of str to list of str
        The names of the classes by column.
    further : str
        A column that may have been added and lists classes of the only column of lists.
    """
    lists = [name for name in classes if name in frame and any(isinstance(x, list | np.ndarray) for x in frame[name])]
    if further in frame and len(lists) == 1:
        classes, lists = {**classes, further: classes[lists[0]]}, [*lists, further]
    numbers = frame.assign(**{name: restore_numbers(frame[name], classes) for name in classes if name in frame})
    table, _ = to_arrow_table(numbers)
    for name in classes:
        kind = pa.list_(pa.int64()) if name in lists else pa.int64()
        position = table.column_names.index(name)
        table = table.set_column(position, name, pa.array(numbers[name], kind, from_pandas=True))
    labels = {name: {"names": names, "_type": "ClassLabel"} for name, names in classes.items()}
    features = {n: {"feature": label, "_type": "List"} if n in lists else label for n, label in labels.items()}
    info = json.dumps({"info": {"features": features}}, ensure_ascii=False)
    with atomic_write(path) as file:
        parquet.write_table(table.replace_schema_metadata({b"huggingface": info}), file)


FORMAT = TableFormat(
    "huggingface", (".parquet", ""), _read_table, write_parquet, in_parts=True, title="Hugging Face datasets"
)
