"""Random numbers: one generator per name, and samples of rows."""

from __future__ import annotations

import zlib

import numpy as np

from halflabel._arrays import Ints


def named_rng(seed: int, name: str) -> np.random.Generator:
    """Return the generator that belongs to a name, so that no member depends on which other members there are."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def draw(rows: Ints, max_rows: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or ``max_rows`` of them in their order."""
    return rows if len(rows) <= max_rows else np.sort(rng.choice(rows, max_rows, replace=False))
