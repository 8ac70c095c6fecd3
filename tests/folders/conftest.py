"""A small table, written in parts and read again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from halflabel.folders import folder
from halflabel.folders.folder import complete_folder

NAMES = ["tag_a", "tag_b"]


@pytest.fixture(scope="session")
def items():
    """Return 160 items with a category, and labels of two items in five."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 3)).round(3)
    table = pd.DataFrame(X, columns=["f0", "f1", "f2"])
    table["key"] = np.where(rng.random(160) < 0.5, "minor", "major")
    table.insert(0, "song", [f"s{i:03}" for i in range(160)])
    labelled = rng.random(160) < 0.4
    for j, name in enumerate(NAMES):
        table[name] = np.where(labelled, X[:, j] + 0.5 * rng.normal(size=160) > 0, np.nan)
    return table


def stop_after_two(monkeypatch):
    """Interrupt the next run before its third part. Return the function that finishes a part."""
    finish, n_done = folder.complete_part, []

    def complete_two(job):
        if len(n_done) == 2:
            raise KeyboardInterrupt
        n_done.append(job)
        return finish(job)

    monkeypatch.setattr(folder, "complete_part", complete_two)
    return finish


def write_parts(table, folder, n=4, suffix="parquet"):
    """Write a table in parts of different sizes, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    bounds = (np.linspace(0, 1, n + 1) ** 1.3 * len(table)).astype(int)
    for j, (low, high) in enumerate(pairwise(bounds)):
        write_rows(table.iloc[low:high], folder / f"part-{j}.{suffix}")
    return folder


def write_rows(rows, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        rows.to_parquet(path, index=False)
    else:
        rows.to_csv(path, index=False)


def read_parts(folder, suffix="parquet"):
    """Return the parts of a folder as one table."""
    read = pd.read_parquet if suffix == "parquet" else pd.read_csv
    paths = [path for path in sorted(folder.rglob(f"*.{suffix}")) if "_halflabel" not in path.parts]
    return pd.concat(map(read, paths), ignore_index=True)


def read_content(folder):
    """Return the bytes of the parts of a folder, by name."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "_halflabel" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def complete_parts(folder, out, **options):
    """Complete a folder of these items at the cheapest effort."""
    return complete_folder(folder, out, **{"labels": NAMES, "id": "song", "effort": "fast", **options})
