"""A method that crashes, hangs, raises or returns NaN gets a record with the reason. The other runs have figures."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from papers.tests.benchmark.toy import KINDS, make_board
from tests.processes import has_ended, list_descendants, wait_for

from halflabel_papers.benchmark import alone, running
from halflabel_papers.benchmark.alone import KeyedRun
from halflabel_papers.execute import execute
from halflabel_papers.store import Store

ROOT = Path(__file__).parents[3]


@pytest.mark.slow  # a process for each run, one of which is killed after the limit
def test_no_method_stops_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(alone, "GRACE", 1.0)
    monkeypatch.setattr(alone, "PATIENCE", 1.0)
    board = make_board(*KINDS)
    runs = [run for run in board.list_runs(quick=True) if run.experiment == "Q"]
    records = {each.method: each for each in running.run_open(runs, Store(tmp_path / "records.jsonl"), None, 8.0, 2)}
    assert records["Good"].metrics["brier"] < 0.25
    assert records["Breaks"].failed == "RuntimeError: nothing works"
    assert "predicted NaN" in records["Nan"].failed
    assert "ended by the signal SIGKILL" in records["Crashes"].failed
    assert "did not end within 9 seconds" in records["Hangs"].failed
    again = execute(KeyedRun.of(runs[0]), None)
    assert again.deterministic == records["Good"].deterministic


@pytest.mark.slow  # three processes
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux lists the children of a process")
def test_a_killed_command_leaves_no_run(tmp_path):
    code = (
        "from papers.tests.benchmark.toy import make_board; from halflabel_papers.benchmark import running;"
        "from halflabel_papers.spec import Method; from halflabel_papers.store import Store; from pathlib import Path;"
        "board = make_board(); board.methods['S'] = Method('S', ({'use': 'papers.tests.toy_models:Sleeps'},));"
        f"running.run_open(list(board.list_runs(quick=True)), Store(Path({str(tmp_path)!r}) / 'r.jsonl'), None, 99.0)"
    )
    path = os.pathsep.join(map(str, (ROOT / "src", ROOT / "papers" / "src", ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "SLEEPING": str(tmp_path / "sleeping")}
    command = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)
    wait_for((tmp_path / "sleeping").exists)
    workers = list_descendants(command.pid)
    assert len(workers) >= 2
    command.kill()
    command.wait()
    wait_for(lambda: all(map(has_ended, workers)), 30)


@pytest.mark.slow  # two processes
def test_other_children_of_the_process_live_on(tmp_path):
    other = multiprocessing.Process(target=time.sleep, args=(60,))  # as the workers of joblib
    other.start()
    runs = list(make_board("Good").list_runs(quick=True))[:1]
    assert not running.run_open(runs, Store(tmp_path / "records.jsonl"), None, 30.0)[0].failed
    other.join(0.5)  # a killed process needs a moment to end
    assert other.exitcode is None
    other.kill()


def test_recorded_runs_are_not_repeated_and_failures_are_results(tmp_path, monkeypatch):
    done = []

    def execute_here(run, folder, limit, started):
        done.append((run.method, run.experiment))
        return execute(run, folder)

    monkeypatch.setattr(running, "execute_alone", execute_here)
    board, store = make_board("Good", "Breaks"), Store(tmp_path / "records.jsonl")
    runs = list(board.list_runs(quick=True))
    first = running.run_open(runs[:3], store, None, 9.0)
    assert len(done) == 3
    second = running.run_open(runs, store, None, 9.0)
    assert len(done) == 4
    assert [each.deterministic for each in second[:3]] == [each.deterministic for each in first]
    assert [bool(each.failed) for each in second] == [False, False, True, True]
