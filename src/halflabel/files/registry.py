"""Every format, found by its name or by the suffix of a file. A format of another distribution is an entry point."""

from __future__ import annotations

import warnings
from importlib.metadata import entry_points
from pathlib import Path

from halflabel._wording import closest
from halflabel.files import (
    argilla,
    arrow,
    coco,
    delimited,
    doccano,
    duckdb,
    excel,
    gaf,
    huggingface,
    json_records,
    label_studio,
    mulan,
    parquet,
    prodigy,
    sqlite,
    statistics,
    svmlight,
    vectors,
)
from halflabel.files.bounded import base_suffix, read_start
from halflabel.files.formats import Format
from halflabel.files.raw_table import TableFormat

_TABLES = (
    delimited.FORMAT,
    parquet.FORMAT,
    mulan.FORMAT,
    svmlight.FORMAT,
    vectors.FORMAT,
    statistics.SPSS,
    statistics.STATA,
    statistics.SAS,
    sqlite.FORMAT,
    duckdb.FORMAT,
    gaf.FORMAT,
)

_TOOLS = (
    label_studio.FORMAT,
    prodigy.FORMAT,
    argilla.FORMAT,
    doccano.FORMAT,
    huggingface.FORMAT,
    coco.FORMAT,
    json_records.ARRAY,
    json_records.LINES,
    excel.FORMAT,
    arrow.FORMAT,
)

#: The entry points of formats that other distributions add; each value is a :class:`Format`.
GROUP = "halflabel.formats"


def load_formats() -> dict[str, Format]:
    """Return the formats of tools by name: the formats of this package, then the formats of other distributions."""
    formats = {format.name: format for format in _TOOLS}
    for entry in entry_points(group=GROUP):
        try:
            format = entry.load()
        except Exception as error:  # a format that cannot be loaded must not prevent reading a table
            warnings.warn(f"the format {entry.value} cannot be loaded ({error}): update or remove it.", stacklevel=2)
        else:
            formats.setdefault(format.name, format)
    return formats


#: The formats of other tools by name.
FORMATS: dict[str, Format] = load_formats()

#: The formats of tables by name: the formats that hold nothing else, and the formats of tools that hold a table.
TABLES: dict[str, TableFormat] = {
    table.name: table for table in (*_TABLES, *(kind.table for kind in FORMATS.values() if kind.table is not None))
}

#: The names of all formats.
NAMES = tuple(dict.fromkeys([*(table.name for table in _TABLES), *FORMATS]))

_BY_SUFFIX = {suffix: table for table in reversed(TABLES.values()) for suffix in table.suffixes}

#: The suffix of text that may be delimited, svmlight or JSON.
TEXT = ".txt"

#: The suffixes of tables that can be written, and of files that together can be one table.
SUFFIXES = tuple(suffix for table in TABLES.values() if table.write is not None for suffix in table.suffixes)
PARTS = tuple(s for table in TABLES.values() if table.in_parts for s in table.suffixes if s != TEXT)


def find_by_suffix(path: Path) -> TableFormat | None:
    """Return the format of a table that the suffix states, ``.gz`` apart, or None for ``.txt`` and unknown suffixes."""
    suffix = base_suffix(path)
    return None if suffix == TEXT else _BY_SUFFIX.get(suffix)


def find_by_content(path: Path) -> TableFormat | None:
    """Return the format of a table whose signature a file begins with, under any name, or None."""
    if not path.is_file():
        return None
    start = read_start(path, 64)
    fits = (table for table in TABLES.values() if any(start[at:].startswith(mark) for at, mark in table.signatures))
    return next(fits, None)


def takes_pairs(path: Path) -> bool:
    """Return whether a path is that of a database, to which a table of pairs is added."""
    table = find_by_content(path) or find_by_suffix(path)
    return table is not None and table.append is not None


def find_written(path: Path) -> TableFormat:
    """Return the format of a table that is written under a name.

    Raises
    ------
    ValueError
        If no table can be written with the suffix; only delimited text is written with ``.gz``.
    """
    suffix = base_suffix(path)
    table = _BY_SUFFIX.get(suffix)
    if table is None or table.write is None or (path.name.lower().endswith(".gz") and table is not delimited.FORMAT):
        known = ", ".join(SUFFIXES)
        raise ValueError(f"{path}: a table is not written as {path.suffix or 'a file without suffix'!r}; use {known}.")
    return table


def name_suffix(path: Path) -> str:
    """Return the suffix of a table that is written next to the table at ``path``: lists stay lists in Parquet."""
    table = _BY_SUFFIX.get(base_suffix(path))
    if table is parquet.FORMAT:
        return ".parquet"
    return base_suffix(path) if table is delimited.FORMAT else ".csv"


def check_name(name: str, names: tuple[str, ...] = NAMES) -> str:
    """Return the name of a format, or raise with the nearest one."""
    if name not in names:
        raise ValueError(f"there is no format {name!r}: {closest(name, names)}")
    return name
