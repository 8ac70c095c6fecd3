"""Random filled values of each label with their items, and the begin of the report."""

from __future__ import annotations

import re

import pandas as pd

from halflabel.report import render_html, summarize
from halflabel.report.samples import MAX_LABELS, VALUES


def test_the_report_begins_with_what_was_read(by_hand):
    page = render_html(summarize(by_hand()))
    assert re.findall(r'<section id="(\w+)"', page)[:3] == ["reading", "filled", "samples"]
    assert re.findall(r'href="#(\w+)"', page)[:3] == ["reading", "filled", "samples"]


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
