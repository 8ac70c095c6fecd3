"""Work in several processes: none of them outlives the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes import end_at_once, has_ended, list_descendants, wait_for

from halflabel.processes import run_in_processes

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux lists the children of a process")
def test_no_worker_outlives_a_process_that_was_killed(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.processes", tmp_path],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = list_descendants(parent.pid)
    assert len(workers) >= 2
    parent.kill()
    try:
        parent.communicate(timeout=60)  # until every process has closed the pipe, as `| tee` waits
        wait_for(lambda: all(map(has_ended, workers)), 30)
    finally:
        for worker in (each for each in workers if not has_ended(each)):
            os.kill(worker, signal.SIGKILL)


def test_a_worker_that_the_system_kills_ends_in_a_sentence():
    with pytest.raises(MemoryError, match=r"a process was killed.*finished work is kept"):
        list(run_in_processes(end_at_once, [0, 1], 2))
