"""The work of the command: do the open runs, each in a process of its own, and write the files of the methods."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from halflabel.plugins import atomic_write, plural, step
from halflabel_papers.additions import describe_user_method
from halflabel_papers.benchmark.alone import KeyedRun, execute_alone
from halflabel_papers.benchmark.board import Board
from halflabel_papers.benchmark.leaderboard import Entry, digest_method
from halflabel_papers.plan import Run
from halflabel_papers.sources import check_availability
from halflabel_papers.spec import Method, SpecError
from halflabel_papers.store import Record, Store


def add_method(board: Board, path: str) -> tuple[Board, str]:
    """Return the board with a user's estimator, and its name. It is built once, so that an error appears at once.

    Raises
    ------
    SpecError
        If it cannot be imported or built, or the board has a method of its name.
    """
    method = replace(describe_user_method(path, ()), note=f"from {Path(path).name}")
    if method.name in board.methods:
        raise SpecError(f"the board has a method of the name {method.name!r}: rename yours.")
    return replace(board, methods={**board.methods, method.name: method}), method.name


def choose_methods(board: Board, asked: Sequence[str]) -> tuple[Board, list[str]]:
    """Return the board with the user's methods, and the names of the methods that are run: by default, of all.

    ``asked`` are names of the board, or import paths; by default all methods whose packages are installed. Raises if
    there is no such method, or its package is not installed.
    """
    if not asked:
        return board, [name for name, method in board.methods.items() if not _find_missing(method)]
    chosen = []
    for one in asked:
        if one in board.methods:
            if package := _find_missing(board.methods[one]):
                raise SpecError(f"{one} needs the package {package}, which is not installed: `pip install {package}`.")
            chosen.append(one)
        elif ":" in one:
            board, name = add_method(board, one)
            chosen.append(name)
        else:
            raise SpecError(
                f"the board has no method {one!r}: give one of {', '.join(board.methods)}, or FILE.py:CLASS for yours."
            )
    return board, chosen


def _find_missing(method: Method) -> str:
    """Return the package that a method needs and that is not installed, or an empty string."""
    package = method.options.get("needs", "")
    return package if package and find_spec(package) is None else ""


def check_sets(board: Board, runs: Iterable[Run], folder: Path | None) -> None:
    """Raise ValueError if a set of these runs is not here, or is another file."""
    states = {name: check_availability(board.sets[name], folder) for name in dict.fromkeys(run.set for run in runs)}
    if missing := [f"{name}: {state.advice}" for name, state in states.items() if not state.usable]:
        raise ValueError(f"{plural(len(missing), 'set')} of the board cannot be used here; the first is {missing[0]}")


def run_open(runs: Sequence[Run], store: Store, folder: Path | None, limit: float, n_jobs: int = 1) -> list[Record]:
    """Do the runs that have no record, write each record at once, and return all records in the order of the runs.

    A run that failed is not repeated: its record is a result. To repeat it, remove the records, or change the method.
    """
    keyed = [KeyedRun.of(run) for run in runs]
    with store.lock():
        done = store.read()
        todo = [run for run in keyed if run.key not in done]
        step(f"{len(todo)} runs", 0, max(len(todo), 1))
        for number, record in enumerate(_execute_all(todo, folder, limit, n_jobs), 1):
            store.append(record)
            done[record.key] = record
            step(f"{len(todo)} runs", number, len(todo))
    return [done[run.key] for run in keyed]


def _execute_all(runs: Sequence[KeyedRun], folder: Path | None, limit: float, n_jobs: int) -> Iterator[Record]:
    """Yield records as they are ready. If this process is interrupted, its runs end, and its other children do not."""
    started: set[Any] = set()
    threads = ThreadPoolExecutor((os.cpu_count() or 1) if n_jobs < 0 else n_jobs)
    try:
        futures = [threads.submit(execute_alone, run, folder, limit, started) for run in runs]
        yield from (future.result() for future in as_completed(futures))
    finally:
        for future in futures:
            future.cancel()
        for process in tuple(started):
            process.kill()
        threads.shutdown()


def make_entries(board: Board, records: Sequence[Record]) -> list[Entry]:
    """Return the entries of methods from records."""
    by_method: dict[str, list[Record]] = {}
    for record in records:
        by_method.setdefault(record.method, []).append(_shorten(record))
    methods = [board.methods[name] for name in by_method]
    return [Entry(drop_folder(each), digest_method(each), tuple(by_method[each.name])) for each in methods]


def _shorten(record: Record) -> Record:
    """Return a record without the key of its journal, and with figures of seven decimals: a third of the bytes."""
    metrics = {name: round(value, 7) for name, value in record.metrics.items()}
    return replace(record, key="", metrics=metrics, seconds={name: round(s, 3) for name, s in record.seconds.items()})


def drop_folder(method: Method) -> Method:
    """Return a method without the folder of a user's file, which has no meaning on another machine."""
    steps = tuple(
        {**each, "use": Path(each["use"]).name if ".py:" in each["use"] else each["use"]} for each in method.steps
    )
    return replace(method, steps=steps)


def write_entries(board: Board, entries: Sequence[Entry], folder: Path) -> list[Path]:
    """Write the file of each method, and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        with atomic_write(folder / entry.file) as file:
            file.write(entry.pack(board))
    return [folder / entry.file for entry in entries]
