"""Formats that list labels: doccano, Hugging Face, and the lists of other files."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from tests.elsewhere import needs_tools

from halflabel import files
from halflabel.files.raw_table import ReadError

#: As doccano exports text classification and image classification.
DOCCANO = [
    {"id": 7, "text": "Loud", "label": ["rock", "sad"], "Comments": [], "source": "radio"},
    {"id": 8, "text": "slow", "label": [], "Comments": ["?"], "source": None},
]

CLASSES = {"names": ["rock", "sad", "live"], "_type": "ClassLabel"}


def features(labels, **more):
    info = {"info": {"features": {"labels": labels, "text": {"dtype": "string", "_type": "Value"}} | more}}
    return {b"huggingface": json.dumps(info).encode()}


def table(lists, metadata, **more):
    columns = {"text": ["one", "two", "three"], "labels": pa.array(lists, pa.list_(pa.int64()))} | more
    return pa.table(columns).replace_schema_metadata(metadata)


@needs_tools
def test_doccano(write):
    path = write("all.jsonl", "\n".join(map(json.dumps, DOCCANO)))
    assert files.detect(path) == ("doccano", "Its records have a 'text' or 'filename', and a list under 'label'.")
    records = files.read(path, absent="irrelevant")
    np.testing.assert_array_equal(records.labels, [[1, 1], [np.nan] * 2])
    assert "1 item without labels taken as unlabelled: doccano writes the same" in records.notes[0]
    assert records.items.index.tolist() == ["7", "8"]
    np.testing.assert_array_equal(files.read(path, absent="irrelevant", empty="none").labels, [[1, 1], [0, 0]])


@needs_tools
def test_doccano_images_and_single_labels(write):
    rows = [{"filename": "a.png", "label": ["cat"]}, {"filename": "b.png", "label": ["dog"]}]
    records = files.read(write("a.jsonl", "\n".join(map(json.dumps, rows))), absent="irrelevant")
    assert records.items.index.tolist() == [1, 2]
    np.testing.assert_array_equal(records.labels, np.eye(2))


@needs_tools
def test_doccano_spans_are_no_labels(write):
    rows = [{"text": "EU rejects", "label": [[0, 2, "ORG"]]}]
    with pytest.raises(ReadError, match=r"record 1: its labels are .* spans of text are not read"):
        files.read(write("a.json", json.dumps(rows)), "doccano", absent="unknown")


@pytest.mark.parametrize(
    "feature", [{"feature": CLASSES, "_type": "List"}, {"feature": CLASSES, "_type": "Sequence"}, [CLASSES]]
)
def test_class_names_of_hugging_face(tmp_path, feature):
    path = tmp_path / "a.parquet"
    parquet.write_table(table([[0, 2], [], None], features(feature)), path)
    assert files.detect(path).format == "huggingface"
    with pytest.raises(ValueError, match="absent="):
        files.read(path)
    records = files.read(path, absent="irrelevant")
    assert records.names == ("rock", "sad", "live")
    np.testing.assert_array_equal(records.labels, [[1, 0, 1], [0, 0, 0], [np.nan] * 3])
    assert files.read(path, absent="unknown").to_partial_labels().annotated.tolist() == [True, True, False]


def test_missing_values_in_lists(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(table([[0, None], [-1, 1], None], features({"feature": CLASSES, "_type": "List"})), path)
    records = files.read(path, absent="unknown")
    np.testing.assert_array_equal(records.labels, [[1, np.nan, np.nan], [np.nan, 1, np.nan], [np.nan] * 3])
    assert records.notes == ("2 missing values in lists of 'labels' left out.",)


def test_lists_of_what_an_item_does_not_have(tmp_path):
    path = tmp_path / "a.parquet"
    feature = {"feature": CLASSES, "_type": "List"}
    absent = pa.array([[1], None, [0]], pa.list_(pa.int64()))
    data = table([[0], [2], []], features(feature, labels_absent=feature), labels_absent=absent)
    parquet.write_table(data, path)
    np.testing.assert_array_equal(files.read(path).labels, [[1, 0, np.nan], [np.nan, np.nan, 1], [0, np.nan, np.nan]])
    with pytest.raises(ValueError, match=r"absent= is about lists of labels"):
        files.read(path, absent="unknown")


def test_lists_of_text_are_labels_only_when_named(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"tags": [["rock", None], None, ["sad"]], "n": [1, 2, 3]}).to_parquet(path)
    assert files.detect(path) is None  # halflabel.datasets reads plain Parquet
    assert files.read(path, "huggingface").names == ()
    records = files.read(path, "huggingface", "irrelevant", tags="tags")
    np.testing.assert_array_equal(records.labels, [[1, 0], [np.nan] * 2, [0, 1]])


@pytest.mark.parametrize(
    ("lists", "feature", "message"),
    [
        (
            [[5], None, None],
            {"feature": CLASSES, "_type": "List"},
            "column 'labels': it holds the class 5, but has 3 names",
        ),
        (
            [[0], None, None],
            {"feature": {"_type": "ClassLabel", "names": 3}, "_type": "List"},
            "features cannot be read",
        ),
    ],
)
def test_damaged_features(tmp_path, lists, feature, message):
    path = tmp_path / "a.parquet"
    parquet.write_table(table(lists, features(feature)), path)
    with pytest.raises(ReadError, match=message):
        files.read(path, absent="unknown")


def saved_to_disk(folder, data, names=("data-00000-of-00002.arrow", "data-00001-of-00002.arrow")):
    """Write the files that ``Dataset.save_to_disk`` of datasets 5.2 writes."""
    folder.mkdir()
    for number, name in enumerate(names):
        with ipc.new_stream(folder / name, data.schema) as writer:
            writer.write_table(data.slice(number, 1 if number == 0 else len(data)))
    state = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "c57201ad70577e2c", "_split": None}
    (folder / "state.json").write_text(json.dumps(state, indent=2))
    info = {"features": {"labels": {"feature": CLASSES, "_type": "List"}}, "citation": ""}
    (folder / "dataset_info.json").write_text(json.dumps(info, indent=2))


def test_a_folder_saved_to_disk(tmp_path):
    folder = tmp_path / "songs"
    saved_to_disk(folder, table([[0, 2], [], None], {}))
    records = files.read(folder, absent="irrelevant")
    np.testing.assert_array_equal(records.labels, [[1, 0, 1], [0, 0, 0], [np.nan] * 3])
    assert records.items["text"].tolist() == ["one", "two", "three"]


def test_a_folder_of_splits(write):
    path = write("songs/dataset_dict.json", '{"splits": ["train", "test"]}')
    with pytest.raises(ReadError, match="it holds the splits “train” and “test”: name one of these folders"):
        files.read(path.parent)


def test_a_folder_cannot_point_outside(tmp_path):
    folder = tmp_path / "songs"
    saved_to_disk(folder, table([[0], [], None], {}))
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../other.arrow"}]}')
    with pytest.raises(ReadError, match="does not list the data files of this folder"):
        files.read(folder, absent="unknown")


def test_several_files_are_one(tmp_path):
    for number in range(2):
        data = table([[number], [2], None], features({"feature": CLASSES, "_type": "List"}))
        parquet.write_table(data, tmp_path / f"part-{number}.parquet")
    records = files.read(sorted(tmp_path.glob("*.parquet")), absent="unknown")
    assert len(records.items) == 6
    assert files.read(tmp_path, absent="unknown").labels.equals(records.labels)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"probabilities": {"rock": "high"}}, "'probabilities' holds something else than numbers"),
        ({"probabilities": {"rock": 2}}, "a probability is below 0 or above 1"),
        ({"probabilities": 3, "filled": 4}, None),
        ({"filled": [{"a": 1}, None]}, None),
    ],
)
def test_odd_values_of_what_a_model_adds(write, field, message):
    path = write("a.json", json.dumps([{"rock": 1} | field]))
    if message is None:
        assert files.read(path, labels=["rock"]).labels.iloc[0, 0] == 1
    else:
        with pytest.raises(ReadError, match=message):
            files.read(path, labels=["rock"])


def test_plain_lines_with_named_labels(write):
    rows = [{"song": 1, "rock": 1, "sad": None, "n": 2}, {"song": 2, "rock": False, "sad": 0, "n": None}]
    path = write("a.jsonl", "\n".join(map(json.dumps, rows)))
    assert files.detect(path) == ("jsonl", "Each line is a JSON object.")
    assert files.read(path).items.columns.tolist() == ["song", "rock", "sad", "n"]
    records = files.read(path, id="song", labels=["rock", "sad"])
    np.testing.assert_array_equal(records.labels, [[1, np.nan], [0, 0]])
    assert records.items.index.tolist() == [1, 2]
    assert records.items["n"].dtype == "Int64"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["x"]}, "there is no field 'x'; the fields are “a”, “t” and “i”"),
        ({"labels": ["a"]}, "label 'a' holds 'yes'"),
        ({"id": "i"}, "column 'i': the id 1 appears twice"),
        ({"tags": "a", "absent": "unknown"}, r"column 'a': it holds 'yes', but it must hold lists"),
        ({"id": "t"}, "column 't': an id is a text or a number, not a list"),
        ({"labels": ["t"], "tags": "a", "absent": "unknown"}, "labels are fields of their own"),
        ({"absent": "unknown"}, r"name their field with tags="),
        ({"tags": "t"}, "state the meaning of a label that is not listed"),
    ],
)
def test_errors_of_plain_records(write, options, message):
    rows = [{"a": "yes", "t": ["x"], "i": 1}, {"a": None, "t": None, "i": 1}]
    with pytest.raises(ValueError, match=message):
        files.read(write("a.json", json.dumps(rows)), **options)
