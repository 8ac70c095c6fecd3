"""Lines that are no rows of a table: found, named with the option, and left out."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halflabel as hl
from halflabel.files import ReadError, read_table
from halflabel.files.header import find_line, parse_lines

ROWS = [f"s{i};{i}.5;{i % 2};{i % 3}" for i in range(9)]
NAMES = "song;tempo;rock;key"


def write(tmp_path, *lines, end="\n"):
    path = tmp_path / "t.csv"
    path.write_bytes(end.join([*lines, ""]).encode())
    return path


@pytest.mark.parametrize("word", ["Summe", "Total:", "x"])
def test_a_total_row_is_named_and_left_out(word, tmp_path):
    sums = [sum(float(row.split(";")[j]) for row in ROWS) for j in (1, 3)]
    path = write(tmp_path, NAMES, *ROWS, f"{word};{sums[0]};;{sums[1]:g}")
    opened = hl.open_table(path, id="song", labels="rock")
    [note] = [note for note in opened.notes if "is not an item and left out" in note]
    assert f"('{word}'), which has the sums of the rows above. skip_rows='none' keeps it." in note
    assert len(opened.labels) == 9
    kept = hl.open_table(path, id="song", labels="rock", skip_rows="none")
    assert len(kept.labels) == 10
    kept.save(tmp_path / "t.table.toml")
    assert len(hl.open_table(path).labels) == 10


def test_errors_name_the_line_of_the_file(tmp_path):
    path = write(tmp_path, "title", "", NAMES, *ROWS[:3], "a;b", ROWS[3])
    for skip in ("1-2", None):
        with pytest.raises(ReadError, match="line 7: 2 cells"):
            read_table(path, skip_rows=skip)
    with pytest.raises(ReadError, match="line 7: 2 cells"):
        read_table(write(tmp_path, "title", "", NAMES, *ROWS[:3], "a;b"), skip_rows="none")
    path = write(tmp_path, "title", "", NAMES, *ROWS[:3], "a;1;maybe;2")
    assert "holds 'maybe' (row 3)" in hl.open_table(path, labels="rock", skip_rows="1-2").notes[0]
    with pytest.raises(ValueError, match="lines to skip are written as"):
        read_table(path, skip_rows="one")


@given(st.sets(st.integers(1, 30)), st.integers(1, 20))
def test_the_number_of_a_line(skip, line):
    kept = [number for number in range(1, 100) if number not in skip]
    assert find_line(line, tuple(skip)) == kept[line - 1]


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 5))), st.booleans())
def test_ranges(ranges, last):
    text = ",".join([f"{low}-{low + more}" if more else str(low) for low, more in ranges] + ["last"] * last)
    expected = {number for low, more in ranges for number in range(low, low + more + 1)} | ({60} if last else set())
    if text:
        assert parse_lines(text, 60) == tuple(sorted(expected))


def test_ordinary_tables_have_no_second_header(tmp_path):
    frame = pd.DataFrame({"a": ["x", 1, 2, 3, 4], "b": range(5), "c": ["q", 2, 3, 4, 5], "d": range(5)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert len(read_table(tmp_path / "t.csv").frame) == 5
