"""Members that are kernel regressions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Matrix
from halflabel.methods.auto.heat import walk
from halflabel.methods.auto.ridge import deformations, ridge, sample_rows, worthiest
from halflabel.methods.auto.task import Fitted, Items, Task
from halflabel.numerics.kernels import KernelRidge, NystroemMap, kernel_ridge


@dataclass(frozen=True, eq=False)
class Regression:
    """A kernel ridge regression.

    Attributes
    ----------
    ridge : KernelRidge
    """

    ridge: KernelRidge

    def predict(self, items: Items) -> Floats:
        """Return regression values."""
        return self.ridge.predict(items.X)


def kernel(task: Task) -> Fitted:
    """RBF kernel ridge; bandwidth and ridge weight by closed-form leave-one-out."""
    return _regression(task, task.features, "kernel")


def deformed_kernel(task: Task) -> Fitted:
    r"""Kernel ridge that also pays for :math:`\|(I - P)f\|^2`, P the random walk of the heat-kernel graph."""
    few = sample_rows(len(task.rows), task.Y.shape[1], task.rng("stiffness"))
    maps = deformations(task.features, task.X[task.nodes], walk(task.graph[1]))
    best = worthiest(maps, task.X[task.rows[few]], task.Y[few], task.observed[few])
    return _regression(task, best, "deformed kernel")


def _regression(task: Task, features: NystroemMap, name: str) -> Fitted:
    X = task.X[task.rows]
    if task.together is not None:
        return _in_folds(task, features, X)
    model, loo = ridge(features, X, task.Y, task.observed, task.rng(name))
    scores = model.predict(task.X)
    # Each label learns from its own entries alone: where an item's is unknown, nothing of the item was seen.
    out_of_fold = np.where(task.observed, loo, scores[task.rows])
    return Fitted(Regression(model), scores, out_of_fold if len(task.rows) > 1 else np.full_like(loo, np.nan))


def _in_folds(task: Task, features: NystroemMap, X: Matrix) -> Fitted:
    """Hold out folds, which keep groups together, where leaving one item out would leave its twin in."""
    family = kernel_ridge(X, task.Y, task.observed, task.folds, features)
    without = family.predict(X)[np.arange(len(task.rows)), 1 + task.folds]
    without[task.folds < 0] = np.nan  # a single group: nothing can be held out
    return Fitted(Regression(family[0]), family[0].predict(task.X), without)
