"""Items from any source become one open table; named columns leave a matrix in Python as in the command."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from halflabel.files.raw_table import RawTable
from halflabel.files.records import Records, cell_table
from halflabel.table import Description, open_table
from halflabel.table.sources import Source, _add_declared, source_of_records

SONGS = [
    {"song": "a", "tempo": 60.5, "rock": 0},
    {"song": "b", "tempo": 122.5, "rock": 1},
    {"song": "c", "tempo": 61.0, "rock": None},
]
ROCK = {"id": "song", "labels": ["rock"]}


@pytest.fixture
def frame():
    return pd.DataFrame(SONGS)


def check_same(opened, frame):
    assert opened.index.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(opened.X, frame[["tempo"]])
    np.testing.assert_array_equal(opened.labels.state, [[-1], [1], [0]])


def test_a_frame_a_list_of_records_and_a_file_open_alike(frame, tmp_path):
    frame.to_csv(tmp_path / "songs.csv", index=False)
    for items in (frame, SONGS, tmp_path / "songs.csv", str(tmp_path / "songs.csv")):
        check_same(open_table(items, **ROCK), frame)


def test_an_open_table_stays_as_it_is_and_takes_no_columns(frame):
    opened = open_table(frame, **ROCK)
    assert open_table(opened) is opened
    with pytest.raises(ValueError, match="open already, so that id=, labels= has no effect"):
        open_table(opened, **ROCK)
    with pytest.raises(ValueError, match="so that Y has no effect"):
        open_table(opened, [1, 0, 1])


def test_notes_and_notation_of_a_file_reach_the_open_table(tmp_path):
    (tmp_path / "songs.csv").write_text("song;tempo;rock\na;60,5;0\nb;122,5;1\nc;61;\n")
    opened = open_table(tmp_path / "songs.csv", **ROCK)
    assert any("decimal comma" in note for note in opened.notes)
    assert opened.form.delimiter == ";"
    assert opened.take(np.array([0, 2])).form is None


class TestMatrix:
    """A sparse file holds all its columns in one matrix; roles take them out by name."""

    NAMES = ("f0", "f1", "tag a", "tag b", "artist")

    @pytest.fixture
    def raw(self):
        values = np.array([[1.0, 0, 1, 0, 3], [0, 2, 0, 1, 3], [3, 0, 1, 1, 5]])
        return RawTable(pd.DataFrame(index=range(3)), sparse.csr_array(values), self.NAMES, (), "memory", "")

    def test_labels_leave_it(self, raw):
        opened = open_table(raw, labels=["tag *"])
        assert opened.labels.names == ("tag a", "tag b")
        assert opened.encoder.matrix_names == ("f0", "f1", "artist")

    def test_groups_and_ignored_columns_leave_it(self, raw):
        opened = open_table(raw, labels=["tag a"], group="artist", ignore=["tag b"])
        assert opened.encoder.feature_names == ("f0", "f1")
        assert opened.groups.tolist() == [0, 0, 1]

    def test_features_that_are_named_are_the_only_ones(self, raw):
        opened = open_table(raw, labels=["tag a"], features=["f*"])
        assert opened.encoder.feature_names == ("f0", "f1")
        assert opened.encoder.matrix_names == ()


def test_a_label_of_words_is_read_in_python_as_from_a_file(frame):
    words = frame.assign(rock=pd.Series(["no", "yes", None], dtype="category"))
    np.testing.assert_array_equal(open_table(words, **ROCK).labels.state, [[-1], [1], [0]])
    numbers = frame.assign(rock=pd.Series([0.0, 1.0, None], dtype="category"))
    np.testing.assert_array_equal(open_table(numbers, **ROCK).labels.state, [[-1], [1], [0]])
    with pytest.raises(ValueError, match="label 'rock' holds 'red'"):
        open_table(frame.assign(rock=pd.Series(["red", "blue", None], dtype="category")), **ROCK)


@pytest.mark.parametrize("kind", ["array", "file", "sparse", "column"])
def test_vectors_from_an_array_a_file_or_a_column(kind, frame, tmp_path):
    vectors = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "X.npy", vectors)
    given = {"array": vectors, "file": str(tmp_path / "X.npy"), "sparse": sparse.csr_array(vectors), "column": "v"}
    items = frame.assign(v=list(vectors)) if kind == "column" else frame
    opened = open_table(items, labels=["rock"], vectors=given[kind], ignore=["song", "tempo"])
    X = opened.X.toarray() if kind == "sparse" else opened.X
    np.testing.assert_array_equal(X, vectors)


def test_items_of_another_kind_are_named_by_their_class(frame):
    with pytest.raises(ValueError, match=r"items are a numpy\.ndarray: pass a table that"):
        open_table(np.eye(3), labels=["rock"])
    with pytest.raises(ValueError, match=r"items need one row per item .* not 1 dimensions"):
        open_table(np.ones(3), [1, 0, 1])


@pytest.mark.parametrize("index", [["a", "b"], pd.RangeIndex(2, name="number"), pd.RangeIndex(2)])
def test_records_have_ids_unless_their_items_are_only_counted(index):
    items = pd.DataFrame({"tempo": [120, 90]}, index=index)
    cells = cell_table(*[()] * 7)
    records = Records(items, cells, ("rock",), np.array([True, False]), np.array([True]))
    source = source_of_records(records, "songs.json")
    key = items.index.name or "id"
    if isinstance(index, pd.RangeIndex) and index.name is None:
        assert source.raw.id is None
        assert list(source.raw.frame) == ["tempo", "rock"]
    else:
        assert source.raw.id == key
        assert list(source.raw.frame[key]) == list(items.index)


@pytest.mark.parametrize(
    ("stated", "id", "tags"),
    [
        ({}, "key", "genres"),
        ({"id": "song"}, "song", "genres"),
        ({"tags": "moods"}, "key", "moods"),
        ({"labels": ["rock"]}, "key", None),
        ({"pairs": pd.DataFrame()}, "key", None),
    ],
)
def test_what_a_file_declares_holds_where_nothing_was_stated(stated, id, tags, frame):
    source = Source(RawTable(frame, source="memory", id="key", tags="genres"))
    columns = _add_declared(source, Description(**stated))
    assert (columns.id, columns.tags) == (id, tags)
    without = _add_declared(Source(RawTable(frame)), Description(**stated))
    assert (without.id, without.tags) == (stated.get("id"), stated.get("tags"))
