"""Label Studio: tasks out, exports in."""

import json
from dataclasses import replace

import numpy as np
import pytest

import halflabel as hl
from halflabel import files
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Question


def result(name, choices, **more):
    return {"from_name": name, "to_name": "item", "type": "choices", "value": {"choices": choices}} | more


def test_written_tasks(tmp_path, tables):
    path = tmp_path / "songs.json"
    lost = files.write(path, "label-studio", **tables)
    task = json.loads(path.read_text(encoding="utf-8"))[2]
    assert task["data"] == {"item_id": "café", "text": "live <take>", "bpm": None, "filepath": "/a/3.jpg"}
    assert task["annotations"] == [{"result": [result("live show", ["yes"])]}]
    (prediction,) = task["predictions"]
    scores = [part["score"] for part in prediction["result"]]
    assert prediction["model_version"] == "m 1"
    assert prediction["score"] == min(scores)  # of the value that is suggested: yes, and no
    assert scores == pytest.approx(
        [tables["probabilities"].loc["café", "rock"], 1 - tables["probabilities"].loc["café", "sad"]]
    )
    assert [sentence.split(" (")[0] for sentence in lost] == [
        "Probabilities of answered entries are left out",
        "Probabilities of undecided entries are left out",
    ]


def test_written_configuration(tmp_path, tables):
    tables = {name: table for name, table in tables.items() if name in ("items", "labels")}
    tables["labels"] = tables["labels"].set_axis(["item", 'a "b" & <c>', "sad"], axis=1)
    files.write(tmp_path / "songs.json", "label-studio", **tables)
    text = (tmp_path / "songs.xml").read_text(encoding="utf-8")
    assert '<Text name="item_" value="$text"/>' in text  # "item" is a label here
    assert """<Choices name='a "b" &amp; &lt;c&gt;' toName="item_" choice="single" showInline="true">""" in text
    assert text.count('<Choice value="unsure"/>') == 3


def test_a_short_export_is_an_error_that_names_the_other_one(write):
    """As the converter of label-studio-sdk 2.1.2 writes a project with one question that takes several choices."""
    text = (
        '"annotation_id","annotator","created_at","id","lead_time","tags","text","updated_at"\n'
        '1,"1","x",1,1.5,"{""choices"":[""rock"",""sad""]}","one","x"\n'
        '2,"1","x",2,1.0,"live","two","x"\n'
        '"","","",4,"","","four",""\n'
    )
    with pytest.raises(ValueError, match="a short export of Label Studio: export the project as JSON"):
        hl.open_table(write("export.csv", text), tags="tags", absent="irrelevant", features=["annotation_id"])


def test_an_export_of_several_people(write):
    tasks = [
        {
            "id": 7,
            "data": {"text": "one"},
            "annotations": [
                {"completed_by": {"id": 1, "email": "ana"}, "result": [result("rock", ["yes"]), result("sad", ["no"])]},
                {
                    "completed_by": 2,
                    "result": [result("rock", ["no"]), {"from_name": "note", "type": "textarea", "value": {}}],
                },
                {"completed_by": 3, "was_cancelled": True, "result": [result("sad", ["yes"])]},
            ],
            "predictions": [3, {"model_version": "v1", "score": 0.7, "result": [result("live", ["no"])]}],
        },
        {
            "id": 8,
            "data": {"text": "two"},
            "annotations": [],
            "predictions": [{"result": [result("sad", ["yes"], score=7)]}],
        },
    ]
    records = files.read(write("a.json", json.dumps(tasks)))
    assert records.labels.loc["7", "sad"] == 0
    assert np.isnan(records.labels.loc["7", "rock"])  # two people disagree
    assert records.probabilities.loc["7", "live"] == pytest.approx(0.3)  # .7 is the score of "no"
    assert records.suggestions.loc["8", "sad"] == 1
    assert records.notes == (
        "1 skipped annotation left out.",
        "1 result of other kinds than choices left out.",
        "1 score outside 0 to 1 left out: a probability is from 0 to 1.",
        "1 entry with different answers of different people: taken as unknown.",
    )


def test_several_people_list_labels(write):
    lists = [["rock", "sad"], ["rock"]]
    annotations = [{"completed_by": n, "result": [result("tags", names)]} for n, names in enumerate(lists)]
    tasks = [
        {"id": 1, "data": {"item_id": "a"}, "annotations": annotations},
        {"id": 2, "data": {"item_id": "b"}, "annotations": [{"result": [result("tags", ["live"])]}]},
    ]
    path = write("a.json", json.dumps(tasks))
    np.testing.assert_array_equal(files.read(path, absent="irrelevant").labels.loc["a"], [0, 1, np.nan])
    np.testing.assert_array_equal(files.read(path, absent="unknown").labels.loc["a"], [np.nan, 1, 1])


def test_two_questions_with_lists(write):
    results = [result("genre", ["rock"]), result("mood", ["rock", "sad"])]
    tasks = [{"id": 1, "data": {}, "annotations": [{"result": results}]}]
    names = files.read(write("a.json", json.dumps(tasks)), absent="irrelevant").names
    assert names == ("genre: rock", "mood: rock", "mood: sad")


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (
            [{"data": {"item_id": "a"}, "annotations": []}, {"data": {}, "annotations": []}],
            r"record 2: .* no 'item_id'",
        ),
        ([{"data": {"item_id": "a"}, "annotations": []}] * 2, r"record 2: the id 'a' appears twice"),
        ([{"data": {}, "annotations": []}], r"record 1: the task has no id"),
    ],
)
def test_errors_name_the_record(write, tasks, message):
    with pytest.raises(ReadError, match=message):
        files.read(write("a.json", json.dumps(tasks)))


class TestOneQuestion:
    """All labels are the choices of one question, as in most projects."""

    def write(self, path, tables):
        records = replace(files.from_tables(**tables), question=Question("mood", "song"))
        return files.write_records(path, "label-studio", records)

    def test_a_prediction_is_the_whole_list_with_the_smallest_probability(self, tmp_path, tables):
        lost = self.write(tmp_path / "songs.json", tables)
        tasks = {task["data"]["item_id"]: task for task in json.loads((tmp_path / "songs.json").read_text())}
        (prediction,) = tasks["café"]["predictions"]
        (result,) = prediction[
            "result"
        ]  # "live show" was given, "rock" is suggested, and "sad" suggested as irrelevant
        assert result["value"] == {"choices": ["live show", "rock"]}
        assert (result["from_name"], result["to_name"], result["type"]) == ("mood", "song", "choices")
        p = tables["probabilities"].loc["café"]
        assert result["score"] == prediction["score"] == pytest.approx(min(p["rock"], 1 - p["sad"]))
        given = {name: part for name, part in result.items() if name != "score"} | {"value": {"choices": ["rock"]}}
        assert tasks["aria"]["annotations"] == [{"result": [given]}]
        assert any("irrelevant and unknown" in sentence.lower() for sentence in lost)
        configuration = (tmp_path / "songs.xml").read_text()
        assert configuration.count("<Choices ") == 1
        assert '<Choices name="mood" toName="song" choice="multiple"' in configuration

    def test_it_is_read_again_with_its_names(self, tmp_path, tables):
        self.write(tmp_path / "songs.json", tables)
        records = files.read(tmp_path / "songs.json", absent="unknown")
        assert records.question == ("mood", "song")
        np.testing.assert_array_equal(records.labels["rock"] == 1, tables["given"]["rock"] == 1)
        assert records.suggestions.loc["café", "rock"] == 1
        files.write_records(tmp_path / "again.json", "label-studio", records)
        assert (tmp_path / "again.xml").read_text().count('name="mood" toName="song"') == 1
