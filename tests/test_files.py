"""Model files: round trips, errors, and writes that are whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.conftest import half_labelled

import halflabel as hl
from halflabel._files import atomic_folder, atomic_write, folds_case, together
from halflabel.completion.model_file.archive import FORMAT, ModelFileError
from halflabel.methods import baselines
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.mark.parametrize("thin", [False, True])
def test_a_saved_model_predicts_the_same_bits(tmp_path, rng, thin):
    X, Y, _ = half_labelled(rng)
    X = sparse.csr_array(X * (np.abs(X) > 0.5)) if thin else X
    filled = hl.complete(X, pd.DataFrame(Y, columns=list("abc")))
    filled.save(tmp_path / "m.halflabel")
    predictor = hl.load(tmp_path / "m.halflabel")
    empty = pd.DataFrame(index=range(60))
    np.testing.assert_array_equal(predictor.predict_proba(empty, X), filled.predictor.predict_proba(empty, X))
    assert predictor.predict(empty, X).columns.tolist() == ["a", "b", "c"]


METHODS = [
    kind
    for home in (hl, baselines)
    for kind in (getattr(home, name) for name in home.__all__)
    if isinstance(kind, type) and issubclass(kind, PartialLabelEstimator)
    if kind is not hl.MixedLabeler  # needs labels of both kinds: tests/completion/test_mixed.py saves it
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", METHODS, ids=lambda kind: kind.__name__)
def test_every_method_comes_back_bit_for_bit_or_raises(kind, tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    weights = {"alpha": 1e-2, "label_weight": 1.0} if kind in (hl.MC1, hl.MCb) else {}  # no search for them
    filled = hl.complete(X, Y, method=kind(**weights))
    if kind is BinaryRelevance:  # it holds classifiers of another library
        with pytest.raises(TypeError, match="a LogisticRegression cannot be saved as plain data; only the methods"):
            filled.save(tmp_path / "m")
        return
    filled.save(tmp_path / "m")
    again = hl.load(tmp_path / "m").model
    assert type(again) is kind
    np.testing.assert_array_equal(again.predict_proba(X), filled.model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), filled.model.predict(X))


def test_no_array_in_the_file_is_pickled(tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    hl.complete(X, Y).save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        assert json.loads(archive.read("model.json"))["format"] == FORMAT
        for name in archive.namelist():
            if name.endswith(".npy"):
                with archive.open(name) as member:
                    assert not np.lib.format.read_array(member, allow_pickle=False).dtype.hasobject


class TestErrors:
    def _document(self, path, document, **members):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("model.json", json.dumps(document))
            for name, content in members.items():
                archive.writestr(name, content)

    def test_a_pickled_array(self, tmp_path):
        np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
        document = {"format": FORMAT, "tree": {"dict": [["predictor", {"npy": 0}]]}}
        self._document(tmp_path / "m", document, **{"0.npy": (tmp_path / "a.npy").read_bytes()})
        with pytest.raises(ModelFileError, match="damaged"):
            hl.load(tmp_path / "m")


class TestAtomicWrite:
    def test_a_failure_leaves_the_old_file(self, tmp_path):
        target = tmp_path / "t.csv"
        target.write_text("old")
        with pytest.raises(UnicodeEncodeError), atomic_write(target, "w") as file:
            file.write("half of the ne\ud800w")
        assert target.read_text() == "old"
        assert os.listdir(tmp_path) == ["t.csv"]

    def test_nothing_is_there_until_it_is_whole(self, tmp_path):
        target = tmp_path / "t.csv"
        with atomic_write(target, "w") as file:
            file.write("new")
            file.flush()
            assert not target.exists()
        assert target.read_text() == "new"

    def test_permissions_are_those_of_a_new_file(self, tmp_path):
        (tmp_path / "plain").write_text("")
        with atomic_write(tmp_path / "ours") as file:
            file.write(b"")
        assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode

    def test_a_link_keeps_pointing_to_the_file(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        with atomic_write(tmp_path / "link", "w") as file:
            file.write("new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"

    def test_a_pipe_stays_a_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(PermissionError, match="a folder or a device"), atomic_write(tmp_path / "pipe"):
            pass
        assert (tmp_path / "pipe").is_fifo()

    def test_a_long_name_leaves_room_for_the_temporary_one(self, tmp_path):
        with atomic_write(tmp_path / ("n" * 250), "w") as file:
            file.write("new")
        assert os.listdir(tmp_path) == ["n" * 250]

    def test_what_a_killed_run_left_is_removed_by_the_next(self, tmp_path):
        (tmp_path / ".halflabel-abc.tmp").write_text("half of a file")
        with atomic_write(tmp_path / "a", "w") as first, atomic_write(tmp_path / "b", "w") as second:
            first.write("1")
            second.write("2")
        assert sorted(os.listdir(tmp_path)) == ["a", "b"]


class TestTogether:
    def test_all_files_appear_at_the_end(self, tmp_path):
        (tmp_path / "b").write_text("old")
        with together():
            for name in "ab":
                with atomic_write(tmp_path / name, "w") as file:
                    file.write("new")
            assert not (tmp_path / "a").exists()
            assert (tmp_path / "b").read_text() == "old"
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "new", "b": "new"}

    def test_a_waiting_file_is_not_stale_for_another_process(self, tmp_path):
        write = "from halflabel._files import atomic_write\nwith atomic_write('c', 'w') as file: file.write('other')"
        with together():
            with atomic_write(tmp_path / "a", "w") as file:
                file.write("new")
            subprocess.run([sys.executable, "-c", write], cwd=tmp_path, check=True)
        assert (tmp_path / "a").read_text() == "new"
        assert sorted(os.listdir(tmp_path)) == ["a", "c"]


def _forbid(*_):
    raise PermissionError


class TestPermissions:
    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o660, 0o666, 0o755, 0o440])
    def test_a_file_that_is_replaced_hands_them_on(self, tmp_path, mode):
        target = tmp_path / "a"
        target.write_text("old")
        target.chmod(mode)
        with atomic_write(target, "w") as file:
            assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {mode}  # also while it is written
            file.write("new")
        assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", mode)

    def test_a_folder_that_is_replaced_hands_them_on(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "a").chmod(0o750)
        with atomic_folder(tmp_path / "a") as folder:
            (folder / "x").touch()
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o750

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives a file to a group")
    @pytest.mark.parametrize(("is_allowed", "group", "mode"), [(True, 12345, 0o640), (False, os.getgid(), 0o600)])
    def test_another_group_gets_no_permission(self, tmp_path, monkeypatch, is_allowed, group, mode):
        target = tmp_path / "a"
        target.touch()
        os.chown(target, -1, 12345)
        target.chmod(0o640)
        if not is_allowed:
            monkeypatch.setattr("os.chown", _forbid)
        with atomic_write(target):
            pass
        assert (target.stat().st_gid, target.stat().st_mode & 0o777) == (group, mode)


class TestCase:
    def test_a_folder_is_tried_out(self, tmp_path, monkeypatch):
        def exists(path):
            return os.path.basename(path).lower() in map(str.lower, os.listdir(tmp_path))

        (tmp_path / "a").touch()
        assert folds_case(tmp_path) is (tmp_path / "A").exists()
        (tmp_path / "a").unlink()
        monkeypatch.setattr("os.path.exists", exists)  # as a file system without case answers
        assert folds_case(tmp_path)
        assert os.listdir(tmp_path) == []

    def test_what_cannot_be_tried_out_is_taken_for_granted(self, tmp_path):
        assert folds_case(tmp_path / "none")


@pytest.mark.parametrize("write", [atomic_write, atomic_folder])
def test_an_output_without_a_folder_is_one_sentence(tmp_path, write):
    (tmp_path / "file").write_text("")
    for name, sentence in (("none/x.csv", "there is no folder"), ("file/x.csv", "is a file, not a folder")):
        with pytest.raises(OSError, match=sentence) as caught, write(tmp_path / name):
            pass
        assert str(caught.value).startswith(f"{tmp_path / name} cannot be written: ")
        assert caught.value.errno is None  # no code in the sentence
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
