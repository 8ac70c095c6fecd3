"""Databases of SQLite: a table or a view is read, and suggestions are added as a table of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count as count_up
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import Notes, count, option, plural, quoted
from halflabel.files.bounded import check_ordinary, sha256_of, size_limit
from halflabel.files.field_values import typed_column
from halflabel.files.header import name_columns
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: The table that suggestions are written to, and its columns.
SUGGESTIONS = "halflabel_tags"
COLUMNS = ("item", "tag", "source", "probability")

#: The bytes of a cell apart from its text, and the maximum bytes of one cell or stored row.
CELL, MAX_CELL = 56, 64_000_000

#: Maximum number of steps of SQLite in one reading, and after how many of them signals are noticed. A step costs some
#: nanoseconds, and a row of 20 columns about 25 steps.
MAX_STEPS, STEPS = 5_000_000_000, 1_000_000


def _read(path: Path, *, items_table: str | None = None) -> RawTable:
    """Read a table or a view. The only one of a file needs no name."""
    check_ordinary(path)
    with _open(path) as database:
        name = _choose_table(path, _list_columns(database), items_table)
        key, references = _find_keys(database, name)
        frame = _fetch(database, _quote_name(name))
    names, notes = name_columns(list(map(str, frame.columns)))
    frame, digest = frame.set_axis(names, axis=1), sha256_of(path)
    return RawTable(frame, source=str(path), sha256=digest, notes=notes, id=key, table=name, references=references)


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database. Views and generated columns are queries of the author of the file, so they have limits, too."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    with explain_damage(path, "a database of SQLite"), closing(sqlite3.connect(address, uri=True)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_CELL, size_limit()))
        periods = count_up(1)
        database.set_progress_handler(lambda: next(periods) * STEPS > MAX_STEPS, STEPS)
        try:
            yield database
        except sqlite3.DataError:
            limit = count(database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH))
            raise ValueError(f"a cell takes more than {limit} bytes, the limit: leave it out by a view") from None
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            if next(periods) * STEPS <= MAX_STEPS:  # by a signal: SQLite drops the exception of the handler
                raise KeyboardInterrupt from None
            raise ValueError(
                f"a query in it takes more than {count(MAX_STEPS)} steps, the limit: read a table, not a view"
            ) from None


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list_columns(database: sqlite3.Connection) -> Mapping[str, Sequence[str]]:
    """Return the columns of every table and view."""
    tables: dict[str, list[str]] = {}
    for table, column in database.execute(
        "SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid"
    ):
        tables.setdefault(table, []).append(column)
    return tables


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


def _find_keys(database: sqlite3.Connection, table: str) -> tuple[str | None, Mapping[str, tuple[str, str]]]:
    """Return the primary key of a table, if it is one column, and the (table, column) that other columns refer to."""
    primary = [name for (name,) in database.execute("SELECT name FROM pragma_table_info(?) WHERE pk", (table,))]
    links = database.execute('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)', (table,)).fetchall()
    return primary[0] if len(primary) == 1 else None, {column: (other, key or "") for column, other, key in links}


def _fetch(database: sqlite3.Connection, table: str) -> pd.DataFrame:
    """Return the rows of a table with one typed column per name.

    Limits of cells and of columns bound one row, and every row is counted before the next one is made.
    """
    limit = size_limit()
    names = [column[0] for column in database.execute(f"SELECT * FROM {table} LIMIT 0").description]
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_CELL, limit // len(names)))
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in database.execute(f"SELECT * FROM {table}"):
        size += sum(CELL + (len(cell) if isinstance(cell, str | bytes) else 0) for cell in row)
        if size > limit:
            raise ValueError(f"its rows take more than {count(limit)} bytes, the limit: choose some of them by a view")
        rows.append(row)
    index = pd.RangeIndex(len(rows))
    columns = [typed_column([row[j] for row in rows], index) for j in range(len(names))]
    return pd.concat(columns, axis=1, keys=range(len(names))).set_axis(names, axis=1) if columns else pd.DataFrame()


def _list_tables(path: Path) -> tuple[str, ...]:
    with _open(path) as database:
        return tuple(_list_columns(database))


def _append(pairs: pd.DataFrame, path: Path) -> Notes:
    """Write pairs to a table of their own in one transaction. Older pairs are replaced, tables of the user never."""
    with _open(path) as database:
        columns = _list_columns(database).get(SUGGESTIONS)
    if columns is not None and tuple(columns) != COLUMNS:
        raise ReadError.at(path, f"its table {SUGGESTIONS!r} is not one of halflabel: rename it, or write to a file.")
    try:
        _replace_table(path, pairs)
    except sqlite3.Error as error:  # locked, full, or read-only
        raise ReadError.at(path, f"the suggestions cannot be written to it ({error}); it is as it was.") from None
    return (f"{plural(len(pairs), 'row')} in the table {SUGGESTIONS!r} of {path.name}; no other table was changed.",)


def _replace_table(path: Path, rows: pd.DataFrame) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        try:
            database.execute(f"DROP TABLE IF EXISTS {SUGGESTIONS}")
            database.execute(f"CREATE TABLE {SUGGESTIONS} ({', '.join(COLUMNS)})")
            database.executemany(f"INSERT INTO {SUGGESTIONS} VALUES (?, ?, ?, ?)", _list_plain(rows[list(COLUMNS)]))
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise


def _list_plain(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield rows of plain values, which sqlite3 can bind."""
    for row in rows.itertuples(index=False, name=None):
        yield tuple(value.item() if isinstance(value, np.generic) else value for value in row)


FORMAT = TableFormat(
    "sqlite",
    (".sqlite", ".sqlite3", ".db", ".db3"),
    _read,
    options=("items_table",),
    tables=_list_tables,
    append=_append,
)
