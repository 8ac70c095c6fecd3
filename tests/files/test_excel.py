"""Workbooks: any sheet, titles above the header, and a copy in which only the cells of the table change."""

import datetime
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

import halflabel as hl
from halflabel.files import ReadError, read_table
from halflabel.files.registry import TABLES

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl (extra excel) is not installed")

N = 60


def make_book(path, titles=("Survey 2024", "by the shop")):
    """Write a workbook with titles, a blank row, formulas, styles, a second sheet and a sheet of tags."""
    rng = np.random.default_rng(0)
    book = openpyxl.Workbook()
    notes = book.active
    notes.title = "notes"
    notes.append(["read", "me"])
    notes.append(["x", 1])
    sheet = book.create_sheet("Data")
    for title in titles:
        sheet.append([title])
    sheet.append([])
    sheet.append(["song", "tempo", "twice", "day", "rock"])
    first = sheet.max_row + 1
    for i in range(N):
        high = rng.random() < 0.5
        value = (1 if high else 0) if i < 40 else None
        day = datetime.datetime(2024, 1, 1 + i % 28)
        sheet.append([f"s{i}", (2 if high else -2) + rng.normal(), f"=B{first + i}*2", day, value])
    sheet.cell(first, 1).font = openpyxl.styles.Font(bold=True)
    sheet["H1"] = None
    tags = book.create_sheet("Tags")
    tags.append(["song", "tag"])
    for i in range(30):
        tags.append([f"s{i}", "loud" if i % 2 else "soft"])
    book.save(path)
    return path


@pytest.fixture
def book(tmp_path):
    return make_book(tmp_path / "songs.xlsx")


def test_a_sheet_is_named_and_titles_are_left_out(book):
    raw = read_table(book, sheet="Data")
    assert raw.frame.columns.tolist() == ["song", "tempo", "twice", "day", "rock"]
    assert (len(raw), raw.table) == (N, "Data")
    assert raw.notes == (
        "The column names are in line 4; above them are titles that were left out: “Survey 2024” and “by the shop”.",
    )
    assert read_table(book).notes == (
        "Only the first sheet, 'notes', was read, not “Data” and “Tags”. Name another one with sheet='Data'.",
    )
    with pytest.raises(ReadError, match=r"no visible sheet 'data' with rows in it: it has 'notes', 'Data' and 'Tags'"):
        read_table(book, sheet="data")


cells = st.one_of(st.none(), st.integers(-9, 9), st.text(string.ascii_letters, min_size=1, max_size=5))


@FEWER_EXAMPLES
@given(
    titles=st.lists(st.one_of(st.none(), st.text(string.ascii_letters, min_size=1, max_size=9)), max_size=4),
    at=st.integers(0, 2), rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=5),
)  # fmt: skip
@example([], 0, [(0, "A", 0), (None, None, 1), (None, None, "A"), (None, 0, None)])  # a number is no second name
def test_the_header_is_found_below_any_titles(tmp_path, titles, at, rows):
    """A title may be in any column; blank rows may be anywhere."""
    path, sheet = tmp_path / "a.xlsx", openpyxl.Workbook()
    for title in titles:
        sheet.active.append([None] * at + [title])
    for row in (("a", "b", "c"), *rows):
        sheet.active.append(row)
    sheet.save(path)
    filled = [row for row in rows if any(cell is not None for cell in row)]
    if not filled:
        return
    frame = read_table(path).frame.astype(object)
    assert frame.columns.tolist() == ["a", "b", "c"]
    assert frame.where(frame.notna(), None).to_numpy().tolist() == [list(row) for row in filled]


def test_a_table_of_one_column_has_no_titles(tmp_path):
    pd.DataFrame({"a": ["x", "y"]}).to_excel(tmp_path / "a.xlsx", index=False)
    assert read_table(tmp_path / "a.xlsx").frame["a"].tolist() == ["x", "y"]


@pytest.mark.usefixtures("small_forests")
def test_the_completed_workbook_is_a_copy_in_which_only_gaps_change(book, tmp_path):
    filled = hl.complete(hl.open_table(book, sheet="Data", id="song", labels=["rock"]), effort="fast")
    sentences = filled.write(tmp_path / "out.xlsx")
    assert sentences == ("Formulas of the workbook are kept; Excel shows their results when it opens the copy.",)
    before, after = openpyxl.load_workbook(book), openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert after.sheetnames == before.sheetnames
    changed = set()
    for sheet in before.worksheets:
        other = after[sheet.title]
        for row in range(1, other.max_row + 1):
            for column in range(1, other.max_column + 1):
                old, new = sheet.cell(row, column), other.cell(row, column)
                assert old.font.b == new.font.b
                if old.value != new.value:
                    changed.add((sheet.title, row, column))
    gaps = {("Data", 4 + 1 + i, 5) for i in range(40, N)}
    assert changed == gaps
    data = after["Data"]
    assert data["C5"].value == "=B5*2"
    assert [data.cell(5 + i, 5).value for i in range(N)] == filled.table["rock"].tolist()


def test_a_sheet_of_tags_is_a_further_table(book):
    opened = hl.open_table(book, sheet="Data", id="song", tags="Tags", on="song", ignore=["rock"], absent="irrelevant")
    assert opened.labels.names == ("loud", "soft")
    assert opened.labels.unlabelled.sum() == N - 30


def test_charts_that_a_copy_lacks_are_named(book, tmp_path):
    written = openpyxl.load_workbook(book)
    chart = openpyxl.chart.LineChart()
    chart.add_data(openpyxl.chart.Reference(written["Data"], min_col=2, min_row=5, max_row=9))
    written["Data"].add_chart(chart, "J2")
    written.save(book)
    raw = read_table(book, sheet="Data")
    sentences = TABLES["excel"].rewrite(raw.frame, raw, tmp_path / "out.xlsx")
    assert sentences[0] == "Charts and shapes of the workbook may be missing in its copy."


def test_a_text_that_begins_as_a_formula_stays_a_text(book, tmp_path):
    raw = read_table(book, sheet="Data")
    TABLES["excel"].rewrite(raw.frame.assign(more="=1+1"), raw, tmp_path / "out.xlsx")
    cell = openpyxl.load_workbook(tmp_path / "out.xlsx")["Data"]["F5"]
    assert (cell.value, cell.data_type) in (("=1+1", "s"), ("=1+1", "inlineStr"))


def test_rows_that_are_no_items_are_left_out_and_stay_in_the_copy(book, tmp_path):
    changed = openpyxl.load_workbook(book)
    sheet = changed["Data"]
    line = next(row[0].row for row in sheet.iter_rows() if row[0].value == "song") + 1
    sheet.insert_rows(line)
    for column, text in enumerate(["Which song?", "Tempo", "Twice", "Which day?", "Is it rock?"], start=1):
        sheet.cell(line, column).value = text
    sheet.append(["Total", 9.5])
    changed.save(book)
    raw = read_table(book, sheet="Data", skip_rows="last")
    assert f"as a second header, and left out: {line}. header='{line - 1}' keeps them as rows." in raw.notes[-1]
    assert raw.frame["song"].tolist() == [f"s{i}" for i in range(N)]
    TABLES["excel"].rewrite(raw.frame.assign(rock=1), raw, tmp_path / "out.xlsx")
    after = openpyxl.load_workbook(tmp_path / "out.xlsx")["Data"]
    rock = [after.cell(row, 5).value for row in range(line, after.max_row + 1)]
    assert rock == ["Is it rock?", *[1] * N, None]


@given(spans=st.lists(st.integers(2, 3), min_size=1, max_size=3), rows=st.integers(3, 6))
@FEWER_EXAMPLES
def test_merged_cells_above_the_names(tmp_path, spans, rows):
    """Names below merged cells are distinct with the text above them, and the completed copy finds its columns."""
    path, book = tmp_path / "a.xlsx", openpyxl.Workbook()
    sheet, column = book.active, 2
    sheet.cell(1, 1).value = "song"
    for number, span in enumerate(spans):
        sheet.cell(1, column).value = f"top {number}"
        sheet.merge_cells(start_row=1, end_row=1, start_column=column, end_column=column + span - 1)
        for place in range(span):
            sheet.cell(2, column + place).value = f"name {place}"
            for row in range(rows):
                sheet.cell(3 + row, column + place).value = row % 2
        column += span
    for row in range(rows):
        sheet.cell(3 + row, 1).value = f"song {row}"
    book.save(path)
    raw = read_table(path)
    expected = [(f"top {number}: " if len(spans) > 1 else "") + f"name {place}"
                for number, span in enumerate(spans) for place in range(span)]  # fmt: skip
    assert raw.frame.columns.tolist() == ["song", *expected]
    assert raw.frame[expected[-1]].tolist() == [row % 2 for row in range(rows)]
    TABLES["excel"].rewrite(raw.frame.assign(**{expected[-1]: 1}), raw, tmp_path / "b.xlsx")
    assert read_table(tmp_path / "b.xlsx").frame[expected[-1]].tolist() == [1] * rows
