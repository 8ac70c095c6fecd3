"""Text files whose rows do not have the cells of the header: none is read with its cells in the wrong columns."""

from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

from halflabel.files import ReadError, read_table

NAMES = ["song", "tempo", "mood", "rock"]
MARKS = st.sampled_from(",;\t|")
CELLS = st.text("abcxyz 019._", min_size=1, max_size=5).filter(lambda cell: cell.strip() == cell)
ROWS = st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=4, max_size=8)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("ragged") / "t.csv"


def write(path, rows, mark, **options):
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n", **options).writerows([NAMES, *rows])
    path.write_text(text.getvalue(), encoding="utf-8")


@FEWER_EXAMPLES
@given(ROWS, MARKS, st.booleans())
def test_a_delimiter_at_the_ends_of_rows_is_no_row_name(path, rows, mark, has_names):
    longer = [[f"r{i}", *row] if has_names else [*row, ""] for i, row in enumerate(rows)]
    write(path, longer, mark)
    if has_names:
        assert read_table(path, delimiter=mark).frame["index"].tolist() == [f"r{i}" for i in range(len(rows))]
        return
    with pytest.raises(ReadError, match="line 2: each row has 5 cells, but the header has 4, and the last cell is"):
        read_table(path, delimiter=mark)


@FEWER_EXAMPLES
@given(ROWS, MARKS, st.sets(st.integers(0, 3), min_size=1), st.integers(0, 3))
def test_quotes_with_a_backslash_are_named_and_the_way_reads_them(path, rows, mark, quoted_rows, column):
    rows = [[*row] for row in rows]
    for row in quoted_rows:
        rows[row][column] = f'a "quoted{mark} one"'
    write(path, rows, mark, doublequote=False, escapechar="\\", quoting=csv.QUOTE_ALL)
    with pytest.raises(ReadError, match="it has a backslash before the quotes") as caught:
        read_table(path, delimiter=mark)
    (way,) = re.findall(r"`(pd\.read_csv.*)`", str(caught.value))
    exec(way, {"pd": pd})
    assert pd.read_csv(path.with_suffix(".new.csv"), dtype=str, keep_default_na=False).to_numpy().tolist() == rows


@FEWER_EXAMPLES
@given(ROWS, MARKS, st.integers(0, 2), st.integers(0, 3), st.integers(3, 9))
def test_a_quote_that_is_closed_rows_later_is_named(path, rows, mark, column, first, later):
    write(path, [*rows, *rows, *rows], mark)
    lines = [line.split(mark) for line in path.read_text(encoding="utf-8").splitlines()]
    for place in (1 + first, 1 + first + later):
        lines[place % len(lines)][column] = '"' + lines[place % len(lines)][column]
    path.write_text("\n".join(map(mark.join, lines)) + "\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"a quote (is )?opened and not closed|give each column a name"):
        read_table(path, delimiter=mark)


def test_texts_of_several_lines_are_no_rows(path):
    rows = [["a, b\nc, d, e, f\ng, h\ni", "1", "x,\ny,\nz", str(i)] for i in range(4)]
    write(path, rows, ",")
    assert read_table(path).frame["song"].tolist() == [row[0] for row in rows]


@pytest.mark.parametrize("lines", [
    [" song | tempo ", "------+-------", " a    | 1.5   "],
    ["+------+-------+", "| song | tempo |", "+------+-------+", "| a    | 1.5   |"],
    ["| song | tempo |", "|:-----|------:|", "| a    | 1.5   |"],
    ["song | tempo", "--- | ---", "a | 1.5"],
])  # fmt: skip
def test_a_drawn_table_is_named(path, lines):
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ReadError, match="its columns are drawn with lines: export the table as CSV"):
        read_table(path)


def test_dashes_are_cells(path):
    path.write_text("a|b\n-|-\n-1|-2\n", encoding="utf-8")
    assert read_table(path).frame["b"].tolist() == ["-", "-2"]


@pytest.mark.parametrize("remark", ["# end, 4 rows", "Source: us,,", "checked,by,me"])
def test_a_remark_with_delimiters_below_the_table_is_left_out(path, remark):
    write(path, [["a", "1.5", "x", "1"]] * 4, ",")
    path.write_text(path.read_text(encoding="utf-8") + remark + "\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"If this is a remark, state skip_rows='6'"):
        read_table(path)
    assert len(read_table(path, skip_rows="6").frame) == 4


@pytest.mark.parametrize("number", [2, 3])
def test_several_further_headers_are_named_with_their_lines(path, number):
    write(
        path, [["s", "How fast?", "Mood?", "Rock?"]] * number + [[f"s{i}", f"{i}.5", "x", "1"] for i in range(9)], ","
    )
    lines = ",".join(str(line) for line in range(2, 2 + number))
    with pytest.raises(ReadError, match=f"{number} lines hold text .* state skip_rows='{lines}'"):
        read_table(path)
    assert read_table(path, skip_rows=lines).frame["tempo"].tolist() == [i + 0.5 for i in range(9)]


@pytest.mark.parametrize(("header", "way"), [
    ("song,tempo,,rock,", "give it one, or delete the column if it is empty"),
    ("a,1.5,,2.5", r"the line holds numbers \(1.5, 2.5\): put a header line above it"),
])  # fmt: skip
def test_a_name_that_is_missing_in_the_header_has_a_way(path, header, way):
    path.write_text(f"{header}\n{header}\n", encoding="utf-8")
    with pytest.raises(ReadError, match=f"column 3 of the header has no name: {way}"):
        read_table(path)


@FEWER_EXAMPLES
@given(st.lists(st.integers(1000, 999_999), min_size=12, max_size=20), st.lists(st.integers(1, 999), min_size=1), MARKS)
def test_a_point_for_thousands_in_some_cells_is_no_decimal_point(path, large, small, mark):
    cells = [*(f"{number:,}".replace(",", ".") for number in large), *map(str, small)]
    write(path, [["a", cell, "x", "1"] for cell in cells], mark)
    raw = read_table(path, delimiter=mark)
    assert raw.frame["tempo"].tolist() == cells
    assert "point may stand for decimals or for thousands" in " ".join(raw.notes)


@given(st.lists(st.decimals(0, 99, places=3), min_size=12, max_size=20))
def test_decimals_are_no_thousands(path, numbers):
    write(path, [["a", f"{number}", "x", "1"] for number in numbers], ",")
    assert read_table(path).frame["tempo"].tolist() == [float(number) for number in numbers]


@pytest.mark.parametrize("blank", [" ", "\u00a0", "  "])
def test_a_cell_of_blanks_is_an_empty_cell(path, blank):
    write(path, [["a", "1.5", blank, "1"], ["b", blank, "x", blank]], ",")
    frame = read_table(path).frame
    assert frame.isna().to_numpy().tolist() == [[False, False, True, False], [False, True, False, True]]
