"""A first line that is no line of column names has an error with the way to read the file."""

from __future__ import annotations

import ast
import json
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.files.header import holds_values
from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table

ROWS = [["song", "tempo", "key", "rock"], ["s1", "99.5", "a", "1"], ["s2", "98.25", "b", "0"], ["s3", "97.5", "a", "1"]]
FRAME = pd.DataFrame({"song": ["s1", "s2", "s3"], "tempo": [99.5, 98.25, 97.5], "key": list("aba"), "rock": [1, 0, 1]})


def follow(path):
    """Read a file in the way that the error about it states."""
    with pytest.raises(ReadError) as error:
        read_table(path)
    if lines := re.findall("`(.*?)`", str(error.value)):
        exec("\n".join(lines), {})
        [path] = [each for each in path.parent.iterdir() if each != path]
        return read_table(path).frame
    name, value = re.search(r"state (\w+)=(.*?)\.$", str(error.value)).groups()
    return read_table(path, **{{"format": "kind"}.get(name, name): ast.literal_eval(value)}).frame


def check(frame):
    pd.testing.assert_frame_equal(frame.astype(FRAME.dtypes), FRAME)


def test_json_lines(write):
    check(follow(write("songs.csv", FRAME.to_json(orient="records", lines=True))))


@pytest.mark.parametrize("orient", ["columns", "index", "split"])
def test_objects_as_pandas_writes_them_have_an_error_with_the_way(write, orient):
    path = write("songs.json", FRAME.to_json(orient=orient))
    with pytest.raises(ReadError, match=r'to_json\(orient="records"\) does'):
        read_table(path)
    check(read_table(write("songs.json", FRAME.to_json(orient="records"))).frame)
    check(read_table(write("table.json", FRAME.to_json(orient="table", index=False))).frame)


RECORDS = st.lists(st.fixed_dictionaries({"text": st.text("ab ", min_size=1), "n": st.integers(0, 9)}), min_size=1)


@given(rows=RECORDS, others=st.dictionaries(st.sampled_from("xyz"), st.just([{"id": 1}])), deep=st.booleans())
def test_records_under_a_name(tmp_path_factory, rows, others, deep):
    path = tmp_path_factory.getbasetemp() / "export.json"
    content = {"version": 3, "empty": [], **others, "bookmarks": [*rows, {"text": "z", "n": 1}]}
    path.write_text(json.dumps({"version": 1, "result": content} if deep else content))
    raw = read_table(path)
    assert raw.frame["text"].tolist() == [*(row["text"] for row in rows), "z"]
    assert raw.notes[0].startswith("The records under 'bookmarks' were read")
    for name in others if not deep else ():
        assert f"items_table={next(iter(others))!r}" in raw.notes[0]
        assert read_table(path, items_table=name).frame.to_dict("records") == [{"id": 1}]


def test_a_text_is_not_a_path():
    from halflabel.table import open_table

    for text in ("song,rock\ns1,1\n", "a" * 5000):
        with pytest.raises(ValueError, match="not the path of a file"):
            open_table(text, labels="rock")


def test_a_second_byte_order_mark_is_no_part_of_a_name(write):
    assert read_table(write("songs.csv", b"\xef\xbb\xbf\xef\xbb\xbfsong,rock\ns1,1\n")).frame.columns[0] == "song"


@pytest.mark.parametrize(("below", "expected"), [(["a2"], False), (["a2", "a3"], True), (["a2", "song"], False)])
def test_a_cell_like_two_cells_below_it_is_no_name(below, expected):
    assert holds_values([["a1"], *([cell] for cell in below)]) == expected
