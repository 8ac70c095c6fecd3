"""Tables without labels in mind: written by suffix and read again, they are what they were."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

from halflabel import files
from halflabel.table.source_files import read_file

TEXT = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=6)
COLUMNS = {
    "text": st.one_of(st.none(), TEXT.map("x{}".format)),
    "count": st.integers(-(10**9), 10**9),
    "share": st.one_of(st.none(), st.integers(-(10**6), 10**6).map(lambda n: n / 8)),
    "label": st.sampled_from([None, 1, 0]),
    "flag": st.booleans(),
    "tags": st.one_of(st.none(), st.lists(TEXT, max_size=3)),
}


@st.composite
def frames(draw):
    names = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, unique=True))
    n = draw(st.integers(2, 5))
    rows = [{"key": f"k{i}", **{name: draw(COLUMNS[name]) for name in names}} for i in range(n)]
    return pd.DataFrame(rows)


def plain(value):
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, list | np.ndarray):
        return list(value)
    return float(value) if isinstance(value, int | float | np.number | np.bool_) else value


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".feather", ".arrow", ".xlsx", ".parquet"])
@FEWER_EXAMPLES
@given(frame=frames())
def test_a_table_is_read_as_it_was_written(suffix, tmp_path, frame):
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        frame = frame.drop(columns="tags", errors="ignore")
    path = tmp_path / f"a{suffix}"
    assert files.write_frame(frame, path) == ()
    back = read_file(path).raw.frame
    assert back.columns.tolist() == frame.columns.tolist()
    for name in frame:
        assert [*map(plain, back[name])] == [*map(plain, frame[name])]


def test_lists_in_a_workbook_are_json_text(tmp_path):
    pytest.importorskip("openpyxl")
    files.write_frame(pd.DataFrame({"tags": [["a", "b"], None]}), tmp_path / "a.xlsx")
    assert read_file(tmp_path / "a.xlsx").raw.frame["tags"].tolist()[0] == '["a", "b"]'


def test_the_suffixes_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"use \.csv, .*\.parquet, .*\.json, .*\.xlsx, .*\.feather"):
        files.write_frame(pd.DataFrame({"a": [1]}), tmp_path / "a.doc")


def test_an_index_with_the_name_of_a_column_is_another_column(tmp_path):
    table = pd.DataFrame({"id": [1, 2], "x": [0.5, 1.5]}, index=pd.Index(["a", "b"], name="id"))
    table.to_parquet(tmp_path / "table.parquet")
    assert list(read_file(tmp_path / "table.parquet").raw.frame) == ["id", "id 2", "x"]
