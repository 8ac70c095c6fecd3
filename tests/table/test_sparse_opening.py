"""Lists of tags are read by number as they are read into a table with a cell for every entry."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.table.labelling import read_labels
from halflabel.table.roles import Roles
from halflabel.table.sparse_opening import read_sparse_tags
from halflabel.table.tag_recognition import TagOptions, recognise_tags

CELL = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.sampled_from(["rock", "sad", "live"])), max_size=4))


@given(st.lists(CELL, min_size=1, max_size=6), st.sampled_from(["irrelevant", "unknown"]),
       st.sampled_from([None, "none", "unlabelled"]))  # fmt: skip
def test_tags_are_read_as_in_a_small_table(cells, absent, empty):
    frame = pd.DataFrame({"tags": pd.Series(cells, dtype=object)})
    if not any(tag for cell in cells for tag in cell or ()):
        return
    reading = read_labels(frame, Roles(tags="tags"), absent=absent, empty=empty)
    labels, notes = read_sparse_tags(frame["tags"], reading.notation, absent, empty)
    dense = labels.to_dense()
    assert (dense.names, dense.positive_only) == (reading.labels.names, reading.labels.positive_only)
    np.testing.assert_array_equal(dense.state, reading.labels.state)
    assert set(notes) <= set(reading.notes)


def test_a_tag_and_its_opposite_is_an_error():
    frame = pd.DataFrame({"tags": ["rock;sad;-live", "-rock;rock"]})
    notation = recognise_tags(frame["tags"], TagOptions(no=("-{tag}",)))
    labels, _ = read_sparse_tags(frame["tags"][:1], notation, "unknown", None)
    np.testing.assert_array_equal(labels.to_dense().state, [[-1, 1, 1]])
    with pytest.raises(ValueError, match="a cell of tags has 'rock' and its opposite"):
        read_sparse_tags(frame["tags"], notation, "unknown", None)
