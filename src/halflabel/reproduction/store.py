"""One record per run, one line per record: what was measured, and what a reader needs to measure it again."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from halflabel._files import atomic_write
from halflabel._version import __version__
from halflabel.reproduction.plan import Run
from halflabel.reproduction.protocols import PROTOCOLS

try:
    import fcntl
except ImportError:  # no such lock on this system
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Record:
    """The outcome of a run.

    Parameters
    ----------
    key : str
        :attr:`halflabel.reproduction.plan.Run.key`.
    experiment, set, method : str
    grid : mapping
    trial : int
    metrics, facts : mapping
        Determined by the run: the same description, data and source give the same values.
    failed : str
        Why there are no metrics.
    skipped : str
        Why the run was not started.
    seconds : mapping of str to float
        Measured, so never twice the same.
    made : mapping
        Versions, commit, machine and time.
    """

    key: str
    experiment: str
    set: str
    method: str
    grid: Mapping[str, Any]
    trial: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: str = ""
    skipped: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, **outcome: Any) -> Record:
        """Return the record of a run."""
        return cls(run.key, run.experiment, run.set, run.method, run.grid, run.trial, **outcome)

    @property
    def deterministic(self) -> dict[str, Any]:
        """What an interrupted and resumed run must find again, to the last bit."""
        return {name: value for name, value in asdict(self).items() if name not in ("seconds", "made")}

    def to_line(self) -> str:
        """Return the record as one line of JSON; what is not finite becomes null, and NaN when it is read."""
        plain = {**asdict(self), "metrics": {k: v if math.isfinite(v) else None for k, v in self.metrics.items()}}
        return json.dumps(plain, sort_keys=True, allow_nan=False)

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Return the record that :meth:`to_line` wrote."""
        values = json.loads(line)
        metrics = {k: math.nan if v is None else float(v) for k, v in values.pop("metrics").items()}
        for name in ("grid", "facts", "seconds", "made"):
            values[name] = dict(values[name])
        values["seconds"] = {name: float(value) for name, value in values["seconds"].items()}
        return cls(metrics=metrics, **values)


def execute(run: Run, folder: Path | None) -> Record:
    """Do one run on one BLAS thread; an error in a method becomes part of its record, not the end of all others."""
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.random.seed(zlib.crc32(repr(run.seed).encode()))  # noqa: NPY002 - estimators without a random_state draw here
        try:
            outcome = PROTOCOLS[run.protocol](run, folder)
        except (Exception, SystemExit) as error:  # a user's estimator may raise anything
            return Record.of(run, failed=f"{type(error).__name__}: {error}", made=_made())
    facts = dict(outcome.facts)
    if said := sorted({f"{each.category.__name__}: {each.message}" for each in caught if _concerns(each)}):
        facts["warnings"] = said
    metrics = {name: float(value) for name, value in outcome.metrics.items()}
    return Record.of(run, metrics=metrics, facts=facts, seconds=dict(outcome.seconds), made=_made())


def _concerns(caught: warnings.WarningMessage) -> bool:
    """Tell what a method says about its answer from what libraries say about their future."""
    return not issubclass(caught.category, DeprecationWarning | FutureWarning | ResourceWarning)


def _made() -> dict[str, Any]:
    return {**_environment(), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


@cache
def _environment() -> dict[str, Any]:
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "halflabel": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def _commit() -> str:
    """Return the commit the package stands at, with a + where files were changed since; empty outside a checkout."""
    root = Path(__file__).parents[1]
    command = ["git", "-C", os.fspath(root), "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


class Store:
    """Records in a file that only grows: a killed process loses at most the line it was writing.

    Parameters
    ----------
    path : Path
        ``records.jsonl``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """Return the records by key, the last one of each; a torn last line is no record."""
        if not self.path.exists():
            return {}
        records = {}
        for number, line in enumerate(lines := self.path.read_bytes().splitlines(), 1):
            try:
                record = Record.from_line(line.decode())
            except (ValueError, TypeError, KeyError, AttributeError):
                if number == len(lines):
                    break
                raise ValueError(f"{self.path}: line {number} is no record: remove it, or the file.") from None
            records[record.key] = record
        return records

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second process away from the folder; the lock ends with this process, however it ends."""
        with self.path.with_name(f".{self.path.stem}.lock").open("w") as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(
                    f"{self.path.parent}: another process writes records here: wait for it, or give another -o."
                ) from None
            yield

    def append(self, record: Record) -> None:
        """Add one line and let it reach the disk; a line torn by an earlier kill is ended first."""
        with self.path.open("ab+") as file:
            if file.tell() and not _ends_with_newline(file):
                file.truncate(_after_last_newline(self.path.read_bytes()))
            file.write(record.to_line().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def replace(self, records: Iterable[Record]) -> None:
        """Write these records only, in this order, whole or not at all."""
        with atomic_write(self.path, "w") as file:
            file.writelines(record.to_line() + "\n" for record in records)


def _ends_with_newline(file: Any) -> bool:
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _after_last_newline(content: bytes) -> int:
    return content.rfind(b"\n") + 1
