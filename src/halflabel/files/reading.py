"""Read and write a table of any format by its suffix."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

from halflabel._wording import Notes, option
from halflabel.files.bounded import check_ordinary
from halflabel.files.detection import find_table
from halflabel.files.raw_table import RawTable, ReadError, TextForm
from halflabel.files.registry import TABLES, check_name, find_by_suffix, find_written

_PSQL = """psql --csv -c 'SELECT * FROM items' "$ADDRESS" > items.csv"""
_CURL = 'curl -o items.csv "$ADDRESS"'

#: Commands that write a file, by the scheme of an address.
_WAYS = {
    "postgres": _PSQL,
    "postgresql": _PSQL,
    "mysql": "mysql --batch -e 'SELECT * FROM items' shop > items.tsv",
    "http": _CURL,
    "https": _CURL,
    "s3": "aws s3 cp $ADDRESS items.csv",
    "gs": "gcloud storage cp $ADDRESS items.csv",
}


def read_table(
    path: str | os.PathLike[str],
    *parts: str | os.PathLike[str],
    kind: str | None = None,
    **options: str | None,
) -> RawTable:
    """Read a file by its suffix, or as the kind that is stated.

    ============================================== ==================================
    suffix (text files also with ``.gz``)          read as
    ============================================== ==================================
    ``.csv``, ``.tsv``, ``.tab``                   delimited text with a header line
    ``.parquet``, ``.pq``                          Parquet
    ``.txt``                                       delimited text
    ``.npy``                                       feature vectors
    ``.json``                                      JSON array of objects
    ``.jsonl``, ``.ndjson``                        JSON lines
    ``.xlsx``                                      a sheet of a workbook
    ``.feather``, ``.arrow``                       Arrow
    ``.sav``, ``.zsav``                            SPSS
    ``.dta``                                       Stata
    ``.sqlite``, ``.db`` and others                a table of SQLite
    ============================================== ==================================

    Parameters
    ----------
    path : path
        The file.
    *parts : path
        Further files of delimited text or Parquet with the same columns: their rows follow.
    kind : str, optional
        The name of the format, such as "csv" for delimited text; by default the suffix or the content decides.
    **options : str, optional
        The keys of :func:`halflabel.open_table` about files of the kind, such as ``delimiter`` and ``sheet``.

    Returns
    -------
    RawTable

    Raises
    ------
    ReadError
        With one sentence that names the file and, where known, line and column.
    """
    paths = [Path(path), *map(Path, parts)]
    takes_folders = kind is not None and kind in TABLES and "" in TABLES[kind].suffixes
    for each in paths:
        if not (takes_folders and each.is_dir()):
            check_exists(each)
    given = {name: value for name, value in options.items() if value is not None}
    table = TABLES[check_name(kind or find_table(paths[0]), tuple(TABLES))]
    if wrong := [name for name in given if name not in table.options]:
        raise ReadError.at(paths[0], f"{option(wrong[0])} does not apply to a file of the format {table.name}.")
    if len(paths) > 1 and not table.in_parts:
        raise ReadError.at(paths[1], f"files of the format {table.name} are read one by one.")
    raw = table.read(*paths, **given)
    if raw.frame.empty and raw.matrix is None:
        raise ReadError.at(raw.source, "there are no rows or no columns in it.")
    return replace(raw, format=table.name)


def write_frame(table: pd.DataFrame, path: str | os.PathLike[str], form: TextForm | None = None) -> Notes:
    """Write a table in the notation of its suffix, see :data:`halflabel.files.SUFFIXES`.

    Parameters
    ----------
    table : DataFrame
    path : path
    form : TextForm, optional
        The notation of the text file that the table was read from.

    Returns
    -------
    tuple of str
        One sentence for each thing that the file cannot hold.

    Raises
    ------
    ValueError
        If the suffix is not known.
    """
    write = find_written(Path(path)).write
    assert write is not None  # as the function states
    return write(table, Path(path), form or TextForm())


def check_values(table: pd.DataFrame | None, path: Path) -> None:
    """Raise if a file of this name cannot hold the values of a table: before the work, not after it."""
    kind = find_by_suffix(path)
    if table is not None and kind is not None and kind.check is not None:
        kind.check(table)


def check_exists(path: Path) -> None:
    """Raise unless a path is that of an ordinary file."""
    if path.is_dir():
        raise ReadError.at(path, "this is a folder; name a file in it.")
    if not path.exists():
        check_address(path)
        raise ReadError.at(path, "there is no such file.")
    check_ordinary(path)


def check_address(path: str | os.PathLike[str]) -> None:
    """Raise for the address of a server, with a command that writes a file. The address is secret."""
    scheme, colon, _ = os.fspath(path).partition(":/")
    if colon and (way := _WAYS.get(scheme.lower().partition("+")[0])):
        raise ReadError(
            f"the address of a server ({scheme}) is not read: write the rows into a file, `{way}`, and name that file."
        )
