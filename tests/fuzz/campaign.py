"""Feed changed inputs to a reader and count what happens: read, rejected in one sentence, or a defect."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from tests.fuzz.mutator import mutate
from tests.fuzz.seeds import Format

#: Seconds after which an answer counts as a hang, and characters of the longest sentence.
MAX_SECONDS, MAX_CHARACTERS = 5.0, 2000


def outcome(kind: Format, path: Path) -> str:
    """Return "read", "rejected", or a description of the defect."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind.reader(path)
        result = "read"
    except kind.error as error:
        sentence = str(error)
        result = "rejected" if path.name in sentence and len(sentence) < MAX_CHARACTERS else f"odd sentence: {error!r}"
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    return result if seconds < MAX_SECONDS else f"hang of {seconds:.0f} s ({result})"


def run(
    kind: Format, folder: Path, seed: int, count: int, seconds: float = np.inf
) -> tuple[Counter[str], dict[str, bytes]]:
    """Return the number of inputs by outcome, and one input for each kind of defect."""
    rng, counts, defects = np.random.default_rng(seed), Counter[str](), dict[str, bytes]()
    content, path, end = kind.seed(), folder / f"input{kind.suffix}", time.monotonic() + seconds
    for _ in range(count):
        changed = mutate(content, rng)
        path.write_bytes(changed)
        result = outcome(kind, path)
        counts[result if result in ("read", "rejected") else "defect"] += 1
        if result not in ("read", "rejected"):
            defects.setdefault(result.split(":")[0], changed)
        if time.monotonic() > end:
            break
    return counts, defects


def keep(kind: Format, content: bytes, folder: Path) -> Path:
    """Write an input that showed a defect among the regression files."""
    name = f"{kind.name.replace(' ', '-')}-{hashlib.sha256(content).hexdigest()[:12]}{kind.suffix}"
    path = folder / name
    path.write_bytes(content)
    return path
