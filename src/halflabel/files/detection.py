"""Find out which format a file has, by its beginning. A file that fits two formats is an error, never a guess."""

from __future__ import annotations

import csv
import os
import zipfile
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from halflabel._wording import option
from halflabel.files.arrow_tables import read_schema
from halflabel.files.bounded import base_suffix, lines, read_start
from halflabel.files.formats import Sample
from halflabel.files.json_files import layout_of, read_records
from halflabel.files.other_kinds import check_kind, find_kind
from halflabel.files.raw_table import ReadError
from halflabel.files.registry import FORMATS, find_by_content, find_by_suffix

#: Maximum number of records, and of bytes of the header line, in a sample.
MAX_RECORDS, MAX_HEADER = 50, 1_000_000


class Detected(NamedTuple):
    """The name of a format, and why a file is of this format."""

    format: str
    reason: str


def detect(path: str | os.PathLike[str]) -> Detected | None:
    """Return the format of a file or folder and the reason, or None for a table that no tool writes.

    Parameters
    ----------
    path : path
        A file or folder; only its beginning is read, unless it is one JSON object.

    Returns
    -------
    Detected or None
        None where :func:`halflabel.files.read_table` is the reader: delimited text, plain Parquet and others.

    Raises
    ------
    ReadError
        If two formats fit, the beginning of the file is damaged, or the file is of a kind that is not read.
    """
    sample = sample_of(Path(path))
    fitting = _list_fitting(sample, general=False) or _list_fitting(sample, general=True)
    if not fitting and sample.kind == "other" and find_by_content(sample.path) is None:
        check_kind(sample.path)
    if len(fitting) > 1:
        found = " ".join(f"{name}: {reason}" for name, reason in fitting)
        names = " or ".join(option("format", name) for name, _ in fitting)
        raise ReadError.at(path, f"it may be of several formats. {found} State {names}.")
    return fitting[0] if fitting else None


def _list_fitting(sample: Sample, *, general: bool) -> list[Detected]:
    """Return the general formats that a sample fits, or the other ones."""
    formats = [format for format in FORMATS.values() if format.is_general == general]
    return [Detected(format.name, reason) for format in formats if (reason := format.recognise(sample))]


def sample_of(path: Path) -> Sample:
    """Return a sample of a file or folder.

    Raises
    ------
    ReadError
        If there is no such file, or its first records are damaged.
    """
    if path.is_dir():
        return Sample(path, "folder", members=frozenset(member.name for member in path.iterdir()))
    start = read_start(path, 8)
    if start.startswith(b"PAR1"):
        return Sample(path, "parquet", schema=read_schema(path))
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Sample(path, "arrow", schema=read_schema(path))
    if start.startswith(b"PK"):
        return Sample(path, "workbook" if _is_workbook(path) else "other")
    if start.startswith(b"\x1f\x8b") and base_suffix(path) == path.suffix.lower():
        return Sample(path, "other")  # gzip by content, but not by name
    if find_by_content(path) is not None or find_kind(path) is not None:
        return Sample(path, "other")
    return _text_sample(path)


def _text_sample(path: Path) -> Sample:
    table = find_by_suffix(path)
    if table is not None and table.name in ("npy", "arff", "svmlight"):
        return Sample(path, "other")
    if table is not None and table.name == "csv":
        return _table_sample(path)
    if layout := layout_of(path):
        records = tuple(record for _, record in islice(read_records([path]), MAX_RECORDS))
        return Sample(path, "json", records=records, layout=layout)
    return _table_sample(path)


def _table_sample(path: Path) -> Sample:
    """Return the header of delimited text, or none if it is not UTF-8: the reader of the text finds its encoding."""
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
