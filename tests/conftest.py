"""Shared fixtures: one generator per test, and half-labelled toy data without ties."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

# No test is timed: a busy machine is no failure.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def public_data() -> Path:
    """Folder of the public benchmark sets."""
    folder = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public benchmark sets at {folder} (set HALFLABEL_DATA)")
    return folder


def half_labelled(rng: np.random.Generator, n: int = 60, n_labels: int = 3, entries: bool = False):
    """Return (X, Y with gaps, Y complete): three clouds, labels linear in X plus noise, two items in five labelled."""
    centers = rng.normal(size=(3, 5)) * 2
    X = centers[rng.integers(3, size=n)] + rng.normal(size=(n, 5))
    complete = (X @ rng.normal(size=(5, n_labels)) + 0.3 * rng.normal(size=(n, n_labels)) > 0).astype(float)
    complete[:2] = [[0.0] * n_labels, [1.0] * n_labels]
    hidden = rng.random((n, n_labels)) < 0.5 if entries else np.repeat(rng.random((n, 1)) < 0.6, n_labels, axis=1)
    hidden[:2] = False
    return X, np.where(hidden, np.nan, complete), complete
