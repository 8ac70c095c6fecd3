import os
import pickle

import numpy as np
import pytest

from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table
from halflabel.files.vectors import read_vectors


def save(path, array, **options):
    np.save(path, array, **options)
    return path


def test_vectors(tmp_path):
    path = save(tmp_path / "X.npy", np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(read_vectors(path), [[0, 1], [2, 3], [4, 5]])
    raw = read_table(path)
    assert raw.matrix_names == ("x0", "x1")
    assert raw.frame.shape == (3, 0)
    assert raw.arranged(["x0"], ["x1"]).frame["x1"].tolist() == [1, 3, 5]
    assert raw.arranged(["x0"], ["x1"]).matrix.tolist() == [[0], [2], [4]]


def test_broken_vectors(tmp_path, write):
    cases = {
        r"shape \(3,\) and type float64": np.zeros(3),
        r"shape \(1, 1, 1\)": np.zeros((1, 1, 1)),
        r"type complex128": np.zeros((2, 2), dtype=complex),
        r"type <U1": np.array([["a"]]),
        r"without pickled objects": np.array([[{}]], dtype=object),
    }
    for message, array in cases.items():
        with pytest.raises(ReadError, match=message):
            read_table(save(tmp_path / "X.npy", array, allow_pickle=True))
    whole = save(tmp_path / "X.npy", np.zeros((9, 9))).read_bytes()
    for content in (b"", whole[:50], whole[:-9], b"a,b\n1,2\n", pickle.dumps([1])):
        with pytest.raises(ReadError, match=r"X\.npy: (it cannot be read as a NumPy array|this is a pickle)"):
            read_table(write("X.npy", content))
    np.savez(tmp_path / "two.npz", a=np.zeros((2, 2)))
    (tmp_path / "two.npz").rename(tmp_path / "two.npy")
    with pytest.raises(ReadError, match="this is a file of several NumPy arrays"):
        read_table(tmp_path / "two.npy")
    with pytest.raises(ReadError, match=r"gone\.npy: it cannot be opened \(No such file"):
        read_vectors(tmp_path / "gone.npy")


def test_files_that_cannot_be_read_at_all(tmp_path, write):
    with pytest.raises(ReadError, match=r"gone\.csv: there is no such file"):
        read_table(tmp_path / "gone.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ReadError, match="this is a folder; name a file in it"):
        read_table(tmp_path / "folder.csv")
    with pytest.raises(
        ReadError,
        match=r"its suffix '\.data' is that of a known format; .* by suffix: \.arff, \.arrow, \.csv",
    ):
        read_table(write("a.data", ""))
    with pytest.raises(ReadError, match="its suffix '' is that of a known"):
        read_table(write("a", ""))
    with pytest.raises(ReadError, match="sheet= does not apply to a file of the format csv"):
        read_table(write("a.csv", "a\n1\n"), sheet="x")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(write):
    path = write("a.csv", "a\n1\n")
    path.chmod(0)
    with pytest.raises(ReadError, match=r"it cannot be opened \(Permission denied\)"):
        read_table(path)


def test_errors_survive_pickling():
    error = ReadError.at("a.csv", "reason.", line=3, column="b")
    assert str(pickle.loads(pickle.dumps(error))) == "a.csv: line 3, column 'b': reason."  # noqa: S301
