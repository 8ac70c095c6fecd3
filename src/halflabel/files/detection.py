"""Find out which format a file has, by its beginning. A file that fits two formats is an error, never a guess.

A file of a kind that is not read is recognised by its first bytes, and its error has two lines that convert it.
"""

from __future__ import annotations

import csv
import gzip
import os
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from halflabel._wording import option
from halflabel.files.bounded import lines, read_start
from halflabel.files.raw_table import ReadError
from halflabel.files.recognition import OF_RECORDS, OF_TOOLS, Recognise, Sample
from halflabel.files.registry import FORMATS, base_suffix, find_by_content, find_home, list_added, name_by_suffix

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
    fitting = _list_fitting(sample, OF_TOOLS) or _list_fitting(sample, _list_recognisers())
    fitting = fitting or _list_fitting(sample, OF_RECORDS)
    if not fitting and sample.kind == "other" and find_by_content(sample.path) is None:
        check_kind(sample.path)
    if len(fitting) > 1:
        found = " ".join(f"{name}: {reason}" for name, reason in fitting)
        names = " or ".join(option("format", name) for name, _ in fitting)
        raise ReadError.at(path, f"it may be of several formats. {found} State {names}.")
    if fitting:
        check_installed(fitting[0].format, sample.path)
    return fitting[0] if fitting else None


def check_installed(name: str, path: Path) -> None:
    """Raise if the format of a file belongs to a distribution that is not installed, with the way on."""
    if find_home(name):
        raise ReadError.at(path, _describe(_parse_kinds()[name], path))


def _list_fitting(sample: Sample, recognise: Mapping[str, Recognise]) -> list[Detected]:
    """Return the formats that a sample fits."""
    return [Detected(name, reason) for name, function in recognise.items() if (reason := function(sample))]


def _list_recognisers() -> Mapping[str, Recognise]:
    """Return the functions that recognise the formats of other distributions, which are imported for it."""
    formats = [FORMATS[name] for name in list_added() if name in FORMATS]
    return {format.name: format.recognise for format in formats if format.recognise is not None}


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
        return Sample(path, "parquet", schema=_read_schema(path))
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Sample(path, "arrow", schema=_read_schema(path))
    if start.startswith(b"PK"):
        return Sample(path, "workbook" if _is_workbook(path) else "other")
    if start.startswith(b"\x1f\x8b") and base_suffix(path) == path.suffix.lower():
        return Sample(path, "other")  # gzip by content, but not by name
    if find_by_content(path) is not None or find_kind(path) is not None:
        return Sample(path, "other")
    return _text_sample(path)


def _read_schema(path: Path) -> Any:
    from halflabel.files.arrow_tables import read_schema  # imported here: a text needs no reader of Arrow

    return read_schema(path)


def _text_sample(path: Path) -> Sample:
    name = name_by_suffix(path)
    if name in ("npy", "arff", "svmlight"):
        return Sample(path, "other")
    if name == "csv" or b"\0" in read_start(path, 4):  # UTF-16 is not JSON
        return _table_sample(path)
    from halflabel.files.json_files import layout_of, read_records  # imported here: delimited text needs neither

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


#: Number of bytes at the beginning of a file that are read.
LENGTH = 512


def check_kind(path: Path) -> None:
    """Raise for a file that is of a known kind which is not read, with the way to convert it."""
    kind = find_kind(path)
    if kind is not None:
        raise ReadError.at(path, _describe(kind, path))


def _describe(kind: Mapping[str, Any], path: Path) -> str:
    """Return the sentence about a file. Python and R write a text in the same way."""
    if "lines" not in kind:
        return f"this is {kind['is']}, not a table: {kind['do']} ({option('images', 'COLUMN')})."
    stem = path.with_suffix("") if path.suffix else path.with_name(f"{path.name}-")
    first, second = (line.replace("{path}", repr(str(path))).replace("{stem}", repr(str(stem)))
                     for line in kind["lines"])  # fmt: skip
    language = kind.get("language", "Python")
    return (
        f"this is {kind['is']}, which is not read: {kind['do']} by two lines of {language}, `{first}` and `{second}`."
    )


def find_kind(path: Path) -> Mapping[str, Any] | None:
    """Return the kind of a file that is not read, or None for every other file."""
    start = read_start(path, LENGTH)
    if start.startswith(b"PK\x03\x04"):
        return _find_archive(path)
    if start.startswith(b"\x1f\x8b") and not path.name.lower().endswith(".gz"):
        return _find_start(_unpack(path), "gzipped")
    by_suffix = (kind for kind in _kinds() if base_suffix(path) in kind.get("suffixes", ()))
    return _find_start(start, "starts") or next(by_suffix, None)


def _find_start(start: bytes, key: str) -> Mapping[str, Any] | None:
    """Return the first kind with one of its signatures at its place."""
    if not start:
        return None
    for kind in _kinds():
        at = kind.get("at", 0)
        if kind.get("binary") and min(start) >= 9:  # text may begin so, too
            continue
        if any(start[at:].startswith(_as_bytes(text)) for text in kind.get(key, ())):
            return kind
    return None


def _find_archive(path: Path) -> Mapping[str, Any] | None:
    """Return the kind of a zip file by its members, or None for a workbook, and for a damaged file."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # damaged archives make zipfile raise BadZipFile, NotImplementedError and others
        return None
    if "xl/workbook.xml" in names:
        return None
    patterns = ((kind, kind["member"]) for kind in _kinds() if "member" in kind)
    return next((kind for kind, pattern in patterns if any(fnmatchcase(name, pattern) for name in names)), None)


def _unpack(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read(LENGTH)
    except (OSError, EOFError, zlib.error):
        return b""


def _as_bytes(text: str) -> bytes:
    """Return the bytes of a signature: text in quotes, or hexadecimal."""
    return text[1:-1].encode() if text.startswith("'") else bytes.fromhex(text)


def _kinds() -> tuple[Mapping[str, Any], ...]:
    """Return the kinds of files that are not read, with the formats of distributions that are not installed."""
    return tuple(kind for name, kind in _parse_kinds().items() if "home" not in kind or find_home(name))


@cache
def _parse_kinds() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(files("halflabel.files").joinpath("other_kinds.toml").read_text(encoding="utf-8"))
