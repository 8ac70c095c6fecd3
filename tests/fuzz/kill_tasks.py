"""Kill tasks that write in steps at random moments, and go on with the same command.

What was acknowledged is there, no half set of files is visible, and no process outlives its parent.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from tests.fuzz.own_files import completed
from tests.processes import has_ended, list_descendants, wait_for

from halflabel._ledger import read_lines

START = "from halflabel.cli import main; main()"
TOY = Path(__file__).parents[2] / "papers" / "tests" / "toy.toml"

#: Answers after which a finish is begun again; the table has about 36 gaps.
N_ANSWERS = 20

#: Maximum number of seconds until all workers of a killed command have ended.
PATIENCE = 30


def kill_reproductions(folder: Path, number: int, rng: np.random.Generator) -> Counter[str]:
    """Kill a reproduction with two jobs: its records are a whole ledger that begins with all records of before."""
    out, before = folder / "toy", list[str]()
    line = ["reproduce", str(TOY), "--tier", "quick", "--jobs", "2", "-o", str(out)]

    def check() -> None:
        path = out / "records.jsonl"
        content = path.read_bytes() if path.exists() else b""
        found = list(read_lines(path).digests) if b"\n" in content else []
        assert found[: len(before)] == before or not out.exists()
        before[:] = found

    def reset() -> None:
        before.clear()

    return _kill_often(line, out, check, number, rng, reset)


def _kill_often(
    line: list[str],
    out: Path,
    check: Callable[[], None],
    number: int,
    rng: np.random.Generator,
    reset: Callable[[], None] = lambda: None,
) -> Counter[str]:
    """Start a command again and again, and kill it; a run that ends is checked, and begun again."""
    counts, seconds = Counter[str](), 0.0
    while counts["kills"] < number:
        start, process = time.monotonic(), _start(line)
        try:
            process.wait(rng.uniform(0, seconds) if seconds else None)
        except subprocess.TimeoutExpired:
            workers = list_descendants(process.pid)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)  # until no process holds the pipe
            wait_for(partial(_have_ended, workers), PATIENCE)
            counts.update(kills=1, **{"with workers": len(workers) > 1})
            check()
            continue
        assert process.wait() == 0, process.communicate()[0]
        process.communicate()
        counts["ended"] += 1
        check()
        seconds = seconds or time.monotonic() - start
        shutil.rmtree(out)
        reset()
    return counts


def _have_ended(processes: list[int]) -> bool:
    return all(map(has_ended, processes))


def _start(line: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", START, *line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ
    )


def kill_finishes(folder: Path, number: int, rng: np.random.Generator) -> Counter[str]:
    """Kill a process that answers the questions of ``finish``: no acknowledged answer is lost."""
    path, counts, before = folder / "finish.jsonl", Counter[str](), 0
    completed()
    for _ in range(number):
        acknowledged = _answer_until_killed(path, rng.uniform(0.05, 0.5))
        kept = sum(record["op"] == "answer" for record in read_lines(path).records) if path.exists() else 0
        assert kept >= before + acknowledged, (kept, before, acknowledged)
        counts.update(kills=1, acknowledged=acknowledged)
        before = kept
        if kept > N_ANSWERS:
            path.unlink()
            before = 0
    return counts


def _answer_until_killed(path: Path, seconds: float) -> int:
    """Return the number of answers that a process acknowledged before it was killed."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        task = completed().finish(0.2, seed=3, journal=path)
        while len(asked := task.next(1)):
            task.answer(asked.assign(answer=1))
            os.write(writes, b".")
        time.sleep(60)
    os.close(writes)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    with os.fdopen(reads, "rb") as file:
        return len(file.read())


#: What is killed by ``python -m tests.fuzz --tasks N``.
TASKS = {"reproductions": kill_reproductions, "finishes": kill_finishes}
