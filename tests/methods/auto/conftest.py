"""A task for members, from a table with gaps; coupled labels; and trees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

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


def coupled(rng, n=200, n_labels=4, share=0.7):
    """Return (labels with gaps, complete 0/1, log odds of a base): labels driven by features and a hidden cause."""
    known, hidden = rng.normal(size=(n, n_labels)), rng.normal(size=(n, 1))
    Y = (rng.random((n, n_labels)) < expit(known + 2 * hidden)).astype(float)
    return PartialLabels.from_observed(Y, rng.random(Y.shape) < share), Y, 0.7 * known


def log_loss(Y, log_odds, where):
    return np.logaddexp(0, -(2 * Y - 1)[where] * log_odds[where]).mean()


@pytest.fixture(scope="module")
def grown():
    """Features, and six trees on them for three labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 9))
    Y = (X[:, :3] + rng.normal(size=(400, 3)) > 0) * 1.0
    bags = [rng.choice(400, 200, replace=False) for _ in range(6)]
    return X, grow(X, Y, bags, rng.integers(2**31, size=6), min_leaf=2, max_leaves=None)
