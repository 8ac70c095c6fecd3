"""One record per run, one line per record: its measurements, and the versions with which to repeat them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from halflabel.plugins import Ledger, atomic_write, format_ledger, is_ledger, read_lines
from halflabel_papers.plan import Run

#: The word in the first line of the records.
TASK = "reproduction"

try:
    import fcntl
except ImportError:  # this system has no such lock
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Record:
    """The outcome of a run."""

    #: :attr:`halflabel_papers.plan.Run.key`.
    key: str
    experiment: str
    set: str
    method: str
    grid: Mapping[str, Any]
    trial: int
    #: ``metrics``, ``facts``: Determined by the run: the same description, data and source give the same values.
    metrics: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    #: The reason for missing metrics.
    failed: str = ""
    #: Why the run was not started.
    skipped: str = ""
    #: CPU time of the process, different in every repetition.
    seconds: Mapping[str, float] = field(default_factory=dict)
    #: Versions, git tree ids of the code, machine and time.
    made: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, **outcome: Any) -> Record:
        """Return the record of a run."""
        return cls(run.key, run.experiment, run.set, run.method, run.grid, run.trial, **outcome)

    @property
    def deterministic(self) -> dict[str, Any]:
        """The part that is equal, to the last bit, when an interrupted run is repeated."""
        return {name: value for name, value in asdict(self).items() if name not in ("seconds", "made")}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values. A number that is not finite becomes None, which is read as NaN."""
        return {**asdict(self), "metrics": {k: v if math.isfinite(v) else None for k, v in self.metrics.items()}}

    def to_line(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(self.to_dict(), sort_keys=True, allow_nan=False)

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Return the record from the output of :meth:`to_line`."""
        return cls.from_dict(json.loads(line))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Record:
        """Return the record from the output of :meth:`to_dict`."""
        metrics = {k: math.nan if v is None else float(v) for k, v in values.pop("metrics").items()}
        for name in ("grid", "facts", "seconds", "made"):
            values[name] = dict(values[name])
        values["seconds"] = {name: float(value) for name, value in values["seconds"].items()}
        if not all(isinstance(values[name], str) for name in ("key", "experiment", "set", "method")):
            raise ValueError("its key, experiment, set and method are not texts.")
        return cls(metrics=metrics, **values)


class Store:
    """Records in a ledger: a killed process loses at most the line that it was writing, and a changed line is named.

    Parameters
    ----------
    path : Path
        ``records.jsonl``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """Return the last record of each key. An incomplete last line is ignored."""
        if not self.path.exists() or not self.path.stat().st_size:
            return {}
        records = {}
        for number, values in enumerate(read_lines(self.path, TASK).records, 2):
            record = self._make(Record.from_dict, values, number)
            records[record.key] = record
        return records

    def _make(self, build: Callable[[Any], Record], values: Any, number: int) -> Record:
        try:
            return build(values)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ValueError(f"{self.path}: line {number} is not a record: remove it, or the file.") from None

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
        """Add a record and write it to the disk."""
        with Ledger(self.path, TASK) as ledger:
            if ledger.header is None:
                ledger.begin({})
            ledger.append([record.to_dict()])

    def replace(self, records: Iterable[Record]) -> None:
        """Write these records only, in this order. The file changes completely or not at all."""
        records = list(records)
        if self.path.exists() and is_ledger(self.path) and _are_equal(self.read().values(), records):
            return
        with atomic_write(self.path, "w") as file:
            file.write(format_ledger(TASK, [record.to_dict() for record in records]))


def _are_equal(some: Iterable[Record], others: Iterable[Record]) -> bool:
    """Return whether records are written as equal lines, because NaN does not equal itself."""
    return [record.to_line() for record in some] == [record.to_line() for record in others]
