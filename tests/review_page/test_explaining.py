"""Explanations for the page: plain values that add up, or a note in place of numbers."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.completion.test_review_list import P, Y, complete, open_songs

from halflabel.review_page.explaining import explain_place

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
