"""The beginning of a file: enough to find out which format it has."""

from __future__ import annotations

import csv
import zipfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from halflabel.files.arrow_tables import read_schema
from halflabel.files.bounded import base_suffix, lines
from halflabel.files.json_files import Layout, layout_of, read_records
from halflabel.files.raw_table import ReadError

#: Maximum number of records, and of bytes of the header line, in a sample.
MAX_RECORDS, MAX_HEADER = 50, 1_000_000

Kind = Literal["json", "table", "parquet", "arrow", "workbook", "folder", "other"]


@dataclass(frozen=True)
class Sample:
    """What the beginning of a file shows.

    Parameters
    ----------
    path : Path
        The file or folder.
    kind : str
        What holds the data.
    records : tuple of dict
        The first records of a JSON file.
    layout : {"array", "lines", "document"}, optional
        How the records of a JSON file stand.
    columns : tuple of str
        The header of a delimited text file.
    schema : pyarrow.Schema or None
        The schema of a Parquet or Arrow file.
    members : frozenset of str
        The names in a folder.
    """

    path: Path
    kind: Kind
    records: tuple[dict[str, Any], ...] = ()
    layout: Layout | None = None
    columns: tuple[str, ...] = ()
    schema: Any = None
    members: frozenset[str] = frozenset()

    def every(self, *keys: str) -> bool:
        """Return whether each of the records has all of these keys."""
        return bool(self.records) and all(set(keys) <= record.keys() for record in self.records)


def sample_of(path: Path) -> Sample:
    """Return a sample of a file or folder.

    Raises
    ------
    ReadError
        If there is no such file, or its first records are damaged.
    """
    if path.is_dir():
        return Sample(path, "folder", members=frozenset(member.name for member in path.iterdir()))
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({error.strerror}).") from None
    if start.startswith(b"PAR1"):
        return Sample(path, "parquet", schema=read_schema(path))
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Sample(path, "arrow", schema=read_schema(path))
    if start.startswith(b"PK"):
        return Sample(path, "workbook" if _is_workbook(path) else "other")
    if start.startswith(b"\x1f\x8b") and base_suffix(path) == path.suffix.lower():
        return Sample(path, "other")  # gzip by content, but not by name
    return _text_sample(path)


def _text_sample(path: Path) -> Sample:
    if base_suffix(path) in (".npy", ".arff", ".svm", ".svmlight", ".libsvm"):
        return Sample(path, "other")
    if base_suffix(path) in (".csv", ".tsv", ".tab"):
        return _table_sample(path)
    if layout := layout_of(path):
        records = tuple(record for _, record in islice(read_records([path]), MAX_RECORDS))
        return Sample(path, "json", records=records, layout=layout)
    return _table_sample(path)


def _table_sample(path: Path) -> Sample:
    """Return the header of delimited text; a file that is no UTF-8 has none here, its reader finds the encoding."""
    try:
        first = next(lines(path, max_line=MAX_HEADER), (1, ""))[1]
    except ReadError:
        return Sample(path, "table")
    delimiter = max(",;\t", key=first.count)
    try:
        return Sample(path, "table", columns=tuple(next(csv.reader([first], delimiter=delimiter), ())))
    except csv.Error:
        return Sample(path, "table")


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except Exception:  # damaged archives make zipfile raise BadZipFile, NotImplementedError and others
        return False
