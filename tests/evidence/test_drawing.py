"""The random order of entries, which a seed repeats, and the digest of a table."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence.drawing import digest_table, digest_unordered, order_entries, read_ids

NAMES = ("rock", "sad", "a:b")


@given(st.data())
def test_entries_are_ordered_by_their_digests_whatever_the_order_of_the_table_is(data):
    ids = data.draw(st.lists(st.text(max_size=4), min_size=1, max_size=6, unique=True))
    part = np.array(data.draw(st.lists(st.tuples(*[st.booleans()] * 3), min_size=len(ids), max_size=len(ids))))
    seed = data.draw(st.integers(0, 2**53))

    def digest(row, column):
        parts = (str(seed), ids[row], NAMES[column])
        return hashlib.sha256(b"".join(b"%d:" % len(p.encode()) + p.encode() for p in parts)).hexdigest()

    expected = sorted(zip(*np.nonzero(part), strict=True), key=lambda place: digest(*place))
    found = [divmod(entry, 3) for entry in order_entries(ids, NAMES, part, seed).tolist()]
    assert found == expected
    turned = order_entries(ids[::-1], NAMES, part[::-1], seed)
    assert [(len(ids) - 1 - row, column) for row, column in (divmod(e, 3) for e in turned.tolist())] == expected


def test_each_entry_is_first_equally_often():
    first = [int(order_entries(["a", "b"], ("x", "y"), np.ones((2, 2), bool), seed)[0]) for seed in range(2000)]
    assert np.abs(np.bincount(first, minlength=4) - 500).max() < 90  # four standard deviations


def test_a_digest_changes_with_each_part_of_a_table():
    state = np.array([[1, -1, 0], [-1, 1, 1]], dtype=np.int8)
    own = digest_table(["a", "b"], NAMES, state)
    others = [(["a", "c"], NAMES, state), (["a", "b"], ("rock", "sad", "ab"), state), (["a", "b"], NAMES, -state),
              (["b", "a"], NAMES, state[::-1])]  # fmt: skip
    assert own not in {digest_table(*each) for each in others}
    assert digest_unordered(["b", "a"], NAMES, state[::-1]) == digest_unordered(["a", "b"], NAMES, state)
    assert digest_unordered(["b", "a"], NAMES, state) != digest_unordered(["a", "b"], NAMES, state)


def test_ids_must_be_distinct():
    assert read_ids(pd.Index([1, 2])) == ["1", "2"]
    with pytest.raises(ValueError, match="need distinct item ids"):
        read_ids(pd.Index(["1", 1]))
