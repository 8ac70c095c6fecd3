"""Tables of other libraries come in, and the completed table comes back in their kind."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset

import halflabel as hl
from halflabel import files
from halflabel.table import open_table
from halflabel.table.native import open_native

N = 40
ROWS = [
    {"song": f"s{i}", "tempo": float(60 + 60 * (i % 2) + i / 100), "dance": float(i % 2) if i < 24 else None}
    for i in range(N)
]


def complete(items, **options):
    return hl.complete(items, id="song", labels="dance", effort="fast", **options)


def as_polars():
    return pytest.importorskip("polars").DataFrame(ROWS)


KINDS = {"polars": as_polars, "pyarrow": lambda: pa.Table.from_pylist(ROWS), "dicts": lambda: ROWS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_comes_back_in_kind(kind):
    items = KINDS[kind]()
    filled = complete(items)
    assert type(filled.table) is (pd.DataFrame if kind == "dicts" else type(items))
    table = filled.table if kind == "dicts" else filled.table.to_pandas()
    assert table["dance"].tolist() == [i % 2 for i in range(N)]
    assert table.columns.tolist() == list(ROWS[0])
    assert isinstance(filled.frame, pd.DataFrame)
    if kind != "dicts":
        assert filled.table.schema == items.schema


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_lists_stay_lists(kind):
    tags = [["dance"] if i % 2 else ["slow", "sad"] for i in range(N)]
    table = pa.table({"tempo": [row["tempo"] for row in ROWS], "tags": [*tags[:24], *[None] * 16]})
    items = pytest.importorskip("polars").from_arrow(table) if kind == "polars" else table
    filled = hl.complete(items, tags="tags", absent="irrelevant", effort="fast")
    cells = filled.table["tags"].to_list() if kind == "polars" else filled.table["tags"].to_pylist()
    assert [sorted(cell) for cell in cells] == [sorted(cell) for cell in tags]
    assert filled.table.schema == items.schema


def test_labels_and_features_apart_may_be_of_any_library():
    polars = pytest.importorskip("polars")
    X, Y = polars.DataFrame({"tempo": [row["tempo"] for row in ROWS]}), polars.DataFrame({"dance": [0, None, 1, None]})
    opened = open_table(X.head(4), Y)
    assert opened.labels.names == ("dance",)
    np.testing.assert_array_equal(opened.labels.state[:, 0], [-1, 0, 1, 0])


def test_further_tables_may_be_of_any_library():
    polars = pytest.importorskip("polars")
    pairs = polars.DataFrame({"song": ["s1", "s3"], "tag": ["rock", "sad"]})
    columns = {"id": "song", "pairs": pairs, "on": "song", "absent": "unknown", "ignore": ["dance"]}
    assert open_table(polars.DataFrame(ROWS), **columns).labels.names == ("rock", "sad")
    prior = polars.DataFrame({"song": [row["song"] for row in ROWS], "dance": [0.5] * N})
    opened = open_table(ROWS, id="song", labels=["dance"], prior=prior)
    assert opened.prior.shape == (N, 1)


def test_a_lazy_table_is_collected_first():
    lazy = pytest.importorskip("polars").DataFrame(ROWS).lazy()
    with pytest.raises(ValueError, match=r"a polars\.LazyFrame, which is not computed yet: collect it first"):
        complete(lazy)


def test_anything_with_an_arrow_stream():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.Table.from_pylist(ROWS).__arrow_c_stream__(requested_schema)

    assert open_native(Stream()).frame["song"].tolist() == [row["song"] for row in ROWS]
    assert isinstance(complete(Stream()).table, pa.Table)
    assert open_native(np.eye(2)) is None


class Convertible:
    def to_pandas(self):
        return pd.DataFrame(ROWS)


@pytest.mark.parametrize("items", [Convertible(), dataset.dataset(pa.Table.from_pylist(ROWS))])
def test_an_object_that_becomes_a_table_is_named_with_its_way(items):
    with pytest.raises(ValueError, match=r"and not a table in memory: give (items\.to_\w+\(\))\.") as error:
        complete(items)
    way = str(error.value).partition("give items.")[2].removesuffix("().")
    assert open_native(getattr(items, way)()).frame["song"].tolist() == [row["song"] for row in ROWS]


def test_evaluate_takes_them_too():
    result = hl.evaluate(as_polars(), id="song", labels="dance", effort="fast", repeats=2, curve=False)
    assert "halflabel" in result.summary.index


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_a_model_takes_new_items_of_any_library(kind):
    model = complete(ROWS).predictor
    expected = model.predict_proba(pd.DataFrame(ROWS))
    p = model.predict_proba(KINDS[kind]())
    assert type(p) is type(KINDS[kind]())
    pd.testing.assert_frame_equal(p.to_pandas().set_index("song"), expected)
    assert model.complete(KINDS[kind](), given=False).to_pandas()["dance"].tolist() == [i % 2 for i in range(N)]


def test_records_of_a_tool(tmp_path):
    frame = pd.DataFrame(ROWS).set_index("song")
    files.write(tmp_path / "songs.json", "label-studio", frame[["tempo"]], frame[["dance"]])
    for items in (files.read(tmp_path / "songs.json"), tmp_path / "songs.json"):
        filled = hl.complete(items, effort="fast")
        assert filled.index.tolist() == [row["song"] for row in ROWS]
        assert filled.table["dance"].tolist() == [i % 2 for i in range(N)]
        assert filled.write(tmp_path / "out.json", "label-studio") == ()
        assert files.read(tmp_path / "out.json").suggestions["dance"].notna().sum() == 16
    assert hl.complete(tmp_path / "songs.json", format="label-studio", effort="fast").labels.names == ("dance",)


def test_words_of_labels():
    words = pd.DataFrame(ROWS).assign(dance=lambda table: table["dance"].map({1: "yes", 0: "no"}).fillna("?"))
    filled = complete(words, yes="yes", no="no", unknown="?")
    assert filled.table["dance"].tolist() == ["yes" if i % 2 else "no" for i in range(N)]
    assert complete(words).table.equals(filled.table)  # no other reading is possible


def test_a_typing_error_in_an_argument_is_named():
    for function in (hl.complete, hl.evaluate):
        with pytest.raises(TypeError, match=r"'label'\. Did you mean 'labels'"):
            function(ROWS, label="dance")
