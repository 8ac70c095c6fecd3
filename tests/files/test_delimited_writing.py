"""Delimited text is written in the notation in which it was read."""

import gzip

import numpy as np
import pandas as pd
import pytest

from halflabel.files.reading import read_table, write_frame


def again(write, tmp_path, name, content, change=lambda frame: frame):
    raw = read_table(write(name, content))
    write_frame(change(raw.frame.copy()), tmp_path / f"out-{name}", raw.form)
    return (tmp_path / f"out-{name}").read_bytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'id,x,name\n007,61.50,a\n008,,"b, c"\n'),
        ("a.csv", "\ufeffid;x\r\n1;40,92\r\n2;1.240,5\r\n3;\r\n".encode()),
        ("a.csv", "id;text\r\n1;50 € weg\r\n".encode("cp1252")),
        ("a.csv", "id\ttext\r\n1;\tß\r\n".encode("utf-16")),
        ("a.csv", ",b\nr1,TRUE\nr2,NA\nr3,FALSE\n"),
        ("a.tsv", "a\tb\n1.0\tx\n0.0\ty\n"),
        ("a.txt", "Att1\tAtt2\ng1\t0.5\tNA\ng2\t1.50\t2\n"),
        ("a.csv", 'land,note,x\n"NA","a\rb",1.0\nFR,plain,\n"null",,2.0\n'),
        ("a.csv", 'land,note\r\n"NA",NA\r\nFR,"a,b"\r\n'),
    ],
)
def test_an_unchanged_table_is_written_as_it_was_read(write, tmp_path, name, content):
    assert again(write, tmp_path, name, content) == (content.encode() if isinstance(content, str) else content)


def test_only_changed_cells_are_written_again_in_the_notation_of_the_column(write, tmp_path):
    content = "id,x,ok,r\na,1.50,TRUE,1.0\nb,2.50,NA,NA\nc,NA,FALSE,0.0\n"

    def fill(frame):
        return frame.assign(ok=[True, False, False], r=[1.0, 1.0, 0.0], extra=[1, 2, 3])

    out = again(write, tmp_path, "a.csv", content, fill).decode()
    assert out == "id,x,ok,r,extra\na,1.50,TRUE,1.0,1\nb,2.50,FALSE,1.0,2\nc,NA,FALSE,0.0,3\n"


def test_a_value_that_the_column_writes_in_two_ways_is_written_as_its_first_cell(write, tmp_path):
    content = "id,x\na,1.50\nb,1.5\nc,2.0\nd,\ne,2\n"
    out = again(write, tmp_path, "a.csv", content, lambda frame: frame.assign(x=[1.5, 2.0, 1.5, 1.5, 2.0])).decode()
    assert out == "id,x\na,1.50\nb,2.0\nc,1.50\nd,1.50\ne,2\n"


def test_the_suffix_decides_between_commas_and_tabs(tmp_path):
    table = pd.DataFrame({"a": [0.5, np.nan], "b": ["x,y", None]})
    write_frame(table, tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == "a\tb\n0.5\tx,y\n\t\n"
    write_frame(table, tmp_path / "a.csv.gz")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode() == 'a,b\n0.5,"x,y"\n,\n'


@pytest.mark.parametrize("name", ["a.sav", "a.pdf", "a", "a.parquet.gz", "a.npy"])
def test_unknown_suffixes_are_named_before_anything_is_written(tmp_path, name):
    with pytest.raises(ValueError, match="a table is not written as"):
        write_frame(pd.DataFrame({"a": [1]}), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_vectors_stay_out_of_text_files_and_short_lists_are_json(tmp_path):
    table = pd.DataFrame({"id": [1, 2], "v": list(np.ones((2, 300))), "tags": [["a", "b"], []]})
    notes = write_frame(table, tmp_path / "a.csv")
    assert notes == ("Vectors (“v”) do not fit a text file and were left out: write Parquet to keep them.",)
    assert (tmp_path / "a.csv").read_text() == 'id,tags\n1,"[""a"", ""b""]"\n2,[]\n'


def test_a_number_beyond_the_whole_numbers_of_a_float_keeps_its_exponent(tmp_path):
    write_frame(pd.DataFrame({"a": [2.0**53 - 1, 2.0**53]}, dtype=object), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a\n9007199254740991\n9007199254740992.0\n"


def test_values_of_all_types_are_written_as_pandas_writes_them(tmp_path):
    dates = pd.to_datetime(["2020-01-02", "1999-12-31", None])
    table = pd.DataFrame({"float": [1.0, np.nan, 1e-5], "large": [1e16, -2e300, 0.1], "day": dates})
    table = table.assign(time=dates + pd.Timedelta("3h"), zone=dates.tz_localize("UTC"), single=np.float32([1, 0.1, 2]))
    table = table.assign(flag=pd.array([True, None, False], "boolean"), whole=pd.array([1, None, 2**60], "Int64"))
    table = table.assign(kind=pd.Categorical(["a,b", None, 'c"d']), text=["line\nend", "", "plain"])
    table = table.assign(no=pd.Categorical([1, None, 2]), at=pd.Categorical(dates), part=pd.cut([1, np.nan, 2], 2))
    write_frame(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == table.to_csv(index=False)
    write_frame(table[["whole"]], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == table[["whole"]].to_csv(index=False)


def test_a_mark_in_a_file_without_quotes_is_an_error_whose_way_works(write, tmp_path):
    raw = read_table(write("a.csv", 'id,text,x\n1,"open,2\n2,b,3\n3,c,4\n'))
    table = raw.frame.assign(text=["a,b", "c", "d"])
    with pytest.raises(ValueError, match="has no quotes: write a file of another format"):
        write_frame(table, tmp_path / "b.csv", raw.form)
    write_frame(table, tmp_path / "b.parquet", raw.form)
    assert read_table(tmp_path / "b.parquet").frame["text"].tolist() == ["a,b", "c", "d"]


@pytest.mark.parametrize("number", [2**53 - 1, 2**53])
def test_an_edit_of_a_large_number_is_written(write, tmp_path, number):
    def edit(frame):
        kind = int if frame["n"].dtype.kind == "i" else str
        return frame.assign(n=[kind(number + 1), frame["n"].iloc[1]])

    assert again(write, tmp_path, "a.csv", f"id,n\na,{number}\nb,7\n", edit) == f"id,n\na,{number + 1}\nb,7\n".encode()
