"""Every way that a question offers is taken, on the table that provoked it: none is an error or the same question."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.table.messy_files import make_messy

from halflabel.table import open_table
from halflabel.table.question import Question

CELLS = {
    "marks": ["rock;-sad", "sad;rock", "rock?", "no rock;sad"],
    "scores in text": ["rock:0.9;sad:0.2", "rock:.7", "sad;rock"],
    "blanks": ["a b", "b c", "c a", "a", "b", "c"],
    "two separators": ["a|b", "c|d, e", "f|g", "a", "b"],
    "words": ["a;b", "none", "a", "b;c"],
    "spellings": ["Rock;sad", "rock", "ROCK;sad"],
    "scores": [[{"name": "rock", "score": 0.9}], [{"name": "sad", "score": 0.2}, {"name": "rock"}]],
    "only scores": [[{"name": "rock", "score": 0.9}], [{"name": "sad", "score": 0.2}]],
    "values": [[{"label": "a", "x": 1.0}, {"label": "b", "x": 0.0}], [{"label": "c", "x": 1}]],
    "objects of floats": [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}],
    "objects of scores": [{"a": 0.9, "b": 0.1}, {"a": 0.2}],
    "marks in lists": [["rock", "-sad"], ["sad", "rock"]],
    "letters": ["AB", "A", "BC", "C", "B", "ABC", "AC"],
    "another notation": ["(a), (b)", "(a)", "(b), (c)", "(c)"],
}  # fmt: skip


def follow(items, given, depth=5):
    """Return the ways that end in an error, or in the same question."""
    try:
        open_table(items, **given)
    except Question as question:
        if not depth:
            return [given]
        found = []
        for way in question.ways:
            try:
                found += follow(items, way.state(given), depth - 1)
            except ValueError as error:
                found.append((way.statement, str(error)))
        return found
    return []


@pytest.mark.parametrize("kind", CELLS)
def test_every_way_of_a_question_about_tags_works(kind):
    cells = CELLS[kind] * 3
    items = pd.DataFrame({"n": [k * 1.7 % 5 for k in range(len(cells))], "tags": pd.Series(cells, dtype=object)})
    assert follow(items, {"tags": "tags", "absent": "irrelevant"}) == []


def test_every_way_of_a_question_about_a_messy_file_works(tmp_path):
    asked = 0
    for seed in range(60):
        messy = make_messy(seed, tmp_path)
        if messy.kind[3] in ("", "total row", "subtotal", "statistics", "blank rows"):  # no line has to be named
            assert follow(messy.path, messy.given) == [], seed
            asked += 1
    assert asked > 20
