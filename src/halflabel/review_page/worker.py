"""Fits and outputs in a process of their own, so that answers never wait for them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

from halflabel._progress import report_progress
from halflabel.completion import Completion, complete
from halflabel.completion.answers import Answers, apply_answers, select_calibrating, use_answers
from halflabel.completion.updating import learn_entries
from halflabel.corrections.fit import leave_unlearned_targets
from halflabel.labels.names import Effort
from halflabel.review_page.explaining import explain_place
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.outputs import write_outputs
from halflabel.table import OpenTable

#: Minimum time between two reports of progress, in seconds.
REPORT_EVERY = 0.2

#: Kinds of jobs of which only the newest runs.
NEWEST = ("fit", "explain")

#: A function that takes the messages of the worker: the kind of a message, and its content.
Receive = Callable[[str, Any], None]


@dataclass(frozen=True, eq=False)
class Job:
    """A task, "fit", "explain" or "write", with its arguments."""

    kind: str
    given: dict[str, Any] = field(default_factory=dict)


class Worker:
    """A process that runs one job at a time. If several jobs of a kind in ``NEWEST`` are queued, only the newest runs.

    It makes fits of a table without answers, with ``settings`` of :func:`halflabel.complete`. ``receive`` is called
    from a thread with the kind and the content of each message: ``("progress", (stage, done, total))``,
    ``("fit", Fit)``, or with None where nothing can be learned, ``("explained", Explained)``, ``("written",
    sentences)``, ``("failed", sentence)`` and ``("idle", None)``.
    """

    def __init__(self, opened: OpenTable, settings: dict[str, Any], receive: Receive) -> None:
        self._start = (_without_objects(opened), settings)
        self._receive = receive
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._waiting: list[Job] = []
        self._process: Any = None
        self._pipe: Connection | None = None
        self._busy = False
        self._running = ""  # the kind of the last job
        self._is_closed = False

    @property
    def is_idle(self) -> bool:
        """Whether the process has nothing to do: no job runs, and no job waits."""
        with self._lock:
            return not self._busy

    @property
    def is_writing(self) -> bool:
        """Whether outputs were asked for that are not written yet."""
        with self._lock:
            return self._has_output()

    def finish_writing(self) -> None:
        """Wait until all outputs that were asked for are written. Other jobs that wait are left out."""
        with self._idle:
            self._waiting = [job for job in self._waiting if job.kind == "write"]
            self._idle.wait_for(lambda: not self._has_output())

    def _has_output(self) -> bool:
        return self._busy and "write" in (self._running, *(job.kind for job in self._waiting))

    def ask(self, job: Job) -> None:
        """Do a job as soon as the earlier jobs are done."""
        with self._lock:
            if self._is_closed:
                return
            if job.kind in NEWEST:
                self._waiting = [other for other in self._waiting if other.kind != job.kind]
            self._waiting.append(job)
            if self._pipe is None:
                self._launch()
            elif not self._busy:
                self._send()

    def close(self) -> None:
        """End the process. A job that runs is lost."""
        with self._lock:
            self._is_closed, process = True, self._process
        if process is not None:
            process.kill()
            process.join()

    def _launch(self) -> None:
        """Start the process. It gets the table from a thread, because it takes seconds to be ready for it."""
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=run_worker, args=(other,), daemon=True)
        with _without_interrupts():
            self._process.start()
        other.close()
        first = self._waiting.pop(0)
        self._busy, self._running = True, first.kind
        threading.Thread(target=self._serve, args=(self._pipe, first), daemon=True).start()

    def _serve(self, pipe: Connection, first: Job) -> None:
        """Send the table and the first job, and pass messages on until the process ends."""
        with suppress(OSError):  # the process has ended: the reader notices
            pipe.send(self._start)
            pipe.send(first)
        self._read(pipe)

    def _send(self) -> None:
        """Send the next job. The caller holds the lock."""
        self._busy = bool(self._waiting)
        self._idle.notify_all()
        if self._waiting and self._pipe is not None:
            job = self._waiting.pop(0)
            self._running = job.kind
            with suppress(OSError):  # the reader notices that the process has ended
                self._pipe.send(job)

    def _read(self, pipe: Connection) -> None:
        """Pass messages on until the process ends."""
        try:
            while True:
                kind, content = pipe.recv()
                if kind == "idle":
                    with self._lock:
                        self._send()
                        if self._busy:
                            continue
                self._receive(kind, content)
        except (EOFError, OSError):
            with self._lock:
                self._pipe, self._process, self._busy, closed = None, None, False, self._is_closed
                self._waiting.clear()
                self._idle.notify_all()
            if not closed:
                self._receive(
                    "failed", "The process that fits has ended, perhaps for lack of memory; ask for a new fit."
                )
                self._receive("idle", None)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block SIGINT in the processes that are started here: the command decides when they end."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its own start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_worker(pipe: Connection) -> None:
    """Take the table and the settings, and work on jobs until the other end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it is not blocked
    with suppress(AttributeError, OSError):
        os.nice(10)
    with threadpool_limits(1), suppress(EOFError, BrokenPipeError):
        bench = _Bench(pipe, *pipe.recv())
        while True:
            job = pipe.recv()
            try:
                pipe.send(bench.do(job))
            except (EOFError, BrokenPipeError):
                raise
            except (ValueError, OSError, MemoryError) as error:
                pipe.send(("failed", str(error)))
            except Exception:  # a defect: the page shows it, and the review goes on
                pipe.send(("failed", traceback.format_exc(limit=-3)))
            pipe.send(("idle", None))


class _Bench:
    """The state of the worker between jobs: the table and the last completion."""

    def __init__(self, pipe: Connection, opened: OpenTable, settings: dict[str, Any]) -> None:
        self.pipe, self.opened, self.settings = pipe, opened, settings
        self.completion: Completion | None = None
        self._reported = 0.0

    def do(self, job: Job) -> tuple[str, Any]:
        """Do one job and return the message about it."""
        with report_progress(self._report):
            if job.kind == "fit":
                return "fit", self._fit(**job.given)
            if job.kind == "explain":
                return "explained", explain_place(self._require(), **job.given)
            return "written", self._write(**job.given)

    def _fit(self, answers: Answers, effort: str, is_update: bool = False) -> Any:
        opened = self._leave_unlearned(answers)
        updated = self._update(opened, answers) if is_update else None
        given = {**self.settings, "effort": effort}
        self.completion = complete(self.opened, answers=answers, **given) if updated is None else updated
        made = summarize_fit(self.completion)
        return made.spread(self.completion.labels.names, apply_answers(self.opened, answers).labels)

    def _leave_unlearned(self, answers: Answers) -> OpenTable:
        """Return the table with answers. Where these leave nothing to learn, all that the last fit stated is gone."""
        try:
            return leave_unlearned_targets(use_answers(self.opened, answers))
        except ValueError:
            self.completion = None
            self.pipe.send(("fit", None))
            raise

    def _update(self, opened: OpenTable, answers: Answers) -> Completion | None:
        """Return the last fit after it has learned all answers, or None where only a new fit can do it."""
        if self.completion is None or opened.labels.names != (names := self.completion.labels.names):
            return None
        calibrating = select_calibrating(answers, self.opened.labels)
        if calibrating is not None:
            calibrating = calibrating[:, [self.opened.labels.names.index(name) for name in names]]
        with suppress(ValueError):
            return Completion(learn_entries(self.completion.evidence, opened, calibrating))
        return None

    def _write(self, answers: Answers, effort: Effort, **outputs: Any) -> list[str]:
        """Write a completion with all answers, which is that of `halflabel complete` with the table of answers."""
        self.completion = complete(self.opened, answers=answers, effort=effort, **self.settings)
        return write_outputs(self.completion, **outputs)

    def _require(self) -> Completion:
        if self.completion is None:
            raise ValueError("there is no fit yet.")
        return self.completion

    def _report(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._reported > REPORT_EVERY or done == total:
            self._reported = now
            self.pipe.send(("progress", (stage, done, total)))


def _without_objects(opened: OpenTable) -> OpenTable:
    """Return the table without the functions that turn tables into the kind of object that it came in."""
    plain = opened.source and replace(opened.source, restore=None, convert=None)
    return replace(opened, source=plain)
