"""A small table, written in parts and read again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from tests.conftest import *  # noqa: F403 # the profiles and fixtures of the product

from halflabel_scale import complete_folder

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


def write_parts(table, folder, n=4):
    """Write a table in parts of different sizes, and return the folder."""
    bounds = (np.linspace(0, 1, n + 1) ** 1.3 * len(table)).astype(int)
    for j, (low, high) in enumerate(pairwise(bounds)):
        write_rows(table.iloc[low:high], folder / f"part-{j}.parquet")
    return folder


def write_rows(rows, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.to_parquet(path, index=False)


def list_files(folder):
    """Return the parts of a folder."""
    return [path for path in sorted(folder.rglob("*.parquet")) if "_halflabel" not in path.parts]


def read_parts(folder):
    """Return the parts of a folder as one table."""
    return pd.concat([pd.read_parquet(path, partitioning=None) for path in list_files(folder)], ignore_index=True)


def read_content(folder):
    """Return the bytes of the parts of a folder, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in list_files(folder)}


def complete_parts(folder, out, **options):
    """Complete a folder of these items at the cheapest effort."""
    return complete_folder(folder, out, **{"labels": NAMES, "id": "song", "effort": "fast", **options})
