"""Labels by number mean the same as labels with a cell for every entry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel import PartialLabels
from halflabel.labels.sparse import SparseLabels

TAGS = st.lists(st.one_of(st.none(), st.lists(st.sampled_from("abcd"))), min_size=1, max_size=6).filter(any)
ABSENT = st.sampled_from(["irrelevant", "unknown"])


@given(TAGS, ABSENT)
def test_lists_of_tags_are_read_as_by_partial_labels(tags, absent):
    dense, few = (kind.from_tags(tags, absent=absent) for kind in (PartialLabels, SparseLabels))
    read = few.to_dense()
    assert (read.names, read.positive_only) == (dense.names, dense.positive_only)
    np.testing.assert_array_equal(read.state, dense.state)
    np.testing.assert_array_equal(few.annotated, dense.annotated)
    assert few.stated.nnz == dense.relevant.sum()  # what an item lacks is not stored


TABLES = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.sampled_from([1.0, 0.0, np.nan]), min_size=m, max_size=m), min_size=1, max_size=5)
).filter(lambda rows: (np.array(rows) == 1).any())  # fmt: skip


@given(TABLES, st.booleans())
def test_a_table_and_back(rows, positive):
    labels = (PartialLabels.from_positives if positive else PartialLabels.from_table)(np.array(rows))
    few = SparseLabels.from_dense(labels)
    back = few.to_dense()
    np.testing.assert_array_equal(back.state, labels.state)
    np.testing.assert_array_equal(back.annotated, labels.annotated)
    i, j = np.nonzero(np.ones(labels.shape, dtype=bool))
    np.testing.assert_array_equal(few.find_known(i, j).reshape(labels.shape), labels.observed)
    np.testing.assert_array_equal(few.relevant.toarray(), labels.relevant)
    complete = labels.annotated if positive else labels.observed.all(axis=1)
    np.testing.assert_array_equal(few.complete, complete)
    chosen = np.flatnonzero(labels.relevant.any(axis=1))[:1]
    np.testing.assert_array_equal(few[chosen].to_dense().state, labels[chosen].state)


def test_an_annotated_item_with_an_unknown_entry_is_not_complete():
    stated = {"rows": np.array([0, 0, 1]), "ids": np.array([0, 1, 0]), "values": [1, 0, -1]}
    labels = SparseLabels.from_entries(**stated, names="abc", annotated=np.array([True, False]), positive_only=False)
    np.testing.assert_array_equal(labels.to_dense().state, [[1, 0, -1], [-1, 0, 0]])
    assert labels.complete.tolist() == [False, False]
    known = labels.find_known(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2))
    assert known.tolist() == [True, False, True, True, False, False]


def test_size_does_not_depend_on_the_number_of_cells():
    rows, ids = np.arange(100_000), np.arange(100_000) % 50_000
    names = list(map(str, range(50_000)))
    annotated = np.ones(100_000, dtype=bool)
    labels = SparseLabels.from_entries(rows, ids, np.ones(100_000), names, annotated, positive_only=True)
    assert repr(labels) == "100,000 items, 50,000 labels: 100,000 relevant entries, 100,000 annotated items."
    with pytest.raises(ValueError, match="100000 items x 50000 labels are more than 2e\\+08 cells"):
        labels.to_dense()


@pytest.mark.parametrize(
    ("tags", "options", "sentence"),
    [
        ([["a"]], {"absent": "no"}, "absent must be 'irrelevant' or 'unknown', not 'no'."),
        ([["a"], ["b"]], {"absent": "unknown", "names": ["a"]}, "'b' is not among the 1 names given."),
        ([["a"]], {"absent": "unknown", "names": ["a", "a"]}, "names must be distinct; 'a' occurs more than once."),
        ([[], None], {"absent": "irrelevant", "names": ["a"]}, "no item has a label: give at least a few items their"),
        (["a;b"], {"absent": "unknown"}, "item 0 has 'a;b' instead of a list of tags"),
    ],
)  # fmt: skip
def test_what_is_invalid_is_named(tags, options, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        SparseLabels.from_tags(tags, **options)
    assert sentence in str(caught.value)
