"""The completed table: the user's columns with their gaps filled, in the words and types that they had."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from tests.completion.test_review_list import P, complete, open_songs

from halflabel import PartialLabels
from halflabel.completion.completed_frame import fill_known
from halflabel.table import open_table

LABELS = PartialLabels.from_table(pd.DataFrame({"rock": [1, np.nan, 0], "sad": [np.nan] * 3}))
RELEVANT = np.array([[1, 0], [1, 0], [0, 1]])


def test_gaps_are_filled_in_the_columns_of_the_table():
    opened = open_songs()
    table = complete(opened).evidence.frame
    assert table.columns.tolist() == ["song", "tempo", "rock", "sad"]
    assert table["rock"].tolist() == [1, 0, 1, 1, 0, 0]
    assert table["sad"].dtype == np.int64
    assert opened.frame["rock"].isna().sum() == 2  # the table of the user is not changed


def test_what_stays_empty_is_missing():
    table = complete(open_songs(), min_precision=0.9).evidence.frame
    assert table["sad"].dtype == "Int64"
    assert table["sad"].isna().tolist() == [False, False, True, False, False, False]


def test_without_a_table_there_are_the_labels_alone():
    opened = open_songs()
    table = complete(replace(opened, frame=None)).evidence.frame
    assert table.columns.tolist() == ["rock", "sad"]
    assert table.index.tolist() == opened.index.tolist()


def test_labels_that_came_apart_are_added():
    opened = open_songs()
    table = complete(replace(opened, frame=opened.frame.drop(columns="rock"))).evidence.frame
    assert table.columns.tolist() == ["song", "tempo", "sad", "rock"]
    assert table["rock"].tolist() == [1, 0, 1, 1, 0, 0]


def test_words_and_truth_values_stay():
    frame = open_songs().frame.assign(rock=["x", "no", None, "x", "no", None], sad=["no", None, None, "x", "no", "x"])
    words = open_table(frame, id="song", labels=["rock", "sad"], yes="x", no="no")
    assert complete(words).evidence.frame["rock"].tolist() == ["x", "no", "x", "x", "no", "no"]
    frame = frame.assign(rock=[True, False, None, True, False, None], sad=[0, None, None, 1, 0, 1])
    truth = open_table(frame, id="song", labels=["rock", "sad"])
    table = complete(truth).evidence.frame
    assert table["rock"].dtype == "boolean"
    assert table["rock"].tolist() == [True, False, True, True, False, False]
    assert table["sad"].dtype == np.int64


def test_tags_are_added_and_undecided_ones_have_a_column():
    opened = open_songs(tags="tags", absent="irrelevant")
    table = complete(opened).evidence.frame
    assert "tags_open" not in table
    assert table["tags"].tolist()[:3] == ["rock", "sad", "rock;sad"]
    table = complete(opened, min_precision=0.99).evidence.frame
    assert table["tags_open"].tolist()[0] in (None, "")
    assert P[2, 1] < 0.99
    assert table["tags_open"].tolist()[2] == "rock;sad"
    again = replace(opened, frame=opened.frame.assign(tags_open="old"))
    assert set(complete(again).evidence.frame["tags_open"]) <= {None, ""}  # nothing is undecided now


class TestNewItems:
    def test_given_cells_stay_and_missing_columns_are_added(self):
        frame = pd.DataFrame({"tempo": [1.5, 2.5, 3.5], "rock": [1, None, 0]})
        table = fill_known(frame, LABELS, RELEVANT)
        assert table.columns.tolist() == ["tempo", "rock", "sad"]
        assert table["rock"].tolist() == [1, 1, 0]
        assert table["sad"].tolist() == [0, 0, 1]
        assert "sad" not in frame

    def test_cells_are_written_in_words(self):
        frame = pd.DataFrame({"rock": ["YES", None, "no"]})
        table = fill_known(frame, LABELS, RELEVANT, words={"rock": ("no", "yes"), "sad": (False, True)})
        assert table["rock"].tolist() == ["YES", "yes", "no"]
        assert table["sad"].tolist() == [False, False, True]

    def test_truth_values_stay(self):
        table = fill_known(pd.DataFrame({"rock": [True, None, False]}), LABELS, RELEVANT)
        assert table["rock"].dtype == "boolean"

    def test_tags_are_added_to_their_cells(self):
        labels = PartialLabels.from_table(pd.DataFrame({"rock": [1, np.nan], "sad": [0, np.nan]}))
        frame = pd.DataFrame({"tags": ["rock", None], "tags_open": ["sad", "x"]})
        table = fill_known(frame, labels, np.array([[1, 0], [1, 1]]), "tags")
        assert table["tags"].tolist() == ["rock", "rock;sad"]
        assert table["tags_open"].isna().all()
        assert fill_known(frame[[]], labels, np.array([[1, 0], [1, 1]]), "tags").columns.tolist() == ["tags"]
