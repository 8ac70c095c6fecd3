"""A run in a process of its own: a method that crashes or does not end gets a record with the reason."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from dataclasses import dataclass, fields
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Self

from halflabel_papers.execute import execute
from halflabel_papers.plan import Run
from halflabel_papers.store import Record

#: A process is killed PATIENCE * limit + GRACE seconds after its start, unless it has sent a record before.
PATIENCE, GRACE = 4.0, 20.0


@dataclass(frozen=True)
class KeyedRun(Run):
    """A run whose key was computed before: a new process would need a second for it."""

    digest: str = ""

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return the run with its key."""
        return cls(**{each.name: getattr(run, each.name) for each in fields(run)}, digest=run.key)

    @property
    def key(self) -> str:
        """The key of the run."""
        return self.digest


def execute_alone(run: KeyedRun, folder: Path | None, limit: float, started: set[Any]) -> Record:
    """Do one run in a new process, and return its record, whatever happens to the process.

    ``limit`` is in CPU seconds. ``started`` has the process as long as it runs: the caller ends these processes when
    it is interrupted.
    """
    context = _make_context()
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sending, run, folder, limit), daemon=True)
    process.start()
    started.add(process)
    sending.close()
    try:
        if receiving.poll(end := PATIENCE * limit + GRACE):
            record: Record = receiving.recv()
            return record
        reason = f"TimeLimitReached: it did not end within {end:g} seconds, and its process was killed."
    except EOFError:
        process.join()
        reason = f"Crash: {_describe_end(process.exitcode)}"
    finally:
        process.kill()
        process.join()
        started.discard(process)
        receiving.close()
    return Record.of(run, failed=reason)


@cache
def _make_context() -> Any:
    """Return how processes start: from a server that has imported the libraries, where the system has one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    modules = ("execute", "benchmark.arms", "benchmark.measuring")
    context.set_forkserver_preload([f"halflabel_papers.{name}" for name in modules])
    return context


def _work(sending: Connection, run: KeyedRun, folder: Path | None, limit: float) -> None:
    """Send the record of a run."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sending.send(execute(run, folder, limit))


def _end_with_parent() -> None:
    """End this process when the process that started it ends: the server of processes lives as long as a run."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its process was ended by the signal {signal.Signals(-code).name}."
    return f"its process ended with the exit code {code}."
