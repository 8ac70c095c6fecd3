"""Small files that announce, or unpack to, very much; files that never end; and what they cost to reject."""

from __future__ import annotations

import gzip
import io
import json
import os
import sqlite3
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import halflabel as hl
from halflabel.completion.model_file.archive import FORMAT, ModelFileError
from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table

#: The free memory that the readers assume, so that their limits, and the peaks, are the same on every machine.
FREE = 2**30

#: The memory that a reader may take with that much.
MAX_MEGABYTES = 400

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)"


@dataclass(frozen=True)
class Bomb:
    """A file, the way to write it, and its reader; whether writing takes long; whether the reader rejects it."""

    name: str
    file: str
    write: Callable[[Path], Any]
    reader: Callable[[Path], Any] = read_table
    is_slow: bool = False
    is_rejected: bool = True

    @property
    def error(self) -> type[Exception]:
        return ModelFileError if self.file.endswith(".halflabel") else ReadError


@dataclass(frozen=True)
class Cost:
    """The size of a bomb, the sentence of its reader (empty if it read the file), seconds, megabytes at the peak."""

    size: int
    sentence: str
    seconds: float
    megabytes: float


def text(content: str) -> Callable[[Path], Any]:
    return lambda path: path.write_text(content)


def repeated_text(path: Path) -> None:
    """2 GB of one string, which a dictionary and run lengths make small."""
    parquet.write_table(pa.table({"a": ["x" * 100_000] * 20_000}), path, compression="zstd")


def constant_numbers(path: Path) -> None:
    block = pa.table({"a": np.zeros(10_000_000, dtype=np.int64)})
    with parquet.ParquetWriter(path, block.schema, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(block)


def nested_text(path: Path) -> None:
    row = ["x" * 100_000] * 20
    parquet.write_table(pa.table({"a": [row] * 1000}), path, compression="zstd")


def nested_numbers(path: Path) -> None:
    """One row of 2e8 equal numbers."""
    offsets = pa.array([0, 200_000_000], pa.int32())
    column = pa.ListArray.from_arrays(offsets, pa.array(np.zeros(200_000_000, dtype=np.int8)))
    parquet.write_table(pa.table({"a": column}), path, compression="zstd")


def array_header(shape: str) -> Callable[[Path], Any]:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.encode())


def view(query: str) -> Callable[[Path], Any]:
    """Return what writes a database with one view."""

    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE VIEW v AS {query}")
            database.commit()

    return write


def packed_text(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=9) as stream:
        for _ in range(500):
            stream.write(b"1,0\n" * 250_000)


def model(path: Path, tree: str, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", f'{{"format": {FORMAT}, "halflabel": "0", "tree": {tree}}}')
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def large_array(path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.zeros(2**28, dtype=np.uint8), version=(1, 0))
    model(path, json.dumps({"dict": [["predictor", {"npy": 0}]]}), **{"0": stream.getvalue() * 3})


def reused_array(path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.zeros(2**24, dtype=np.uint8), version=(1, 0))
    model(path, json.dumps({"dict": [["predictor", {"list": [{"npy": 0}] * 500}]]}), **{"0": stream.getvalue()})


def small_lists(path: Path) -> None:
    model(path, '{"list": [' + '{"list":[]},' * 2_500_000 + "1]}")


BOMBS = [
    Bomb("Parquet, one text repeated", "b.parquet", repeated_text, is_slow=True),
    Bomb("Parquet, 2e8 equal numbers", "b.parquet", constant_numbers, is_slow=True),
    Bomb("Parquet, one text repeated in lists", "b.parquet", nested_text, is_slow=True),
    Bomb("Parquet, 2e8 numbers in one row", "b.parquet", nested_numbers, is_slow=True),
    Bomb("npy, no rows of 1e8 columns", "b.npy", array_header("(0, 100000000)")),
    Bomb("npy, no rows", "b.npy", array_header("(0, 5)")),
    Bomb("npy, 1e18 rows of no columns", "b.npy", array_header("(1000000000000000000, 0)")),
    Bomb("CSV, a pipe", "b.csv", os.mkfifo),
    Bomb("SQLite, a cell of 1e9 bytes", "b.db", view("SELECT zeroblob(999999999) AS a")),
    Bomb("SQLite, 500 cells of 6e7 bytes", "b.db", view(f"SELECT {', '.join(['randomblob(60000000)'] * 500)}")),
    Bomb("SQLite, rows without end", "b.db", view(f"{ENDLESS} SELECT i, randomblob(1000000) AS a FROM r")),
    Bomb("gz, 500 MB of CSV", "b.csv.gz", packed_text, is_slow=True),
    Bomb("model, 768 MiB in 750 kB", "b.halflabel", large_array, hl.load, is_slow=True),
    Bomb("model, one array 500 times", "b.halflabel", reused_array, hl.load),
    Bomb("model, 58 MB of lists", "b.halflabel", lambda p: model(p, f"[{'[],' * 19_000_000}1]"), hl.load),
    Bomb("model, 30 MB of lists", "b.halflabel", small_lists, hl.load),
    Bomb("model, nested 1e5 deep", "b.halflabel", lambda p: model(p, '{"list": [' * 100_000), hl.load),
]


def set_off(bomb: Bomb, folder: Path) -> Cost:
    """Write a bomb, let its reader read it, and measure; errors of other kinds are raised."""
    path = folder / bomb.file
    bomb.write(path)
    sentence = ""
    with (
        patch("halflabel.files.bounded.free_memory", lambda: FREE),
        patch("halflabel.completion.model_file.archive.free_memory", lambda: FREE),
    ):
        peak, start = _Peak(), time.process_time()
        try:
            bomb.reader(path)
        except bomb.error as error:
            sentence = str(error)
        return Cost(path.lstat().st_size, sentence, time.process_time() - start, peak.megabytes())


class _Peak:
    """The growth of the resident memory at its peak; Linux lets a process start that mark again."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")
        self.before = self._read("VmRSS")

    def megabytes(self) -> float:
        return (self._read("VmHWM") - self.before) / 1024

    @staticmethod
    def _read(name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1])
