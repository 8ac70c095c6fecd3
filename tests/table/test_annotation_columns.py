"""Columns that were made from the labels, or from the state of the annotation, are named; ordinary ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halflabel as hl

N = 80
NAMES = ["rock", "sad", "live"]


def make_labels(rng, share):
    """Return labels, 1 and 0 with both values in every column, and which items are annotated."""
    has = rng.uniform(size=(N, len(NAMES))) < 0.4
    has[:12] = np.tile([[1, 0, 1], [0, 1, 0]], (6, 1))
    annotated = rng.uniform(size=N) < share
    annotated[:12], annotated[12:24] = True, False
    return has, annotated


#: A column for every way in which the labels, or the state of the annotation, reach the features.
MADE = {
    "a status": lambda rng, has, known: np.where(known, "done", "open"),
    "an annotator": lambda rng, has, known: np.where(known, rng.choice(["ann", "bob"], N), None),
    "a confidence": lambda rng, has, known: np.where(known, rng.uniform(size=N).round(3), np.nan),
    "a number of labels": lambda rng, has, known: np.where(known, has.sum(axis=1), rng.integers(0, 3, N)),
    "a copy": lambda rng, has, known: has[:, 1].astype(int),
    "an opposite": lambda rng, has, known: np.where(has[:, 2], "no", "yes"),
    "all labels": lambda rng, has, known: [";".join(np.array(NAMES)[row]) or "none" for row in has],
}


def open_with(column, rng, has, annotated):
    table = pd.DataFrame({"tempo": rng.normal(size=N), "made": column})
    table[NAMES] = np.where(annotated[:, None], has.astype(float), np.nan)
    return hl.open_table(table, labels=NAMES)


@pytest.mark.parametrize("kind", MADE)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.5, 0.8))
def test_a_column_that_was_made_from_the_labels_is_named(kind, seed, share):
    rng = np.random.default_rng(seed)
    has, annotated = make_labels(rng, share)
    opened = open_with(MADE[kind](rng, has, annotated), rng, has, annotated)
    [note] = [note for note in opened.notes if "is not a feature" in note]
    assert "'made'" in note
    assert "'tempo'" not in note
    assert "ignore=['made']" in note


@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.3, 0.8), levels=st.integers(2, 12))
def test_ordinary_columns_are_not_named(seed, share, levels):
    rng = np.random.default_rng(seed)
    has, annotated = make_labels(rng, share)
    for column in (rng.integers(0, levels, N), rng.choice(list("abcdefghijkl")[:levels], N), rng.normal(size=N)):
        assert not [note for note in open_with(column, rng, has, annotated).notes if "is not a feature" in note]
