"""The member that is a kernel regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import euclidean_distances

from halflabel._arrays import Floats, Matrix
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.ridge import fit_ridge
from halflabel.methods.auto.sampling import Stream
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import Carriers, Examples
from halflabel.numerics.kernels import KernelRidge, NystroemMap, kernel_ridge

#: Maximum number of examples that a regression is divided among.
MAX_EXAMPLES = 4096


@dataclass(frozen=True, eq=False)
class KernelRegression:
    """A kernel ridge regression."""

    evidence: ClassVar[Evidence] = "features"

    ridge: KernelRidge

    def predict(self, items: Items) -> Floats:
        """Return regression values."""
        return self.ridge.predict(items.X)

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each observed entry of the label. At most the nearest 4096 entries are compared."""
        return Carriers() if examples is None else Carriers(examples=self._divide(item.X, label, examples))

    def _divide(self, X: Matrix, label: int, examples: Examples) -> Floats:
        r"""Return the shares of examples: :math:`\phi(x)^T(\Phi^T\Phi + \alpha I)^{-1}\phi_i (y_i - \bar y)`."""
        features, shares = self.ridge.features, np.zeros(len(examples.relevant))
        near = np.sort(np.argsort(euclidean_distances(X, examples.X)[0], kind="stable")[:MAX_EXAMPLES])
        Phi = features(examples.X[near])
        gram = Phi.T @ Phi + self.ridge.alpha[label] * np.eye(Phi.shape[1])
        relevant = examples.relevant.astype(np.float64)
        weights = Phi @ linalg.solve(gram, features(X)[0], assume_a="pos")
        shares[near] = weights * (relevant[near] - relevant.mean())
        return shares


def kernel(task: Task) -> Fitted[KernelRegression]:
    """RBF kernel ridge. Bandwidth and ridge weight have the smallest leave-one-out error, in closed form.

    Each labelled item is held out by itself, or, where there are groups, together with its fold.
    """
    folds, X, features = task.folds, task.X[task.folds.rows], task.kernel_map
    if folds.n_groups:
        return _fit_by_fold(task, features, X)
    model, loo = fit_ridge(features, X, folds.Y, folds.observed, task.rng(Stream.KERNEL))
    scores = model.predict(task.X)
    # Each label is fitted on its own observed entries: the score of an unknown entry does not use its item.
    out_of_fold = np.where(folds.observed, loo, scores[folds.rows])
    if len(folds.rows) < 2:
        out_of_fold = np.full_like(loo, np.nan)
    return Fitted(KernelRegression(model), scores, out_of_fold)


def _fit_by_fold(task: Task, features: NystroemMap, X: Matrix) -> Fitted[KernelRegression]:
    """Hold out folds, which keep groups together: leaving out one item would keep other items of its group."""
    folds = task.folds
    family = kernel_ridge(X, folds.Y, folds.observed, folds.fold, features)
    out_of_fold = family.predict(X)[np.arange(len(folds.rows)), 1 + folds.fold]
    out_of_fold[folds.fold < 0] = np.nan  # a single group: nothing can be held out
    return Fitted(KernelRegression(family[0]), family[0].predict(task.X), out_of_fold)
