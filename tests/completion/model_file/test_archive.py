"""A tree of plain values as a file: what comes back, and the limits of what is read."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from halflabel._arrays import Floats
from halflabel._version import __version__
from halflabel.completion.model_file import archive
from halflabel.completion.model_file.archive import (
    FORMAT,
    ModelFileError,
    is_model,
    load_tree,
    read_heading,
    save_tree,
)

MIB, GIB = 2**20, 2**30


@dataclass(frozen=True, eq=False)
class Part:
    """A record of two fields."""

    name: str
    values: Floats


CLASSES = {"Part": Part}


def write(path, document, **members):
    """Write an archive whose JSON is this document."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.json", json.dumps(document))
        for name, content in members.items():
            file.writestr(f"{name.lstrip('_')}.npy", content)
    return path


def document(**changes: Any) -> dict[str, Any]:
    made = {"halflabel": "0.1", "versions": {"halflabel": "0.1"}, "written": "2026-01-01"}
    return {"format": FORMAT, **made, "tree": {"dict": []}} | changes


def test_values_come_back(tmp_path):
    tree = {
        "plain": [None, True, 3, 0.5, "x", (1, ("a",)), np.float64(0.25)],
        "map": {1: "a", "b": {"c": 2}},
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "sparse": sparse.csr_array([[0.0, 2.0], [0.0, 0.0]]),
        "names": np.array(["a", "b"], dtype=object),
        "part": Part("p", np.array([1.0, 2.0])),
    }
    save_tree(tmp_path / "m", tree, CLASSES)
    again = load_tree(tmp_path / "m", CLASSES)
    assert again["plain"] == tree["plain"]
    assert again["map"] == tree["map"]
    for name in ("fortran", "names"):
        np.testing.assert_array_equal(again[name], tree[name])
        assert again[name].dtype == tree[name].dtype
    np.testing.assert_array_equal(again["sparse"].toarray(), tree["sparse"].toarray())
    assert again["part"].name == "p"
    assert again["part"].values.tolist() == [1.0, 2.0]


def test_the_heading_names_when_and_by_what_a_model_was_written(tmp_path):
    save_tree(tmp_path / "m", {}, {})
    heading = read_heading(tmp_path / "m")
    assert heading.format == FORMAT
    assert heading.written.endswith("+00:00")
    assert heading.versions["halflabel"] == __version__
    assert set(heading.versions) >= {"numpy", "scipy", "scikit-learn", "pandas"}
    assert heading.size == (tmp_path / "m").stat().st_size
    for odd in ({"written": 3}, {"versions": {"numpy": 2}}, {"versions": ["numpy"]}):
        with pytest.raises(ModelFileError, match="its versions are not text"):
            read_heading(write(tmp_path / "odd", document(**odd)))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (FORMAT + 1, r"m: it was written by halflabel 0\.1; this is .*: upgrade"),
        (0, "its format is 0"),
        (1.0, "its format is 1.0"),
    ],
)
def test_no_format_of_a_newer_version_is_read(number, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        load_tree(write(tmp_path / "m", document(format=number)), {})


def test_the_tree_is_a_table(tmp_path):
    with pytest.raises(ModelFileError, match="holds no halflabel model"):
        load_tree(write(tmp_path / "m", document(tree={"list": []})), {})


def test_a_model_is_recognised_by_its_suffix_or_by_what_it_holds(tmp_path):
    assert is_model(tmp_path / "none.halflabel")
    assert is_model(write(tmp_path / "m.zip", document()))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("x", "y")
    (tmp_path / "text").write_text("x")
    assert not is_model(tmp_path / "other.zip")
    assert not is_model(tmp_path / "text")
    assert not is_model(tmp_path / "none")


def check_size(size: float, packed: float, others: float = 0, free: float = 1000 * GIB, monkeypatch=None) -> None:
    """Check an archive whose description has ``size`` bytes, ``packed`` in the file; other members have ``others``."""
    monkeypatch.setattr(archive, "free_memory", lambda: free)
    description = SimpleNamespace(file_size=size, compress_size=packed)
    members = [description, SimpleNamespace(file_size=others)]
    archive._check_size(SimpleNamespace(infolist=lambda: members, getinfo={"model.json": description}.get))


class TestLimits:
    @pytest.mark.parametrize(
        ("free", "largest"), [(1000 * GIB, 16 * GIB), (1 * GIB, GIB / 2)], ids=["much memory", "little memory"]
    )
    def test_a_file_unpacks_to_16_gib_or_half_of_the_free_memory(self, free, largest, monkeypatch):
        check_size(1000, 1000, largest - 1000, free, monkeypatch)
        with pytest.raises(ModelFileError, match=f"unpacks to more than {largest / GIB:.1f} GiB, the limit"):
            check_size(1000, 1000, largest - 999, free, monkeypatch)

    @pytest.mark.parametrize(
        ("packed", "largest"),
        [(100, MIB), (MIB / 2, 16 * MIB), (2 * MIB, 32 * MIB)],
        ids=["small", "32 times its packed size", "large"],
    )
    def test_a_description_is_small_or_does_not_shrink_much(self, packed, largest, monkeypatch):
        check_size(largest, packed, monkeypatch=monkeypatch)
        with pytest.raises(
            ModelFileError, match=f"its description alone unpacks to more than {largest // MIB:.0f} MiB"
        ):
            check_size(largest + 1, packed, monkeypatch=monkeypatch)

    def test_an_array_is_read_once(self, tmp_path):
        save_tree(tmp_path / "m", {"a": np.zeros(3)}, {})
        with zipfile.ZipFile(tmp_path / "m") as file:
            content = file.read("0.npy")
        twice = {"dict": [["a", {"npy": 0}], ["b", {"npy": 0}]]}
        with pytest.raises(ModelFileError, match="array 0 is used twice"):
            load_tree(write(tmp_path / "m2", document(tree=twice), _0=content), {})

    @pytest.mark.parametrize(
        ("shape", "ok"), [((3,), True), ((4,), True), ((50,), False), ((-1,), False), ((-2, -2), False), ((0,), True)]
    )
    def test_no_more_memory_is_taken_than_the_file_holds(self, shape, ok, tmp_path):
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
        content = stream.getvalue() + bytes(8 * shape[0] if ok else 0)
        path = write(tmp_path / "m", document(tree={"dict": [["a", {"npy": 0}]]}), _0=content)
        if ok:
            assert load_tree(path, {})["a"].shape == shape
            return
        with pytest.raises(ModelFileError, match="array 0 announces more than its file holds"):
            load_tree(path, {})

    def test_an_array_that_ends_early_is_an_error(self, tmp_path):
        save_tree(tmp_path / "m", {"a": np.arange(300.0)}, {})
        with zipfile.ZipFile(tmp_path / "m") as file:
            content = file.read("0.npy")
        padded = b"\x93NUMPY\x02" + content[7:]
        tree = {"dict": [["a", {"npy": 0}]]}
        for odd, message in (
            (content[:-8], "Failed to read all data|EOF: reading array data"),
            (padded, "has another header"),
        ):
            with pytest.raises(ModelFileError, match=message):
                load_tree(write(tmp_path / "m2", document(tree=tree), _0=odd), {})


def test_a_sparse_matrix_points_inside_its_shape(tmp_path):
    save_tree(tmp_path / "m", {"w": sparse.csr_array(np.eye(3))}, {})
    with zipfile.ZipFile(tmp_path / "m") as file:
        text, arrays = file.read("model.json").decode(), {f"_{k}": file.read(f"{k}.npy") for k in range(3)}
    narrow = json.loads(text.replace('"shape": [3, 3]', '"shape": [3, 2]'))
    with pytest.raises(ModelFileError, match="indices must be < 2"):
        load_tree(write(tmp_path / "m2", narrow, **arrays), {})


def test_only_listed_classes_are_written_and_read(tmp_path):
    with pytest.raises(TypeError, match="a Part cannot be saved as plain data"):
        save_tree(tmp_path / "m", {"part": Part("p", np.zeros(1))}, {})
    save_tree(tmp_path / "m", {"part": Part("p", np.zeros(1))}, CLASSES)
    with pytest.raises(ModelFileError, match="an object of the unknown class 'Part'"):
        load_tree(tmp_path / "m", {})


def test_what_is_no_archive_is_named(tmp_path):
    with pytest.raises(ModelFileError, match="none: there is no such file"):
        load_tree(tmp_path / "none", {})
    (tmp_path / "text").write_text("x")
    with pytest.raises(
        ModelFileError, match=r"text is not a halflabel model, or is damaged \(File is not a zip file\)"
    ):
        load_tree(tmp_path / "text", {})
