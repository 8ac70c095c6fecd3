import gzip

import arff as liac
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table
from halflabel_papers.sets.arff import read_arff
from halflabel_papers.sets.arff_header import split_cells, unquote

DENSE = """% a comment
@RELATION 'any thing'

@Attribute plain NUMERIC
@attribute 'with space' real
@ATTRIBUTE "dou\\"ble, {brace}" integer
@attribute\tcolour {red, 'dark blue', "it's"}
@attribute flag {0,1}
@attribute turned {1,0}
@attribute remark string
@attribute at date "yyyy-MM-dd"
@DATA
1, 2.5,-3,red,1,1,'a, \\'quoted\\' text',"2020-01-02"
% between rows
?,1e3, 4 ,'dark blue',0,0,?,?
7,?,?,"it's",?,?,word,2021-03-04
"""


def table(path):
    """Return frame and matrix as one dict of columns, the matrix made dense."""
    raw = read_arff(path)
    columns = {name: raw.frame[name].to_numpy() for name in raw.frame}
    if raw.matrix is not None:
        columns |= dict(zip(raw.matrix_names, raw.matrix.toarray().T, strict=True))
    return columns


def test_dense_file_with_every_kind_of_attribute(write):
    frame = read_table(write("a.arff", DENSE)).frame
    assert list(frame)[:3] == ["plain", "with space", 'dou"ble, {brace}']
    np.testing.assert_array_equal(frame["plain"], [1, np.nan, 7])
    np.testing.assert_array_equal(frame["with space"], [2.5, 1000, np.nan])
    np.testing.assert_array_equal(frame['dou"ble, {brace}'], [-3, 4, np.nan])
    assert frame["colour"].tolist() == ["red", "dark blue", "it's"]
    assert list(frame["colour"].cat.categories) == ["red", "dark blue", "it's"]
    np.testing.assert_array_equal(frame["flag"], [1, 0, np.nan])
    np.testing.assert_array_equal(frame["turned"], [1, 0, np.nan])
    assert frame["remark"].isna().tolist() == [False, True, False]
    assert frame["remark"][0] == "a, 'quoted' text"
    assert frame["at"][0] == pd.Timestamp("2020-01-02")
    assert pd.isna(frame["at"][1])


def test_gzip_carriage_returns_and_byte_order_mark_change_nothing(write):
    plain = read_table(write("a.arff", DENSE)).frame
    other = read_table(write("b.ARFF.gz", gzip.compress(b"\xef\xbb\xbf" + DENSE.replace("\n", "\r\n").encode()))).frame
    pd.testing.assert_frame_equal(plain, other)


def test_what_a_sparse_row_leaves_out(write):
    text = """@relation r
@attribute a numeric
@attribute b {0,1}
@attribute c {1,0}
@attribute d {x,y,z}
@attribute e string
@attribute f numeric
@data
{0 1.5, 1 1, 2 0, 3 y, 4 'some text', 5 -2}
{}
{ 5 ?,  3 ? ,0 0}
{2 0}
"""
    columns = table(write("s.arff", text))
    np.testing.assert_array_equal(columns["a"], [1.5, 0, 0, 0])
    np.testing.assert_array_equal(columns["b"], [1, 0, 0, 0])
    np.testing.assert_array_equal(columns["c"], [0, 1, 1, 0])  # left out: the first value, which is 1
    assert columns["d"].tolist() == ["y", "x", np.nan, "x"]
    assert pd.isna(columns["e"]).tolist() == [False, True, True, True]
    np.testing.assert_array_equal(columns["f"], [-2, 0, np.nan, 0])


def test_a_sparse_matrix_is_compact(write):
    head = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n"
    raw = read_table(write("s.arff", head + "{0 0,1 1}\n{}\n{1 ?,0 2}\n"))
    assert isinstance(raw.matrix, sparse.csr_array)
    assert raw.matrix.nnz == 3
    assert raw.matrix.indices.dtype == np.int32  # scikit-learn does not accept 64-bit indices in places
    assert raw.matrix_names == ("a", "b")
    assert raw.frame.shape == (3, 0)
    assert raw.matrix.has_canonical_format


def test_a_sparse_file_of_empty_rows(write):
    raw = read_table(write("s.arff", "@relation r\n@attribute a numeric\n@data\n{}\n{}\n"))
    assert raw.matrix.shape == (2, 1)
    assert raw.matrix.nnz == 0


def test_a_dense_frame_is_one_block(write):
    names = "".join(f"@attribute a{j} numeric\n" for j in range(200))
    frame = read_table(write("a.arff", f"@relation r\n{names}@data\n" + (",".join("1" * 200) + "\n") * 3)).frame
    assert len(frame._mgr.blocks) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("1,2\n1,2,3\n", r"line 6: 3 values, but 2 attributes are declared"),
        ("1,2\n\n% x\n1\n", r"line 8: 1 values, but 2"),
        ("1,zwei\n", r"line 5, column 'b c': 'zwei' is not a number; a missing value is written '\?'"),
        ("1_0,2\n", r"line 5, column 'a': '1_0' is not a number"),
        ("1,\n", r"line 5, column 'b c': the value is empty"),
        ("1,2\n3,1e999\n", r"line 6, column 'b c': inf is not a finite number"),
        ("1,'2\n", r"line 5: near \"'2\" a quote is not closed"),
        ("1,'2' 3\n", r"line 5: near \"'2' 3\" a quote is not closed, or text follows it"),
        ("1,2\n{0 1}\n", r"line 6: dense and sparse rows are mixed"),
        ("{0 1}\n1,2\n", r"line 6: dense and sparse rows are mixed"),
        ("{0 1}\n{5 1}\n", r"line 6: index 5 \(counted from 0\), but only 2 attributes"),
        ("{-1 1}\n", r"line 5: near '-1 1' a sparse row must read '\{index value, \.\.\.\}'"),
        ("{0 1 2, 1}\n", r"line 5, column 'a': '1 2' is not a number"),
        ("{0 1, 1}\n", r"line 5: near ' 1' a sparse row"),
        ("{0 1\n", r"line 5: the sparse row has no closing brace"),
        ("{0 1}\n{1 2, 0 3, 1 4}\n", r"line 6, column 'b c': the sparse row gives this attribute twice"),
        ("{0 1}\n{1 -inf}\n", r"line 6, column 'b c': -inf is not a finite number"),
        ("", r"there is no row after @data"),
        ("% only a comment\n", r"there is no row after @data"),
    ],
)
def test_broken_rows_are_located(write, data, message):
    path = write("bad.arff", f"@relation r\n@attribute a numeric\n@attribute 'b c' real\n@data\n{data}")
    with pytest.raises(ReadError, match=message) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("row", ["2,?", "{0 2}", "0.5,?"])
def test_a_binary_attribute_takes_0_and_1_only(write, row):
    for extra in ("{x,y}", "numeric"):  # with and without the short cut for plain numbers
        path = write("bad.arff", f"@relation r\n@attribute a {{0,1}}\n@attribute b {extra}\n@data\n{row}\n")
        with pytest.raises(ReadError, match=r"line 5, column 'a': \S+ is not one of the declared values \{0, 1\}"):
            read_table(path)


def test_an_undeclared_value_is_located(write):
    path = write("bad.arff", "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\nx,1\nz,1\n")
    with pytest.raises(ReadError, match=r"line 6, column 'a': 'z' is not one of the declared values \{x, y\}"):
        read_table(path)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("", "the file ends without @data: it is empty"),
        ("@relation r\n@attribute a numeric\n", "the file ends without @data"),
        ("@relation r\n@data\n1\n", "line 2: @data stands here before any @attribute"),
        ("id,a,b\n1,2,3\n", r"line 1: expected @attribute or @data, but found 'id,a,b': is this an ARFF file\?"),
        (
            "@attribute a numeric\n@attribute a real\n@data\n",
            "line 2, column 'a': an attribute of this name",
        ),
        ("@attribute a b numeric\n@data\n", "line 1, column 'a': the type 'b numeric' is not one of numeric"),
        ("@attribute 'a numeric\n@data\n", r"line 1: cannot read the attribute's name .* is a quote missing\?"),
        ("@attribute a\n@data\n", "line 1, column 'a': the type '' is not one of"),
        ("@attribute a {x,y\n@data\n", "line 1, column 'a': the list of values has no closing brace"),
        (
            "@attribute a {x,'y}\n@data\n",
            "line 1, column 'a': in the list of values, near \"'y\" a quote",
        ),
        ("@attribute a {x,x}\n@data\n", "line 1, column 'a': a value is listed twice"),
        ("@attribute a relational\n@data\n", "line 1, column 'a': the type 'relational' is not one of"),
    ],
)
def test_broken_headers_are_located(write, header, message):
    with pytest.raises(ReadError, match=message):
        read_table(write("bad.arff", header))


def test_limits_on_attributes_and_values(write, monkeypatch):
    path = write("a.arff", "@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4\n")
    monkeypatch.setattr("halflabel_papers.sets.arff.MAX_VALUES", 3)
    with pytest.raises(ReadError, match="line 5: more than 3 values, the limit"):
        read_table(path)
    monkeypatch.setattr("halflabel_papers.sets.arff_header.MAX_ATTRIBUTES", 1)
    with pytest.raises(ReadError, match="line 2: there are more than 1 attributes, the limit"):
        read_table(path)


def test_split_cells_takes_time_linear_in_the_line():
    assert split_cells(" " * 200_000 + "a" + " " * 200_000) == ["a"]
    with pytest.raises(ValueError, match="quote is not closed"):
        split_cells("'" + "a\\'" * 100_000)


# -- against liac-arff, and against what was written --------------------------------

words = st.text(st.sampled_from("ab 0?,'\"{}%\\\t_é"), min_size=1, max_size=6)
names = st.lists(words.filter(str.strip), min_size=1, max_size=5, unique=True)


def quoted(text, mark):
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark).replace("\t", "\\t") + mark


@given(words, st.sampled_from("'\""))
def test_quoting_round_trips(text, mark):
    assert unquote(quoted(text, mark)) == text
    assert split_cells(f" {quoted(text, mark)} ,?, {quoted(text, mark)}") == [text, None, text]


@st.composite
def written_tables(draw):
    """Return (names, kinds, values by column with None for missing)."""
    columns = draw(names)
    number = st.none() | st.floats(allow_nan=False, allow_infinity=False)
    kinds, values, rows = [], [], draw(st.integers(1, 5))
    for _ in columns:
        kind = draw(st.sampled_from(["numeric", "string", "nominal"]))
        domain = tuple(draw(st.lists(words, min_size=2, max_size=4, unique=True)))
        cell = {"numeric": number, "string": st.none() | words, "nominal": st.none() | st.sampled_from(domain)}[kind]
        kinds.append((kind, domain))
        values.append(draw(st.lists(cell, min_size=rows, max_size=rows)))
    return columns, kinds, values


def arff_text(columns, kinds, values, *, sparse_rows, mark="'"):
    def cell(value):
        return "?" if value is None else repr(value) if isinstance(value, float) else quoted(value, mark)

    declared = [
        "{" + ",".join(quoted(v, mark) for v in domain) + "}" if kind == "nominal" else kind for kind, domain in kinds
    ]
    head = [f"@attribute {quoted(name, mark)} {kind}" for name, kind in zip(columns, declared, strict=True)]
    rows = [
        "{" + ",".join(f"{j} {cell(v)}" for j, v in enumerate(row)) + "}" if sparse_rows else ",".join(map(cell, row))
        for row in zip(*values, strict=True)
    ]
    return "\n".join(["@relation r", *head, "@data", *rows]) + "\n"


@given(written_tables(), st.booleans(), st.sampled_from("'\""))
def test_what_was_written_is_read(tmp_path_factory, written, sparse_rows, mark):
    columns, kinds, values = written
    path = tmp_path_factory.mktemp("arff") / "a.arff"
    path.write_text(arff_text(*written, sparse_rows=sparse_rows, mark=mark), encoding="utf-8", newline="")
    found = table(path)
    assert set(found) == set(columns)
    for name, (kind, domain), expected in zip(columns, kinds, values, strict=True):
        if kind == "nominal" and set(domain) == {"0", "1"}:
            expected = [None if value is None else float(value) for value in expected]
        assert [None if pd.isna(value) else value for value in found[name].tolist()] == expected


CELLS = {"numeric": "0 1 -2.5 1e-3 ?", "{0,1}": "0 1 ?", "{1,0}": "0 1 ?", "{x,y,z}": "x y z ?"}


@st.composite
def plain_tables(draw):
    """Return (type of each column, lines of data); a sparse row leaves columns out."""
    kinds, in_braces = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6)), draw(st.booleans())
    row = st.tuples(*(st.sampled_from(CELLS[kind].split()) for kind in kinds)).map(lambda row: dict(enumerate(row)))
    rows = draw(st.lists(row, min_size=1, max_size=5))
    if not in_braces:
        return kinds, [", ".join(row.values()) for row in rows]
    rows = [{j: token for j, token in row.items() if draw(st.booleans())} for row in rows]
    return kinds, ["{" + ", ".join(f"{j} {token}" for j, token in row.items()) + "}" for row in rows]


@given(plain_tables())
def test_agrees_with_liac_arff(tmp_path_factory, drawn):
    kinds, rows = drawn
    head = [f"@ATTRIBUTE a{j} {kind}" for j, kind in enumerate(kinds)]
    text = "\n".join(["@RELATION r", *head, "@DATA", *rows]) + "\n"
    path = tmp_path_factory.mktemp("arff") / "a.arff"
    path.write_text(text)
    found, oracle = table(path), liac.loads(text)["data"]
    for j, kind in enumerate(kinds):
        expected = [row[j] if row[j] is None or kind == "{x,y,z}" else float(row[j]) for row in oracle]
        assert [None if pd.isna(value) else value for value in found[f"a{j}"].tolist()] == expected


def test_complete_binary_attributes_are_whole_numbers(tmp_path):
    path = tmp_path / "b.arff"
    path.write_text("@relation r\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c numeric\n@data\n1,?,2\n0,1,3\n")
    frame = read_arff(path).frame
    assert frame.columns.tolist() == ["a", "b", "c"]
    assert [dtype.kind for dtype in frame.dtypes] == ["i", "f", "f"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (r"'\ud800'", r"line 3: \\ud800 is half of a surrogate pair"),
        (r"{0 '\udfff'}", r"line 3: \\udfff is half of a surrogate pair"),
        ("{" + "9" * 5000 + " 1}", r"line 3: index 9{20} \(counted from 0\), but only 1 attributes are declared"),
    ],
)
def test_no_half_characters_and_no_endless_numbers(write, row, message):
    with pytest.raises(ReadError, match=message):
        read_table(write("a.arff", f"@attribute a string\n@data\n{row}\n"))
