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
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.fuzz.library_files import ends_process
from tests.fuzz.mutator import mutate
from tests.fuzz.seeds import Format
from tests.fuzz.steering import Lines

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
    kind: Format, folder: Path, seed: int, count: int, seconds: float = np.inf, *, lines: Lines | None = None
) -> tuple[Counter[str], dict[str, bytes]]:
    """Return the number of inputs by outcome, and one input for each kind of defect.

    With ``lines``, an input that reaches a new line is changed further, next to the seed.
    """
    rng, counts, defects = np.random.default_rng(seed), Counter[str](), dict[str, bytes]()
    corpus, path, end = [kind.seed()], folder / f"input{kind.suffix}", time.monotonic() + seconds
    with _quick():
        for _ in range(count):
            at = 0 if rng.random() < 0.5 else int(rng.integers(len(corpus)))
            changed = _change(kind, corpus[at], rng)
            path.write_bytes(changed)
            number = lines.number if lines else 0
            with lines.traced() if lines else nullcontext():
                result = outcome(kind, path)
            if lines and lines.number > number:
                corpus.append(changed)
            counts[result if result in ("read", "rejected") else "defect"] += 1
            if result not in ("read", "rejected"):
                defects.setdefault(result[:200], changed)
            if time.monotonic() > end:
                break
    return counts, defects


def _change(kind: Format, content: bytes, rng: np.random.Generator) -> bytes:
    """Change an input. An earlier change may have left it without the structure that is changed."""
    try:
        return kind.change(content, rng)
    except Exception:
        return mutate(content, rng)


@contextmanager
def _quick() -> Iterator[None]:
    """Measure the free memory once, and fork in place of a new process: both take longer than reading a small file."""
    free = free_memory()
    with (
        patch("halflabel.files.bounded.free_memory", lambda: free),
        patch("halflabel.completion.model_file.archive.free_memory", lambda: free),
        patch("halflabel.files.statistics._ends_process", ends_process),
    ):
        yield


def keep(kind: Format, content: bytes, folder: Path) -> Path:
    """Write an input that showed a defect among the regression files."""
    name = f"{kind.name.replace(' ', '-')}-{hashlib.sha256(content).hexdigest()[:12]}{kind.suffix}"
    path = folder / name
    path.write_bytes(content)
    return path
