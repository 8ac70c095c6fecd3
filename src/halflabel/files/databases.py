"""Databases in one file: a table or the rows of a query are read, and suggestions are added as a table of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._wording import count, option, plural, quoted
from halflabel.files.bounded import check_ordinary, sha256_of
from halflabel.files.header import name_columns
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: The table that suggestions are written to, and its columns.
SUGGESTIONS = "halflabel_tags"
COLUMNS = ("item", "tag", "source", "probability")


@dataclass(frozen=True)
class Keys:
    """The primary key of a table, if it is one column, and the (table, column) that other columns refer to."""

    primary: str | None = None
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Engine:
    """The functions of one kind of database."""

    title: str  #: The name of the database.
    #: Opens a file so that nothing can be changed in it, and so that a query reads no other file.
    open: Callable[[Path], AbstractContextManager[Any]]
    list_columns: Callable[[Any], Mapping[str, Sequence[str]]]  #: Returns the columns of every table and view.
    find_keys: Callable[[Any, str], Keys]  #: Returns the :class:`Keys` of a table.
    #: Returns the rows of a query, at most as many bytes as the limit of size allows.
    fetch: Callable[[Any, str], pd.DataFrame]
    replace_table: Callable[[Path, str, pd.DataFrame], None]  #: Writes a table in one transaction.


def make_format(name: str, suffixes: tuple[str, ...], engine: Engine) -> TableFormat:
    """Return the format of the files of a database."""
    return TableFormat(
        name,
        suffixes,
        partial(_read, engine),
        options=("items_table", "query"),
        tables=partial(_list_tables, engine),
        append=partial(_append, engine),
    )


def quote_name(name: str) -> str:
    """Return the name of a table or column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def group_columns(rows: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """Return the columns of each table, from pairs of a table and a column."""
    tables: dict[str, list[str]] = {}
    for table, column in rows:
        tables.setdefault(table, []).append(column)
    return tables


def reject_rows(size: int, limit: int) -> ValueError:
    """Return the error about a table that is too large."""
    return ValueError(f"its rows take more than {count(limit)} bytes, the limit: choose some of them by a query")


def _read(engine: Engine, path: Path, *, items_table: str | None = None, query: str | None = None) -> RawTable:
    """Read a table, a view or the rows of a query. The only table of a file needs no name."""
    if items_table is not None and query is not None:
        raise ReadError.at(
            path, f"a table and a query were named ({option('items_table')}, {option('query')}): use one."
        )
    check_ordinary(path)
    with explain_damage(path, f"a database of {engine.title}"), engine.open(path) as database:
        tables = engine.list_columns(database)
        name = "" if query is not None else _choose_table(path, tables, items_table)
        keys = engine.find_keys(database, name) if name else Keys()
        frame = engine.fetch(database, query or f"SELECT * FROM {quote_name(name)}")
    names, notes = name_columns(list(map(str, frame.columns)))
    return RawTable(
        frame.set_axis(names, axis=1),
        source=str(path),
        sha256=sha256_of(path),
        notes=notes,
        id=keys.primary,
        table=name,
        references=keys.references,
    )


def _choose_table(path: Path, tables: Mapping[str, Sequence[str]], stated: str | None) -> str:
    """Return the table that was stated, or the only one. SQL does not distinguish upper and lower case in names."""
    by_fold = {name.casefold(): name for name in tables}
    if stated is not None and stated.casefold() in by_fold:
        return by_fold[stated.casefold()]
    names = [name for name in tables if name != SUGGESTIONS]
    if stated is None and len(names) == 1:
        return names[0]
    shown = quoted(names) if names else "no table"
    found = f"there is no table {stated!r} in it; it holds {shown}" if stated else f"it holds {shown}"
    raise ReadError.at(path, f"{found}: name the table of the items with {option('items_table', 'NAME')}.")


def _list_tables(engine: Engine, path: Path) -> tuple[str, ...]:
    """Return the names of the tables and views."""
    with explain_damage(path, f"a database of {engine.title}"), engine.open(path) as database:
        return tuple(engine.list_columns(database))


def _append(engine: Engine, pairs: pd.DataFrame, path: Path) -> tuple[str, ...]:
    """Write pairs to a table of their own in one transaction. Older pairs are replaced, tables of the user never."""
    with explain_damage(path, f"a database of {engine.title}"), engine.open(path) as database:
        columns = engine.list_columns(database).get(SUGGESTIONS)
    if columns is not None and tuple(columns) != COLUMNS:
        raise ReadError.at(path, f"its table {SUGGESTIONS!r} is not one of halflabel: rename it, or write to a file.")
    try:
        engine.replace_table(path, SUGGESTIONS, pairs)
    except Exception as error:  # locked, full, or read-only: each library has its own errors
        reason = f"the suggestions cannot be written to it ({' '.join(str(error).split())[:200]}); it is as it was."
        raise ReadError.at(path, reason) from None
    return (f"{plural(len(pairs), 'row')} in the table {SUGGESTIONS!r} of {path.name}; no other table was changed.",)
