"""Argilla: folders as ``Dataset.to_disk`` writes them."""

import json

import numpy as np
import pytest

from halflabel import files
from halflabel_tools.argilla import slugs, title_of

ANA, BEN = "6c1c6f0e-2c6b-4b9b-8f5c-2f9b8a0f5f01", "6c1c6f0e-2c6b-4b9b-8f5c-2f9b8a0f5f02"

#: As ``Record.to_dict`` of argilla 2.8 has it.
RECORDS = [
    {
        "id": "aria", "fields": {"text": "Loud"}, "metadata": {"bpm": 180},
        "suggestions": {
            "sad": {"value": "no", "score": 0.8, "agent": "v1"},
            "note": {"value": 3, "score": None, "agent": None},
        },
        "responses": {
            "rock": [{"value": "yes", "user_id": ANA}, {"value": "no", "user_id": BEN}],
            "halflabel-seen": [{"value": "yes", "user_id": ANA}],
        },
        "vectors": {}, "status": "completed", "_server_id": None,
    },
    {
        "id": "ballad", "fields": {"text": "slow"}, "metadata": {}, "suggestions": {}, "responses": {}, "vectors": {},
        "status": "pending", "_server_id": None,
    },
]  # fmt: skip


def test_responses_and_suggestions(write):
    path = write("records.json", json.dumps(RECORDS))
    assert files.detect(path).format == "argilla"
    records = files.read(path)
    assert records.names == ("rock", "sad")
    assert records.labels.isna().all(axis=None)  # two people disagree
    assert records.probabilities.loc["aria", "sad"] == pytest.approx(0.2)
    assert records.annotated.tolist() == [True, False]
    assert records.items["bpm"].tolist()[0] == 180
    assert records.notes[0] == "1 answer of other kinds than choices left out."


def test_one_question_with_several_labels(write):
    suggestion = {"value": ["rock", "sad"], "score": [0.9, 0.6], "agent": "v1"}
    rows = [
        RECORDS[1] | {"suggestions": {"tags": suggestion}},
        RECORDS[1] | {"id": "c", "responses": {"tags": [{"value": ["live"], "user_id": ANA}]}},
    ]
    records = files.read(write("records.json", json.dumps(rows)), absent="irrelevant")
    assert records.probabilities.loc["ballad"].tolist()[1:] == [0.9, 0.6]
    np.testing.assert_array_equal(records.labels.loc["c"], [1, 0, 0])


def test_written_folder(tmp_path, tables):
    path = tmp_path / "songs"
    files.write(path, "argilla", **tables)
    settings = json.loads((path / ".argilla" / "settings.json").read_text(encoding="utf-8"))
    assert [question["name"] for question in settings["questions"]] == ["rock", "sad", "live-show", "halflabel-seen"]
    assert [question["required"] for question in settings["questions"]] == [False, False, False, True]
    record = json.loads((path / "records.json").read_text(encoding="utf-8"))[2]
    assert record["suggestions"]["live-show"] == {"value": "yes", "score": None, "agent": "given"}
    assert record["suggestions"]["rock"]["agent"] == "m 1"
    assert files.read(path).names == ("rock", "sad", "live show")
    with pytest.raises(FileExistsError, match="exists already"):
        files.write(path, "argilla", **tables)


def test_names_that_its_server_takes():
    titles = ["Rock!", "rock", "愛", "a b", "a-b", "a_b", "halflabel-seen"]
    names = slugs(titles, "label", taken=["a-b"])
    assert len(set(names.values())) == len(titles)
    assert "a-b" not in names.values()
    assert [title_of({"name": name, "title": title}) for title, name in names.items()] == titles
    assert title_of({"name": "sad", "title": "Is this song sad?"}) == "sad"  # of a person, not of this library
