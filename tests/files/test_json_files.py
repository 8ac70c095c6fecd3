"""JSON in bounds: what a file may hold, and the sentence for what it may not."""

import gzip
import json

import pandas as pd
import pytest

from halflabel.files import json_files
from halflabel.files.json_files import layout_of, read_document, read_records, write_array, write_lines
from halflabel.files.raw_table import ReadError
from halflabel.files.registry import TABLES

ROWS = [{"a": 1, "b": "x\ny"}, {"a": None, "b": "ü"}, {"a": [1, {"c": 2}]}]


def rows(path):
    return [record for _, record in read_records([path])]


@pytest.mark.parametrize(
    ("name", "text", "layout"),
    [
        ("a.json", json.dumps(ROWS), "array"),
        ("b.json", "\ufeff \n" + json.dumps(ROWS, indent=2), "array"),
        ("c.jsonl", "\n".join(map(json.dumps, ROWS)), "lines"),
        ("d.jsonl", "\r\n\r\n".join(map(json.dumps, ROWS)) + "\r\n", "lines"),
    ],
)
def test_layouts(write, name, text, layout):
    path = write(name, text)
    assert layout_of(path) == layout
    assert rows(path) == ROWS


def test_a_document_is_one_record(write):
    assert layout_of(write("a.json", json.dumps({"rows": ROWS}, indent=1))) == "document"
    assert rows(write("b.json", json.dumps({"rows": ROWS}))) == [{"rows": ROWS}]
    assert read_document(write("c.json", json.dumps({"rows": ROWS}, indent=1))) == {"rows": ROWS}


def test_gzip_and_places(write):
    path = write("a.json.gz", gzip.compress(json.dumps(ROWS, indent=1).encode()))
    places = [place for place, _ in read_records([path])]
    assert [place.number for place in places] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1}, {"a": }]', r"line 1: it is not valid JSON near .*Expecting value"),
        ('[\n{"a": 1},\n{"a": 2', r"line 3: it ends too early"),
        ('[{"a": 1} {"a": 2}]', r"line 1: it is not valid JSON near .*Expecting ',' delimiter"),
        ('[{"a": 1}] more', r"line 1: it is not valid JSON near .*Extra data"),
        ("[1, 2]", r"record 1: it is 1, but a record must be an object"),
        ('{"a": 1}\n[2]\n', r"line 2: record 2: it is \[2\], but a record must be an object"),
        ('{"a": 1}\n{"a": 1\n', r"line 2: record 2: it ends too early"),
        ("a,b\n1,2\n", r"it is not JSON: it begins with neither"),
        ('[{"a": ' + "[" * 65 + "]" * 65 + "}]", r"a.json: it is nested deeper than 64"),
        ('{"a": ' + '{"b":' * 65 + "1" + "}" * 65 + '}\n{"a": 1}', r"record 1: it is nested deeper than 64"),
        ('[{"a": ' + "[" * 100_000, r"a.json: it is nested deeper than 64"),
        ('[{"a": ' + "1" * 5000 + "}]", r"a.json: a number has thousands of digits"),
        ('[{"a": "\\ud800"}]', r"a.json: a text holds half of a character"),
        ('[{"a": "\0"}]', r"NUL byte"),
        (b'[{"a": 1},\n{"a": "\xe9"}]', r"line 2: byte 8 of the line \(0xe9\) is not UTF-8"),
    ],
)
def test_invalid_files(write, text, message):
    with pytest.raises(ReadError, match=message):
        rows(write("a.json", text))


def test_what_is_just_allowed(write):
    deep = "[" * 62 + "]" * 62
    assert rows(write("a.json", '[{"a": ' + deep + "}]"))
    assert rows(write("b.json", '[{"a": "' + "[" * 100 + '"}]')) == [{"a": "[" * 100}]  # in a text
    assert rows(write("c.json", '[{"a": "\\ud83d\\ude00"}]')) == [{"a": "\U0001f600"}]  # two halves
    assert rows(write("d.json", '[{"a": NaN}, {"a": Infinity}]')) == [{"a": None}, {"a": None}]


def test_a_large_record(write, monkeypatch):
    monkeypatch.setattr(json_files, "MAX_RECORD", 100)
    with pytest.raises(ReadError, match=r"longer than 100 bytes"):
        rows(write("a.jsonl", '{"a": "' + "x" * 1000 + '"}\n{"a": 1}\n'))


def test_written_files_are_read_again(tmp_path):
    write_array(tmp_path / "a.json", ROWS)
    write_lines(tmp_path / "a.jsonl", ROWS)
    write_array(tmp_path / "empty.json", [])
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == rows(tmp_path / "a.json") == ROWS
    assert rows(tmp_path / "a.jsonl") == ROWS
    assert rows(tmp_path / "empty.json") == []


def test_infinite_numbers_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="infinite number"):
        write_lines(tmp_path / "a.jsonl", [{"a": float("inf")}])
    assert not list(tmp_path.iterdir())


def test_gaps_are_no_infinite_numbers():
    """A number, a truth value and a list with gaps are written as null; infinite ones are named with their column."""
    gaps = pd.DataFrame({"x": [1.5, None], "flag": pd.array([True, None], "boolean"), "v": [[1.0, float("nan")], None]})
    TABLES["json"].check(gaps)
    for name, value in (("x", float("inf")), ("v", [1.0, float("-inf")])):
        with pytest.raises(ValueError, match=f"column {name!r} holds an infinite number"):
            TABLES["json"].check(gaps.assign(**{name: pd.Series([value, None], dtype=object)}))
