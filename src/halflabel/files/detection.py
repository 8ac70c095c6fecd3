"""Find out which format a file has, by its beginning. A file that fits two formats is an error, never a guess.

A file of a kind that is not read is recognised by its first bytes, and its error has two lines that convert it.
"""

from __future__ import annotations

import gzip
import os
import tomllib
import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from halflabel._wording import option
from halflabel.files.bounded import read_start
from halflabel.files.raw_table import ReadError
from halflabel.files.recognition import OF_TOOLS, Sample
from halflabel.files.registry import (
    FORMATS,
    ROWS,
    TEXT,
    base_suffix,
    find_by_content,
    find_home,
    list_added,
    list_members,
    name_by_suffix,
)

#: Maximum number of records in a sample.
MAX_RECORDS = 50


class Detected(NamedTuple):
    """The name of a format, and why a file is of this format: empty for a table that no tool writes."""

    format: str
    reason: str = ""


def detect(path: str | os.PathLike[str]) -> Detected:
    """Return the format of a file or folder, and the reason if it is of a tool.

    Parameters
    ----------
    path : path
        A file or folder; only its beginning is read, unless it is one JSON object.

    Raises
    ------
    ReadError
        If two formats fit, the beginning of the file is damaged, or the file is of a kind that is not read.
    """
    path = Path(path)
    tool = find_tool(path)
    return Detected(find_table(path)) if tool is None else tool


def find_tool(path: Path) -> Detected | None:
    """Return the format of the tool that wrote a file or folder, or None for every other one."""
    sample = sample_of(path)
    fitting = [Detected(name, reason) for name, recognise in OF_TOOLS.items() if (reason := recognise(sample))]
    if not fitting:
        added = (FORMATS[name] for name in list_added() if name in FORMATS)
        found = ((kind.name, kind.recognise(sample)) for kind in added if kind.recognise is not None)
        fitting = [Detected(name, reason) for name, reason in found if reason]
    if len(fitting) > 1:
        shown = " ".join(f"{name}: {reason}" for name, reason in fitting)
        names = " or ".join(option("format", name) for name, _ in fitting)
        raise ReadError.at(path, f"it may be of several formats. {shown} State {names}.")
    if fitting:
        check_installed(fitting[0].format, path)
    return fitting[0] if fitting else None


def check_installed(name: str, path: Path) -> None:
    """Raise if the format of a file belongs to a distribution that is not installed, with the way on."""
    if find_home(name):
        raise ReadError.at(path, _describe(_parse_kinds()[name], path))


def sample_of(path: Path) -> Sample:
    """Return a sample of a file or folder.

    Raises
    ------
    ReadError
        If there is no such file, or its first records are damaged.
    """
    if path.is_dir():
        return Sample(path, members=frozenset(member.name for member in path.iterdir()))
    kind = find_by_content(path)
    if kind in ("parquet", "arrow"):
        from halflabel.files.arrow_tables import read_schema  # imported here: a text needs no reader of Arrow

        return Sample(path, metadata=read_schema(path).metadata or {})
    may_be_json = kind is None and find_kind(path) is None and name_by_suffix(path) in (None, "json", "jsonl")
    layout = _find_layout(path) if may_be_json else None
    if layout is None:
        return Sample(path)
    from halflabel.files.json_files import read_records  # imported here, too

    return Sample(path, tuple(record for _, record in islice(read_records([path]), MAX_RECORDS)), layout)


def _find_layout(path: Path) -> Any:
    """Return the arrangement of the records of a JSON file, or None for every other file."""
    if b"\0" in read_start(path, 4):  # UTF-16 is not JSON
        return None
    from halflabel.files.json_files import layout_of  # imported here: delimited text does not need it

    return layout_of(path)


def find_table(path: Path) -> str:
    """Return the format of a table: by its first bytes, else by its suffix."""
    if (kind := find_by_content(path)) is not None:
        return kind
    check_kind(path)
    if (name := name_by_suffix(path)) is not None:
        return name
    if (layout := _find_layout(path)) is not None:
        return "jsonl" if layout == "lines" else "json"
    if base_suffix(path) == TEXT:
        return "csv"
    known = ", ".join(sorted({suffix for row in ROWS for suffix in row.suffixes}))
    reason = (
        f"neither its content nor its suffix {path.suffix!r} is that of a known format; tables are read by suffix: "
        f"{known}; or state {option('format', 'csv')}."
    )
    raise ReadError.at(path, reason)


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
    names = list_members(path)
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
