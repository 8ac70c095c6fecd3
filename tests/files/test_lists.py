"""Formats that list labels: doccano, Hugging Face, and the lists of other files."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from tests.elsewhere import needs_tools

import halflabel as hl
from halflabel import files
from halflabel.files.raw_table import ReadError
from halflabel.table.source_files import read_file

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
    parquet.write_table(table([[0, 2], [], None], features(feature), n=[0.5, 1.0, 2.5]), path)
    assert files.detect(path).format == "huggingface"
    with pytest.raises(ValueError, match="absent="):
        hl.open_table(path, ignore=["text"])
    opened = hl.open_table(path, ignore=["text"], absent="irrelevant")
    assert opened.labels.to_frame()[["rock", "live"]].to_numpy()[:2].tolist() == [[1, 1], [0, 0]]
    assert opened.labels.annotated.tolist() == [True, True, False]


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
        read_file(path)


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
    raw = read_file(folder).raw
    assert [None if cell is None else list(cell) for cell in raw.frame["labels"]] == [["rock", "live"], [], None]
    assert (raw.tags, raw.frame["text"].tolist()) == ("labels", ["one", "two", "three"])


def test_a_folder_of_splits(write):
    path = write("songs/dataset_dict.json", '{"splits": ["train", "test"]}')
    with pytest.raises(ReadError, match="it holds the splits “train” and “test”: name one of these folders"):
        read_file(path.parent)


def test_a_folder_cannot_point_outside(tmp_path):
    folder = tmp_path / "songs"
    saved_to_disk(folder, table([[0], [], None], {}))
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../other.arrow"}]}')
    with pytest.raises(ReadError, match="does not list the data files of this folder"):
        read_file(folder)


def test_several_files_are_one(tmp_path):
    for number in range(2):
        data = table([[number], [2], None], features({"feature": CLASSES, "_type": "List"}))
        parquet.write_table(data, tmp_path / f"part-{number}.parquet")
    raw = read_file(sorted(tmp_path.glob("*.parquet"))).raw
    assert len(raw) == 6
    assert read_file(tmp_path).raw.frame["text"].tolist() == raw.frame["text"].tolist()
