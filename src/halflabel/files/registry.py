"""Every format by name, suffix and signature. The module of a format is imported when one of its files is used."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from halflabel._wording import closest

if TYPE_CHECKING:
    from halflabel.files.formats import Format
    from halflabel.files.raw_table import TableFormat

#: The entry points of formats that other distributions add; each value is a :class:`Format` or :class:`TableFormat`.
GROUP = "halflabel.formats"

#: The suffix of text, whose delimiter is recognised.
TEXT = ".txt"


@dataclass(frozen=True)
class Row:
    """The facts about a format before it is imported."""

    name: str
    module: str  #: The module of the format in this package.
    suffixes: tuple[str, ...] = ()  #: The suffixes of its tables.
    #: Bytes by which a table is recognised under any name, each with its place.
    signatures: tuple[tuple[int, bytes], ...] = ()
    holds: Literal["table", "records"] = "table"  #: The content of a file: records are of annotation tools.
    is_written: bool = False  #: Whether a table is written under its suffixes.
    in_parts: bool = False  #: Whether several files are one table.
    attribute: str = "FORMAT"  #: The name of the format in its module.
    home: str = ""  #: The folder of the distribution that has the format; empty for this one.


ROWS = (
    Row("csv", "delimited", (".csv", ".tsv", ".tab", TEXT), is_written=True, in_parts=True),
    Row("parquet", "parquet", (".parquet", ".pq"), ((0, b"PAR1"),), is_written=True, in_parts=True),
    Row("arff", "", (".arff",), home="papers"),
    Row("svmlight", "", (".svm", ".svmlight", ".libsvm"), home="papers"),
    Row("npy", "vectors", (".npy",)),
    Row("spss", "statistics", (".sav", ".zsav"), ((0, b"$FL2"), (0, b"$FL3")), attribute="SPSS"),
    Row("stata", "statistics", (".dta",), ((0, b"<stata_dta>"),), attribute="STATA"),
    Row("sqlite", "sqlite", (".sqlite", ".sqlite3", ".db", ".db3"), ((0, b"SQLite format 3\x00"),)),
    Row("gaf", "gaf", (".gaf",), ((0, b"!gaf-version"),)),
    Row("label-studio", "label_studio", holds="records"),
    Row("prodigy", "", holds="records", home="tools"),
    Row("argilla", "", holds="records", home="tools"),
    Row("doccano", "", holds="records", home="tools"),
    Row("huggingface", "huggingface", in_parts=True),
    Row("coco", "coco"),
    Row("json", "json_records", (".json",), is_written=True, in_parts=True, attribute="ARRAY"),
    Row("jsonl", "json_records", (".jsonl", ".ndjson"), is_written=True, in_parts=True, attribute="LINES"),
    Row("excel", "excel", (".xlsx",), is_written=True),
    Row(
        "arrow",
        "arrow",
        (".feather", ".arrow"),
        ((0, b"ARROW1"), (0, b"\xff\xff\xff\xff")),
        is_written=True,
        in_parts=True,
    ),
)

_BY_NAME = {row.name: row for row in ROWS}
_BY_SUFFIX = {suffix: row for row in reversed(ROWS) for suffix in row.suffixes}

#: The formats of tools, which records are written for.
TOOLS = tuple(row.name for row in ROWS if row.holds == "records")

#: The suffixes of tables that can be written, and of files that together can be one table.
SUFFIXES = tuple(suffix for row in ROWS if row.is_written for suffix in row.suffixes)
PARTS = tuple(suffix for row in ROWS if row.in_parts for suffix in row.suffixes if suffix != TEXT)


@cache
def find_entries() -> Mapping[str, EntryPoint]:
    """Return the entry points of formats by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def list_added() -> Mapping[str, EntryPoint]:
    """Return the entry points of the formats that this package does not know, by name."""
    return {name: entry for name, entry in find_entries().items() if name not in _BY_NAME}


def find_home(name: str) -> str:
    """Return the folder of the distribution that must be installed for a format, or an empty text."""
    row = _BY_NAME.get(name)
    return row.home if row is not None and name not in find_entries() else ""


@cache
def load(name: str) -> Format | TableFormat | None:
    """Import the format of a name. None for one of another distribution that cannot be imported."""
    if home := find_home(name):
        raise ValueError(f"the format {name} is in halflabel-{home}, which is not installed: pip install ./{home}.")
    row = _BY_NAME.get(name)
    if row is not None and not row.home:
        found: Format | TableFormat = getattr(import_module(f"halflabel.files.{row.module}"), row.attribute)
        return found
    entry = find_entries()[name]
    try:
        return entry.load()  # type: ignore[no-any-return]
    except Exception as error:  # a format that cannot be loaded must not prevent reading a table
        warnings.warn(f"the format {entry.value} cannot be loaded ({error}): update or remove it.", stacklevel=2)
        return None


_Kind = TypeVar("_Kind")


class _Formats(Mapping[str, _Kind]):
    """Formats by name. A format is imported by its item, one of another distribution also when names are listed."""

    def __init__(self, holds: str) -> None:
        self._holds = holds

    def __getitem__(self, name: str) -> _Kind:
        if name not in self:
            raise KeyError(name)
        found: Any = load(name)
        return found  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        if name in _BY_NAME:
            return _BY_NAME[str(name)].holds == self._holds
        found = load(str(name)) if name in list_added() else None
        return found is not None and hasattr(found, "dialect") == (self._holds == "records")

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in list_names() if not find_home(name) and name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


#: The formats of annotation tools by name.
FORMATS: Mapping[str, Format] = _Formats("records")

#: The formats of tables by name.
TABLES: Mapping[str, TableFormat] = _Formats("table")


def list_names() -> tuple[str, ...]:
    """Return the names of all formats. None is imported."""
    return (*_BY_NAME, *list_added())


def base_suffix(path: Path) -> str:
    """Return the suffix in lower case, without a final ``.gz``.

    Examples
    --------
    >>> base_suffix(Path("Yeast.ARFF.gz"))
    '.arff'
    """
    return Path(path.name.lower().removesuffix(".gz")).suffix


def name_by_suffix(path: Path) -> str | None:
    """Return the name of the format of tables that a suffix states, ``.gz`` apart, or None for ``.txt`` and others.

    Formats of other distributions are asked where none of this package has the suffix.
    """
    suffix = base_suffix(path)
    if suffix == TEXT or not suffix:
        return None
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix].name
    return next((name for name in list_added() if name in TABLES and suffix in TABLES[name].suffixes), None)


def find_by_suffix(path: Path) -> TableFormat | None:
    """Return the format that :func:`name_by_suffix` names."""
    name = name_by_suffix(path)
    return None if name is None else TABLES[name]


def find_by_content(path: Path) -> str | None:
    """Return the name of the format of a table whose signature a file begins with, under any name, or None."""
    if not path.is_file():
        return None
    from halflabel.files.bounded import read_start  # imported here: the names of formats need no library

    start = read_start(path, 64)
    if start.startswith(b"PK"):
        return "excel" if "xl/workbook.xml" in list_members(path) else None
    return next((row.name for row in ROWS if any(start[at:].startswith(mark) for at, mark in row.signatures)), None)


def list_members(path: Path) -> list[str]:
    """Return the names in a zip file, none for a damaged one."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except Exception:  # damaged archives make zipfile raise BadZipFile, NotImplementedError and others
        return []


def takes_pairs(path: Path) -> bool:
    """Return whether a path is that of a database, to which a table of pairs is added."""
    name = find_by_content(path) or name_by_suffix(path)
    return name is not None and TABLES[name].append is not None


def find_written(path: Path) -> TableFormat:
    """Return the format of a table that is written under a name.

    Raises
    ------
    ValueError
        If no table can be written with the suffix; only delimited text is written with ``.gz``.
    """
    row = _BY_SUFFIX.get(base_suffix(path))
    if row is None or not row.is_written or (path.name.lower().endswith(".gz") and row.name != "csv"):
        known = ", ".join(SUFFIXES)
        raise ValueError(f"{path}: a table is not written as {path.suffix or 'a file without suffix'!r}; use {known}.")
    return TABLES[row.name]


def name_suffix(path: Path, name: str) -> str:
    """Return the suffix of a file that is written like the file at ``path``, which has the format of a name.

    It is that of delimited text for a format that is read only.
    """
    table = TABLES.get(name)
    read_only = name not in FORMATS and (table is None or table.write is None)
    suffixes = (".csv",) if read_only else (table or FORMATS[name]).suffixes
    own = base_suffix(path)
    return own if own and own in suffixes else suffixes[0]


def check_name(name: str, names: tuple[str, ...] | None = None) -> str:
    """Return the name of a format, or raise with the nearest one."""
    known = list_names() if names is None else names
    if name not in known:
        raise ValueError(f"there is no format {name!r}: {closest(name, known)}")
    return name
