"""What was understood of a table is shown before anything is fitted: one object, for every kind of table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from halflabel.labels import PartialLabels
from halflabel.table import open_table
from halflabel.table.nothing import IN_WORDS
from halflabel.table.reading import MAX_NAMES, MAX_ROWS, choose_rows

N = 12
FEATURES = {"tempo": np.linspace(90.5, 120, N), "key": ["minor", "major"] * (N // 2)}


def forms(opened):
    return {(form.what, form.meaning): form.number for form in opened.nothing}


@pytest.mark.parametrize(
    ("cells", "options", "expected"),
    [
        (
            ["rock;sad", None, ""],
            {},
            {("an empty cell", "unlabelled"): 2, ("a tag that is not listed", "irrelevant"): 9},
        ),
        (
            [["rock", "sad"], None, [], [None]],
            {},
            {
                ("an empty cell", "unlabelled"): 1,
                ("an empty list", "annotated, without tags"): 1,
                ("a list of missing values only", "unlabelled"): 1,
                ("a tag that is not listed", "irrelevant"): 10,
            },
        ),
        (
            [["rock", "sad"], None, [], [None]],
            {"empty": "none"},
            {
                ("an empty cell", "annotated, without tags"): 1,
                ("an empty list", "annotated, without tags"): 1,
                ("a list of missing values only", "annotated, without tags"): 1,
                ("a tag that is not listed", "irrelevant"): 14,
            },
        ),
        (
            ["rock;sad", "none", "?"],
            {"no": "none", "unknown": "?"},
            {
                ("the word 'none'", "annotated, without tags"): 1,
                ("the word '?'", "unlabelled"): 1,
                ("a tag that is not listed", "irrelevant"): 11,
            },
        ),
    ],
)
def test_each_form_of_nothing_of_tags_has_its_number_and_its_meaning(cells, options, expected):
    column = (
        [*cells, *["rock"] * (N - len(cells))] if isinstance(cells[0], str) else cells + [["rock"]] * (N - len(cells))
    )
    frame = pd.DataFrame({**FEATURES, "t": pd.Series(column, dtype=object)})
    opened = open_table(frame, tags="t", absent="irrelevant", **options)
    assert forms(opened) == expected
    for (what, meaning), number in expected.items():
        line = next(each for each in opened.reading.nothing if what in each.casefold())
        assert IN_WORDS.get(meaning, meaning) in line
        assert str(number) in line


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {("an empty cell", "unknown"): 3}),
        ({"absent": "unknown"}, {("an empty cell", "not assigned"): 3}),
        ({"no": ""}, {("an empty cell", "irrelevant"): 3}),
    ],
)
def test_each_form_of_nothing_of_label_columns(options, expected):
    rock = [1, None, None, None, *[1] * (N - 4)] if options else [1, None, None, None, *[0] * (N - 4)]
    opened = open_table(pd.DataFrame({**FEATURES, "rock": rock}), labels=["rock"], **options)
    assert forms(opened) == expected


def test_words_that_mean_unknown_are_counted():
    frame = pd.DataFrame({**FEATURES, "rock": ["yes", "no", "?", "-99", None, *["no"] * (N - 5)]})
    opened = open_table(frame, labels=["rock"], yes="yes", no="no", unknown=["?", "-99"])
    assert forms(opened) == {("an empty cell", "unknown"): 1, ("the word '?'", "unknown"): 1,
                             ("the word '-99'", "unknown"): 1}  # fmt: skip


def test_rows_of_every_kind_are_shown():
    rng = np.random.default_rng(0)
    for _ in range(50):
        labels = PartialLabels.from_table(rng.choice([1, 0, np.nan], size=(40, 2), p=[0.1, 0.3, 0.6]))
        rows = choose_rows(labels)
        assert len(rows) == MAX_ROWS
        kinds = {(bool((s > 0).any()), bool((s < 0).any()), bool((s == 0).any())) for s in labels.state}
        shown = {(bool((s > 0).any()), bool((s < 0).any()), bool((s == 0).any())) for s in labels.state[rows]}
        assert len(shown) == min(len(kinds), MAX_ROWS)


def test_text_and_notebook_show_the_same_rows():
    frame = pd.DataFrame(
        {**FEATURES, "id": list("abcdefghijkl"), "t": [["<b>rock</b>", "sad"], None, *[["sad"]] * (N - 2)]}
    )
    opened = open_table(frame, id="id", tags="t", absent="irrelevant")
    text, page = repr(opened), opened._repr_html_()
    assert "a     <b>rock</b>, sad" in text
    assert "&lt;b&gt;rock&lt;/b&gt;, sad" in page
    assert "<b>rock" not in page
    for form in opened.reading.nothing:
        assert form in text


def test_the_names_of_many_labels_are_cut_and_the_others_are_counted():
    names = [f"label {j}" for j in range(9)]
    frame = pd.DataFrame({**FEATURES, **{name: [1] * (N - 1) + [0] for name in names}})
    shown, _, rest = open_table(frame, labels=names).reading.rows["has"][0].partition(" and ")
    assert (len(shown.split(", ")), rest) == (MAX_NAMES - 1, f"{9 - MAX_NAMES + 1} more")
