import numpy as np
import pandas as pd
import pytest

from halflabel.files.raw_table import RawTable, ReadError
from halflabel.files.reading import read_table
from halflabel_papers.sets import load_benchmark, to_dataset
from halflabel_papers.sets.mulan import declare_labels, read_label_names, read_mulan

ARFF = """@relation r
@attribute b {0,1}
@attribute f numeric
@attribute a {YES,NO}
@attribute 'c d' {0,1}
@data
1,0.5,YES,0
0,1.5,NO,?
?,2.5,?,1
"""
SPARSE = ARFF.split("@data")[0].replace("{YES,NO}", "{0,1}") + "@data\n{0 1,1 0.5,2 1}\n{1 1.5,3 ?}\n{0 ?,1 2.5,3 1}\n"
XML = '<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'
NESTED = XML.format('<label name="c d"><label name="a"/></label><label name="b"></label>')


def test_labels_are_found_by_name_at_any_depth(write):
    write("x.xml", NESTED)
    dense, thin = read_table(write("x.arff", ARFF)), read_table(write("x-sparse.arff", SPARSE))
    for raw in (dense, thin):
        assert raw.label_names == ("c d", "a", "b")
        np.testing.assert_array_equal(raw.frame["a"], [1, 0, np.nan] if raw is dense else [1, 0, 0])
        np.testing.assert_array_equal(raw.frame["b"], [1, 0, np.nan])
        np.testing.assert_array_equal(raw.frame["c d"], [0, np.nan, 1])
        data = to_dataset(raw, "x")
        assert data.feature_names == ("f",)
        assert data.label_names == ("c d", "a", "b")
        X = data.X if raw is dense else data.X.toarray()
        np.testing.assert_array_equal(X, [[0.5], [1.5], [2.5]])
    assert thin.matrix_names == ("f",)


def test_depth_is_not_the_number_of_labels(write):
    names = tuple(f"l{j}" for j in range(200))
    path = write("x.xml", XML.format("".join(f'<label name="{name}"></label>' for name in names)))
    assert read_label_names(path) == names


@pytest.mark.parametrize(
    "name", ["x.arff", "x-train.arff", "x-test.arff", "x-sparse.arff", "x-train-sparse.arff", "x-sparse-test.arff"]
)
def test_the_sibling_label_file(write, name):
    path = write(name, ARFF)
    assert read_mulan(path).label_names == ()
    write("x.xml", NESTED)
    assert read_mulan(path).label_names == ("c d", "a", "b")


def test_a_label_file_given_goes_before_the_sibling(write):
    write("x.xml", NESTED)
    other = write("other.xml", XML.format('<label name="b"/>'))
    assert read_mulan(write("x.arff", ARFF), other).label_names == ("b",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<!DOCTYPE labels><labels/>", "it declares a document type, which may hide entities"),
        ('<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><l><label name="&b;"/></l>', "declares a document type"),
        ('<!DOCTYPE labels [<!ENTITY x SYSTEM "x">]><l/>'.encode("utf-16"), "declares a document type"),
        ("<l>" * 65 + "</l>" * 65, "labels are nested more than 64 levels deep"),
        ("<l>" * 64 + "</l>" * 64, "it names no label"),
        ("<labels>", "it is not well-formed XML"),
        ("", "it is not well-formed XML"),
        ('<?xml version="1.0" encoding="foo"?><l/>', "it is not well-formed XML"),
        ('<?xml version="1.0" encoding="big5"?><l/>', "it is not well-formed XML"),
        ("a,b\n1,0\n", "it is not well-formed XML"),
        ("<labels><label/></labels>", "a <label> has no name attribute"),
        (b" " * 10_000_001, "a label file may hold at most 10,000,000 bytes, and this one holds more"),
    ],
)
def test_broken_label_files(write, content, message):
    with pytest.raises(ReadError, match=message):
        read_label_names(write("x.xml", content))


def test_a_label_file_that_is_not_there(write, tmp_path):
    with pytest.raises(ReadError, match=r"gone\.xml: it cannot be opened \(No such file or directory\)"):
        read_mulan(write("x.arff", ARFF), tmp_path / "gone.xml")


def test_labels_that_the_data_do_not_have(write):
    xml = write("y.xml", XML.format('<label name="a"/><label name="z"/>'))
    with pytest.raises(ReadError, match=r"x\.arff: 1 of the 2 labels named, for example 'z', are not among its 4"):
        read_mulan(write("x.arff", ARFF), xml)


def test_a_category_that_cannot_be_a_label(write):
    xml = write("y.xml", XML.format('<label name="a"/>'))
    for values in ("{YES,true}", "{YES,maybe}", "{-1,1}", "{red,green,blue}"):
        path = write("x.arff", f"@relation r\n@attribute a {values}\n@attribute f numeric\n@data\n?,1\n")
        with pytest.raises(
            ReadError, match=r"column 'a': is named as a label but takes the values \{.*Recode it first"
        ):
            read_mulan(path, xml)


@pytest.mark.parametrize("values", ["{YES,NO}", "{no,yes}", "{True,False}", "{f,t}", "{N,Y}", "{1,0}", "{'0','1'}"])
def test_categories_that_can_only_mean_one_thing(write, values):
    xml = write("y.xml", XML.format('<label name="a"/>'))
    first, second = values.strip("{}").replace("'", "").split(",")
    head = f"@relation r\n@attribute a {values}\n@attribute f numeric\n@data\n"
    column = read_mulan(write("x.arff", head + f"{first},1\n{second},1\n?,1\n"), xml).frame["a"]
    relevant = 0.0 if first.lower() in ("no", "f", "n", "0") else 1.0
    np.testing.assert_array_equal(column, [relevant, 1 - relevant, np.nan])


def test_load_benchmark_names_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.delenv("HALFLABEL_DATA", raising=False)
    with pytest.raises(
        ReadError, match=r"yeast: set the folder of the benchmark sets with folder= or .* HALFLABEL_DATA"
    ):
        load_benchmark("yeast")
    with pytest.raises(ReadError, match="there is no ARFF file for the train or test part"):
        load_benchmark("yeast", tmp_path)


def test_load_benchmark_joins_train_and_test(write, tmp_path, monkeypatch):
    (tmp_path / "x").mkdir()
    monkeypatch.setenv("HALFLABEL_DATA", str(tmp_path))
    write("x/x.xml", NESTED)
    write("x/x-train.arff", ARFF)
    write("x/x-test.arff", ARFF.replace("0.5", "9.5"))
    whole = load_benchmark("x")
    assert whole.X.ravel().tolist() == [0.5, 1.5, 2.5, 9.5, 1.5, 2.5]
    assert len(whole.Y) == 6
    assert whole.name == "x"
    assert load_benchmark("x", part="test").X[0, 0] == 9.5
    write("x/x-test.arff", ARFF.replace("attribute f", "attribute g"))
    with pytest.raises(ReadError, match=r"its columns differ from the columns of .*x-train\.arff"):
        load_benchmark("x")


def test_to_dataset_wants_labels_and_numbers():
    frame = pd.DataFrame({"x": [1.0, 2.0], "colour": ["red", "blue"], "y": [1, None]})
    raw = RawTable(frame, None, (), (), "a.csv", "")
    with pytest.raises(ReadError, match=r"a\.csv: it declares no labels"):
        to_dataset(raw, "a")
    with pytest.raises(ReadError, match=r"a\.csv: column 'colour': is not numeric"):
        to_dataset(declare_labels(raw, ["y"]), "a")
    numbers = RawTable(frame[["x", "y"]], np.array([[5.0], [6.0]]), ("m",), (), "a.csv", "")
    data = to_dataset(declare_labels(numbers, ["y"]), "a")
    assert data.X.tolist() == [[5, 1], [6, 2]]
    assert data.feature_names == ("m", "x")
    assert data.Y.state.tolist() == [[1], [0]]
    assert data.licence == "not stated"
