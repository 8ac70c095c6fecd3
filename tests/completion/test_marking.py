"""The columns of a completed table that hold labels."""

from __future__ import annotations

import pytest
from tests.completion.test_review_list import complete, open_songs

from halflabel.completion.marking import take_label_columns


@pytest.mark.parametrize(
    ("columns", "names"), [({}, ["rock", "sad"]), ({"tags": "tags", "absent": "irrelevant"}, ["tags"])]
)
def test_the_columns_of_labels_are_taken_with_the_ids(columns, names):
    filled = complete(open_songs(**columns))
    taken = take_label_columns(filled.opened, filled.frame)
    assert list(taken) == names
    assert taken.index.tolist() == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert taken.to_numpy().tolist() == filled.frame[names].to_numpy().tolist()
