"""Every public table of a completion, and of a predictor, is of the library of the items."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import halflabel as hl
from halflabel import Completion

pytestmark = pytest.mark.usefixtures("one_member")

LIBRARIES = {"pandas": (lambda table: table, pd.DataFrame), "polars": (pl.from_pandas, pl.DataFrame),
             "pyarrow": (lambda table: pa.Table.from_pandas(table, preserve_index=False), pa.Table)}  # fmt: skip

#: Ways to hold labels: the columns of the table, and the options that name them.
WAYS = {
    "columns": {"id": "song", "labels": ["rock", "sad"]},
    "without ids": {"labels": ["rock", "sad"], "ignore": "song"},
    "tags": {"id": "song", "tags": "tags", "absent": "irrelevant", "no": "none of them"},
    "positive-only": {"id": "song", "tags": "tags", "absent": "unknown", "no": "none of them", "observed_rate": 1.0},
    "apart": {},
}

#: Names that hold tables of pandas in any case, by their documentation.
OF_PANDAS = {"frame", "evidence"}


def make_songs(way):
    """Return items and, where they come apart, labels."""
    rng = np.random.default_rng(0)
    songs = pd.DataFrame(rng.normal(size=(40, 3)).round(3), columns=["a", "b", "c"])
    Y = pd.DataFrame({"rock": songs["a"] > 0, "sad": songs["b"] > 0}).astype("Int64")
    unlabelled = np.arange(40) % 3 == 0
    if way == "apart":
        return songs, Y.mask(np.c_[unlabelled, unlabelled])
    songs["song"] = [f"s{i}" for i in range(40)]
    if "tags" in WAYS[way]:
        lists = [";".join(name for name in Y if Y.loc[i, name]) or "none of them" for i in range(40)]
        return songs.assign(tags=pd.Series(lists).mask(unlabelled)), None
    return songs.join(Y.mask(np.c_[unlabelled, unlabelled])), None


def list_tables(filled):
    """Return every public value that is a table of any library, by name: attributes, and methods without arguments."""
    item = filled.index[0]
    made = {"explain": lambda: filled.explain(item, filled.labels.names[0]), "map": lambda: filled.map(2),
            "audit": lambda: filled.audit(9).entries,
            "ask_frequency": lambda: None,
            **dict.fromkeys(("evidence", "report", "save", "update", "write", "write_map"), lambda: None)}  # fmt: skip
    values = {}
    for name in (name for name in dir(Completion) if not name.startswith("_")):
        value = made[name]() if name in made else getattr(filled, name)
        values[name] = value() if inspect.ismethod(value) else value
    values["map"] = values["map"].coordinates
    return {name: value for name, value in values.items() if isinstance(value, pd.DataFrame | pl.DataFrame | pa.Table)}


def as_columns(table):
    """Return the cells of a table by column, with None for a missing value."""
    frame = table if isinstance(table, pd.DataFrame) else table.to_pandas()
    frame = frame if frame.index.name is None else frame.reset_index()
    return {str(name): [None if cell is None or cell is pd.NA or cell != cell else cell for cell in column.tolist()]
            for name, column in frame.items()}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_table_has_the_kind_of_the_items_and_the_same_cells(way):
    items, Y = make_songs(way)
    tables = {}
    for name, (convert, kind) in LIBRARIES.items():
        filled = hl.complete(convert(items), None if Y is None else Y.astype(float).to_numpy(), **WAYS[way])
        tables[name] = list_tables(filled)
        assert {key: type(value) for key, value in tables[name].items() if key not in OF_PANDAS} == {
            key: kind for key in tables[name] if key not in OF_PANDAS
        }
        new = filled.predictor.complete_both(convert(items))
        tables[name] |= dict(zip(("new", "p"), new, strict=True), predicted=filled.predictor.predict(convert(items)))
        assert [type(tables[name][key]) for key in ("new", "p", "predicted")] == [kind] * 3
    assert set(tables["pandas"]) >= {"table", "probabilities", "suspects", "expected_errors", "review", "map", "frame"}
    for name in ("polars", "pyarrow"):
        assert {key: as_columns(value) for key, value in tables[name].items()} == {
            key: as_columns(value) for key, value in tables["pandas"].items()
        }


def test_answers_are_filled_in_where_they_are_and_used():
    items, _ = make_songs("columns")
    filled = hl.complete(pl.from_pandas(items), **WAYS["columns"])
    answers = filled.review(4)
    assert answers.schema["answer"].is_integer()
    answered = answers.with_columns(answer=1 - pl.col("suggested"))
    after = hl.complete(pl.from_pandas(items), answers=answered, **WAYS["columns"]).table
    for row in answered.to_dicts():
        assert after.filter(pl.col("song") == row["item"])[row["label"]].to_list() == [row["answer"]]
