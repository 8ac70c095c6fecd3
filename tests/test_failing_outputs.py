"""Failures and kills while outputs are written or read: all outputs are old, or all are new; never a temporary file."""

from __future__ import annotations

import gc
import os
import shutil
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from tests.failures import (
    DAMAGED_DISK,
    FULL_DISK,
    FULL_MEMORY,
    attempts,
    fail_allocation,
    fail_call,
    fail_read,
    fail_write,
)
from tests.fuzz.kills import NAMES, kill_before_rename, kill_often, make_completions, read_set, write_set
from tests.fuzz.library_files import ends_process
from tests.fuzz.seeds import FORMATS

import halflabel as hl
from halflabel._files import PREFIX, atomic_folder, atomic_write
from halflabel.cli.console import report_errors
from halflabel.completion.model_file.archive import ModelFileError
from halflabel.files import excel
from halflabel.files.raw_table import ReadError, TextForm

#: What fails, how, the exit code of the command, and the end of its sentence.
WRITING = {
    "fsync": (fail_call("fsync"), FULL_DISK, 1, "no space left on device.\n"),
    "replace": (fail_call("replace"), FULL_DISK, 1, "no space left on device.\n"),
    "interrupt": (fail_call("replace"), KeyboardInterrupt(), 130, "Interrupted.\n"),
    "write": (fail_write, FULL_DISK, 1, "no space left on device.\n"),
    "allocation": (fail_allocation, FULL_MEMORY, 1, "Error: Unable to allocate 1. GiB for an array\n"),
}

#: Every how many calls one fails in the fast suite.
FAST_STEPS = {"fsync": 5, "replace": 1, "interrupt": 2, "write": 48, "allocation": 96}

#: The same where something is read; the slow suite lets every single call fail.
READING_STEP = 9
steps = pytest.mark.parametrize("step", [READING_STEP, pytest.param(1, marks=pytest.mark.slow)])

#: The formats of the fast suite: one that is read here, and one by a library of its own.
FAST_FORMATS = ("csv", "excel")

READING = {"read": (fail_read, DAMAGED_DISK), "allocation": (fail_allocation, FULL_MEMORY)}


@pytest.fixture(scope="module")
def completions():
    return make_completions()


def run_as_command(work, capsys):
    """Do the work as a command does; return its exit code and what it prints to standard error."""
    code = 0
    try:
        with report_errors():
            work()
    except SystemExit as end:
        code = end.code
    return code, capsys.readouterr().err


def check_every_failure(completions, folder, capsys, kind, step):
    first, second = completions
    seam, error, expected_code, end = WRITING[kind]
    write_set(first, folder)
    for failure in attempts(seam, error, step):
        with failure:
            code, printed = run_as_command(lambda: write_set(second, folder), capsys)
        assert [name for name in os.listdir(folder) if name.startswith(PREFIX)] == []
        sources = set(read_set(folder))
        if code == 0:  # nothing failed, or only the synchronisation of the folder, which some systems do not have
            assert sources == {"late"}
            assert not printed
            write_set(first, folder)
            continue
        assert failure.has_happened
        assert sources == {"early"}
        assert code == expected_code
        assert printed.endswith(end)
        assert printed.count("\n") == 1
        if error is FULL_DISK:
            assert any(f"Error: {folder / name}: " in printed for name in NAMES)


@pytest.mark.parametrize("kind", WRITING)
def test_all_outputs_are_old_or_all_are_new(kind, completions, tmp_path, capsys):
    check_every_failure(completions, tmp_path, capsys, kind, FAST_STEPS[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind, step in FAST_STEPS.items() if step > 1])
def test_all_outputs_are_old_or_all_are_new_at_every_step(kind, completions, tmp_path, capsys):
    check_every_failure(completions, tmp_path, capsys, kind, 1)


def test_a_file_system_without_second_names_still_writes(completions, tmp_path):
    first, second = completions
    write_set(first, tmp_path)
    for failure in attempts(fail_call("link"), OSError(95, "Operation not supported")):
        with failure:
            write_set(second, tmp_path)
        assert set(read_set(tmp_path)) == {"late"}
        assert sorted(os.listdir(tmp_path)) == sorted(NAMES)


def test_a_workbook_on_a_full_disk_leaves_no_open_archive(tmp_path):
    frame, path = pd.DataFrame({"x": [1, 2]}), tmp_path / "a.xlsx"
    for failure in attempts(fail_write, FULL_DISK):
        with failure, suppress(OSError):
            excel.FORMAT.write(frame, path, TextForm())
        gc.collect()  # an archive that is open complains here
    assert excel.FORMAT.read(path).frame["x"].tolist() == [1, 2]


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_folder_appears_whole_or_not_at_all(name, tmp_path):
    for failure in attempts(fail_call(name), FULL_DISK):
        with failure, suppress(OSError), atomic_folder(tmp_path / "out") as folder:
            for inside in "ab":
                with atomic_write(folder / inside, "w") as file:
                    file.write("new")
        if os.listdir(tmp_path):
            assert os.listdir(tmp_path) == ["out"]
            assert sorted(os.listdir(tmp_path / "out")) == ["a", "b"]
            shutil.rmtree(tmp_path / "out")
    assert failure.left > 0


def test_a_folder_that_a_killed_run_left_is_removed_by_the_next(tmp_path):
    (tmp_path / f"{PREFIX}abc.tmp").mkdir()
    (tmp_path / f"{PREFIX}abc.tmp" / "half").write_text("half")
    with atomic_folder(tmp_path / "out"), atomic_folder(tmp_path / "other"):
        pass  # the first one, which waits, is not taken for a stale one
    assert sorted(os.listdir(tmp_path)) == ["other", "out"]


def check_reader(reader, kind, path, step=1):
    """Let every read or allocation fail once: the reader raises a sentence that names the file, or MemoryError."""
    for failure in attempts(*READING[kind], step):
        sentence = None
        with failure:
            try:
                reader(path)
            except (ReadError, ModelFileError, MemoryError) as error:
                sentence = str(error)
        assert sentence is None or failure.has_happened
        assert sentence in (None, str(FULL_MEMORY)) or str(path) in sentence


@pytest.mark.parametrize("kind", READING)
@steps
def test_a_model_is_read_whole_or_not_at_all(kind, step, completions, tmp_path):
    path, rows = tmp_path / "m.halflabel", np.zeros((3, 2))
    completions[0].save(path)
    expected = hl.load(path).predict_proba(rows).to_numpy()

    def use(path):
        assert (hl.load(path).predict_proba(rows).to_numpy() == expected).all()

    check_reader(use, kind, path, step)


#: Arrow reads files by itself, and the reader of XML allocates no array. Formats that write again are no readers.
TABLES = [
    pytest.param(kind, each, step, id=f"{step}-{kind}-{each.name}", marks=pytest.mark.slow if step == 1 else ())
    for each in FORMATS
    for kind in READING
    for step in (1, READING_STEP)[: 1 + (each.name in FAST_FORMATS)]
    if each.error is ReadError
    and not each.name.endswith("written again")
    and (kind, each.name) not in (("read", "parquet"), ("allocation", "xml"))
]


@pytest.mark.parametrize(("kind", "format", "step"), TABLES)
def test_a_table_is_read_whole_or_not_at_all(kind, format, step, tmp_path, monkeypatch):
    monkeypatch.setattr("halflabel.files.statistics._ends_process", ends_process)  # a fork, not a new Python
    path = tmp_path / f"seed{format.suffix}"
    path.write_bytes(format.seed())
    check_reader(format.reader, kind, path, step if kind == "allocation" else max(1, step // 3))


def test_nothing_is_written_between_the_renames(completions, tmp_path, monkeypatch):
    """Only a kill in these microseconds may leave old and new files together."""
    first, second = completions
    write_set(first, tmp_path)
    calls = []

    def note(name, real):
        return lambda *given, **options: calls.append(name) or real(*given, **options)

    for name in ("replace", "fsync", "open", "link"):
        monkeypatch.setattr(os, name, note(name, getattr(os, name)))
    write_set(second, tmp_path)
    renames = calls.index("replace")
    assert calls[renames : renames + len(NAMES)] == ["replace"] * len(NAMES)
    assert {*calls[:renames]} > {"fsync", "link"}


@pytest.mark.parametrize("call", range(len(NAMES) + 1))
def test_a_kill_before_any_rename_leaves_whole_files_and_the_next_run_no_temporary_file(call, completions, tmp_path):
    first, second = completions
    write_set(first, tmp_path)
    kill_before_rename(call, second, tmp_path)
    assert read_set(tmp_path) == ("late",) * call + ("early",) * (len(NAMES) - call)
    write_set(first, tmp_path)
    assert read_set(tmp_path) == ("early",) * len(NAMES)
    assert {path.name for path in tmp_path.iterdir()} == {*NAMES}


@pytest.mark.slow
def test_kills_at_any_moment_leave_one_set(tmp_path):
    counts = kill_often(tmp_path, 60, seed=0)
    assert {*counts} - {"between renames", "temporary files at the kill"} == {"killed by SIGKILL", "killed by SIGTERM"}
