"""Feed changed inputs to a reader and count what happens: read, rejected in one sentence, or a defect."""

from __future__ import annotations

import hashlib
import os
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.fuzz.seeds import Format

from halflabel._memory import free_memory

#: Seconds of processor time after which an answer counts as a hang, and characters of the longest sentence.
MAX_SECONDS, MAX_CHARACTERS = 5.0, 2000


#: A file system in memory: on a disk, opening a small file may take longer than reading it.
_RAM = Path("/dev/shm")


class Hang(BaseException):
    """No reader catches it."""


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for changed inputs, in memory where the system has such folders."""
    return tempfile.TemporaryDirectory(dir=_RAM if os.access(_RAM, os.W_OK) else None)


def outcome(kind: Format, path: Path) -> str:
    """Return "read", "rejected", or a description of the defect."""
    try:
        with warnings.catch_warnings(), _limited_time():
            warnings.simplefilter("ignore")
            kind.reader(path)
        return "read"
    except kind.error as error:
        sentence = str(error)
        sound = str(path) in sentence and len(sentence) < MAX_CHARACTERS and "\n" not in sentence
        return "rejected" if sound else f"odd sentence: {error!r}"
    except Hang:
        return f"hang over {MAX_SECONDS:.0f} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@contextmanager
def _limited_time() -> Iterator[None]:
    """Raise :class:`Hang` when the time is over, unless one call of a compiled library takes all of it."""

    def stop(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(
    kind: Format, folder: Path, seed: int, count: int, seconds: float = np.inf
) -> tuple[Counter[str], dict[str, bytes]]:
    """Return the number of inputs by outcome, and one input for each kind of defect."""
    rng, counts, defects = np.random.default_rng(seed), Counter[str](), dict[str, bytes]()
    content, path, end = kind.seed(), folder / f"input{kind.suffix}", time.monotonic() + seconds
    with _memory_measured_once():
        for _ in range(count):
            changed = kind.change(content, rng)
            path.write_bytes(changed)
            result = outcome(kind, path)
            counts[result if result in ("read", "rejected") else "defect"] += 1
            if result not in ("read", "rejected"):
                defects.setdefault(result[:200], changed)
            if time.monotonic() > end:
                break
    return counts, defects


@contextmanager
def _memory_measured_once() -> Iterator[None]:
    """Readers measure the free memory several times per file, which takes longer than reading a small one."""
    free = free_memory()
    with (
        patch("halflabel.files.bounded.free_memory", lambda: free),
        patch("halflabel.completion.archive.free_memory", lambda: free),
    ):
        yield


def keep(kind: Format, content: bytes, folder: Path) -> Path:
    """Write an input that showed a defect among the regression files."""
    name = f"{kind.name.replace(' ', '-')}-{hashlib.sha256(content).hexdigest()[:12]}{kind.suffix}"
    path = folder / name
    path.write_bytes(content)
    return path
