"""Targets of the trees: observed values, and a surrogate's predictions for entries that are missing one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Matrix
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.sampling import draw
from halflabel.numerics.kernels import KernelRidge, kernel_ridge, mean_distance, nystroem

#: Maximum number of landmarks of the surrogate, and of items it is fitted on: to hold out a fold costs, label by label,
#: the cube of the number of its items.
MAX_LANDMARKS, MAX_ITEMS = 400, 10_000


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Kernel ridge regressions on the labelled items: one on all of them, and one without each fold."""

    #: A family as :func:`halflabel.numerics.kernels.kernel_ridge` returns it.
    ridges: KernelRidge
    #: False for a single item or group, of which there is only the regression on all.
    can_hold_out: bool

    @classmethod
    def fit(cls, X: Matrix, folds: Folds, rng: np.random.Generator) -> Surrogate:
        """Fit on at most 10 000 labelled items and 400 landmarks. ``X`` has all items."""
        labelled = X[folds.rows]
        features = nystroem(labelled, mean_distance(X, rng), MAX_LANDMARKS, rng)
        some = draw(np.arange(len(folds.rows)), MAX_ITEMS, rng)
        some = np.union1d(some, np.unique(folds.fold, return_index=True)[1])  # an item of every fold is among them
        ridges = kernel_ridge(labelled[some], folds.Y[some], folds.observed[some], folds.fold[some], features)
        return cls(ridges, bool(folds.fold.max() >= 0))

    @property
    def whole(self) -> KernelRidge:
        """The regression on all items."""
        return self.ridges[0]

    def without(self, fold: int) -> KernelRidge:
        """Return the regression without a fold, or on all items if nothing can be held out."""
        return self.ridges[fold + int(self.can_hold_out)]


@dataclass(frozen=True, eq=False)
class Targets:
    """Values between 0 and 1 that trees are fitted to."""

    #: Shape (n_folds or 1, n_labelled, n_labels). The targets without each fold; one table if all labelled items are
    #: completely observed.
    values: Floats

    @classmethod
    def fill(cls, X: Matrix, folds: Folds, surrogate: Surrogate) -> Targets:
        """Fill the unknown entries of labelled items with predictions of regressions without the fold."""
        values = np.empty((len(folds.numbers), *folds.Y.shape))
        for fold in folds.numbers:
            prediction = surrogate.without(fold).predict(X[folds.rows])
            values[fold] = np.where(folds.observed, folds.Y, np.clip(prediction, 0, 1))
        return cls(values)

    def without(self, fold: int) -> Floats:
        """Return the targets of the labelled items, shape (n_labelled, n_labels), for a fit without a fold."""
        return np.asarray(self.values[fold % len(self.values)])
