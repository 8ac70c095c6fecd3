"""Random numbers: one generator per stream, and samples of rows."""

from __future__ import annotations

import zlib
from enum import IntEnum

import numpy as np

from halflabel._arrays import Ints


class Stream(IntEnum):
    """The streams of random numbers of a fit, so that no member depends on which other members there are.

    The number decides the random numbers, and the name does not: a name can be improved, a number must stay.
    """

    FOLDS = 977612484
    BANDWIDTH = 2315900271
    LANDMARKS = 4072386945
    NODES = 490538492
    COORDINATES = 2551633526
    SURROGATE = 546603431
    FEATURES_OF_SPLIT = 2204819099
    KERNEL = 1574083243
    CALIBRATION = 4240618515
    MEMBER_WEIGHTS = 3495315440
    OTHER_LABELS = 2667026635
    TREES = 1306399596
    BOOSTING = 3058134897


def make_rng(seed: int, stream: Stream, fold: int | None = None) -> np.random.Generator:
    """Return the generator of a stream. Each fold has its own generator."""
    key = int(stream) if fold is None else zlib.crc32(f", fold {fold}".encode(), int(stream))
    return np.random.default_rng([seed, key])


def draw(rows: Ints, max_rows: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or ``max_rows`` of them in their order."""
    return rows if len(rows) <= max_rows else np.sort(rng.choice(rows, max_rows, replace=False))
