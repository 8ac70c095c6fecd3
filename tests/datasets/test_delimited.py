import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halflabel.datasets import ReadError, read
from halflabel.datasets.files import open_text

ROWS = 'id,x,name,rock,live\n007,1.5,a,1,0\n008,,"b, c",,1\n009,-2e3,"two\nlines",0,\n'


def test_types_missing_cells_and_ids(write):
    frame = read(write("a.csv", ROWS)).frame
    assert frame["id"].tolist() == ["007", "008", "009"]
    np.testing.assert_array_equal(frame["x"], [1.5, np.nan, -2000])
    assert frame["name"].tolist() == ["a", "b, c", "two\nlines"]
    np.testing.assert_array_equal(frame["rock"], [1, np.nan, 0])
    assert read(write("a.csv", ROWS)).label_names == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.csv.gz", gzip.compress(ROWS.encode(), mtime=0)),
        ("b.csv", b"\xef\xbb\xbf" + ROWS.encode()),
        ("b.CSV", ROWS.removesuffix("\n")),
        ("b.csv", ROWS.replace("id,x", " id , x ")),
    ],
)
def test_the_same_table_written_otherwise(write, name, content):
    pd.testing.assert_frame_equal(read(write(name, content)).frame, read(write("a.csv", ROWS)).frame)


def test_delimiters(write):
    expected = [[1, 2], [3, 4]]
    assert read(write("a.tsv", "a\tb\n1\t2\n3\t4\n")).frame.to_numpy().tolist() == expected
    assert read(write("a.csv", "a;b\n1;2\n3;4\n"), delimiter=";").frame.to_numpy().tolist() == expected
    with pytest.raises(ValueError, match="a delimiter is one character, not ', '"):
        read(write("a.csv", "a;b\n1;2\n"), delimiter=", ")
    for word in ("tab", "\\t"):
        assert read(write("a.csv", "a\tb\n1\t2\n3\t4\n"), delimiter=word).frame.to_numpy().tolist() == expected
    for mark in ('"', "\n", "é"):
        with pytest.raises(ValueError, match=r"a delimiter is one character, not .*: ASCII, no quote"):
            read(write("a.csv", "a,b\n1,2\n"), delimiter=mark)


def one_column(write, *cells):
    return read(write("a.csv", "k,a\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))).frame["a"]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "0", "1"], "int64", [1, 0, 1]),
        (["1", " 0", "-3 "], "int64", [1, 0, -3]),
        (["1", "", "0"], "float64", [1, np.nan, 0]),
        (["1.0", "0.0", "2"], "float64", [1, 0, 2]),
        (["1", "NA", "0"], "float64", [1, np.nan, 0]),
        (["1e300", "nan", "inf"], "float64", [1e300, np.nan, np.inf]),
        (["True", "False", "True"], "bool", [True, False, True]),
        (["TRUE", "", "false"], "boolean", [True, pd.NA, False]),
        (["", "NA", '""'], "float64", [np.nan, np.nan, np.nan]),
        (["0", "00", "1"], "str", ["0", "00", "1"]),
        (["12345678901234567", "1", ""], "str", ["12345678901234567", "1", np.nan]),
        (["99999999999999999999", "1", "2"], "str", ["99999999999999999999", "1", "2"]),
        (["1", "x", "2"], "str", ["1", "x", "2"]),
        (["0x1A", "1", "2"], "str", ["0x1A", "1", "2"]),
        (["1_000", "1", "2"], "str", ["1_000", "1", "2"]),
        (["2020-01-02", "2020-01-03", "x"], "str", ["2020-01-02", "2020-01-03", "x"]),
        (["b", '"NA"', "NA"], "str", ["b", "NA", np.nan]),
    ],
)
def test_a_column_becomes_numbers_only_where_nothing_is_lost(write, cells, kind, values):
    column = one_column(write, *cells)
    assert str(column.dtype) == kind
    pd.testing.assert_series_equal(column, pd.Series(values, dtype=kind, name="a"))


@pytest.mark.parametrize("word", ["NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", ""])
def test_bare_words_that_say_missing(write, word):
    assert one_column(write, "x", word, f'"{word}"').isna().tolist() == [False, True, word == ""]


def test_empty_lines_and_names_of_rows_and_columns(write):
    frame = read(write("a.csv", ",b\nr1,1\n\nr2,2\n\n")).frame
    assert list(frame) == ["index", "b"]
    assert frame["b"].tolist() == [1, 2]
    assert read(write("a.csv", "0,1,2\n5,6,7\n")).frame.shape == (1, 3)  # how pandas writes an array


def test_a_wide_table_is_not_fragmented(write):
    header = ",".join(f"c{j}" for j in range(300))
    frame = read(write("a.csv", header + "\n" + (",".join(["0.5"] * 300) + "\n") * 2)).frame
    assert len(frame._mgr.blocks) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n", "there is a header but no row below it"),
        ("\na,b\n1,2\n", "line 1: the first line is empty, where the column names should stand"),
        ("1,0.5\n0,2\n", r"line 1: the first line holds numbers \(1, 0\.5\), not column names"),
        ("a,b,a\n1,2,3\n", "line 1, column 'a': two columns have this name"),
        ("a,,b\n1,2,3\n", "line 1: column 2 of the header has no name"),
        ("a;b;c\n1;2;3\n", "line 1: there is one column only, and its name 'a;b;c' holds ';': say --delimiter ';' if"),
        ("a\tb\n1\t2\n", "line 1: there is one column only, .* holds a tab: say --delimiter tab if"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells, but the header has 2: nothing stands for 'b'"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 cells, but the header has 2: quote a cell that holds the delimiter"),
        ('a,b\n1,"x\ny\nz"\n\n3,4,5\n', "line 6: 3 cells"),
        ('a,b\n1,2\n3,4,"x\ny"\n', "line 3: 3 cells"),
        ('a,b\n1,2\n3,"x\n4,5\n', "line 3: the row that begins here cannot be read .*is a quote opened"),
        (b"a,b\n1,2\n3,caf\xe9\n", r"line 3: byte 6 of the line \(0xe9\) is not UTF-8: save the file as UTF-8"),
        (b"a,b\xe9\n1,2\n", "line 1: byte 4 of the line .* is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "line 1: .*(is not UTF-8|a NUL byte)"),
        (b"a,b\n1,2\n3,\0\n", "line 3: a NUL byte: this is not a text file"),
        ("a,b\n1,2\n3," + "x" * 1_000_001 + "\n4,5\n", "line 3: the line is longer than 1,000,000 bytes"),
        ("a,b\n1,2\n" * 200_000 + "3," + "x" * 1_000_001, "line 400001: the line is longer than 1,000,000 bytes"),
        (",".join(f"c{j}" for j in range(100_001)) + "\n", "line 1: 100,001 columns are more than 100,000, the limit"),
    ],
)
def test_broken_files_are_located(write, content, message):
    path = write("bad.csv", content)
    with pytest.raises(ReadError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_broken_gzip(write):
    whole = gzip.compress((ROWS + "010,1,d,1,1\n" * 1000).encode())
    with pytest.raises(ReadError, match="the gzip file is truncated"):
        read(write("a.csv.gz", whole[:-12]))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read(write("a.csv.gz", ROWS))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read(write("a.csv.gz", whole[:-8] + b"\0" * 8))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read(write("a.csv.gz", whole[:20] + b"\xff\xff\xff" + whole[23:]))


def test_a_small_file_that_unpacks_to_a_large_one(write):
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)
    path = write("a.csv.gz", bomb)
    stream = open_text(path, max_line=100, max_bytes=10_000)
    with stream, pytest.raises(ReadError, match="it holds more than 10,000 bytes, the limit: split it"):
        stream.read()


@pytest.mark.parametrize("length", [9, 10, 11, 25])
@pytest.mark.parametrize("before", [0, 3, 1 << 18])
def test_the_limit_on_lines_is_exact(write, length, before):
    path = write("a.txt", "abc\n" * before + "x" * length)
    with open_text(path, max_line=10) as stream:
        if length <= 10:
            assert len(stream.read()) == 4 * before + length
        else:
            with pytest.raises(ReadError, match=f"line {before + 1}: the line is longer than 10 bytes"):
                stream.read()


@pytest.mark.parametrize(("length", "refused"), [(400_000, False), (400_001, True)])
def test_the_limit_on_lines_holds_across_the_pieces_a_file_is_read_in(write, length, refused):
    path = write("a.txt", "x" * 200_000 + "\n" + "y" * length + "\nz\n")
    stream = open_text(path, max_line=400_000)
    if not refused:
        assert len(stream.read()) == 200_001 + length + 3
        return
    with stream, pytest.raises(ReadError, match="line 2: the line is longer than 400,000 bytes"):
        stream.read()


cells = st.text(st.sampled_from('ab ,;"\n\r\té0'), min_size=1, max_size=5).filter(lambda s: s.strip() == s)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


@settings(max_examples=80, deadline=None)
@given(tables, st.sampled_from([",", ";", "\t"]))
def test_text_that_pandas_wrote_is_read(tmp_path_factory, rows, delimiter):
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(len(rows[0]))], dtype="str")
    frame.insert(0, "anchor", "z")
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    frame.to_csv(path, index=False, sep=delimiter, quoting=2)
    found = read(path, delimiter=delimiter).frame
    for name in frame:  # digits alone become numbers, which another test covers
        if not pd.api.types.is_numeric_dtype(found[name]):
            assert found[name].tolist() == frame[name].tolist()
        else:
            assert found[name].tolist() == frame[name].astype(float).tolist()


def test_a_long_cell_before_a_line_break_in_the_last(write):
    assert len(read(write("a.csv", "a,b\n" + "x" * 200_000 + ',1\n2,"y\nz"\n')).frame) == 2


def test_line_ends_of_old_macintoshes_give_a_sentence(write):
    with pytest.raises(ReadError, match="line 1: the header cannot be read"):
        read(write("a.csv", "a,b\r1,2\r"))


def test_parquet(write, tmp_path):
    frame = pd.DataFrame({"x": [1.5, None], "tags": [["a"], None], "id": ["007", "008"], "ok": [True, False]})
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read(tmp_path / "a.parquet").frame, pd.read_parquet(tmp_path / "a.parquet"))
    frame.set_index("id").to_parquet(tmp_path / "b.pq")
    assert read(tmp_path / "b.pq").frame.columns[0] == "id"


def test_broken_parquet(write, tmp_path, monkeypatch):
    buffer = io.BytesIO()
    pd.DataFrame({"x": np.arange(1000)}).to_parquet(buffer)
    for content in (b"", b"a,b\n1,2\n", buffer.getvalue()[:-20], buffer.getvalue()[:40] + b"\0" * 900):
        with pytest.raises(ReadError, match=r"a\.parquet: it cannot be read as Parquet"):
            read(write("a.parquet", content))
    pd.DataFrame({"x": []}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ReadError, match="there are no rows or no columns in it"):
        read(tmp_path / "a.parquet")
    monkeypatch.setattr("halflabel.datasets.delimited.MAX_BYTES", 100)
    with pytest.raises(ReadError, match=r"it unpacks to [\d,]+ bytes, above the limit of 100"):
        read(write("a.parquet", buffer.getvalue()))
