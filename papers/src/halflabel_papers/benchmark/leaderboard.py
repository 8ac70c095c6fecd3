"""The records of a method in one file, and the places of methods from their records."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from halflabel_papers.archive import MAX_BYTES
from halflabel_papers.benchmark.board import Board
from halflabel_papers.fingerprint import digest_code
from halflabel_papers.metrics import METRICS
from halflabel_papers.plan import list_paths
from halflabel_papers.spec import Method
from halflabel_papers.store import Record
from halflabel_papers.verdicts.significance import ALPHA

#: The end of the name of a file of records.
SUFFIX = ".jsonl.gz"

#: The file with the verified files of the same folder.
VERIFIED = "verified.json"

#: Folders of the published records: in a checkout, and in an installed package.
PUBLISHED = (Path(__file__).parents[4] / "docs" / "benchmark" / "records", Path(__file__).parent / "records")


@dataclass(frozen=True)
class Entry:
    """A method on the board."""

    method: Method
    #: SHA-256 of the code that it runs.
    source: str
    records: tuple[Record, ...]
    #: Whether the file was verified (:mod:`halflabel_papers.benchmark.verifying`) and is the same since.
    verified: bool = False

    @property
    def file(self) -> str:
        """The name of its file."""
        return re.sub(r"[^a-z0-9]+", "-", self.method.name.lower()).strip("-") + SUFFIX

    def pack(self, board: Board) -> bytes:
        """Return the file: a line about the method, then a line for each record. Equal records give equal bytes."""
        head = {"board": board.key, "method": asdict(self.method), "source": self.source}
        places = {key: place for place, key in enumerate(board.protocols)}
        ordered = sorted(
            self.records, key=lambda each: (places[each.experiment], each.set, *each.grid.values(), each.trial)
        )
        text = "\n".join([json.dumps(head, sort_keys=True), *(record.to_line() for record in ordered)]) + "\n"
        return zlib.compress(text.encode(), 9, zlib.MAX_WBITS | 16)


def digest_method(method: Method) -> str:
    """Return the digest of the code of a method: both packages, and the whole source of its own package or file."""
    return digest_code(tuple(list_paths(method.steps)))


def read_entry(path: Path, board: Board) -> Entry:
    """Read the file of a method.

    Raises
    ------
    ValueError
        If it is damaged, or of another board.
    """
    try:
        with gzip.open(io.BytesIO(path.read_bytes())) as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise ValueError
        head, *lines = text.decode().splitlines()
        described = json.loads(head)
        method = Method(**{**described["method"], "steps": tuple(described["method"]["steps"])})
        verified = digest_file(path) in read_verified(path.parent)
        entry = Entry(method, described["source"], tuple(map(Record.from_line, lines)), verified)
        _require_cells(entry.records)
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{path}: it is not a file of a method of the board, or it is damaged.") from None
    if described["board"] != board.key:
        raise ValueError(f"{path}: it is of the board {described['board']!r}, and this one is {board.key!r}.")
    return entry


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_verified(folder: Path) -> dict[str, Any]:
    """Return the verified cells of the files of a folder, by the digest of each file. A damaged list verifies none."""
    try:
        found = json.loads((folder / VERIFIED).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_entries(board: Board, folder: Path | None = None) -> list[Entry]:
    """Return the entries of a folder, by default of the published one, in the order of their files."""
    folder = folder or next((each for each in PUBLISHED if each.is_dir()), PUBLISHED[-1])
    return [read_entry(path, board) for path in sorted(folder.glob(f"*{SUFFIX}"))]


def tabulate(entries: Iterable[Entry], metric: str) -> pd.DataFrame:
    """Return a metric with a row per cell (protocol, rate, set, trial) and a column per method.

    A run without a figure is infinitely bad, and a run that was not done is NaN.
    """
    worst = -np.inf if is_greater_better(metric) else np.inf
    columns = {}
    for entry in entries:
        values = {_find_cell(each): each.metrics.get(metric, np.nan) for each in entry.records}
        columns[entry.method.name] = pd.Series(
            {cell: worst if np.isnan(v) else v for cell, v in values.items()}, dtype=float
        )
    frame = pd.DataFrame(columns)
    if len(frame):
        frame.index = pd.MultiIndex.from_tuples(frame.index, names=["protocol", "rate", "set", "trial"])
    return frame


def take_cells(board: Board, frame: pd.DataFrame, *, quick: bool) -> pd.DataFrame:
    """Return the cells of a board, with NaN where a method has none."""
    cells = [(protocol.key, rate, data, trial) for protocol, rate, data, trial in board.list_cells(quick=quick)]
    return frame.reindex(pd.MultiIndex.from_tuples(cells, names=frame.index.names))


def rank(frame: pd.DataFrame, metric: str) -> dict[str, pd.DataFrame]:
    """Return the ranks of the methods (columns) in each cell: ``all`` cells, and by protocol.

    A method without all cells of a protocol is left out there. Runs that failed share the last places.
    """
    ascending = not is_greater_better(metric)
    parts = {"all": frame, **{str(key): part for key, part in frame.groupby(level="protocol", sort=False)}}
    return {key: part.dropna(axis=1).rank(axis=1, ascending=ascending) for key, part in parts.items()}


def average(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each column, and half of its 95 % interval over the draws.

    Both are NaN if a run failed or is missing. The value of a draw is the mean of its cells. The interval is of other
    draws of the same sets.
    """
    draws = cells.fillna(np.inf).groupby(level="trial").mean().replace([np.inf, -np.inf], np.nan)
    reach = draws.sem(skipna=False) * stats.t.ppf(1 - ALPHA / 2, len(draws) - 1)
    return pd.DataFrame({"mean": draws.mean(skipna=False), "reach": reach})


def is_greater_better(metric: str) -> bool:
    """Return whether a larger value of a metric is better."""
    return metric in METRICS and METRICS[metric].greater_is_better


def list_failures(entries: Sequence[Entry]) -> list[str]:
    """Return a sentence for each method and reason of failed runs."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for entry in entries:
        for record in entry.records:
            if record.failed:
                place = f"{record.experiment} {record.grid['rate']:g} {record.set}"
                found.setdefault((entry.method.name, record.failed), {})[place] = None
    return [f"{name}: {reason} ({', '.join(places)})" for (name, reason), places in found.items()]


def _require_cells(records: Sequence[Record]) -> None:
    """Raise unless each record is of a cell of its own: of two of one cell, one could be verified and one shown."""
    cells = {_find_cell(each): 0 + each.grid["rate"] + each.trial for each in records}  # a text raises
    if not 0 < len(records) == len(cells):
        raise ValueError


def _find_cell(record: Record) -> tuple[str, Any, str, int]:
    grid: Mapping[str, Any] = record.grid
    return record.experiment, grid["rate"], record.set, record.trial
