"""A task for members, from a table with gaps."""

from __future__ import annotations

from halflabel import PartialLabels
from halflabel.methods.auto.effort import EFFORTS, Effort
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.sampling import named_rng
from halflabel.methods.auto.task import Task


def make_task(X, Y, effort: Effort = EFFORTS["default"], *, seed: int = 3, n_folds: int = 5, folds=None) -> Task:
    labels = PartialLabels.from_table(Y)
    folds = folds or Folds.split(labels, n_folds, named_rng(seed, "folds"))
    return Task(X, labels, folds, effort, seed)
