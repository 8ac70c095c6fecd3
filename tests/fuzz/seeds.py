"""One small valid input per format, and the reader that must either read a change of it or raise one sentence."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from tests.fuzz.library_files import LIBRARY_TABLES
from tests.fuzz.models import change_gently, change_model, damage
from tests.fuzz.mutator import mutate, overwrite
from tests.fuzz.own_files import REWRITTEN, WRITTEN
from tests.fuzz.structure import Change
from tests.fuzz.tools import TOOLS

import halflabel as hl
from halflabel.completion.model_file.archive import ModelFileError
from halflabel.completion.model_file.parts import make_up_rows
from halflabel.files.raw_table import ReadError
from halflabel.files.reading import read_table
from halflabel.files.registry import find_home
from halflabel.methods.auto import EFFORTS

CSV = 'id,x,name,rock,live\n007,1.5,a,1,0\n008,,"b, c",,1\n009,-2e3,"two\nlines",0,\n'
R_TABLE = '"x" "name" "rock"\n"g1" 1.5 "a b" TRUE\n"g2" NA NA FALSE\n"g3" -2e3 "it\'s" NA\n'


@dataclass(frozen=True)
class Format:
    """A format: its seed, the suffix of its files, its reader, the error that the reader may raise, and the changes."""

    name: str
    suffix: str
    seed: Callable[[], bytes]
    reader: Callable[[Path], Any]
    error: type[Exception] = ReadError
    change: Change = mutate


def parquet() -> bytes:
    stream = io.BytesIO()
    frame = pd.DataFrame({"x": [1.5, None], "tags": [["a"], None], "id": ["007", "008"], "ok": [True, False]})
    frame.to_parquet(stream)
    return stream.getvalue()


def vectors() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(6.0).reshape(3, 2))
    return stream.getvalue()


def pack(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def change_packed(content: bytes, rng: np.random.Generator) -> bytes:
    """Change the text in a gz file, or the file itself."""
    return pack(mutate(gzip.decompress(content), rng)) if rng.random() < 0.5 else mutate(content, rng)


def save_model(method: Any) -> bytes:
    """Return a small model as a file."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = pd.DataFrame((X > 0).astype(float), columns=["a", "b"]).where(rng.random((40, 2)) < 0.7)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.halflabel"
        hl.complete(X, Y, method=method).save(path)
        return path.read_bytes()


@cache
def graph_model() -> bytes:
    return save_model(hl.SSDRMC(n_neighbors=5))


@cache
def kernel_model() -> bytes:
    return save_model(hl.VVMR(alpha=0.1))


@cache
def table_model() -> bytes:
    """Return a model of a table with numbers, gaps, a category and a column of vectors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    table = pd.DataFrame({"x": np.where(rng.random(40) < 0.2, np.nan, X[:, 0]), "y": X[:, 1]})
    table["kind"] = np.where(X[:, 2] > 0, "major", "minor")
    table["v"] = list(X[:, 2:].tolist())
    table["a"] = np.where(rng.random(40) < 0.7, X[:, 0] > 0, np.nan)
    table["b"] = np.where(rng.random(40) < 0.7, X[:, 1] > 0, np.nan)
    with tempfile.TemporaryDirectory() as folder, patch.dict(EFFORTS, {"fast": replace(EFFORTS["fast"], n_trees=4)}):
        path = Path(folder) / "m.halflabel"
        hl.complete(table, labels=["a", "b"], vectors="v", effort="fast").save(path)
        return path.read_bytes()


@cache
def ensemble_model() -> bytes:
    """Return a model of the default method, with small forests."""
    with patch.dict(EFFORTS, {"fast": replace(EFFORTS["fast"], n_trees=4)}):
        return save_model(hl.AutoLabeler(effort="fast"))


def use_model(path: Path) -> Any:
    """Load a model, and use it as a person does; what it predicts must be in [0, 1]."""
    loaded = hl.load(path)
    with as_defects():
        rows, matrix = make_up_rows(loaded.encoder)
        given = pd.DataFrame({name: [1.0, np.nan] for name in loaded.label_names})
        gaps = rows.assign(**{name: [np.nan, 1.0] for name in loaded.encoder.numeric})
        tables = [loaded.predict_proba(rows, matrix), loaded.predict_proba(gaps, matrix)]
        if loaded.roles.tags is None:
            tables.append(loaded.complete_both(gaps.assign(**given), matrix)[1])
        p = np.vstack([table.to_numpy() for table in tables])
        assert ((p >= 0) & (p <= 1)).all()
    return p


@contextmanager
def as_defects() -> Iterator[None]:
    """Let an error that a reader may raise be a defect when what it read is used."""
    try:
        yield
    except ValueError as error:
        raise RuntimeError(f"{type(error).__name__} in use: {error}") from error


def use_damaged(seed: Callable[[], bytes]) -> Callable[[Path], Any]:
    """Return a reader for which another answer than that of the sound model is a defect."""

    @cache
    def expected() -> Any:
        with tempfile.NamedTemporaryFile(suffix=".halflabel") as file:
            file.write(seed())
            file.flush()
            return use_model(Path(file.name))

    def reader(path: Path) -> None:
        assert (use_model(path) == expected()).all(), "another answer than that of the sound model"

    return reader


TABLES = [
    Format("csv", ".csv", CSV.encode, read_table),
    Format("csv in gz", ".csv.gz", lambda: pack(CSV.encode()), read_table, change=change_packed),
    Format("text", ".txt", lambda: CSV.replace(",", "\t").encode("cp1252"), read_table),
    Format("table of r", ".txt", R_TABLE.encode, read_table),
    Format("parquet", ".parquet", parquet, read_table, change=overwrite),
    Format("vectors", ".npy", vectors, read_table),
    *(Format(name, suffix, seed, read_table, change=change) for name, suffix, seed, change in LIBRARY_TABLES),
]


def is_installed(name: str) -> bool:
    """Return whether a format is in this environment: some are in halflabel-tools."""
    return not find_home(name.split()[0])


RECORDS = [
    Format(name, suffix, seed, reader, change=change)
    for name, suffix, seed, reader, change in TOOLS
    if is_installed(name)
]

MODELS = [
    Format(name, ".halflabel", seed, use_model, ModelFileError, change_model)
    for name, seed in (
        ("model", graph_model),
        ("kernel model", kernel_model),
        ("ensemble", ensemble_model),
        ("table model", table_model),
    )
]

GENTLY_CHANGED = [replace(each, name=f"{each.name} changed gently", change=change_gently) for each in MODELS]

DAMAGED = [
    Format(f"damaged {each.name}", ".halflabel", each.seed, use_damaged(each.seed), ModelFileError, damage)
    for each in MODELS
]

OWN = [Format(name, suffix, seed, reader, ValueError, change) for name, suffix, seed, reader, change in WRITTEN]

REWRITTEN_RECORDS = [
    Format(name, suffix, seed, reader, change=change)
    for name, suffix, seed, reader, change in REWRITTEN
    if is_installed(name)
]

FORMATS = [*TABLES, *RECORDS, *OWN, *REWRITTEN_RECORDS, *MODELS, *GENTLY_CHANGED, *DAMAGED]
