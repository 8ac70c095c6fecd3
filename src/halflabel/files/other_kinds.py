"""Files that are not read: each kind is recognised by its first bytes, and its error has two lines that convert it."""

from __future__ import annotations

import gzip
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from halflabel._wording import option
from halflabel.files.bounded import read_start
from halflabel.files.raw_table import ReadError

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
    if start.startswith(b"\x1f\x8b"):
        return None if path.name.lower().endswith(".gz") else _find_start(_unpack(path), "gzipped")
    by_suffix = (kind for kind in _kinds() if path.suffix.lower() in kind.get("suffixes", ()))
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


@cache
def _kinds() -> tuple[Mapping[str, Any], ...]:
    text = files("halflabel.files").joinpath("other_kinds.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text).values())
