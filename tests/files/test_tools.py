"""The tools themselves, where they are installed: their readers and validators take what is written here.

They are no dependencies, not even of the tests: install ``label-studio-sdk``,
``argilla``, ``datasets`` or ``doccano`` to run these.
Nothing here needs a server or the network.
"""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel import files
from halflabel.files.huggingface import write_with_classes
from halflabel.files.records import Question
from halflabel.table.source_files import read_file

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


@pytest.fixture
def label_studio():
    return pytest.importorskip("label_studio_sdk", reason="label-studio-sdk is not installed")


def as_export(path):
    """Give the tasks what Label Studio adds when a person has annotated them."""
    tasks = json.loads(path.read_text(encoding="utf-8"))
    person = {"completed_by": {"id": 1, "email": "ana@example.org"}, "was_cancelled": False, "lead_time": 3.2}
    times = {"created_at": "2026-11-22T08:00:00Z", "updated_at": "2026-11-22T08:00:01Z"}
    for number, task in enumerate(tasks, start=1):
        task["id"] = number
        for annotation in task["annotations"]:
            annotation |= person | times | {"id": 10 + number}
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return tasks


@pytest.mark.parametrize("question", [None, Question("mood", "song")])
def test_label_studio_accepts_configuration_and_tasks(tmp_path, tables, label_studio, question):
    interface = pytest.importorskip("label_studio_sdk.label_interface").LabelInterface
    path = tmp_path / "songs.json"
    files.write_records(path, "label-studio", replace(files.from_tables(**tables), question=question))
    validator = interface((tmp_path / "songs.xml").read_text(encoding="utf-8"))
    validator.validate()
    for task in json.loads(path.read_text(encoding="utf-8")):
        for prediction in task["predictions"]:
            assert validator.validate_prediction(prediction, return_errors=True) == []
        assert all(validator.validate_annotation(annotation) for annotation in task["annotations"])


def test_label_studio_converts_and_it_is_a_plain_table(tmp_path, tables, label_studio):
    converter = pytest.importorskip("label_studio_sdk.converter").Converter
    path = tmp_path / "songs.json"
    files.write(path, "label-studio", **tables)
    as_export(path)
    convert = converter((tmp_path / "songs.xml").read_text(encoding="utf-8"), project_dir=str(tmp_path))
    convert.convert_to_csv(str(path), str(tmp_path / "out"), is_dir=False, sep=",")
    (exported,) = (tmp_path / "out").iterdir()
    given = tables["given"]
    found = hl.open_table(exported, id="item_id", labels=list(given), yes="yes", no="no", unknown="unsure")
    np.testing.assert_array_equal(found.labels.values(), given)


def test_argilla_takes_records_and_settings(tmp_path, tables):
    pytest.importorskip("argilla", reason="argilla is not installed")
    from argilla._models import DatasetModel, FieldModel, MetadataFieldModel, QuestionModel
    from argilla.records._io._json import JsonIO

    folder = tmp_path / "songs"
    files.write(folder, "argilla", **tables)
    settings = json.loads((folder / ".argilla" / "settings.json").read_text(encoding="utf-8"))
    models = {"questions": QuestionModel, "fields": FieldModel, "metadata": MetadataFieldModel}
    for part, model in models.items():
        assert [model(**found).name for found in settings[part]] == [found["name"] for found in settings[part]]
    assert DatasetModel(**json.loads((folder / ".argilla" / "dataset.json").read_text())).name == "songs"

    again = tmp_path / "again.json"
    JsonIO.to_json(JsonIO._records_from_json(folder / "records.json"), again)
    original = json.loads((folder / "records.json").read_text(encoding="utf-8"))
    assert json.loads(again.read_text(encoding="utf-8")) == original


@pytest.fixture
def datasets(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("datasets.features", reason="datasets is not installed")  # tests/datasets has that name, too
    return pytest.importorskip("datasets")


def test_datasets_reads_what_is_written(tmp_path, datasets):
    path, names = tmp_path / "songs.parquet", ["rock", "sad", "live"]
    frame = pd.DataFrame({"text": ["a", "b", "c"], "labels": [["rock", "live"], [], None]})
    write_with_classes(frame, path, {"labels": names}, "labels_open")
    data = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
    assert data.features["text"].dtype == "string"
    assert data.features["labels"].feature.names == names
    assert data["labels"][:] == [[0, 2], [], None]


def test_what_datasets_writes_is_read(tmp_path, datasets):
    names = ["rock", "sad", "live"]
    features = datasets.Features(
        {"text": datasets.Value("string"), "labels": datasets.Sequence(datasets.ClassLabel(names=names))}
    )
    data = datasets.Dataset.from_dict({"text": ["a", "b", "c"], "labels": [[0, 2], [], None]}, features=features)
    data.to_parquet(str(tmp_path / "songs.parquet"))
    data.save_to_disk(str(tmp_path / "songs"), num_shards=2)
    for path in (tmp_path / "songs.parquet", tmp_path / "songs"):
        raw = read_file(path).raw
        assert raw.classes == {"labels": names}
        assert [None if cell is None else list(cell) for cell in raw.frame["labels"]] == [["rock", "live"], [], None]


@pytest.mark.parametrize("name", ["songs.jsonl", "songs.json"])
def test_doccano_parses_what_is_written(tmp_path, tables, name):
    parsers = pytest.importorskip(
        "backend.data_import.pipeline.parsers", reason="doccano is not installed", exc_type=ImportError
    )
    files.write(tmp_path / name, "doccano", **tables)
    parser = parsers.JSONLParser("utf-8") if name.endswith("l") else parsers.JSONParser("utf-8")
    rows = list(parser.parse(str(tmp_path / name)))
    assert parser.errors == []
    assert [row["text"] for row in rows] == tables["items"]["text"].tolist()
    relevant = tables["labels"].columns.to_numpy()
    assert [row["label"] for row in rows] == [relevant[row == 1].tolist() for row in tables["labels"].to_numpy()]
