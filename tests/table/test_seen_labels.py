"""Labels that were not named: taken where nothing else can be the labels, else a question with each way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from halflabel.table import open_table
from halflabel.table.question import Question

N = 24
VALUES = pd.DataFrame({"rock": [1, 0, None, 1] * 6, "sad": [None, 1, 0, 0] * 6})


def make(**columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"tempo": rng.normal(size=N).round(3), "key": ["minor", "major"] * 12, **columns})


@pytest.mark.parametrize("words", [{1: 1, 0: 0}, {1: True, 0: False}, {1: "yes", 0: "no"}, {1: "Ja", 0: "Nein"}])
def test_columns_of_yes_no_and_gaps_are_the_labels(words):
    frame = make(**{name: VALUES[name].map(words).astype(object) for name in VALUES})
    opened = open_table(frame)
    assert opened.labels.names == ("rock", "sad")
    assert opened.labels.state.tolist() == VALUES.replace({0: -1}).fillna(0).astype(int).to_numpy().tolist()
    assert "'rock' and 'sad' are the labels" in opened.notes[0]
    assert set(opened.roles.features) == {"tempo", "key"}


def test_a_column_of_yes_and_no_without_a_gap_is_a_question():
    frame = make(**VALUES, live=[0, 1] * 12)
    with pytest.raises(Question) as question:
        open_table(frame)
    first, second = question.value.ways
    assert (first.keys["labels"], second.keys["labels"]) == (["rock", "sad"], ["rock", "sad", "live"])
    assert first.gives == "2 labels: rock 12, sad 6"
    for way in question.value.ways:
        assert open_table(frame, **way.keys).labels.names == tuple(way.keys["labels"])


@pytest.mark.parametrize("cells", [["a;b", "b", None, "a"], ['["a", "b"]', '["b"]', None, '["a"]'],
                                   [["a", "b"], ["b"], None, ["a"]]])  # fmt: skip
def test_one_column_of_tags_asks_for_the_meaning_of_an_absent_one_only(cells):
    frame = make(tags=pd.Series(cells * 6, dtype=object))
    with pytest.raises(Question) as question:
        open_table(frame)
    assert [way.keys for way in question.value.ways] == [
        {"tags": "tags", "absent": "irrelevant"}, {"tags": "tags", "absent": "unknown"}]  # fmt: skip
    assert not question.value.likely
    assert {way.gives for way in question.value.ways} == {"2 labels: a 12, b 12"}


def test_a_file_without_labels_has_none():
    with pytest.raises(ValueError, match="no labels were named, and no column holds yes, no and gaps, or tags"):
        open_table(make(title=[f"A title, number {i}" for i in range(N)], live=[0, 1] * 12))


@pytest.mark.parametrize("name", ["id", "ID", "song_id", "_id"])
def test_a_unique_column_that_is_called_id_names_the_items(name):
    frame = make(**{name: range(100, 100 + N)}, **VALUES)
    assert open_table(frame).index.tolist() == list(range(100, 100 + N))
    assert open_table(frame.assign(**{name: 7})).index.tolist() == list(range(N))
    assert open_table(frame.set_index("tempo")).index.tolist() == frame["tempo"].tolist()
