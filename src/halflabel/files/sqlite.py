"""Databases of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count as count_up
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import count
from halflabel.files.bounded import size_limit
from halflabel.files.databases import Engine, Keys, group_columns, make_format, quote_name, reject_rows
from halflabel.files.field_values import typed_column

#: The bytes of a cell apart from its text, and the maximum bytes of one cell or stored row.
CELL, MAX_CELL = 56, 64_000_000

#: Maximum number of steps of SQLite in one reading, and after how many of them signals are noticed. A step costs some
#: nanoseconds, and a row of 20 columns about 25 steps.
MAX_STEPS, STEPS = 5_000_000_000, 1_000_000

#: The actions of a query that reads. Every other action is denied, also to attach other files and to load extensions.
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database. Views and generated columns are queries of the author of the file, so they have limits, too."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_CELL, size_limit()))
        periods = count_up(1)
        database.set_progress_handler(lambda: next(periods) * STEPS > MAX_STEPS, STEPS)
        try:
            yield database
        except sqlite3.DataError:
            limit = count(database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH))
            raise ValueError(f"a cell takes more than {limit} bytes, the limit: leave it out by a query") from None
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            if next(periods) * STEPS <= MAX_STEPS:  # by a signal: SQLite drops the exception of the handler
                raise KeyboardInterrupt from None
            raise ValueError(
                f"a query in it takes more than {count(MAX_STEPS)} steps, the limit: read a table, not a view"
            ) from None


def _deny_changes(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    allowed = action in _ALLOWED and not (action == sqlite3.SQLITE_FUNCTION and second == "load_extension")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _list_columns(database: sqlite3.Connection) -> Mapping[str, Sequence[str]]:
    rows = database.execute(
        "SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid"
    )
    return group_columns(rows)


def _find_keys(database: sqlite3.Connection, table: str) -> Keys:
    primary = [name for (name,) in database.execute("SELECT name FROM pragma_table_info(?) WHERE pk", (table,))]
    links = database.execute('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)', (table,)).fetchall()
    whole = {column: (other, key or "") for column, other, key in links}
    return Keys(primary[0] if len(primary) == 1 else None, whole)


def _fetch(database: sqlite3.Connection, query: str) -> pd.DataFrame:
    """Return the rows of a query with one typed column per name.

    Limits of cells and of columns bound one row, and every row is counted before the next one is made.
    """
    database.set_authorizer(_deny_changes)
    limit = size_limit()
    names = [column[0] for column in database.execute(f"SELECT * FROM ({query.rstrip('; ')}\n) LIMIT 0").description]
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_CELL, limit // len(names)))
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in database.execute(query):
        size += sum(CELL + (len(cell) if isinstance(cell, str | bytes) else 0) for cell in row)
        if size > limit:
            raise reject_rows(size, limit)
        rows.append(row)
    index = pd.RangeIndex(len(rows))
    columns = [typed_column([row[j] for row in rows], index) for j in range(len(names))]
    return pd.concat(columns, axis=1, keys=range(len(names))).set_axis(names, axis=1) if columns else pd.DataFrame()


def _replace_table(path: Path, table: str, rows: pd.DataFrame) -> None:
    name = quote_name(table)
    marks = ", ".join("?" * rows.shape[1])
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        try:
            database.execute(f"DROP TABLE IF EXISTS {name}")
            database.execute(f"CREATE TABLE {name} ({', '.join(map(quote_name, rows.columns))})")
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", _list_plain(rows))
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise


def _list_plain(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield rows of plain values, which sqlite3 can bind."""
    for row in rows.itertuples(index=False, name=None):
        yield tuple(value.item() if isinstance(value, np.generic) else value for value in row)


FORMAT = make_format(
    "sqlite",
    (".sqlite", ".sqlite3", ".db", ".db3"),
    Engine("SQLite", _open, _list_columns, _find_keys, _fetch, _replace_table),
)
