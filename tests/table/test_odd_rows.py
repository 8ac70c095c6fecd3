"""Rows that are probably not items, and columns that hold one tag each, are named with the way on."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.files import read_table
from halflabel.files.raw_table import ReadError
from halflabel.table import open_table
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.word_meanings import list_ways

N, NAMES = 40, ["rock", "sad", "live"]


def make(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"song": [f"s{i}" for i in range(N)], "bpm": rng.normal(99, 9, N).round(2)})
    has = rng.random((N, 3)) < 0.5
    has[:3] = np.eye(3, dtype=bool)
    return frame.assign(**{name: np.where(np.arange(N) % 3, has[:, j], np.nan) for j, name in enumerate(NAMES)}), has


def notes_of(frame, **options):
    return " ".join(open_table(frame, **options).notes)


@given(st.lists(st.integers(0, N - 1), min_size=1, max_size=5, unique=True), st.booleans(), st.integers(0, 9))
def test_rows_with_at_most_one_value_are_named(rows, is_blank, seed):
    frame, _ = make(seed)
    text = frame.assign(note="x").astype(object)
    text.iloc[rows] = None
    text.iloc[rows, 0] = None if is_blank else "Source: our archive"
    found = notes_of(text, labels=NAMES)
    assert f"{len(rows)} row" in found
    assert f"items.drop(items.index[{sorted(rows)}])" in found


def test_items_with_their_values_are_not_named():
    assert "row" not in notes_of(make()[0], labels=NAMES, id="song")


@pytest.mark.parametrize("word", ["Subtotal", "Zwischensumme", "TOTAL", "Sum"])
def test_a_sum_between_the_rows_is_named(word):
    frame, _ = make()
    frame.loc[20, "song"] = word
    assert f"1 row is called '{word}' in 'song' (row 20)" in notes_of(frame, labels=NAMES, id="song")


def test_one_row_for_each_tag_is_named_and_the_way_joins_them():
    frame, has = make()
    items = frame[["song", "bpm"]].assign(tag=[[NAMES[j] for j in np.flatnonzero(row)] or [None] for row in has])
    rows = items.explode("tag").reset_index(drop=True)
    found = notes_of(rows, tags="tag", absent="irrelevant")
    assert "differ from another row in 'tag' only" in found
    joined = eval(found.partition("join them: ")[2].removesuffix("."), {"items": rows})  # noqa: S307
    labels = open_table(joined, id="song", tags="tags", absent="irrelevant", ignore="tag").labels
    assert labels.relevant[:, [labels.names.index(name) for name in NAMES]].tolist() == has.tolist()
    with pytest.raises(ValueError, match=r"is not unique: .* a table of their own"):
        open_table(rows, id="song", tags="tag", absent="irrelevant")


def test_columns_of_one_tag_each_are_named_and_the_way_joins_them():
    frame, has = make()
    lists = [[NAMES[j] for j in np.flatnonzero(row)] + [None] * 3 for row in has]
    items = frame[["song", "bpm"]].assign(**{f"tag{k}": [each[k] for each in lists] for k in range(3)})
    assert "join the columns: items['tags'] = " in notes_of(items, id="song", tags="tag0", absent="irrelevant")
    with pytest.raises(ValueError, match="the same words, as columns with one tag each do") as error:
        open_table(items, id="song", labels="tag*")
    exec(str(error.value).partition("(items[")[2].join(["items[", ""]).rpartition(")")[0], {"items": items})
    labels = open_table(
        items[["song", "bpm", "tags"]], id="song", tags="tags", absent="irrelevant", empty="none"
    ).labels
    assert labels.relevant[:, [labels.names.index(name) for name in NAMES]].tolist() == has.tolist()


def test_columns_that_hold_their_own_name_have_one_way():
    frame, _ = make()
    words = frame.assign(**{name: frame[name].map({1.0: name}) for name in NAMES})
    with pytest.raises(AmbiguousReading) as question:
        open_table(words, labels=NAMES, id="song")
    assert [way for _, way in question.value.ways] == ["yes=['rock', 'sad', 'live']"]
    read = open_table(words, labels=NAMES, id="song", yes=NAMES)
    assert read.labels.relevant.sum() == (frame[NAMES] == 1).to_numpy().sum()


@given(st.integers(0, 30))
def test_items_with_only_0_are_counted_and_can_be_unlabelled(seed):
    frame, _ = make(seed)
    filled = frame.assign(**{name: frame[name].fillna(0).astype(int) for name in NAMES})  # as get_dummies writes
    zeros = (filled[NAMES] == 0).all(axis=1).to_numpy()
    opened = open_table(filled, labels=NAMES, id="song")
    assert f"Only 0 in all 3 label columns: {zeros.sum()} items, annotated, without labels." in opened.reading.nothing
    assert opened.labels.annotated.all()
    stated = open_table(filled, labels=NAMES, id="song", empty="unlabelled")
    assert stated.labels.annotated.tolist() == (~zeros).tolist()
    assert not stated.labels.observed[zeros].any()


def test_more_items_with_only_0_than_chance_leaves_have_a_note():
    rng = np.random.default_rng(0)
    labels = (rng.random((200, 3)) < 0.5).astype(int)
    frame = pd.DataFrame(labels, columns=NAMES).assign(bpm=rng.normal(size=200))
    assert "only 0" not in notes_of(frame, labels=NAMES)
    frame.loc[:79, NAMES] = 0
    assert "state empty='unlabelled'" in notes_of(frame, labels=NAMES)
    assert "only 0" not in notes_of(frame, labels=NAMES, empty="none")


@given(st.lists(st.integers(1, N - 1), min_size=1, max_size=4, unique=True), st.sampled_from([",", ";"]))
def test_lines_that_repeat_the_header_are_named_with_their_option(tmp_path_factory, rows, sep):
    frame = make()[0]
    lines = frame.to_csv(index=False, sep=sep).splitlines()
    for row in sorted(rows, reverse=True):
        lines.insert(row + 1, lines[0])
    path = tmp_path_factory.getbasetemp() / "joined.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ReadError, match=r"the column names: state skip_rows='([\d,]+)'") as error:
        read_table(path)
    way = str(error.value).rpartition("'")[0].rpartition("'")[2]
    raw = read_table(path, skip_rows=way)
    whole = pd.read_csv(io.StringIO(make()[0].to_csv(index=False)))
    assert raw.frame["song"].tolist() == whole["song"].tolist()


def test_several_words_mean_and_one_word_means():
    assert [clause for clause, _ in list_ways(["1", "0", "-", "n/a"], {})] == ["'n/a' and '-' mean unknown"]
    assert [clause for clause, _ in list_ways(["no", "definitely"], {})] == ["'definitely' means yes and 'no' means no"]


@pytest.mark.parametrize("words", [["min", "max"], ["Mean", "SD", "Median"], ["Minimum"], ["Anzahl", "Mittelwert"]])
def test_statistics_below_the_rows_are_named(words):
    frame, _ = make()
    below = pd.DataFrame({"song": words, "bpm": [99.0] * len(words)})
    found = notes_of(pd.concat([frame, below], ignore_index=True), labels=NAMES, id="song")
    assert f"called '{words[0]}' in 'song' (row 40)" in found
    assert f"items.drop(items.index[{[*range(40, 40 + len(words))]}])" in found


def test_a_person_called_like_a_statistic_is_not_named():
    frame, _ = make()
    frame.loc[20, "song"] = "Max"
    assert "called" not in notes_of(frame, labels=NAMES, id="song")


@pytest.mark.parametrize("rows", [3, 8])
def test_a_second_table_below_is_named(rows):
    frame = make()[0].assign(loud=1.5 + np.arange(N), key="C")
    below = pd.DataFrame({"song": [f"A{i}" for i in range(rows)], "bpm": 1990.0 + np.arange(rows)})
    found = notes_of(pd.concat([frame, below], ignore_index=True), labels=NAMES, id="song")
    assert f"{rows} rows have at most 2 values (row 40, 'A0'), and are read as items" in found


def test_items_that_often_lack_values_are_no_second_table():
    frame = make()[0].assign(loud=1.5 + np.arange(N), key="C")
    frame.loc[frame.index % 3 == 0, ["bpm", "loud", "key"]] = None
    assert "values (row" not in notes_of(frame, labels=NAMES, id="song")


def test_lines_are_not_named_where_some_are_blank(tmp_path):
    path = tmp_path / "t.csv"
    lines = make()[0].assign(key="C", loud=1.5).to_csv(index=False).splitlines()
    for text, has_lines in (
        ("\n".join([*lines, "Source: us,,,,,,"]), True),
        ("\n\n".join([*lines, "Us,,,,,,"]), False),
    ):
        path.write_text(text + "\n\n")
        found = notes_of(path, labels=NAMES)
        assert "at most one value" in found
        assert ("skip_rows='42'" in found) == has_lines


def test_a_total_of_the_labels_is_named():
    frame, _ = make()
    total = pd.DataFrame({"song": ["Total"], "bpm": [99.0 * N]} | {name: [frame[name].sum()] for name in NAMES})
    with pytest.raises(
        ValueError, match=r"label 'rock' holds .*If this is a total row, leave it out: skip_rows='last'"
    ):
        open_table(pd.concat([frame, total], ignore_index=True), labels=NAMES)
