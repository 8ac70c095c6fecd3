"""The begin of the report: what was read, and random filled values with their items."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from halflabel.labels import PartialLabels
from halflabel.report import render_html, summarize
from halflabel.report.reading import choose_rows
from halflabel.report.samples import MAX_LABELS, VALUES


def test_the_rows_are_those_of_the_labels_and_some_have_given_entries(by_hand):
    read = summarize(by_hand())["read"]
    assert [row["item"] for row in read["rows"]] == [f"song {i}" for i in range(5)]
    kinds = ("has", "has_not", "unknown")
    assert [[row[kind]["names"] for kind in kinds] for row in read["rows"][:4]] == [
        [["rock"], ["sad"], []],
        [[], ["rock"], ["sad"]],
        [[], [], ["rock", "sad"]],
        [["rock", "sad"], [], []],
    ]
    assert [[row[kind]["is_all"] for kind in kinds] for row in read["rows"][2:4]] == [
        [False, False, True],
        [True, False, False],
    ]
    assert read["labels"] == [
        {"name": "rock", "relevant": 2, "irrelevant": 2, "unknown": 2},
        {"name": "sad", "relevant": 2, "irrelevant": 2, "unknown": 2},
    ]


@pytest.mark.parametrize(("known", "n", "expected"), [(9, 9, 5), (8, 9, 5), (1, 3, 3), (2, 40, 5), (38, 40, 5)])
def test_rows_of_both_kinds_are_shown_where_there_are_both(known, n, expected):
    y = np.full((n, 1), np.nan)
    y[n - known :] = 1
    labels = PartialLabels.from_table(y)
    rows = choose_rows(labels)
    assert len(set(rows)) == expected
    assert rows.tolist() == sorted(rows)
    assert len(np.unique(labels.unlabelled[rows])) == 1 + (0 < known < n)


def test_the_report_begins_with_what_was_read(by_hand):
    page = render_html(summarize(by_hand()))
    assert re.findall(r'<section id="(\w+)"', page)[:3] == ["read", "filled", "samples"]
    assert re.findall(r'href="#(\w+)"', page)[:3] == ["read", "filled", "samples"]


def test_each_label_has_random_filled_values_with_item_and_seed(at_random):
    shown = pd.DataFrame({"text": [f"text of {i}" for i in range(200)]})
    filled = at_random(200, 3, frame=shown)
    samples = summarize(filled, show=["text"], random_state=3)["samples"]
    gaps, state = ~filled.labels.observed, filled.state
    assert samples["seed"] == 3
    assert sorted(label["name"] for label in samples["labels"]) == sorted(filled.labels.names)
    for label in samples["labels"]:
        j = filled.labels.names.index(label["name"])
        assert (label["filled"], label["relevant"]) == (gaps[:, j].sum(), (gaps & (state > 0))[:, j].sum())
        assert len(label["rows"]) == VALUES
        for row in label["rows"]:
            i = int(row["item"])
            assert gaps[i, j]
            assert row["value"] == (state[i, j] > 0)
            assert row["probability"] == filled.p[i, j]
            assert row["shown"][0]["text"] == f"text of {i}"
    other = summarize(filled, show=["text"], random_state=4)["samples"]
    assert [row["item"] for row in other["labels"][0]["rows"]] != [row["item"] for row in samples["labels"][0]["rows"]]


def test_their_number_is_bounded_and_a_table_without_filled_values_has_none(by_hand, at_random):
    samples = summarize(at_random(100, MAX_LABELS + 7))["samples"]
    assert (len(samples["labels"]), samples["more_labels"]) == (MAX_LABELS, 7)
    none = by_hand([[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.1, 0.8], [0.7, 0.9]])
    assert summarize(none)["samples"]["labels"] == []
    assert 'id="samples"' not in render_html(summarize(none))


def test_no_probability_is_shown_where_a_check_contradicts_it(by_hand):
    samples = summarize(by_hand(is_selected=True))["samples"]
    assert {row["probability"] for label in samples["labels"] for row in label["rows"]} == {None}
