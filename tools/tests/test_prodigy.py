"""Prodigy: answers and questions, one per line."""

import json

import numpy as np
import pytest

from halflabel import files
from halflabel.files.raw_table import ReadError

#: As ``db-out`` writes them: by textcat.teach, and by textcat.manual with several choices.
TEACH = [
    {
        "text": "one", "meta": {"score": 0.53}, "label": "sad", "_input_hash": 11, "_task_hash": 21, "score": 0.53,
        "priority": 0.53, "spans": [], "_view_id": "classification", "answer": "accept", "_timestamp": 1700000000,
        "_annotator_id": "songs-ana", "_session_id": "songs-ana",
    },
    {
        "text": "one", "label": "rock", "_input_hash": 11, "_task_hash": 22, "answer": "ignore",
        "_timestamp": 1700000001,
        "_annotator_id": "songs-ana", "_session_id": "songs-ana",
    },
    {
        "text": "two", "label": "sad", "_input_hash": 12, "_task_hash": 23, "answer": "reject",
        "_timestamp": 1700000002,
        "_annotator_id": "songs-ben", "_session_id": "songs-ben",
    },
]  # fmt: skip
OPTIONS = [{"id": name, "text": name} for name in ("rock", "sad", "live")]
MANUAL = [
    {"text": "one", "options": OPTIONS, "accept": ["rock", "live"], "answer": "accept", "_view_id": "choice",
     "config": {"choice_style": "multiple"}, "_input_hash": 11, "_task_hash": 21, "meta": {"source": "radio"}},
    {"text": "two", "options": OPTIONS[:2], "accept": [], "answer": "accept", "_input_hash": 12, "_task_hash": 22},
    {"text": "three", "options": OPTIONS, "accept": ["sad"], "answer": "reject", "_input_hash": 13, "_task_hash": 23},
]  # fmt: skip


def as_lines(rows):
    return "\n".join(map(json.dumps, rows))


def test_questions_of_a_model(write):
    records = files.read(write("a.jsonl", as_lines(TEACH)))
    assert records.format == "prodigy"
    np.testing.assert_array_equal(records.labels, [[1, np.nan], [0, np.nan]])  # sad, rock
    assert records.probabilities.loc[1, "sad"] == 0.53
    assert records.cells["by"].tolist() == ["songs-ana", "songs-ana", "songs-ben"]
    assert records.cells["at"][0] == "2023-11-14T22:13:20+00:00"
    assert records.items["text"].tolist() == ["one", "two"]
    assert records.notes == ("Items have no id in 'meta': lines with the same content are one item.",)


def test_options_that_were_shown_and_not_chosen(write):
    records = files.read(write("a.jsonl", as_lines(MANUAL)))
    assert records.names == ("rock", "sad", "live")
    np.testing.assert_array_equal(records.labels, [[1, 0, 1], [0, 0, np.nan], [np.nan] * 3])
    assert records.items["source"].tolist()[0] == "radio"
    assert "1 rejected choice taken as unknown" in records.notes[0]


def test_choices_without_options_are_what_was_chosen(write):
    rows = [{name: value for name, value in row.items() if name != "options"} for row in MANUAL[:1]]
    assert files.read(write("a.jsonl", as_lines(rows))).labels.to_dict("list") == {"rock": [1], "live": [1]}


def test_suggestions_and_answers_are_two_files(tmp_path, tables):
    path = tmp_path / "songs.jsonl"
    files.write(path, "prodigy", **tables)
    questions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    answers = [json.loads(line) for line in (tmp_path / "songs.answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert not any("answer" in line for line in questions)  # db-in would take them as accepted
    assert {line["answer"] for line in answers} == {"accept", "reject"}
    assert questions[0]["meta"].keys() == {"id", "p", "suggested", "model"}
    assert len(answers) == int(tables["given"].notna().sum().sum())


def test_answers_alone_are_one_file(tmp_path, tables):
    files.write(tmp_path / "songs.jsonl", "prodigy", tables["items"], tables["given"])
    assert [path.name for path in tmp_path.iterdir()] == ["songs.jsonl"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "a", "label": "x", "answer": "maybe"}, "line 2: record 2: the answer is 'maybe'"),
        ({"label": "x", "answer": "accept"}, "record 2: it is not clear which item it is about"),
        ({"text": "a", "answer": "accept"}, "record 2: it has neither a 'label' nor a choice"),
    ],
)
def test_errors_name_the_line(write, line, message):
    good = {"text": "a", "label": "x", "answer": "accept"}
    with pytest.raises(ReadError, match=message):
        files.read(write("a.jsonl", as_lines([good, line])), "prodigy")
