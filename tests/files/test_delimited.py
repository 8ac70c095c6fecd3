import gzip
import io
import os
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from halflabel.files import delimited
from halflabel.files.bounded import open_text
from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table

#: The type of a column of text: pandas 2 has none of its own.
TEXT = str(pd.Index(["a"]).dtype)

ROWS = 'id,x,name,rock,live\n007,1.5,a,1,0\n008,,"b, c",,1\n009,-2e3,"two\nlines",0,\n'


def test_no_thread_of_arrow_reads_a_stream_of_python(write, monkeypatch):
    """It may read when Python ends, which aborts the process."""
    threads = set()

    class Stream(io.BytesIO):
        def read(self, *size):
            threads.add(threading.current_thread())
            return super().read(*size)

    path = write("a.csv", "x,tags\n1.5,rock\n2.5,none\n")
    monkeypatch.setattr(delimited, "open_text", lambda *_, **__: Stream(path.read_bytes()))
    form = read_table(path).form
    assert delimited.read_words(path, form, form.cells.column_names, "tags") == ["rock", "none"]
    assert threads == {threading.main_thread()}


def test_types_missing_cells_and_ids(write):
    frame = read_table(write("a.csv", ROWS)).frame
    assert frame["id"].tolist() == ["007", "008", "009"]
    np.testing.assert_array_equal(frame["x"], [1.5, np.nan, -2000])
    assert frame["name"].tolist() == ["a", "b, c", "two\nlines"]
    np.testing.assert_array_equal(frame["rock"], [1, np.nan, 0])
    assert read_table(write("a.csv", ROWS)).label_names == ()


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
    pd.testing.assert_frame_equal(read_table(write(name, content)).frame, read_table(write("a.csv", ROWS)).frame)


def test_delimiters(write):
    expected = [[1, 2], [3, 4]]
    assert read_table(write("a.tsv", "a\tb\n1\t2\n3\t4\n")).frame.to_numpy().tolist() == expected
    assert read_table(write("a.csv", "a;b\n1;2\n3;4\n"), delimiter=";").frame.to_numpy().tolist() == expected
    with pytest.raises(ValueError, match="a delimiter is one character, not ', '"):
        read_table(write("a.csv", "a;b\n1;2\n"), delimiter=", ")
    for word in ("tab", "\\t"):
        assert read_table(write("a.csv", "a\tb\n1\t2\n3\t4\n"), delimiter=word).frame.to_numpy().tolist() == expected
    for mark in ('"', "\n", "é"):
        with pytest.raises(ValueError, match=r"a delimiter is one character, not .*: ASCII, no quote"):
            read_table(write("a.csv", "a,b\n1,2\n"), delimiter=mark)


def one_column(write, *cells):
    return read_table(write("a.csv", "k,a\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))).frame["a"]


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
    kind = TEXT if kind == "str" else kind
    assert str(column.dtype) == kind
    pd.testing.assert_series_equal(column, pd.Series(values, dtype=kind, name="a"))


@pytest.mark.parametrize("word", ["NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", ""])
def test_bare_words_that_mean_missing(write, word):
    assert one_column(write, "x", word, f'"{word}"').isna().tolist() == [False, True, word == ""]


def test_empty_lines_and_names_of_rows_and_columns(write):
    frame = read_table(write("a.csv", ",b\nr1,1\n\nr2,2\n\n")).frame
    assert list(frame) == ["index", "b"]
    assert frame["b"].tolist() == [1, 2]
    assert read_table(write("a.csv", "0,1,2\n5,6,7\n")).frame.shape == (1, 3)  # how pandas writes an array


def test_a_wide_table_is_not_fragmented(write):
    header = ",".join(f"c{j}" for j in range(300))
    frame = read_table(write("a.csv", header + "\n" + (",".join(["0.5"] * 300) + "\n") * 2)).frame
    assert len(frame._mgr.blocks) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n", "there is a header but no row below it"),
        (
            "a;b;c\n1\n",
            "line 1: there is one column only, and its name 'a;b;c' holds ';': name the delimiter",
        ),
        (
            "a;b\tc\n1;2\t3\n",
            "line 1: its header can be separated by ';' and tabs: name the right one",
        ),
        ("a,b\n1,2\n3\n4,5\n", "line 3: 1 cell, but the header has 2: there is no cell for 'b'"),
        (
            "a,b\n1,2\n3,4,5\n",
            "line 3: 3 cells, but the header has 2: give each column a name, or put a cell that holds",
        ),
        ('"a",b\n1,2\n3,"x\n4,5\n', "line 3: the row that begins here cannot be read .*is a quote opened"),
        ('a,b\n1,"x\ny\nz"\n\n3,4,5\n', "line 6: 3 cells"),
        ('a,b\n1,2\n3,4,"x\ny"\n', "line 3: 3 cells"),
        (b"a,b\n1,2\n3,\xe9\x81\n", "it is neither UTF-8 nor Windows-1252. Name its encoding with encoding="),
        ("a,b\n1,2\n".encode("utf-32-be"), "line 1: a NUL byte"),
        (b"a,b\n1,2\n3,\0\n", "line 3: a NUL byte: this is not a text file"),
        ("a,b\n1,2\n3," + "x" * 1_000_001 + "\n4,5\n", "line 3: the line is longer than 1,000,000 bytes"),
        ("a,b\n1,2\n" * 200_000 + "3," + "x" * 1_000_001, "line 400001: the line is longer than 1,000,000 bytes"),
        (",".join(f"c{j}" for j in range(100_001)) + "\n", "line 1: 100,001 columns are more than 100,000, the limit"),
    ],
)
def test_broken_files_are_located(write, content, message):
    path = write("bad.csv", content)
    with pytest.raises(ReadError, match=message) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_broken_gzip(write):
    whole = gzip.compress((ROWS + "010,1,d,1,1\n" * 1000).encode())
    with pytest.raises(ReadError, match="the gzip file is truncated"):
        read_table(write("a.csv.gz", whole[:-12]))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read_table(write("a.csv.gz", ROWS))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read_table(write("a.csv.gz", whole[:-8] + b"\0" * 8))
    with pytest.raises(ReadError, match="it is not a sound gzip file"):
        read_table(write("a.csv.gz", whole[:20] + b"\xff\xff\xff" + whole[23:]))


def test_a_small_file_that_unpacks_to_a_large_one(write):
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)
    path = write("a.csv.gz", bomb)
    stream = open_text(path, max_line=100, max_bytes=10_000)
    with stream, pytest.raises(ReadError, match=r"it holds more than 10,000 bytes, the limit .*: split it"):
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


@pytest.mark.parametrize(("length", "too_long"), [(400_000, False), (400_001, True)])
def test_the_limit_on_lines_holds_across_the_pieces_a_file_is_read_in(write, length, too_long):
    path = write("a.txt", "x" * 200_000 + "\n" + "y" * length + "\nz\n")
    stream = open_text(path, max_line=400_000)
    if not too_long:
        assert len(stream.read()) == 200_001 + length + 3
        return
    with stream, pytest.raises(ReadError, match="line 2: the line is longer than 400,000 bytes"):
        stream.read()


cells = st.text(st.sampled_from('ab ,;"\n\r\té0'), min_size=1, max_size=5).filter(lambda s: s.strip() == s)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(tables, st.sampled_from([",", ";", "\t"]))
def test_text_that_pandas_wrote_is_read(tmp_path_factory, rows, delimiter):
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(len(rows[0]))], dtype="str")
    frame.insert(0, "anchor", "z")
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    frame.to_csv(path, index=False, sep=delimiter, quoting=2)
    found = read_table(path, delimiter=delimiter).frame
    for name in frame:  # digits alone become numbers, which another test covers
        if not pd.api.types.is_numeric_dtype(found[name]):
            assert found[name].tolist() == frame[name].tolist()
        else:
            assert found[name].tolist() == frame[name].astype(float).tolist()


def test_a_long_cell_before_a_line_break_in_the_last(write):
    assert len(read_table(write("a.csv", "a,b\n" + "x" * 200_000 + ',1\n2,"y\nz"\n')).frame) == 2


def test_line_ends_of_old_macintoshes_give_a_sentence(write):
    with pytest.raises(ReadError, match="line 1: its lines end with a carriage return only"):
        read_table(write("a.csv", "a,b\r1,2\r"))


def test_parquet(tmp_path):
    frame = pd.DataFrame({"x": [1.5, None], "tags": [["a"], None], "id": ["007", "008"], "ok": [True, False]})
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet").frame, pd.read_parquet(tmp_path / "a.parquet"))
    frame.set_index("id").to_parquet(tmp_path / "b.pq")
    assert read_table(tmp_path / "b.pq").frame.columns[0] == "id"


def test_broken_parquet(write, tmp_path, monkeypatch):
    buffer = io.BytesIO()
    pd.DataFrame({"x": np.arange(1000)}).to_parquet(buffer)
    for content in (b"", b"a,b\n1,2\n", buffer.getvalue()[:-20], buffer.getvalue()[:40] + b"\0" * 900):
        with pytest.raises(ReadError, match=r"a\.parquet: it cannot be read as Parquet"):
            read_table(write("a.parquet", content))
    pd.DataFrame({"x": []}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ReadError, match="there are no rows or no columns in it"):
        read_table(tmp_path / "a.parquet")
    monkeypatch.setattr("halflabel.files.bounded.MAX_BYTES", 100)
    with pytest.raises(ReadError, match=r"it unpacks to more than [\d,]+ bytes, above the limit of 100"):
        read_table(write("a.parquet", buffer.getvalue()))


def test_a_parquet_file_of_a_few_bytes_cannot_unpack_to_gigabytes(tmp_path, monkeypatch):
    monkeypatch.setattr("halflabel.files.bounded.MAX_BYTES", 5_000_000)
    bombs = {
        "text": pa.table({"a": ["x" * 10_000] * 2_000}),
        "numbers": pa.table({"a": np.zeros(1_000_000, dtype=np.int64)}),
        "lists": pa.table({"a": [["x" * 10_000]] * 2_000}),
    }
    for name, table in bombs.items():
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(table, path, compression="zstd")
        assert path.stat().st_size < 200_000
        with pytest.raises(ReadError, match=r"it unpacks to more than [\d,]+ bytes, above the limit of 5,000,000"):
            read_table(path)


def test_text_in_parquet_comes_back_as_it_was(tmp_path):
    frame = pd.DataFrame(
        {"a": ["x", None, "y"] * 100, "b": [["u", None], None, []] * 100, "c": pd.Categorical(["p"] * 300)}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet").frame, pd.read_parquet(tmp_path / "a.parquet"))


def test_the_one_other_delimiter_is_used_and_named(write):
    raw = read_table(write("a.csv", "id;text\n1;a, b\n2;c\n"))
    assert raw.frame["text"].tolist() == ["a, b", "c"]
    assert raw.notes == ("The cells of a.csv are separated by ';'; name another delimiter with delimiter=.",)
    assert read_table(write("b.csv", "id\ttext\n1\ta\n")).form.delimiter == "\t"


def test_row_names_without_a_name_as_write_table_of_R_leaves_them(write):
    raw = read_table(write("genes.txt", '"Att1" "Att2" "Class1"\n"g1" 0.5 NA TRUE\n"g2" 1.5 2 NA\n'))
    assert list(raw.frame) == ["index", "Att1", "Att2", "Class1"]
    assert raw.frame["index"].tolist() == ["g1", "g2"]
    assert raw.form.missing == "NA"
    assert "each row 4 cells: the first column was read as row names" in raw.notes[1]
    with pytest.raises(ReadError, match="line 3: 4 cells, but the header has 2"):
        read_table(write("bad.csv", "a,b\n1,2\n1,2,3,4\n"))


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "utf-8"])
def test_encodings_are_recognised(write, encoding):
    raw = read_table(write("a.csv", "id,text\r\n1,50 € weg\r\n".encode(encoding)))
    assert raw.frame["text"].tolist() == ["50 € weg"]
    assert raw.form.encoding == encoding
    assert raw.form.line_end == "\r\n"
    assert bool(raw.notes) is (encoding == "cp1252")


def test_a_stated_encoding_is_used(write):
    content = "id,text\n1,Łódź\n".encode("cp1250")
    assert read_table(write("a.csv", content), encoding="cp1250").frame["text"].tolist() == ["Łódź"]
    for wrong in ("nothing", "rot13"):
        with pytest.raises(ReadError, match="there is no encoding"):
            read_table(write("a.csv", content), encoding=wrong)
    with pytest.raises(ReadError, match="line 1: it cannot be decoded as utf-16"):
        read_table(write("a.csv", b"a,b\n1,2\n3"), encoding="utf-16")


def test_decimal_commas(write):
    raw = read_table(write("a.csv", "x;y;z\n40,92;1.240,5;1,240\n-1,5;3;2,000\n;7;\n"))
    np.testing.assert_array_equal(raw.frame["x"], [40.92, -1.5, np.nan])
    np.testing.assert_array_equal(raw.frame["y"], [1240.5, 3, 7])
    np.testing.assert_array_equal(raw.frame["z"], [1.24, 2, np.nan])
    assert "3 columns were read as numbers with a decimal comma: “x”, “y” and “z”." in raw.notes
    unclear = read_table(write("b.csv", 'x,y\n"1,240",1\n"2,000",2\n'))
    assert unclear.frame["x"].tolist() == ["1,240", "2,000"]
    assert "may stand for decimals or for thousands" in unclear.notes[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_pipes_and_devices_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "b.parquet").symlink_to("/dev/zero")
    for name in ("a.csv", "b.parquet"):
        with pytest.raises(ReadError, match="it is not an ordinary file"):
            read_table(tmp_path / name)


def test_a_point_next_to_decimal_commas_is_unclear(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;c\n1,5;12.345;1.25\n2,5;7.001;2.5\n3,25;0;3.75\n")
    raw = read_table(path)
    assert raw.frame["b"].tolist() == ["12.345", "7.001", "0"]
    assert raw.frame["c"].tolist() == [1.25, 2.5, 3.75]
    assert any("1 column was read as text, because a point may stand for" in note for note in raw.notes)
    path.write_text("a;b\n1;12.345\n2;7.001\n")
    assert read_table(path).frame["b"].tolist() == [12.345, 7.001]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (["id,x", "a,1", "b,2", "c,3"], 2),
        (["id,x", "a,1", "b,2", "c,3", "", ""], 2),
        (["# songs", "id,x", "a,1", "b,2", "c,3"], 3),
        (["id,x", "a,1", "", "b,2", "c,3"], None),
        (["id,x", '"a', 'a",1', "b,2", "c,3"], None),
        (['id,"x', 'y"', "a,1", "b,2", "c,3"], None),
        (["id,x", '"a', 'a",1', "b,2\rc,3"], None),  # as many lines as rows
    ],
)
def test_rows_have_lines_only_where_each_is_one(write, lines, first, end):
    path = write("a.csv", end.join([*lines, ""]).encode())
    assert read_table(path).form.first == first
    assert read_table(path, path).form.first is None
