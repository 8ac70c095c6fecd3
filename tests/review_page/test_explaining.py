"""Explanations for the page: plain values that add up, or a note in place of numbers."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.completion.test_review_list import P, Y, complete, open_songs

from halflabel.review_page.explaining import MAX_FEATURES, MAX_NEIGHBOURS, explain_place, list_largest

NAMES = ("rock", "sad")
PLACES = [(row, column) for row in range(len(Y)) for column in range(2)]


@pytest.mark.parametrize(("row", "column"), PLACES)
def test_the_parts_of_every_entry_add_up(row, column):
    explained = explain_place(complete(open_songs()), row, column, NAMES[column])
    facts = json.loads(json.dumps(explained.facts, allow_nan=False))
    assert (explained.row, explained.column, facts["item"], facts["label"]) == (row, column, f"s{row}", NAMES[column])
    assert facts["probability"] == P[row, column]
    assert sum(part["log_odds"] for part in facts["contributions"]) == pytest.approx(logit(P[row, column]))
    assert facts["out_of_fold"] == (Y[row][column] is not None)
    assert facts["note"] == ""


def test_a_label_that_the_fit_did_not_learn_has_a_note():
    explained = explain_place(complete(open_songs()), 2, 7, "live")  # the column of the table, not of the fit
    assert (explained.row, explained.column) == (2, 7)
    facts = explained.facts
    assert (facts["item"], facts["probability"], facts["contributions"]) == ("s2", None, [])
    assert facts["note"].startswith("The last fit did not learn 'live'")


def test_an_id_of_several_items_has_a_note():
    opened = open_songs()
    opened = replace(opened, index=pd.Index(["s0", "s1", "s1", *opened.index[3:]], name="song"))
    assert "2 items are identified by 's1'" in explain_place(complete(opened), 1, 0, "rock").facts["note"]


def test_an_entry_without_a_probability_has_a_note():
    filled = complete(open_songs())
    filled.model.label_probabilities_ = np.where(np.arange(6)[:, None] == 2, np.nan, P)
    facts = explain_place(filled, 2, 0, "rock").facts
    assert (facts["probability"], facts["contributions"]) == (None, [])
    assert facts["note"] == "It has no probability."


def test_items_and_words_with_the_largest_shares_over_all_parts():
    rows = [("kernel", "item", "s2", 0.3, 1), ("graph", "item", "s2", 0.2, 1), ("graph", "item", "s0", -0.4, 0)]
    rows += [("graph", "item", "s1", 0.1, None), ("graph", "item", "s3", 0.05, 1), ("trees", "label", "sad", 2.0, None)]
    rows += [("trees", "feature", f"body:w{k}", (-1) ** k / (k + 1), None) for k in range(10)]
    rows += [("kernel", "feature", "tempo", -0.8, None)]
    carriers = pd.DataFrame(rows, columns=["part", "kind", "name", "log_odds", "given"]).astype({"given": "Int8"})
    facts = list_largest(carriers, pd.Index(["s0", "s1", "s2", "s3"]), "body")
    assert facts["neighbours"] == [
        {"row": 2, "item": "s2", "given": 1, "log_odds": pytest.approx(0.5)},
        {"row": 0, "item": "s0", "given": 0, "log_odds": -0.4},
        {"row": 1, "item": "s1", "given": None, "log_odds": 0.1},
    ]
    assert len(facts["neighbours"]) == MAX_NEIGHBOURS
    assert [each["name"] for each in facts["features"]][:3] == ["body:w0", "tempo", "body:w1"]
    assert [each["word"] for each in facts["features"]][:3] == ["w0", "", "w1"]
    assert len(facts["features"]) == MAX_FEATURES
