"""The parts of a table in many files: their places in a folder, and the columns that names of folders state."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from halflabel._wording import quoted
from halflabel.files.bounded import base_suffix
from halflabel.files.raw_table import ReadError
from halflabel.files.reading import check_exists

AnyPath = str | os.PathLike[str]

#: The suffixes of parts, by kind. Text may also end in ``.gz``.
SUFFIXES = {"parquet": (".parquet", ".pq"), "text": (".csv", ".tsv", ".tab")}

#: How Hive writes a missing value in the name of a folder.
HIVE_MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Part:
    """One file of a table."""

    path: Path
    name: str  #: The path below the folder that all parts have in common. The output has the same path.
    #: The columns that names of folders state (``year=2024``), with their values.
    partition: tuple[tuple[str, int | str | None], ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the file is delimited text, not Parquet."""
        return base_suffix(self.path) in SUFFIXES["text"]


def list_parts(given: Sequence[AnyPath]) -> list[Part]:
    """Return the files of folders, patterns and paths, in the order of their names.

    Files and folders whose names begin with a dot or an underscore are passed over, also in the folders inside.

    Raises
    ------
    ReadError
        If no file matches, a path does not exist, or files are of several kinds.
    """
    found = {Path(os.path.abspath(path)): None for each in given for path in _expand(Path(each))}
    root = _find_root(given)
    parts = sorted((_make_part(path, root) for path in found), key=lambda part: part.name)
    kinds = sorted({base_suffix(part.path) for part in parts})
    if len({part.is_text for part in parts}) > 1:
        raise ReadError.at(root, f"the files end in {', '.join(kinds)}: name files of one kind, such as '*{kinds[0]}'.")
    return _infer_types(parts)


def _expand(path: Path) -> Iterator[Path]:
    """Yield the files below a path or pattern."""
    if not path.exists() and glob.has_magic(str(path)):
        matches = [Path(match) for match in sorted(glob.glob(str(path), recursive=True))]
        if not matches:
            raise ReadError.at(path, "no file matches this pattern.")
    else:
        if not path.is_dir():
            check_exists(path)
        matches = [path]
    suffixes = sum(SUFFIXES.values(), ())
    files = [file for match in matches for file in ([match] if match.is_file() else _list_files(match))]
    files = [file for file in files if base_suffix(file) in suffixes]
    if not files:
        raise ReadError.at(path, f"there is no part of a table in it: parts end in {', '.join(suffixes)}.")
    yield from files


def _list_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        if path.is_dir():
            yield from _list_files(path)
        else:
            yield path


def _find_root(given: Sequence[AnyPath]) -> Path:
    """Return the folder that all parts have in common. A pattern has the folders before the first wildcard."""
    tops = []
    for each in map(Path, given):
        if each.exists():
            tops.append(each if each.is_dir() else each.parent)
            continue
        first = next(i for i, name in enumerate(each.parts) if glob.has_magic(name))
        tops.append(Path(*each.parts[:first]))
    return Path(os.path.commonpath([os.path.abspath(top) for top in tops]))


def _make_part(path: Path, root: Path) -> Part:
    name = path.relative_to(root)
    stated = [folder.partition("=") for folder in name.parent.parts if "=" in folder]
    values = tuple((key, None if value == HIVE_MISSING else unquote(value)) for key, _, value in stated)
    return Part(path, name.as_posix(), values)


def _infer_types(parts: list[Part]) -> list[Part]:
    """Return the parts with whole numbers in the columns that hold only whole numbers."""
    keys = {tuple(key for key, _ in part.partition) for part in parts}
    if len(keys) > 1:
        shown = quoted("/".join(each) or "none" for each in sorted(keys))
        raise ReadError.at(parts[0].path, f"the folders of the parts state different columns: {shown}.")
    texts: dict[str, set[Any]] = {}
    for part in parts:
        for key, value in part.partition:
            texts.setdefault(key, set()).add(value)
    numeric = {key for key, values in texts.items() if all(_is_whole(value) for value in values - {None})}
    return [
        replace(part, partition=tuple((k, int(v) if k in numeric and v is not None else v) for k, v in part.partition))
        for part in parts
    ]


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and (len(digits) == 1 or not digits.startswith("0"))
