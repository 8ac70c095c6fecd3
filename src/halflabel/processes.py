"""Work in several processes of this machine: none of them outlives the process that started it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

__all__ = ["end_with_parent", "run_in_processes"]

Job = TypeVar("Job")
Result = TypeVar("Result")

#: Seconds after which a worker looks again whether its parent is there.
INTERVAL = 1.0


def run_in_processes(function: Callable[[Job], Result], jobs: Sequence[Job], n_processes: int) -> Iterator[Result]:
    """Yield the results of a function for each job, in the order in which they are ready.

    The workers end when this process ends, even if it is killed: a pipe such as ``| tee`` would stay open otherwise.

    Parameters
    ----------
    function : callable
        A function of an importable module: workers import it.
    jobs : sequence
    n_processes : int
        Number of processes; -1 is one per core. A single one is this process.

    Raises
    ------
    MemoryError
        If the system ends a worker.
    """
    from joblib import Parallel, delayed  # imported here: joblib takes a tenth of a second
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    watch = partial(end_with_parent, os.getpid())
    run = Parallel(n_jobs=n_processes, return_as="generator_unordered", batch_size=1, initializer=watch)
    try:
        yield from run(delayed(function)(job) for job in jobs)
    except TerminatedWorkerError:
        raise MemoryError(
            "a process was killed, most likely because memory ran out: finished work is kept. Start the same "
            "command again with one process."
        ) from None


def end_with_parent(parent: int) -> None:
    """End this process soon after another one ends.

    Parameters
    ----------
    parent : int
        The process that started this one. If it has ended already, this process has another parent from the start.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
