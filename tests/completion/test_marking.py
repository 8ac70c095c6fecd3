"""The columns of a completed table that distinguish given entries from filled ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.completion.test_review_list import complete, open_songs

from halflabel.completion.marking import mark_filled, take_label_columns
from halflabel.table import open_table


def mark(filled):
    return mark_filled(filled.opened, filled.evidence.written_state, filled.frame)


@pytest.mark.parametrize(
    ("columns", "names"), [({}, ["rock", "sad"]), ({"tags": "tags", "absent": "irrelevant"}, ["tags"])]
)
def test_the_columns_of_labels_are_taken_with_the_ids(columns, names):
    filled = complete(open_songs(**columns))
    taken = take_label_columns(filled.opened, filled.frame)
    assert list(taken) == names
    assert taken.index.tolist() == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert taken.to_numpy().tolist() == filled.frame[names].to_numpy().tolist()


class TestMarks:
    @pytest.mark.parametrize("columns", [{}, {"tags": "tags", "absent": "irrelevant"}])
    def test_they_are_no_features_when_the_completed_table_comes_in_again(self, columns):
        opened = open_songs(**columns)
        marked = mark(complete(opened, min_precision=0.9))
        again = open_table(marked, id="song", **(columns or {"labels": ["rock", "sad"]}))
        assert again.roles.features == opened.roles.features == ("tempo",)
        added = set(marked) - set(opened.frame)
        assert added == ({"tags_filled", "tags_open"} if columns else {"source_rock", "source_sad"})
        assert added <= {name for name, reason in again.roles.ignored if "filled in" in reason or "decided" in reason}

    def test_a_column_per_label(self):
        table = mark(complete(open_songs(), min_precision=0.9))
        assert table["source_rock"].tolist() == ["given", "given", "filled", "given", "given", "filled"]
        assert table["source_sad"].tolist()[1:3] == ["filled", "open"]

    def test_a_column_of_added_tags(self):
        table = mark(complete(open_songs(tags="tags", absent="irrelevant")))
        assert table["tags_filled"].tolist()[:3] == ["", "", "rock;sad"]

    def test_marks_of_a_first_run_are_replaced(self):
        opened = open_songs()
        opened = replace(opened, frame=opened.frame.assign(source_rock="filled"))
        assert mark(complete(opened))["source_rock"].tolist()[0] == "given"

    @pytest.mark.parametrize(
        "cells",
        [[1.5, 2, 3, 4, 5, 6], ["given", "filled", "open", "radio", None, None], [True] * 6, [["given"]] * 6],
        ids=["numbers", "words", "truth values", "lists"],
    )
    @pytest.mark.parametrize("columns", [{}, {"tags": "tags", "absent": "irrelevant"}], ids=["labels", "tags"])
    def test_a_column_of_the_user_is_not_replaced(self, columns, cells):
        opened = open_songs(**columns)
        name = "tags_filled" if columns else "source_rock"
        opened = replace(opened, frame=opened.frame.assign(**{name: cells}))
        with pytest.raises(ValueError, match=f"has a column '{name}', which mark= would replace: rename"):
            mark(complete(opened))

    def test_a_column_of_the_user_with_such_a_name_can_be_a_feature(self):
        frame = open_songs().frame.assign(source_rock=[1.5, 2, 3, 4, 5, 6], source_sad="given")
        roles = open_table(frame, id="song", labels=["rock", "sad"]).roles
        assert roles.features == ("tempo", "source_rock")
        assert ("source_sad", "whether 'sad' was given or filled in") in roles.ignored

    def test_added_tags_are_written_like_the_others_and_undecided_ones_are_not_listed(self):
        opened = open_songs(tags="tags", absent="unknown")
        frame = opened.frame.assign(tags=["rock", "sad", None, "rock|sad", None, "sad"])
        opened = open_table(frame, id="song", tags="tags", absent="unknown")
        filled = complete(opened)
        filled.__dict__["state"] = np.array([[1, 0], [0, 1], [1, 1], [1, 1], [1, 0], [-1, 1]], dtype=np.int8)
        assert mark(filled)["tags_filled"].tolist() == ["", "", "rock|sad", "", "rock", ""]
