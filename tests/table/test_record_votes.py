"""Exports with several annotators: their answers are votes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.elsewhere import each_tool

import halflabel as hl

N = 30


def answer(rng, truth, share):
    return [["rock", "calm"][j] for j in range(2) if truth[j] ^ (rng.random() < share)]


def write_label_studio(path, lists):
    tasks = []
    for i, by_person in enumerate(lists):
        annotations = [
            {
                "id": 100 * i + k,
                "completed_by": {"email": person},
                "result": [{"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": tags}}],
            }
            for k, (person, tags) in enumerate(by_person.items())
        ]
        tasks.append({"id": i, "data": {"text": f"text {i}"}, "annotations": annotations})
    path.write_text(json.dumps(tasks))


def write_prodigy(path, lists):
    lines = [
        {"text": f"text {i}", "_input_hash": i, "_annotator_id": person, "answer": "accept", "accept": tags,
         "options": [{"id": "rock"}, {"id": "calm"}], "_view_id": "choice"}
        for i, by_person in enumerate(lists)
        for person, tags in by_person.items()
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))


def write_argilla(path, lists):
    rows = []
    for i, each in enumerate(lists):
        answers = [{"value": tags, "user_id": person} for person, tags in each.items()]
        record = {"id": str(i), "fields": {"text": f"text {i}"}, "metadata": {}, "suggestions": {}, "vectors": {}}
        rows.append({**record, "responses": {"mood": answers}, "status": "completed", "_server_id": None})
    path.write_text(json.dumps(rows))


def write_doccano(path, lists):
    """A project without shared annotations is exported as one file per person."""
    for person in lists[0]:
        rows = [{"id": i, "text": f"text {i}", "label": each[person]} for i, each in enumerate(lists)]
        (path.parent / f"{person}.jsonl").write_text("\n".join(map(json.dumps, rows)))


#: For each tool: how its export is written, and the statement that its lists need.
WRITERS = {
    "label-studio": (write_label_studio, {"absent": "irrelevant"}),
    "prodigy": (write_prodigy, {}),
    "argilla": (write_argilla, {"absent": "irrelevant"}),
    "doccano": (write_doccano, {"absent": "irrelevant"}),
}


@pytest.mark.parametrize("tool", each_tool(*WRITERS))
@pytest.mark.parametrize("n", [N, 3])
def test_answers_of_several_people_are_votes(tool, n, tmp_path):
    """With few shared entries, answers are merged, and contested entries stay unknown."""
    rng = np.random.default_rng(0)
    truth = rng.random((n, 2)) < 0.5
    lists = [{person: answer(rng, row, share) for person, share in (("ann", 0.0), ("ben", 0.3))} for row in truth]
    path = tmp_path / ("export.jsonl" if tool == "prodigy" else "export.json")
    write, stated = WRITERS[tool]
    write(path, lists)
    opened = hl.open_table(path if path.exists() else tmp_path / "*.jsonl", text="text", **stated)
    if n < N:
        assert opened.votes is None
        return
    assert opened.votes.names == ("ann", "ben")
    order = [opened.labels.names.index(name) for name in ("rock", "calm")]
    given = opened.votes.values[0][:, order]
    listed = np.array([bool(each["ann"]) for each in lists])
    np.testing.assert_array_equal(given[listed], truth[listed])
    assert not opened.labels.observed[opened.votes.voted].any()
    assert not any("taken as unknown" in note for note in opened.notes)
