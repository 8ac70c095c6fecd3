"""One record per run, one line per record: its measurements, and the versions with which to repeat them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from halflabel.plugins import atomic_write
from halflabel_papers.plan import Run

try:
    import fcntl
except ImportError:  # this system has no such lock
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Record:
    """The outcome of a run.

    Parameters
    ----------
    key : str
        :attr:`halflabel_papers.plan.Run.key`.
    experiment, set, method : str
    grid : mapping
    trial : int
    metrics, facts : mapping
        Determined by the run: the same description, data and source give the same values.
    failed : str
        The reason for missing metrics.
    skipped : str
        Why the run was not started.
    seconds : mapping of str to float
        CPU time of the process, different in every repetition.
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
        """The part that is equal, to the last bit, when an interrupted run is repeated."""
        return {name: value for name, value in asdict(self).items() if name not in ("seconds", "made")}

    def to_line(self) -> str:
        """Return the record as one line of JSON. A number that is not finite becomes null, which is read as NaN."""
        plain = {**asdict(self), "metrics": {k: v if math.isfinite(v) else None for k, v in self.metrics.items()}}
        return json.dumps(plain, sort_keys=True, allow_nan=False)

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Return the record from the output of :meth:`to_line`."""
        values = json.loads(line)
        metrics = {k: math.nan if v is None else float(v) for k, v in values.pop("metrics").items()}
        for name in ("grid", "facts", "seconds", "made"):
            values[name] = dict(values[name])
        values["seconds"] = {name: float(value) for name, value in values["seconds"].items()}
        if not all(isinstance(values[name], str) for name in ("key", "experiment", "set", "method")):
            raise ValueError("its key, experiment, set and method are not texts.")
        return cls(metrics=metrics, **values)


class Store:
    """Records in a file that only grows: a killed process loses at most the line that it was writing.

    Parameters
    ----------
    path : Path
        ``records.jsonl``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """Return the last record of each key. An incomplete last line is ignored."""
        if not self.path.exists():
            return {}
        records = {}
        for number, line in enumerate(lines := self.path.read_bytes().splitlines(), 1):
            try:
                record = Record.from_line(line.decode())
            except (ValueError, TypeError, KeyError, AttributeError):
                if number == len(lines):
                    break
                raise ValueError(f"{self.path}: line {number} is not a record: remove it, or the file.") from None
            records[record.key] = record
        return records

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder against a second process. The lock ends with this process, however it ends."""
        with self.path.with_name(f".{self.path.stem}.lock").open("w") as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(
                    f"{self.path.parent}: another process writes records here: wait for it, or choose another -o."
                ) from None
            yield

    def append(self, record: Record) -> None:
        """Remove an incomplete line of a killed process, then add one line and write it to the disk."""
        with self.path.open("ab+") as file:
            if file.tell() and not _ends_with_newline(file):
                file.truncate(_after_last_newline(self.path.read_bytes()))
            file.write(record.to_line().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def replace(self, records: Iterable[Record]) -> None:
        """Write these records only, in this order. The file changes completely or not at all."""
        with atomic_write(self.path, "w") as file:
            file.writelines(record.to_line() + "\n" for record in records)


def _ends_with_newline(file: Any) -> bool:
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _after_last_newline(content: bytes) -> int:
    return content.rfind(b"\n") + 1
