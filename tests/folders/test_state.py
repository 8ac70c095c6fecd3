"""The state of a run, changed at random: the same command ends with equal parts, or in one sentence."""

from __future__ import annotations

import io
import json
import os
import re
import shutil

import numpy as np
import pytest
from tests.folders.conftest import complete_parts, read_content, stop_after_two, write_parts

from halflabel.folders import folder
from halflabel.folders.verifying import verify_folder

pytestmark = pytest.mark.usefixtures("one_member")


class Run:
    """A run of four parts that can be set back to the state in which two parts, or all, were finished.

    Parameters
    ----------
    tmp : Path
    items : DataFrame
    """

    def __init__(self, tmp, items, monkeypatch):
        self.place, self.kept = tmp / "work", tmp / "kept"
        given = write_parts(items, self.place / "in")
        finish = stop_after_two(monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            self.go_on()
        monkeypatch.setattr(folder, "complete_part", finish)
        shutil.copytree(self.place, self.kept / "stopped")
        self.go_on()
        shutil.copytree(self.place, self.kept / "finished")
        self.whole = self.read()
        assert given.exists()

    def go_on(self):
        """Start the same command again."""
        return complete_parts(self.place / "in", self.place / "out", max_unlabelled=30, probabilities=self.place / "p")

    def read(self):
        """Return the bytes of the completed parts and of their probabilities."""
        return read_content(self.place / "out"), read_content(self.place / "p")

    def set_back(self, state):
        """Restore a state, and return its files; the times are those of the copies."""
        shutil.rmtree(self.place)
        shutil.copytree(self.kept / state, self.place)
        return sorted(path for path in self.place.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def run(items, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        return Run(tmp_path_factory.mktemp("state"), items, monkeypatch)


def change_at_random(files, rng):
    """Change one file as disks, transfers, people and other programs do; return what was done."""
    path, other = (files[int(rng.integers(len(files)))] for _ in range(2))
    content, kind = path.read_bytes(), CHANGES[int(rng.integers(len(CHANGES)))]
    kind(path, other, content, rng)
    return f"{kind.__name__} of {path.name}, with {other.name}"


def truncate(path, other, content, rng):
    path.write_bytes(content[: int(rng.integers(len(content) + 1))])


def empty(path, other, content, rng):
    path.write_bytes(b"")


def flip(path, other, content, rng):
    """Flip one bit, and keep the size and the time."""
    before, at = path.stat(), int(rng.integers(max(len(content), 1)))
    path.write_bytes(
        content[:at] + bytes(byte ^ 1 << int(rng.integers(8)) for byte in content[at : at + 1]) + content[at + 1 :]
    )
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(path, other, content, rng):
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


def replace(path, other, content, rng):
    path.write_bytes(other.read_bytes())


def delete(path, other, content, rng):
    path.unlink()


def make_a_folder(path, other, content, rng):
    path.unlink()
    path.mkdir()


def change_a_value(path, other, content, rng):
    """Change one value of a JSON object, or of an archive of arrays; of other files, a block."""
    if path.suffix == ".json":
        values = json.loads(content)
        key = sorted(values)[int(rng.integers(len(values)))]
        odd = [None, 7, -1, 1e300, "x", [], {}, [[]], {"a": 1}, True, np.nan]
        path.write_text(json.dumps({**values, key: odd[int(rng.integers(len(odd)))]}))
    elif path.suffix == ".npz":
        with np.load(path) as file:
            arrays = dict(file)
        name = sorted(arrays)[int(rng.integers(len(arrays)))]
        arrays[name] = rng.permuted(arrays[name]) if rng.random() < 0.5 else arrays[name][:-1]
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        path.write_bytes(stream.getvalue())
    else:
        at = int(rng.integers(max(len(content), 1)))
        path.write_bytes(content[:at] + rng.bytes(len(content[at : at + 40])) + content[at + 40 :])


def nest(path, other, content, rng):
    path.write_text("[" * 100_000)


CHANGES = [truncate, empty, flip, swap, replace, delete, make_a_folder, change_a_value, nest]


def check_change(run, state, seed):
    """Change the state, start the command again, and check what it ends with."""
    rng = np.random.default_rng(seed)
    done = f"seed {seed}, {state}: {change_at_random(run.set_back(state), rng)}"
    try:
        run.go_on()
    except (ValueError, OSError) as error:
        sentence = f"{error} {getattr(error, 'filename', '')}"
    else:
        assert run.read() == run.whole, done
        return "equal"
    assert "\n" not in sentence, done
    assert str(run.place) in sentence, done
    return "raised"


@pytest.mark.parametrize("state", ["stopped", "finished"])
def test_a_changed_state_ends_with_equal_parts_or_in_a_sentence(run, state):
    outcomes = [check_change(run, state, seed) for seed in range(6)]
    assert set(outcomes) == {"raised", "equal"}


@pytest.mark.slow
@pytest.mark.parametrize("state", ["stopped", "finished"])
def test_many_changed_states_end_with_equal_parts_or_in_a_sentence(run, state):
    """A campaign of 1 000: `STATES=500 python -m pytest -m slow tests/folders/test_state.py`."""
    seeds = range(100, 100 + int(os.environ.get("STATES", "60")))
    assert {check_change(run, state, seed) for seed in seeds} == {"raised", "equal"}


@pytest.mark.parametrize("state", ["stopped", "finished"])
@pytest.mark.parametrize("change", [truncate, empty, flip, delete, swap])
def test_a_finished_part_that_was_damaged_is_completed_again(run, state, change):
    names = {"part-0.parquet", "part-1.parquet", "part-0.parquet.parquet", "part-1.parquet.parquet"}
    files = [path for path in run.set_back(state) if path.name in names and "in" not in path.parts[-2:-1]]
    assert len(files) == 4
    change(files[0], files[1], files[0].read_bytes(), np.random.default_rng(3))
    run.go_on()
    assert run.read() == run.whole


@pytest.mark.parametrize("state", ["stopped", "finished"])
@pytest.mark.parametrize("number", range(4))
def test_an_input_with_other_content_of_the_same_size_and_time_is_named(run, state, number):
    files = run.set_back(state)
    path = next(each for each in files if each == run.place / "in" / f"part-{number}.parquet")
    flip(path, None, path.read_bytes(), np.random.default_rng(number))
    with pytest.raises(FileExistsError, match=rf"whose input has changed since \(.part-{number}\.parquet.\)"):
        run.go_on()


def test_an_input_that_was_touched_is_the_same(run):
    run.set_back("stopped")
    for path in (run.place / "in").iterdir():
        os.utime(path)
    run.go_on()
    assert run.read() == run.whole


def test_a_finished_run_is_verified_and_no_changed_file_passes(run):
    run.set_back("finished")
    assert verify_folder(run.place / "out").startswith("4 parts of ")
    rng = np.random.default_rng(5)
    for _ in range(40):
        files = [path for path in run.set_back("finished") if path.parent != run.place / "in"]
        before = {path: path.read_bytes() for path in files}
        done = change_at_random(files, rng)
        if all(path.is_file() and path.read_bytes() == content for path, content in before.items()):
            continue  # a swap with itself
        with pytest.raises((ValueError, OSError), match=re.escape(str(run.place))) as error:
            verify_folder(run.place / "out")
        assert "\n" not in str(error.value), done


def test_a_run_that_has_not_ended_is_not_verified(run):
    run.set_back("stopped")
    with pytest.raises(ValueError, match="has not ended"):
        verify_folder(run.place / "out")
    with pytest.raises(ValueError, match="holds no run"):
        verify_folder(run.place / "in")
