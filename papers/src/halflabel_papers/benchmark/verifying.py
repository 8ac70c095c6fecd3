"""Verify a file of the board: cells that its own digest draws are run again, and have to give the same figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from halflabel.plugins import atomic_write
from halflabel_papers.benchmark.alone import KeyedRun, execute_alone
from halflabel_papers.benchmark.board import Board
from halflabel_papers.benchmark.leaderboard import SUFFIX, VERIFIED, Entry, digest_file, read_verified
from halflabel_papers.benchmark.running import drop_folder
from halflabel_papers.fingerprint import list_trees
from halflabel_papers.plan import Run
from halflabel_papers.spec import SpecError
from halflabel_papers.store import Record

#: Number of cells.
N_CELLS = 5

#: Maximum difference of a figure. Other processors and libraries change the last digits.
TOLERANCE = 5e-4


def plan_verification(board: Board, entry: Entry, digest: str, *, n_cells: int = N_CELLS) -> list[tuple[Run, Record]]:
    """Return cells of a file with their records, drawn by the digest of the file, so that no person chooses them.

    Raises
    ------
    SpecError
        If the board lacks the method, or has another one of its name, or a record is not of a cell.
    """
    method = entry.method
    if method.name not in board.methods:  # the steps in the file are not used: they could start any program
        raise SpecError(f"the board has no method {method.name!r}. Name its code: --method FILE.py:CLASS.")
    if drop_folder(board.methods[method.name]) != method:
        raise SpecError(f"the board has another method of the name {method.name!r}: its steps or settings differ.")
    runs = {_identify(run): run for run in board.list_runs([method.name])}
    if unknown := [record for record in entry.records if _identify(record) not in runs]:
        raise SpecError(f"{method.name} has a record of {_name(unknown[0])}, which is not a cell of the board.")
    chosen = np.random.default_rng(int(digest[:16], 16)).permutation(len(entry.records))[:n_cells]
    return [(runs[_identify(entry.records[k])], entry.records[k]) for k in sorted(chosen)]


def verify(pairs: Sequence[tuple[Run, Record]], folder: Path | None, limit: float) -> list[str]:
    """Run cells again, and return a sentence for each one with other figures."""
    both = ((record, execute_alone(KeyedRun.of(run), folder, limit, set())) for run, record in pairs)
    return [text for record, new in both if (text := _compare(record, new))]


def _compare(record: Record, new: Record) -> str:
    place = _name(record)
    if (not record.failed) != (not new.failed):
        return f"{place}: recorded {record.failed or 'figures'}, now {new.failed or 'figures'}"
    if record.metrics.keys() != new.metrics.keys():
        return f"{place}: other metrics"
    for name, value in record.metrics.items():
        if not abs(value - new.metrics[name]) <= TOLERANCE:
            return f"{place}: {name} recorded {value:.4f}, now {new.metrics[name]:.4f}"
    return ""


def mark_verified(path: Path, pairs: Sequence[tuple[Run, Record]]) -> None:
    """Write next to a file that these cells of it were verified, and with which code."""
    own = {"file": path.name, "cells": [_name(record) for _, record in pairs], "code": list_trees()}
    done = {**read_verified(path.parent), digest_file(path): own}
    present = map(digest_file, sorted({path, *path.parent.glob(f"*{SUFFIX}")}))  # no path comes from the list
    kept = {digest: done[digest] for digest in present if digest in done}
    with atomic_write(path.parent / VERIFIED, "w") as file:
        file.write(json.dumps(kept, indent=1) + "\n")


def _name(one: Run | Record) -> str:
    return f"{one.experiment} {one.grid['rate']:g} {one.set}{f', draw {one.trial + 1}' if one.trial else ''}"


def _identify(one: Run | Record) -> tuple[str, str, float, int]:
    return one.experiment, one.set, one.grid["rate"], one.trial
