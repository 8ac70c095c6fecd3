"""Reading and writing by the name of a format, detection by content, and workbooks."""

import datetime
import json
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from tests.elsewhere import needs_tools

from halflabel import files
from halflabel.files.detection import detect
from halflabel.files.raw_table import ReadError
from halflabel.files.registry import FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_is_detected(tmp_path, tables, name):
    for number, suffix in enumerate(FORMATS[name].suffixes):
        path = tmp_path / f"songs-{number}{suffix}"
        files.write(path, name, **tables)
        found = detect(path)
        assert found.format == name
        assert found.reason.endswith(".")


def test_tables_of_no_tool_are_detected_by_content_or_suffix(write):
    assert detect(write("a.csv", "a;b\n1;2\n")) == ("csv", "")
    assert detect(write("a.npy", b"\x93NUMPY\x01\x00")) == ("npy", "")
    assert detect(write("a.json", '{"a": 1}')) == ("json", "")
    assert detect(write("b.txt", '{"a": 1}\n{"a": 2}\n')) == ("jsonl", "")
    with pytest.raises(ReadError, match=r"not recognised as an export .* read_table, or state format=, one of 'label-"):
        files.read(write("b.csv", "a,b\n1,2\n"))


@needs_tools
def test_two_formats_that_fit_are_an_error(write):
    record = {"text": "a", "label": "rock", "answer": "accept", "data": {}, "annotations": []}
    path = write("a.jsonl", json.dumps(record) + "\n" + json.dumps(record))
    with pytest.raises(
        ReadError, match=r"label-studio: .* prodigy: .* State format='label-studio' or format='prodigy'"
    ):
        detect(path)
    assert files.read(path, "prodigy").names == ("rock",)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: files.read(path, "doccanno"), "there is no format 'doccanno': did you mean 'doccano'"),
        (lambda path: files.read(path, "x"), "there is no format 'x': there are 'label-studio'"),
        (
            lambda path: files.read(path, "label-studio", tags="a"),
            "tags= does not apply to a file of the format label-s",
        ),
        (lambda path: files.read([]), "there is no file to read"),
        (lambda path: files.read(path / "none"), "cannot be opened"),
        (lambda path: files.write(path / "a.pdf", "label-studio", *some_tables()), "takes .json, not '.pdf'"),
        (
            lambda path: files.write(path / "a", "label-studio", *some_tables()),
            "takes .json, not 'a name without suffix'",
        ),
        (
            lambda path: files.write(path / "a.json", "json", *some_tables()),
            "json is a format of tables, not of a tool",
        ),
    ],
)
def test_wrong_calls(tmp_path, call, message):
    with pytest.raises(ValueError, match=message):
        call(tmp_path)


def some_tables():
    return pd.DataFrame({"text": ["a"]}), pd.DataFrame({"rock": [1.0]})


@needs_tools
def test_one_file_of_a_tool_becomes_one_of_another(write, tmp_path):
    lines = [{"id": 1, "text": "a", "label": ["rock"]}, {"id": 2, "text": "b", "label": ["sad"]}]
    path = write("all.jsonl", "\n".join(map(json.dumps, lines)))
    records = files.read(path, absent="irrelevant")
    assert files.write_records(tmp_path / "tasks.json", "label-studio", records) == ()
    np.testing.assert_array_equal(files.read(tmp_path / "tasks.json").labels, [[1, 0], [0, 1]])


def test_two_files_appear_together(tmp_path, tables, monkeypatch):
    monkeypatch.setattr("halflabel.files.label_studio.config", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        files.write(tmp_path / "a.json", "label-studio", **tables)
    assert not list(tmp_path.iterdir())


# -- workbooks ---------------------------------------------------------------------


def workbook(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_of_a_person(tmp_path):
    rows = [
        [None, None, None, None],
        ["song", "rock", "bpm", "when"],
        ["aria", 1, 180, datetime.datetime(2026, 11, 22)],
        ["ballad", None, "#N/A", None],
        [None, None, None, None],
    ]
    path = workbook(tmp_path / "a.xlsx", ("empty", []), ("songs", rows), ("notes", [["x"], ["y"]]))
    raw = files.read_table(path)
    assert raw.frame["bpm"].tolist()[0] == 180
    assert raw.frame["when"].tolist()[0] == pd.Timestamp("2026-11-22")
    assert raw.notes == ("Only the first sheet, 'songs', was read, not “notes”. Name another one with sheet='notes'.",)


def test_texts_are_no_formulas(tmp_path):
    files.write_frame(pd.DataFrame({"=text": ["=1+1", "#N/A", "+x"]}), tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [[cell.data_type for cell in row] for row in sheet.iter_rows(max_col=1)] == [["s"]] * 4
    assert sheet["A2"].value == "=1+1"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there is no visible sheet with rows in it"),
    ],
)
def test_odd_sheets(tmp_path, rows, message):
    with pytest.raises(ReadError, match=message):
        files.read_table(workbook(tmp_path / "a.xlsx", ("x", rows)))


def test_damaged_workbooks(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", ("x", [["a"], ["b" * 1000]]))
    with monkeypatch.context() as patch:
        patch.setattr("halflabel.files.excel.size_limit", lambda: 1000)
        with pytest.raises(ReadError, match=r"it unpacks to [\d,]+ bytes, above the limit"):
            files.read_table(path)
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
    with pytest.raises(ReadError, match="it cannot be read as a workbook"):
        files.read_table(tmp_path / "b.xlsx")


def test_what_a_workbook_cannot_hold(tmp_path):
    for text, message in (("x" * 40_000, "a text has more than 32,767 characters"), ("x\x07", "a control character")):
        with pytest.raises(ValueError, match=message):
            files.write_frame(pd.DataFrame({"text": [text]}), tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_without_openpyxl(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", ("x", [["a"], [1]]))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"need openpyxl: pip install 'halflabel\[excel\]'"):
        files.read_table(path)
