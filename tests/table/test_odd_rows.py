"""Rows that are not items are left out with a way back; columns that hold one tag each are named with the way on."""

from __future__ import annotations

import io

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from halflabel.cli import main
from halflabel.files import read_table
from halflabel.table import open_table
from halflabel.table.words import list_ways

N, NAMES = 40, ["rock", "sad", "live"]


def make(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"song": [f"s{i}" for i in range(N)], "bpm": rng.normal(99, 9, N).round(2)})
    has = rng.random((N, 3)) < 0.5
    has[:3] = np.eye(3, dtype=bool)
    return frame.assign(**{name: np.where(np.arange(N) % 3, has[:, j], np.nan) for j, name in enumerate(NAMES)}), has


def notes_of(frame, **options):
    return " ".join(open_table(frame, **options).notes)


def sum_up(frame, statistic=np.sum, **cells):
    numbers = {name: statistic(frame[name].dropna()) for name in frame if frame[name].dtype.kind == "f"}
    return pd.concat([frame, pd.DataFrame([{**numbers, **dict.fromkeys(NAMES), **cells}])], ignore_index=True)


def check_left_out(items, rows, **options):
    """The rows are left out, by every input, and the way that the note names keeps them."""
    opened, kept = (open_table(items, labels=NAMES, **options, **way) for way in ({}, {"skip_rows": "none"}))
    assert len(opened.labels) == len(kept.labels) - len(rows)
    [note] = [note for note in opened.notes if "left out" in note]
    assert f"{len(rows)} row" in note
    assert "skip_rows='none' keeps" in note
    assert len(kept.labels) >= N
    return note


@given(st.lists(st.integers(0, N - 1), min_size=1, max_size=5, unique=True), st.booleans(), st.integers(0, 9))
def test_rows_without_a_value_and_remarks_are_left_out(rows, is_blank, seed):
    frame, _ = make(seed)
    text = frame.assign(note="x").astype(object)
    text.iloc[rows] = None
    text.iloc[rows, 0] = None if is_blank else "Source: our archive"
    check_left_out(text.convert_dtypes(), rows)


def test_items_with_their_values_are_kept():
    frame, _ = make()
    for items in (frame, frame.set_index("song"), frame.assign(bpm=1.5)):
        assert len(open_table(items, labels=NAMES, features="bpm").labels) == N
    few = frame.assign(note=None, key="C")
    few.loc[10, ["bpm", "key", *NAMES]] = None  # an item of which only the title is known
    assert len(open_table(few, labels=NAMES, id="song").labels) == N


WORDS = {"Subtotal": np.sum, "TOTAL": np.sum, "Zwischensumme": np.sum, "Mittelwert": np.mean, "Average": np.mean,
         "Minimum": np.min, "max": np.max, "Median": np.median}  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("row", [20, N])
def test_a_row_with_a_word_and_a_statistic_is_left_out(word, row):
    frame, _ = make()
    whole = sum_up(frame[:row], WORDS[word], song=word)
    note = check_left_out(pd.concat([whole, frame[row:]], ignore_index=True), [row], id="song")
    assert f"row {row} ('{word}'), which has the" in note


@given(st.sampled_from([np.sum, np.mean]), st.floats(1e-9, 1e9), st.integers(0, 99))
def test_a_last_row_of_sums_or_means_needs_no_word_whatever_the_unit(statistic, unit, seed):
    frame, _ = make(seed)
    frame = frame.assign(bpm=frame["bpm"] * unit, loud=np.random.default_rng(seed).uniform(size=N) * unit)
    check_left_out(sum_up(frame, statistic), [N])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 48.8, 1e6]), st.sampled_from([1e-9, 0.1, 1.0]))
def test_values_that_are_close_to_each_other_are_no_sums(seed, centre, spread):
    """Latitudes and longitudes of one city, features of 1e-9: closeness is relative to the spread."""
    rng = np.random.default_rng(seed)
    frame = make()[0].assign(**{name: centre + spread * rng.normal(size=N) for name in ("bpm", "lon")})
    assert len(open_table(frame, labels=NAMES).labels) == N


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5]))
def test_counts_and_ratings_are_no_sums(seed, rate):
    rng = np.random.default_rng(seed)
    frame = make()[0].assign(**{f"n{j}": rng.poisson(rate, N) for j in range(3)}, rating=rng.integers(1, 6, N))
    assert len(open_table(frame, labels=NAMES, id="song").labels) == N


@pytest.mark.parametrize("row", [20, N - 1])
def test_a_person_called_like_a_statistic_is_an_item(row):
    frame, _ = make()
    frame.loc[row, "song"] = "Max"
    assert len(open_table(frame, labels=NAMES, id="song").labels) == N


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_files_have_the_same_rule_and_way_back(tmp_path, suffix):
    frame, _ = make()
    path = tmp_path / f"songs{suffix}"
    whole = sum_up(frame, song="Total")
    (whole.to_csv if suffix == ".csv" else whole.to_excel)(path, index=False)
    assert f"row {N} ('Total'), which has the sums" in check_left_out(path, [N], id="song")
    result = CliRunner().invoke(main, ["describe", str(path), "--labels", ",".join(NAMES)])
    found = " ".join(result.output.split())
    assert "('Total'), which has the sums of the rows above. --set skip_rows=none keeps it." in found
    result = CliRunner().invoke(main, ["describe", str(path), "--labels", ",".join(NAMES), "--set",
                                       "skip_rows=none"])  # fmt: skip
    assert f"{N + 1} items" in result.output


class Streamed:
    """A table of a library that has the Arrow stream only."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


#: From a DataFrame to each kind of table in memory, with the same rows.
IN_MEMORY = {
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "stream": lambda frame: Streamed(pa.Table.from_pandas(frame)),
    "batch": lambda frame: pa.Table.from_pandas(frame).combine_chunks().to_batches()[0],
    "narwhals": nw.from_native,
    "dicts": lambda frame: frame.astype(object).where(frame.notna(), None).to_dict("records"),
}


@pytest.mark.parametrize("convert", IN_MEMORY.values(), ids=IN_MEMORY)
def test_tables_of_other_libraries_have_the_same_rule(convert):
    check_left_out(convert(sum_up(make()[0], song="Total")), [N], id="song")


def test_labels_in_the_order_of_the_rows_keep_each_row():
    whole = sum_up(make()[0], song="Total")
    Y = pd.DataFrame({"rock": np.arange(N + 1) % 2})
    assert len(open_table(whole[["song", "bpm"]], Y).labels) == N + 1


def test_a_total_of_the_labels_is_left_out():
    frame, _ = make()
    total = pd.DataFrame({"song": ["Total"], "bpm": [99.0 * N]} | {name: [frame[name].sum()] for name in NAMES})
    opened = open_table(pd.concat([frame, total], ignore_index=True), labels=NAMES)
    assert len(opened.labels) == N


def test_columns_of_one_tag_each_are_named_and_the_way_joins_them():
    frame, has = make()
    lists = [[NAMES[j] for j in np.flatnonzero(row)] + [None] * 3 for row in has]
    items = frame[["song", "bpm"]].assign(**{f"tag{k}": [each[k] for each in lists] for k in range(3)})
    with pytest.raises(ValueError, match="the same words, as columns with one tag each do") as error:
        open_table(items, id="song", labels="tag*")
    assert "such as tags='tag*'." in str(error.value)
    opened = open_table(items, id="song", tags="tag*", absent="irrelevant", empty="none")
    assert opened.roles.features == ("bpm",)
    labels = opened.labels
    assert labels.relevant[:, [labels.names.index(name) for name in NAMES]].tolist() == has.tolist()


def test_columns_that_hold_their_own_name_have_one_way():
    frame, _ = make()
    words = frame.assign(**{name: frame[name].map({1.0: name}) for name in NAMES})
    read = open_table(words, labels=NAMES, id="song")
    assert "Read so that the word of each column means yes (yes=['rock', 'sad', 'live'])." in read.notes[0]
    assert read.labels.relevant.sum() == (frame[NAMES] == 1).to_numpy().sum()


@given(st.integers(0, 30))
def test_items_with_only_0_are_counted_and_can_be_unlabelled(seed):
    frame, _ = make(seed)
    filled = frame.assign(**{name: frame[name].fillna(0).astype(int) for name in NAMES})  # as get_dummies writes
    zeros = (filled[NAMES] == 0).all(axis=1).to_numpy()
    opened = open_table(filled, labels=NAMES, id="song")
    sentence = f"Only 0 in all 3 label columns: {zeros.sum()} items, annotated, without labels"
    assert any(each.startswith(sentence) for each in opened.reading.nothing)
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
    assert "(empty='unlabelled' if they were never annotated)" in notes_of(frame, labels=NAMES)
    assert "only 0" not in notes_of(frame, labels=NAMES, empty="none")


@given(st.lists(st.integers(1, N - 1), min_size=1, max_size=4, unique=True), st.sampled_from([",", ";"]))
def test_lines_that_repeat_the_header_are_left_out(tmp_path_factory, rows, sep):
    frame = make()[0]
    lines = frame.to_csv(index=False, sep=sep).splitlines()
    for row in sorted(rows, reverse=True):
        lines.insert(row + 1, lines[0])
    path = tmp_path_factory.getbasetemp() / "joined.csv"
    path.write_text("\n".join(lines) + "\n")
    raw = read_table(path)
    assert "the column names, and w" in raw.notes[-1]
    whole = pd.read_csv(io.StringIO(make()[0].to_csv(index=False)))
    assert raw.frame["song"].tolist() == whole["song"].tolist()


def test_several_words_mean_and_one_word_means():
    assert [clause for clause, _ in list_ways(["1", "0", "-", "n/a"], {})] == ["'n/a' and '-' mean unknown"]
    assert [clause for clause, _ in list_ways(["no", "definitely"], {})] == ["'definitely' means yes and 'no' means no"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_rows_below_cells_of_several_lines_are_left_out(tmp_path, encoding):
    rows = [f's{i},{90 + i % 7},{i % 5},"rock\nsad"' for i in range(20)]
    total = f"Total,{sum(90 + i % 7 for i in range(20))},{sum(i % 5 for i in range(20))},"
    lines = ["Export", "song,bpm,loud,tags", *rows[:9], ",,,", "", *rows[9:], total]
    (tmp_path / "songs.csv").write_text("\n".join(lines), encoding=encoding)
    given = {"tags": "tags", "absent": "irrelevant", "sep": "newline"}
    opened = open_table(tmp_path / "songs.csv", id="song", **given)
    assert opened.index.tolist() == [f"s{i}" for i in range(20)]
    assert "2 rows are not items and left out: row 9, which has no value. skip_rows='none' keeps them." in opened.notes
    assert len(open_table(tmp_path / "songs.csv", **given, skip_rows="none").labels) == 22


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_a_sum_is_left_out_of_every_file_whatever_lines_it_has(tmp_path, suffix):
    names = ["id", "bpm", "n", "tags"]
    songs = pd.DataFrame([(7 + i, 90 + i % 7, i % 5, "rock\nsad") for i in range(20)], columns=names)
    rows = [*songs.itertuples(index=False, name=None), (None, *songs[["bpm", "n"]].sum(), "Total\nof all")]
    whole = pd.DataFrame([*rows[:9], (None,) * 4, *rows[9:]], columns=names)
    path = tmp_path / f"songs{suffix}"
    if suffix == ".parquet":
        whole.to_parquet(path)
    else:
        path.write_text(whole.to_csv(index=False) if suffix == ".csv" else whole.to_json(orient="records"))
    given = {"tags": "tags", "absent": "irrelevant", "sep": "newline"}
    opened = open_table(path, **given)
    assert any("2 rows are not items and left out: row 9, which has no value." in note for note in opened.notes)
    assert (opened.index.tolist(), opened.labels.names) == (list(range(7, 27)), ("rock", "sad"))
    assert len(open_table(path, **given, skip_rows="none").labels) == 22


def test_words_of_tags_and_the_notation_of_numbers_are_those_of_the_rows_that_are_left(tmp_path):
    lines = ["id;bpm;n;tags", *(f"{7 + i};{90 + i % 7},5;1.{100 + i};{('rock', 'None')[i % 2]}" for i in range(20))]
    path, given = tmp_path / "songs.csv", {"tags": "tags", "absent": "irrelevant", "no": "none"}
    path.write_text("\n".join(lines))
    plain = open_table(path, **given)
    path.write_text("\n".join([*lines[:5], ";;;", *lines[5:], "Source of these songs;;;"]))
    opened = open_table(path, **given)
    assert np.array_equal(opened.labels.state, plain.labels.state)
    assert opened.index.tolist() == plain.index.tolist()
    assert [note for note in opened.notes if "left out" not in note] == list(plain.notes)
