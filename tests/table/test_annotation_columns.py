"""Columns that were made from the labels, or from the state of the annotation, are no features; ordinary ones are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

import halflabel as hl
from halflabel.cli import main

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


def make_table(column, rng, has, annotated):
    table = pd.DataFrame({"tempo": rng.normal(size=N), "made": column})
    table[NAMES] = np.where(annotated[:, None], has.astype(float), np.nan)
    return table


def open_with(column, rng, has, annotated, **stated):
    return hl.open_table(make_table(column, rng, has, annotated), labels=NAMES, **stated)


@pytest.mark.parametrize("kind", MADE)
@FEWER_EXAMPLES
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.5, 0.8))
def test_a_column_that_was_made_from_the_labels_is_left_out_with_a_way_back(kind, seed, share):
    rng = np.random.default_rng(seed)
    has, annotated = make_labels(rng, share)
    column = MADE[kind](rng, has, annotated)
    opened = open_with(column, rng, has, annotated)
    assert opened.roles.features == ("tempo",)
    assert opened.X.shape[1] == 1
    [note] = [note for note in opened.notes if "made from the labels" in note]
    assert note.startswith("'made' seems")
    [(name, reason)] = opened.roles.ignored
    assert name == "made"
    assert all(sentence.rpartition("features='*'")[1] for sentence in (note, reason))
    kept = open_with(column, rng, has, annotated, features="*")
    assert set(kept.roles.features) == {"tempo", "made"}
    assert [note for note in kept.notes if "used because this was stated" in note]


def describe(*arguments):
    result = CliRunner().invoke(main, ["describe", *map(str, arguments)], catch_exceptions=False)
    return " ".join(result.output.split())


def test_the_command_leaves_it_out_and_its_way_back_works(tmp_path):
    rng = np.random.default_rng(0)
    has, annotated = make_labels(rng, 0.6)
    make_table(MADE["a status"](rng, has, annotated), rng, has, annotated).to_csv(tmp_path / "songs.csv", index=False)
    found = describe(tmp_path / "songs.csv", "--labels", ",".join(NAMES))
    assert "'made' seems to be made from the labels (of 'made', " in found
    assert "--set features='*' uses it" in found
    kept = describe(tmp_path / "songs.csv", "--labels", ",".join(NAMES), "--set", "features=*")
    assert "used because this was stated" in kept


def test_without_another_feature_the_error_names_the_way():
    rng = np.random.default_rng(0)
    has, annotated = make_labels(rng, 0.6)
    table = make_table(MADE["a status"](rng, has, annotated), rng, has, annotated).drop(columns="tempo")
    with pytest.raises(ValueError, match=r"'made': probably made from the labels: .* \(features='\*' uses it\)"):
        hl.open_table(table, labels=NAMES)
    assert hl.open_table(table, labels=NAMES, features="*").roles.features == ("made",)


@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.3, 0.8), levels=st.integers(2, 12))
def test_ordinary_columns_are_not_named(seed, share, levels):
    rng = np.random.default_rng(seed)
    has, annotated = make_labels(rng, share)
    for column in (rng.integers(0, levels, N), rng.choice(list("abcdefghijkl")[:levels], N), rng.normal(size=N)):
        assert not [note for note in open_with(column, rng, has, annotated).notes if "made from" in note]


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(2, 6))
def test_values_of_things_that_several_rows_are_about_are_features(seed, rows):
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(40), rows)
    has, annotated = rng.random((40, 3)) < 0.4, rng.random(40) < 0.6
    has[:10], annotated[:10], annotated[10:20] = np.arange(10)[:, None] % 2 == 0, True, False
    table = pd.DataFrame({"age": rng.normal(50, 9, 40)[patients], "time": rng.normal(size=len(patients))})
    table[NAMES] = np.where(annotated[:, None], has.astype(float), np.nan)[patients]
    assert set(hl.open_table(table, labels=NAMES).roles.features) == {"age", "time"}


@pytest.mark.parametrize("seen", ["done", 2.0, None])
def test_a_value_of_the_items_with_labels_is_asked_about_and_its_way_works(seen):
    """Ten items have no label, and another value than all others. A missing value of the others is no value."""
    stages = pd.Series([seen] * 30 + ["open" if seen != 2.0 else 0.0] * 10)
    frame = pd.DataFrame({"x": np.sin(range(40)), "stage": stages})
    frame[NAMES] = 0
    frame.loc[:14, "rock"] = frame.loc[15:29, "sad"] = 1
    if seen is None:
        assert not hl.open_table(frame, labels=NAMES).labels.unlabelled.any()
        return
    with pytest.raises(ValueError, match="10 items have none of the 3 labels, and another value of 'stage'") as raised:
        hl.open_table(frame, labels=NAMES)
    first = raised.value.ways[0]
    assert hl.open_table(frame, labels=NAMES, **first.keys).labels.unlabelled.sum() == 10
