"""Fields of mixed types: what is read can be written in every format, or an error comes before the fit."""

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

from halflabel.files.reading import check_values, write_frame
from halflabel.table import open_table

FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.sampled_from([0.5, -1e300, float("inf"), "", "x", "3", "a\nb", "\x07", "\u20ac"]),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
FIELDS = st.lists(VALUES, min_size=4, max_size=4)

READERS = {
    "records": lambda rows, folder: rows,
    "pandas": lambda rows, folder: pd.DataFrame(rows),
    "json": lambda rows, folder: put(json.dumps(rows), folder / "t.json"),
    "jsonl": lambda rows, folder: put("\n".join(map(json.dumps, rows)), folder / "t.jsonl"),
}
SUFFIXES = [".csv", ".tsv.gz", ".parquet", ".feather", ".json", ".jsonl", ".xlsx"]


def put(text, path):
    path.write_text(text)
    return path


def make_rows(field, name):
    return [{"n": [0.5, 0.25, 0.5, 1.5][i], "rock": [1, 0, None, 1][i], name: value} for i, value in enumerate(field)]


def accepts(frame, path):
    """Whether a file of this name can hold the values; what it cannot hold is named in a sentence."""
    try:
        check_values(frame, path)
    except ValueError:
        return False
    return True


@FIXTURE
@given(
    field=FIELDS,
    name=st.sampled_from(["field", "probabilities", "filled", "id"]),
    reader=st.sampled_from(sorted(READERS)),
    ignored=st.booleans(),
)
def test_what_is_read_can_be_written(field, name, reader, ignored, tmp_path):
    columns = {"labels": ["rock"], "ignore": ("field",) if ignored and name == "field" else ()}
    opened = open_table(READERS[reader](make_rows(field, name), tmp_path), **columns)
    for suffix in SUFFIXES:
        path = tmp_path / f"out{suffix}"
        if accepts(opened.frame, path):
            write_frame(opened.frame, path)
            assert path.stat().st_size


@given(field=FIELDS)
def test_a_column_that_becomes_text_loses_nothing(field, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "t.parquet"
    field = [3, "x", *[value for value in field if not isinstance(value, float)]]
    notes = write_frame(pd.DataFrame({"field": pd.Series(field, dtype=object)}), path)
    assert len(notes) == 1
    assert "field" in notes[0]
    assert notes[0].endswith("are written as text.")
    read = parquet.read_table(path).column("field").to_pylist()
    assert [value if value is None or isinstance(before, str) else json.loads(value)
            for value, before in zip(read, field, strict=True)] == field  # fmt: skip


def test_frames_of_other_libraries_come_back():
    frame = pl.DataFrame({"n": [0.5, 0.25], "rock": [1, None]})
    opened = open_table(frame, labels=["rock"])
    restored = opened.restore(opened.frame.assign(rock=pd.Series([1, "no"], dtype=object)))
    assert restored["rock"].to_list() == ["1", "no"]


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("distinct", [1, 30])
def test_text_that_is_not_utf8(kind, distinct, tmp_path):
    texts = [b"caf\xe9 %d" % (i % distinct) for i in range(60)]
    column = pa.array(texts, pa.binary()).view(pa.string())
    table = pa.table({"n": np.arange(60) % 7 / 2, "rock": [1, 0] * 30, "text": column})
    path = tmp_path / f"t.{kind}"
    (feather.write_feather if kind == "feather" else parquet.write_table)(table, path)
    with pytest.raises(ValueError, match=r"t\.(parquet|feather): .*(UTF-8|UTF8)"):
        open_table(path, labels=["rock"])


@pytest.mark.parametrize("text", ["1e309", "[1e309]", "-1e309\n1", '"x"', "[[1e309]]"])
def test_json_without_a_record(text, tmp_path):
    with pytest.raises(ValueError, match=r"t\.json"):
        open_table(put(text, tmp_path / "t.json"), labels=["rock"])
