"""Text files whose rows do not have the cells of the header: none is read with its cells in the wrong columns."""

from __future__ import annotations

import csv
import io

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


@FEWER_EXAMPLES
@given(st.lists(st.integers(1000, 999_999), min_size=12, max_size=20), st.lists(st.integers(1, 999), min_size=1), MARKS,
       st.sampled_from([0, 1, 150]))  # fmt: skip
def test_a_point_for_thousands_in_some_cells_is_no_decimal_point(path, large, small, mark, gaps):
    cells = [*(f"{number:,}".replace(",", ".") for number in large), *map(str, small)]
    write(path, [["a", cell, "x", "1"] for cell in [*[""] * gaps, *cells]], mark)
    raw = read_table(path, delimiter=mark)
    assert raw.frame["tempo"].tolist()[gaps:] == cells
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
