"""What a test asks the system about processes, and work for them; as a program, two workers that sleep."""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path


def list_descendants(pid):
    """Return the processes that a process started, and those that these started."""
    direct = [
        int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()
    ]
    return [*direct, *(each for child in direct for each in list_descendants(child))]


def wait_for(condition, seconds=180):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return value


def has_ended(pid):
    """A process that waits for its parent to take notice has ended, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def announce_and_sleep(job, folder):
    """Leave a file that shows that the job began, and wait for longer than the test lasts."""
    (Path(folder) / str(job)).touch()
    time.sleep(600)


def end_at_once(job):
    """End as a process does that the system kills because memory ran out."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    from tests.processes import announce_and_sleep as sleep  # by the name under which workers import it

    from halflabel.processes import run_in_processes  # workers do without it

    list(run_in_processes(partial(sleep, folder=sys.argv[1]), [0, 1], 2))
