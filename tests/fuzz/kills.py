"""Kill a process while it writes a set of outputs: what stays is one set, and the next run leaves no temporary file.

Two completions differ in the names of their labels. A process writes their outputs in turn until it is killed.
"""

from __future__ import annotations

import gzip
import os
import signal
import sys
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import halflabel as hl
from halflabel._digests import is_page_intact
from halflabel._files import PREFIX, together
from halflabel.cli.console import report_errors
from halflabel.cli.output_paths import add_index_column
from halflabel.completion import Completion
from halflabel.files.reading import write_frame

#: In the order of writing.
NAMES = ("table.csv", "probabilities.parquet", "review.csv.gz", "model.halflabel", "report.html")


def make_completions() -> tuple[Completion, Completion]:
    """Return two small completions: the labels of one are early_a, early_b, those of the other late_a, late_b."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    Y = np.where(rng.random((30, 2)) < 0.7, (X > 0).astype(float), np.nan)
    labels = [pd.DataFrame(Y, columns=[f"{name}_a", f"{name}_b"]) for name in ("early", "late")]
    first, second = (hl.complete(X, part, method=hl.SSDRMC(n_neighbors=5)) for part in labels)
    return first, second


def write_set(filled: Completion, folder: Path) -> None:
    """Write what `halflabel complete` writes with all of its options."""
    table, probabilities, review, model, report = (folder / name for name in NAMES)
    with together():
        write_frame(filled.table, table)
        write_frame(add_index_column(filled.probabilities), probabilities)
        write_frame(filled.review(10), review)
        filled.save(model)
        filled.report(report)


def read_set(folder: Path) -> tuple[str, ...]:
    """Return, for each output, which completion it comes from: "early" or "late"; raise if it is not whole."""
    table, probabilities, review, model, report = (folder / name for name in NAMES)
    assert is_page_intact(report)
    page = report.read_text()
    named = (
        ",".join(pd.read_csv(table).columns),
        ",".join(pd.read_parquet(probabilities).columns),
        gzip.decompress(review.read_bytes()).decode(),
        ",".join(hl.load(model).label_names),
        page,
    )
    for text in named:
        assert ("early_a" in text) is not ("late_a" in text)
    return tuple("early" if "early_a" in text else "late" for text in named)


def write_for_ever(first: Completion, second: Completion, folder: Path) -> None:
    """Write the outputs of both in turn until a signal ends the process; standard error goes to a file."""
    with report_errors():
        with (folder / "stderr.new").open("w") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
        os.rename(file.name, folder / "stderr")  # which shows that signals are handled, and that errors go there
        while True:
            write_set(second, folder)
            write_set(first, folder)


def kill_before_rename(number: int, filled: Completion, folder: Path) -> None:
    """Write a set in a process that is killed before the rename of this number, or after the last one."""
    child = os.fork()
    if child == 0:
        rename, done = os.replace, list[Any]()

        def count(source: Any, target: Any) -> None:
            if len(done) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            done.append(target)
            rename(source, target)

        os.replace = count
        write_set(filled, folder)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def kill_often(folder: Path, number: int, seed: int) -> Counter[str]:
    """Kill as many processes at random moments, by two signals in turn; return how often each fact was found."""
    rng, counts = np.random.default_rng(seed), Counter[str]()
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.fuzz.kills"])
    first, second = make_completions()
    write_set(first, folder)
    start = time.monotonic()
    write_set(first, folder)
    seconds = time.monotonic() - start
    for turn in range(number):
        signal_number = (signal.SIGKILL, signal.SIGTERM)[turn % 2]
        counts += Counter(_kill(context, (first, second, folder), signal_number, rng.uniform(0, 4 * seconds)))
    return counts


def _kill(context: Any, work: tuple[Completion, Completion, Path], number: int, delay: float) -> list[str]:
    """Kill one process after a delay; return what happened, in words."""
    first, _, folder = work
    (folder / "stderr").unlink(missing_ok=True)
    process = context.Process(target=write_for_ever, args=work)
    process.start()
    while not (folder / "stderr").exists():
        time.sleep(0.005)
    time.sleep(delay)
    os.kill(process.pid, number)
    process.join(120)
    facts = [f"killed by {signal.Signals(number).name}"]
    left = len(list(folder.glob(f"{PREFIX}*")))
    if left:
        facts.append("temporary files at the kill")
    if number == signal.SIGTERM:
        text = (folder / "stderr").read_text()
        ended = process.exitcode == 143 and text == "Terminated.\n"
        facts += [] if ended and not left else [f"SIGTERM ended in {process.exitcode}, {left} files: {text!r}"]
    sources = read_set(folder)
    if len(set(sources)) > 1:  # after a kill between two renames the files before it are new, the others old
        in_order = sources == tuple(sorted(sources, key=sources[0].__ne__))
        facts.append("between renames" if in_order and number == signal.SIGKILL else "mixed")
    write_set(first, folder)
    if list(folder.glob(f"{PREFIX}*")):
        facts.append("temporary files after the next run")
    return facts
