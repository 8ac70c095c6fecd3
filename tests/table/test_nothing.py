"""An item without any tag: each form in which a table can write it, in each kind of table, has the stated meaning."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet
from tests.elsewhere import needs_tools

from halflabel import PartialLabels
from halflabel.files.huggingface import restore_numbers
from halflabel.table import open_table

#: The first items keep the two tags in every table.
FIRST = [["rock"], ["sad", "rock"]]

CELLS = st.one_of(st.none(), st.lists(st.sampled_from(["rock", "sad", None, ""]), max_size=3))
TABLES = st.lists(CELLS, min_size=1, max_size=5).map(lambda cells: [*FIRST, *cells])
MEANINGS = st.sampled_from([None, "unlabelled", "none"])
FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def make_records(cells):
    return [{"n": i % 2 + 0.5 * i, "tags": cell} for i, cell in enumerate(cells)]


def make_arrow(cells):
    numbers = [row["n"] for row in make_records(cells)]
    return pa.table({"n": numbers, "tags": pa.array(cells, pa.list_(pa.string()))})


def put(write, table, path):
    write(table, path)
    return path


def write_lines(cells, path):
    path.write_text("\n".join(map(json.dumps, make_records(cells))))
    return path


def write_csv(cells, path, write):
    texts = [None if cell is None else write(cell) for cell in cells]
    pd.DataFrame(make_records(texts)).to_csv(path, index=False)
    return path


def as_database(cell):
    """Return a list as databases print it: NULL is no JSON."""
    return "[" + ", ".join("NULL" if tag is None else repr(tag) for tag in cell) + "]"


def with_nan(cells):
    return [cell and [np.nan if tag is None else tag for tag in cell] for cell in cells]


KINDS = {
    "records": lambda cells, folder: make_records(cells),
    "pandas": lambda cells, folder: pd.DataFrame(make_records(cells)),
    "nan": lambda cells, folder: pd.DataFrame(make_records(with_nan(cells))),
    "arrow": lambda cells, folder: make_arrow(cells),
    "polars": lambda cells, folder: pl.from_arrow(make_arrow(cells)),
    "parquet": lambda cells, folder: put(parquet.write_table, make_arrow(cells), folder / "t.parquet"),
    "feather": lambda cells, folder: put(feather.write_feather, make_arrow(cells), folder / "t.feather"),
    "jsonl": lambda cells, folder: write_lines(cells, folder / "t.jsonl"),
    "csv of JSON": lambda cells, folder: write_csv(cells, folder / "json.csv", json.dumps),
    "csv of a database": lambda cells, folder: write_csv(cells, folder / "sql.csv", as_database),
}


def expect(cell, empty):
    """Return (annotated, tags) of a cell."""
    tags = {tag for tag in cell or () if tag}
    return bool(tags) or (cell == [] if empty is None else empty == "none"), tags


@FIXTURE
@given(cells=TABLES, kind=st.sampled_from(sorted(KINDS)), empty=MEANINGS)
def test_every_form_in_every_kind_of_table(cells, kind, empty, tmp_path):
    columns = {"tags": "tags", "absent": "irrelevant", "empty": empty, "features": ["n"]}
    opened = open_table(KINDS[kind](cells, tmp_path), **columns)
    labels = opened.labels
    expected = [expect(cell, empty) for cell in cells]
    assert labels.names == ("rock", "sad")
    assert labels.annotated.tolist() == [annotated for annotated, _ in expected]
    assert [set(np.array(labels.names)[row]) for row in labels.relevant] == [tags for _, tags in expected]
    only = sum(bool(cell) and not tags for cell, (_, tags) in zip(cells, expected, strict=True))
    next_to = sum(sum(not tag for tag in cell) for cell in cells if expect(cell, empty)[1])
    lists = [note.partition(": ")[2].split()[0] for note in opened.notes if "missing values only" in note]
    assert lists == [str(only)] * (only > 0)
    assert [note.split()[0] for note in opened.notes if "next to tags" in note] == [str(next_to)] * (next_to > 0)


@given(cells=TABLES)
def test_lists_in_python(cells):
    cells = [None if cell is None else [tag for tag in cell if tag != ""] for cell in cells]
    labels = PartialLabels.from_tags(cells, absent="irrelevant")
    assert labels.names == ("rock", "sad")
    assert labels.annotated.tolist() == [expect(cell, None)[0] for cell in cells]


def test_a_class_that_is_missing_stays_in_the_table():
    column = pd.Series([["b", None], [None], None, []], name="tags")
    assert restore_numbers(column, {"tags": ["a", "b"]}).tolist() == [[1, None], [None], None, []]


@pytest.mark.parametrize(("empty", "annotated"), [(None, 1), ("unlabelled", 1), ("none", 3)])
@pytest.mark.parametrize("absent", ["irrelevant", "unknown"])
def test_items_without_a_pair(empty, annotated, absent):
    items = pd.DataFrame({"song": ["a", "b", "c"], "n": [1.5, 2.5, 2.5]})
    pairs = pd.DataFrame({"song": ["a"], "tag": ["rock"]})
    opened = open_table(items, id="song", pairs=pairs, on="song", absent=absent, empty=empty)
    assert opened.labels.annotated.sum() == annotated
    assert opened.labels.positive_only == (absent == "unknown")
    taken = "annotated, without tags" if empty == "none" else "unlabelled"
    assert opened.notes[1] == f"2 items without a tag in the long table: taken as {taken}."


@needs_tools
@pytest.mark.parametrize("empty", ["unlabelled", "none"])
def test_a_file_that_states_annotated_items_takes_no_other_statement(empty, tmp_path):
    line = {"text": "a", "label": "rock", "answer": "accept", "_input_hash": 1, "_task_hash": 2}
    (tmp_path / "t.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(ValueError, match="empty= does not apply to a file of the format prodigy"):
        open_table(tmp_path / "t.jsonl", empty=empty, format="prodigy")
