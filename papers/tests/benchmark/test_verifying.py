"""A file of the board is verified by cells that its own digest draws: a forged one is found."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from papers.tests.benchmark.toy import NEAREST, make_board

from halflabel_papers.benchmark import boards, verifying
from halflabel_papers.benchmark.command import benchmark
from halflabel_papers.benchmark.leaderboard import VERIFIED, digest_file, read_entry
from halflabel_papers.benchmark.running import add_method, make_entries
from halflabel_papers.benchmark.verifying import plan_verification
from halflabel_papers.execute import execute
from halflabel_papers.metrics import METRICS
from halflabel_papers.spec import SpecError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def board(monkeypatch):
    """The toy board, with runs in this process."""
    board = make_board("Good", "Breaks")
    monkeypatch.setattr(boards, "read_board", lambda: board)
    monkeypatch.setattr(verifying, "execute_alone", lambda run, folder, limit, started: execute(run, folder))
    return board


def write(board, folder, name="Good", change=lambda record: record):
    runs = [run for run in board.list_runs([name]) if run.method == name]
    (entry,) = make_entries(board, [execute(run, None) for run in runs])
    path = folder / entry.file
    path.write_bytes(replace(entry, records=tuple(map(change, entry.records))).pack(board))
    return path


def invoke(path, *arguments):
    environment = {"HALFLABEL_DATA": None, "COLUMNS": "200"}
    return CliRunner().invoke(benchmark, ["--verify", str(path), *arguments], env=environment)


@pytest.mark.parametrize("name", ["Good", "Breaks"])
def test_an_honest_file_is_verified_until_it_changes(board, tmp_path, name):
    path = write(board, tmp_path, name)
    assert not read_entry(path, board).verified
    result = invoke(path)
    assert result.exit_code == 0, result.output
    assert "is verified: 3 cells have the recorded figures" in " ".join(result.output.split())
    assert read_entry(path, board).verified
    entry = read_entry(path, board)
    path.write_bytes(replace(entry, records=entry.records[:-1]).pack(board))
    assert not read_entry(path, board).verified


def best_of(metrics):
    return {name: 1.0 if name in METRICS and METRICS[name].greater_is_better else 0.0 for name in metrics}


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, metrics=best_of(r.metrics)),
        lambda r: replace(r, metrics={**r.metrics, "brier": 0.0}),
        lambda r: replace(r, metrics={**r.metrics, "brier": float("nan")}),
        lambda r: replace(r, metrics={"brier": r.metrics["brier"]}),
        lambda r: replace(r, metrics={}, failed="TimeLimitReached"),
    ],
    ids=["all of the best", "brier", "no number", "fewer metrics", "failed"],
)
def test_a_forged_file_is_not_verified(board, tmp_path, change):
    path = write(board, tmp_path, change=change)
    result = invoke(path)
    assert f"{path}: 3 of 3 cells have other figures: " in str(result.exception)
    assert not (tmp_path / VERIFIED).exists()
    assert not read_entry(path, board).verified


def test_the_digest_of_a_file_draws_the_cells(board, tmp_path):
    entry = read_entry(write(board, tmp_path), board)
    draws = {
        tuple(
            (run.experiment, run.grid["rate"])
            for run, _ in plan_verification(board, entry, f"{k:064x}"[::-1], n_cells=1)
        )
        for k in range(30)
    }
    assert len(draws) == 3
    some = f"{7:064x}"[::-1]
    assert plan_verification(board, entry, some, n_cells=2) == plan_verification(board, entry, some, n_cells=2)


def test_a_method_under_the_name_of_another_one_and_a_record_of_no_cell_are_errors(board, tmp_path):
    entry = read_entry(write(board, tmp_path), board)
    other = replace(entry, method=replace(entry.method, steps=board.methods["Breaks"].steps))
    with pytest.raises(SpecError, match="the board has another method of the name 'Good'"):
        plan_verification(board, other, "0" * 64)
    odd = replace(entry, records=(replace(entry.records[0], grid={"rate": 0.123}),))
    with pytest.raises(SpecError, match=r"a record of Q 0\.123 toy0, which is not a cell of the board"):
        plan_verification(board, odd, "0" * 64)


@pytest.mark.parametrize("name", ["Good", "Mine"])
@pytest.mark.parametrize(
    "step",
    [
        {"use": "subprocess:Popen", "args": "echo > started", "shell": True},
        {"use": "papers.tests.benchmark.toy:Good", "scale": {"use": "subprocess:Popen", "args": ["touch", "started"]}},
        {"use": "own.py:Model"},
        {"use": "own:Model"},
    ],
    ids=["program", "parameter", "file", "module"],
)
def test_a_file_starts_no_code_that_the_board_or_the_command_does_not_name(board, tmp_path, monkeypatch, name, step):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own", raising=False)
    Path("own.py").write_text("open('started', 'w').close()\nfrom papers.tests.benchmark.toy import Good as Model\n")
    entry = read_entry(write(board, tmp_path), board)
    path = tmp_path / "forged.jsonl.gz"
    path.write_bytes(replace(entry, method=replace(entry.method, name=name, steps=(step,))).pack(board))
    result = invoke(path)
    wanted = "the board has another method" if name == "Good" else "Name its code: --method FILE.py:CLASS."
    assert wanted in str(result.exception)
    assert not Path("started").exists()


def test_a_method_that_the_board_lacks_is_verified_with_its_code(board, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "nearest_to_verify", raising=False)
    Path("nearest_to_verify.py").write_text(NEAREST)
    own, name = add_method(board, "nearest_to_verify.py:Nearest")
    path = write(own, tmp_path, name)
    assert invoke(path).exit_code == 1
    result = invoke(path, "--method", "nearest_to_verify.py:Nearest")
    assert result.exit_code == 0, result.output
    assert read_entry(path, board).verified


@pytest.mark.parametrize(
    "change",
    [
        lambda records: [*records, replace(records[0], metrics=best_of(records[0].metrics))],
        lambda records: [*records * 40, *(replace(r, metrics=best_of(r.metrics)) for r in records)],
        lambda records: [replace(r, grid={}) for r in records[:1]],
        lambda records: [replace(r, grid={"rate": "0.6"}) for r in records[:1]],
        lambda records: [replace(r, grid={"rate": [0.6]}) for r in records[:1]],
        lambda records: [replace(r, trial="0") for r in records[:1]],
        lambda records: [],
    ],
    ids=["twice", "diluted", "no rate", "a text as rate", "a list as rate", "a text as trial", "none"],
)
def test_records_that_are_not_one_for_each_cell_are_a_damaged_file(board, tmp_path, change):
    path = write(board, tmp_path)
    entry = read_entry(path, board)
    path.write_bytes(replace(entry, records=tuple(change(list(entry.records)))).pack(board))
    with pytest.raises(ValueError, match="it is not a file of a method of the board, or it is damaged"):
        read_entry(path, board)
    assert invoke(path).exit_code == 1
    assert not (tmp_path / VERIFIED).exists()


def test_the_published_proofs_are_of_published_files():
    folder = ROOT / "docs" / "benchmark" / "records"
    for digest, one in json.loads((folder / VERIFIED).read_text(encoding="utf-8")).items():
        assert digest_file(folder / one["file"]) == digest
        assert len(set(one["cells"])) == verifying.N_CELLS


def test_a_set_that_is_not_here_is_no_other_figure(tmp_path):
    path = tmp_path / "vvmr.jsonl.gz"
    path.write_bytes((ROOT / "docs" / "benchmark" / "records" / path.name).read_bytes())
    error = str(invoke(path).exception)
    assert "of the board cannot be used here; the first is cellcycle-fun: put" in error
    assert "$HALFLABEL_DATA" in error


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 100_000, b'{"a": 1', b'{"a": 1}', b'{"a": {}}', b'{"a": {"file": 1}}'],
)
def test_a_damaged_list_of_verified_files_verifies_none_and_damages_none(board, tmp_path, content):
    path = write(board, tmp_path)
    (tmp_path / VERIFIED).write_bytes(content)
    assert not read_entry(path, board).verified
    assert invoke(path).exit_code == 0
    assert read_entry(path, board).verified


def test_a_file_that_is_not_there_is_one_sentence(board, tmp_path):
    result = invoke(tmp_path / "none.jsonl.gz")
    assert result.exit_code == 1
    assert "there is no such file" in f"{result.output}{result.exception}"
