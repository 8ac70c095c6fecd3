"""Databases of DuckDB, with the extra ``sql``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

from halflabel.files.arrow_tables import frame_of_table
from halflabel.files.bounded import size_limit
from halflabel.files.databases import Engine, Keys, group_columns, make_format, quote_name, reject_rows
from halflabel.files.parquet import gather

#: Rows that are fetched at a time: their size is counted after that.
BATCH = 512

#: The file is the only one that a database may open.
CLOSED = {"enable_external_access": "false"}


def _duckdb() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise ImportError("databases of DuckDB need the package duckdb: pip install 'halflabel[sql]'.") from None


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    """Open a database. A query reads no other file, loads no extension, and writes nothing that memory cannot hold."""
    limits = {"memory_limit": f"{size_limit()}B", "temp_directory": ""}
    with closing(_duckdb().connect(str(path), read_only=True, config=CLOSED | limits)) as database:
        yield database


def _list_columns(database: Any) -> Mapping[str, Sequence[str]]:
    rows = database.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'main' "
        "ORDER BY table_name, ordinal_position"
    ).fetchall()
    return group_columns(rows)


def _find_keys(database: Any, table: str) -> Keys:
    rows = database.execute(
        "SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names "
        "FROM duckdb_constraints() WHERE table_name = ? AND len(constraint_column_names) = 1",
        [table],
    ).fetchall()
    primary = next((columns[0] for kind, columns, *_ in rows if kind == "PRIMARY KEY"), None)
    links = {columns[0]: (other, to[0]) for kind, columns, other, to in rows if kind == "FOREIGN KEY"}
    return Keys(primary, links)


def _fetch(database: Any, query: str) -> pd.DataFrame:
    rows = database.sql(query)
    if rows is None:
        raise ValueError("the query returns no table: begin it with SELECT")
    reader = rows.to_arrow_reader(BATCH)
    return frame_of_table(gather(reader, reader.schema, reject_rows))


def _replace_table(path: Path, table: str, rows: pd.DataFrame) -> None:
    with closing(_duckdb().connect(str(path), config=CLOSED)) as database:
        database.begin()
        database.register("halflabel_rows", pa.Table.from_pandas(rows, preserve_index=False))
        name = quote_name(table)
        database.execute(f"DROP TABLE IF EXISTS {name}")
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM halflabel_rows")
        database.commit()


FORMAT = make_format(
    "duckdb",
    (".duckdb", ".ddb"),
    Engine("DuckDB", _open, _list_columns, _find_keys, _fetch, _replace_table),
)
