"""The random order of entries, which a seed repeats, and the digest of a table."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence.random_order import (
    decode_values,
    digest_table,
    digest_unordered,
    encode_values,
    order_entries,
    pack,
    read_ids,
    unpack,
)

NAMES = ("rock", "sad", "a:b")


@given(st.data())
def test_entries_are_ordered_by_their_digests_whatever_the_order_of_the_table_is(data):
    ids = data.draw(st.lists(st.text(max_size=4), min_size=1, max_size=6, unique=True))
    part = np.array(data.draw(st.lists(st.tuples(*[st.booleans()] * 3), min_size=len(ids), max_size=len(ids))))
    seed = data.draw(st.integers(0, 2**53))

    def digest(row, column):
        parts = (str(seed), ids[row], NAMES[column])
        return hashlib.sha256(b"".join(b"%d:" % len(p.encode()) + p.encode() for p in parts)).hexdigest()

    expected = sorted(zip(*np.nonzero(part), strict=True), key=lambda place: digest(*place), reverse=True)
    found = [divmod(entry, 3) for entry in order_entries(ids, NAMES, part * 1.0, seed).tolist()]
    assert found == expected
    turned = order_entries(ids[::-1], NAMES, part[::-1] * 1.0, seed)
    assert [(len(ids) - 1 - row, column) for row, column in (divmod(e, 3) for e in turned.tolist())] == expected


@pytest.mark.parametrize("left_out", [None, 3])
def test_each_entry_is_next_with_a_chance_in_proportion_to_its_weight(left_out):
    weights, first = np.array([[1.0, 2.0], [1.0, 4.0]]), []
    for seed in range(2000):
        order = order_entries(["a", "b"], ("x", "y"), weights, seed).tolist()
        first.append(next(entry for entry in order if entry != left_out))
    chances = np.where(np.arange(4) == left_out, 0, weights.ravel())
    expected = 2000 * chances / chances.sum()
    assert np.abs(np.bincount(first, minlength=4) - expected).max() < 90  # four standard deviations


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.floats(0, 1)), min_size=1, max_size=9))
def test_values_come_back_with_probabilities_that_are_exact_where_they_are_small(cells):
    state, wrong = np.array([v for v, _ in cells], dtype=np.int8), np.array([p for _, p in cells])
    codes = unpack(pack(encode_values(state, wrong)), len(cells))
    again, p = decode_values(codes)
    assert again.tolist() == state.tolist()
    assert np.abs(np.sqrt(p) - np.sqrt(wrong))[state != 0].max(initial=0.0) <= 0.5 / 126 + 1e-9
    for size in (len(cells) - 1, len(cells) + 1):
        with pytest.raises(ValueError, match="not of the size of the table"):
            unpack(pack(codes), size)


@pytest.mark.parametrize("text", ["", "no base64", "AAAA"])
def test_damaged_values_are_named(text):
    with pytest.raises(ValueError, match=r"its values are (damaged|not of the size)"):
        unpack(text, 8)


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
