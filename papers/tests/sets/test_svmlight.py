import gzip

import numpy as np
import pytest

from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table
from halflabel_papers.sets.svmlight import read_svmlight

XMC = "4 6 5\n0,3 0:1.5 5:2\n 2:1\n3 1:0.5\n3,4 \n"


@pytest.mark.parametrize("name", ["a.svm", "a.svmlight", "a.svm.gz"])
def test_the_repository_form(write, name):
    raw = read_table(write(name, gzip.compress(XMC.encode()) if name.endswith("gz") else XMC))
    assert raw.label_names == ("label0", "label1", "label2", "label3", "label4")
    assert raw.frame.to_numpy().tolist() == [[1, 0, 0, 1, 0], [0] * 5, [0, 0, 0, 1, 0], [0, 0, 0, 1, 1]]
    assert raw.matrix.toarray().tolist() == [[1.5, 0, 0, 0, 0, 2], [0, 0, 1, 0, 0, 0], [0, 0.5, 0, 0, 0, 0], [0] * 6]
    assert raw.matrix_names == ("x0", "x1", "x2", "x3", "x4", "x5")


def test_without_header_only_labels_that_occur(write):
    raw = read_table(write("a.svmlight", "1,6 1:1 3:2 # remark\n6 2:1\n\n 3:0.25\n"))
    assert raw.label_names == ("label1", "label6")
    assert raw.frame.to_numpy().tolist() == [[1, 1], [0, 1], [0, 0]]
    np.testing.assert_array_equal(raw.matrix.toarray(), [[1, 0, 2], [0, 1, 0], [0, 0, 0.25]])


def test_top_labels_keeps_the_most_frequent_in_order(write):
    path = write("a.svm", XMC)
    assert read_svmlight(path, top_labels=2).label_names == ("label0", "label3")
    assert read_svmlight(path, top_labels=1).frame["label3"].tolist() == [1, 0, 1, 1]
    assert read_svmlight(path, top_labels=99).label_names == ("label0", "label3", "label4")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("1e400 1:1\n", "the label inf is not a whole number"),
        ("5 6 5\n" + XMC.partition("\n")[2], "line 1: the header announces 5 rows, but 4 follow"),
        ("2 6 3\n0 1:1\n3 1:1\n", "label 3 occurs, but the header announces 3 labels from 0"),
        ("2 6 3\n0 1:1\n2 6:1\n", r"line 3: feature 6 \(counted from 0\), but the header announces 6 features"),
        ("1 1:1\n2 1:x\n", "line 2: '2 1:x' is not 'label,label index:value"),
        ("1 1:1\nzwei 1:1\n", "line 2: 'zwei 1:1' is not"),
        ("1 1:1\n2 3:1 2:1\n", "line 2: the feature indices must increase"),
        ("1.5 1:1\n", "the label 1.5 is not a whole number"),
        ("-1 1:1\n", "the label -1 is not a whole number"),
        (" 1:1\n 2:1\n", "no row has a label"),
        (b"1 1:1\n2 1:\0\n", "line 2: a NUL byte"),
        ("1 2000000000:1\n", r"2,000,000,\d+ features are more than 2,097,152, the limit for a file of this size"),
        ("1 1000000000000000:1\n", "it cannot be read"),
        (
            "1 900000000000 3\n0 1:1\n",
            "900,000,000,000 features are more than 2,097,152, the limit for",
        ),
    ],
)
def test_broken_files_are_located(write, content, message):
    with pytest.raises(ReadError, match=message):
        read_table(write("a.svm", content))


def test_too_many_label_cells_name_the_way_out(write):
    with pytest.raises(
        ReadError, match=r"2 items x 100000001 labels are more than 1,000,000 labels or 2e\+08 cells.*top_labels="
    ):
        read_table(write("a.svm", "2 3 100000001\n0 1:1\n5 2:1\n"))
    assert read_svmlight(write("a.svm", "2 3 100000001\n0 1:1\n5 2:1\n"), top_labels=2).label_names == (
        "label0",
        "label5",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 1 20000000\n0 0:1\n", "1 items x 20000000 labels are more than 1,000,000 labels"),
        ("9" * 5000 + " 5 3\n0 0:1\n", r"line 1: the number 9{20}\.\.\. has 5000 digits"),
        ("1 1 " + "9" * 400 + "\n0 0:1\n", "line 1: the number 9{20}"),
        ("1 " + "9" * 5000 + ":1\n", "line 1: the number 9{20}"),
        ("1 Qid:3 1:1\n", "line 1: '1 Qid:3 1:1' is not 'label,label index:value"),
        ("0 9999999:1\n", "9,999,999 features are more than 2,097,152, the limit for a file of this size"),
    ],
)
def test_a_few_bytes_cannot_announce_a_huge_table(write, content, message):
    with pytest.raises(ReadError, match=message):
        read_table(write("a.svm", content))
