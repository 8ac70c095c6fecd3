"""From a run to its record: one run on one BLAS thread, within a time limit."""

from __future__ import annotations

import os
import platform
import signal
import threading
import time
import traceback
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import halflabel
from halflabel_papers.fingerprint import list_trees
from halflabel_papers.imports import import_object, split_path
from halflabel_papers.plan import Run
from halflabel_papers.protocols import PROTOCOLS
from halflabel_papers.store import Record


class TimeLimitReached(BaseException):
    """A run takes longer than allowed. The handlers of a method's own errors do not catch it."""


def execute(run: Run, folder: Path | None, limit: float | None = None) -> Record:
    """Do one run on one BLAS thread. An error in a method becomes part of its record, and other runs continue.

    ``limit`` is in CPU seconds. A run inside compiled code ends when that code returns.
    """
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Estimators without a random_state use NumPy's global generator.
        np.random.seed(zlib.crc32(repr(run.seed).encode()))  # noqa: NPY002
        try:
            with _end_after(limit):
                protocol = import_object(run.protocol) if ":" in run.protocol else PROTOCOLS[run.protocol]
                outcome = protocol(run, folder)
        except (Exception, SystemExit, TimeLimitReached) as error:  # a user's estimator may raise anything
            return Record.of(run, failed=_describe_error(run, error), made=_describe_making())
    facts = dict(outcome.facts)
    if notes := sorted({f"{each.category.__name__}: {each.message}" for each in caught if _concerns_result(each)}):
        facts["warnings"] = notes
    metrics = {name: float(value) for name, value in outcome.metrics.items()}
    return Record.of(run, metrics=metrics, facts=facts, seconds=dict(outcome.seconds), made=_describe_making())


@contextmanager
def _end_after(limit: float | None) -> Iterator[None]:
    """Raise inside the block when the limit is reached, and again every second, if the system has such a timer."""
    main = threading.current_thread() is threading.main_thread()
    if limit is None or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeLimitReached(f"it took longer than the limit of {limit:g} CPU seconds.")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _describe_error(run: Run, error: BaseException) -> str:
    """Return an error in one line, with the line of the user's own file in which it began."""
    files = {split_path(step["use"])[0] for step in run.steps if ".py:" in step["use"]}
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in files]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _concerns_result(caught: warnings.WarningMessage) -> bool:
    """Return whether a warning is about the result of a method, not about the future of a library."""
    return not issubclass(caught.category, DeprecationWarning | FutureWarning | ResourceWarning)


def _describe_making() -> dict[str, Any]:
    return {**_describe_environment(), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


@cache
def _describe_environment() -> dict[str, Any]:
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "halflabel": halflabel.__version__,
        "code": list_trees(),
        "python": platform.python_version(),
        **libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
