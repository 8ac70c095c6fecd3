"""A task for members, from a table with gaps; and trees."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.methods.auto.effort import EFFORTS, Effort
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.sampling import Stream, make_rng
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.trees import grow


def make_task(X, Y, effort: Effort = EFFORTS["default"], *, seed: int = 3, n_folds: int = 5, folds=None) -> Task:
    labels = PartialLabels.from_table(Y)
    folds = folds or Folds.split(labels, n_folds, make_rng(seed, Stream.FOLDS))
    return Task(X, labels, folds, effort, seed)


@pytest.fixture(scope="module")
def grown():
    """Features, and six trees on them for three labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 9))
    Y = (X[:, :3] + rng.normal(size=(400, 3)) > 0) * 1.0
    bags = [rng.choice(400, 200, replace=False) for _ in range(6)]
    return X, grow(X, Y, bags, rng.integers(2**31, size=6), min_leaf=2, max_leaves=None)
