"""The processes of a reproduction: workers end with their command, and git is asked about this library only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from papers.tests.cases import TOY
from tests.processes import has_ended, list_descendants, wait_for

ROOT = Path(__file__).parents[2]


@pytest.mark.slow  # three processes for each signal
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux lists the children of a process")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_command(number, tmp_path):
    line = ["reproduce", TOY, "--tier=quick", "--add", "papers.tests.toy_models:Sleeps", "--jobs", "2", "-o", tmp_path]
    command = subprocess.Popen(
        [sys.executable, "-c", "from halflabel.cli import main; main()", *map(str, line)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "SLEEPING": str(tmp_path / "sleeping")},
    )
    wait_for((tmp_path / "sleeping").exists)
    workers = list_descendants(command.pid)
    assert len(workers) >= 2
    os.kill(command.pid, number)
    output, _ = command.communicate(timeout=60)  # until every process has closed the pipe, as `| tee` waits
    wait_for(lambda: all(map(has_ended, workers)), 30)
    assert command.returncode == (-number if number == signal.SIGKILL else 143)
    assert output.decode().endswith("Terminated.\n") is (number == signal.SIGTERM)
