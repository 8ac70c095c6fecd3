"""Values that are probably no measurements are named in one sentence, with the option."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from halflabel.table import open_table
from halflabel.table.odd_values import find_codes


@given(
    st.sampled_from([(-99,), (999,), (-99, 999), (-999, -99), (-777,), (9999,)]),
    st.integers(3, 40),
    st.floats(-40, 40),
    st.floats(0.5, 30),
    st.integers(0, 2**31),
)
def test_repeated_values_far_from_all_others_are_found(codes, number, centre, spread, seed):
    rng = np.random.default_rng(seed)
    values = np.r_[np.repeat(np.array(codes, dtype=float), number), rng.uniform(centre, centre + spread, 100)]
    assert find_codes(rng.permutation(values)) == sorted(codes)


@given(st.integers(0, 2**31), st.sampled_from(["normal", "exponential", "poisson", "uniform", "binomial"]))
def test_ordinary_columns_have_none(seed, kind):
    rng = np.random.default_rng(seed)
    values = {
        "normal": rng.normal(size=200).round(1), "exponential": rng.exponential(10, 200).round(),
        "poisson": rng.poisson(3, 200).astype(float), "uniform": rng.integers(0, 1000, 200).astype(float),
        "binomial": rng.binomial(1, 0.5, 200).astype(float),
    }[kind]  # fmt: skip
    assert find_codes(values) == []


def make_frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "rating": rng.integers(1, 6, n).astype(float), "tempo": rng.normal(100, 5, n).round(1),
        "rock": np.where(np.arange(n) % 3, rng.integers(0, 2, n), np.nan),
    })  # fmt: skip


def test_a_code_is_named_and_read_as_missing_when_stated():
    frame = make_frame()
    frame.loc[::10, "rating"] = -99
    opened = open_table(frame, labels="rock")
    (note,) = [note for note in opened.notes if "-99" in note]
    assert note == ("6 cells of 'rating' with -99, far from all other values. If this means a missing value, state "
                    "missing=['-99'].")  # fmt: skip
    stated = open_table(frame, labels="rock", missing="-99")
    assert not [note for note in stated.notes if "far from" in note]
    assert stated.X[:, 0].min() >= 1
    assert any("1 feature with missing values (6 cells; 'rating')" in note for note in stated.notes)
    np.testing.assert_array_equal(stated.encoder.transform(frame), stated.X)


def test_a_word_of_a_category_can_mean_missing():
    frame = make_frame().assign(key=np.repeat(["minor", "major", "n/a"], 20))
    opened = open_table(frame, labels="rock", missing=["n/a"])
    assert opened.encoder.categories == {"key": ("major", "minor")}


@given(st.sampled_from("789"), st.integers(3, 15), st.sampled_from([-1, 1]), st.integers(0, 999))
def test_the_code_that_a_sentence_names_is_the_one_of_the_cells(digit, n, sign, seed):
    frame = pd.DataFrame({"age": np.random.default_rng(seed).uniform(20, 60, 50), "rock": 25 * [1.0, 0.0]})
    frame.loc[::8, "age"] = sign * float(digit * n)
    notes = [note for note in open_table(frame, labels="rock").notes if "far from" in note]
    assert notes
    for note in notes:
        [stated] = re.findall(r"missing=\['(.*)'\]", note)
        assert not [note for note in open_table(frame, labels="rock", missing=stated).notes if "far from" in note]
