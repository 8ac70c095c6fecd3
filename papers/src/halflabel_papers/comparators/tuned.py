"""The best of several settings of a method that has no choice of its own."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid

from halflabel.labels import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel.labels.positive_only import mark_unassigned, pu_f1


class Tuned(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """The setting with the best out-of-fold scores: F1 at their best threshold plus macro-AUC, as for LowRankVVMR.

    Parameters
    ----------
    estimator : estimator of halflabel
        It has ``out_of_fold_scores_`` after a fit.
    grid : mapping of str to sequence
        Values of its parameters; every combination is fitted.

    Attributes
    ----------
    best_ : estimator
        The best one. This object has its attributes and its predictions.
    setting_ : dict
        Its values.
    """

    def __init__(self, estimator: Any = None, grid: Any = None) -> None:
        self.estimator = estimator
        self.grid = grid

    def fit(self, X: Any, y: Any) -> Self:
        """Fit every setting, and keep the best."""
        labels = y if isinstance(y, PartialLabels) else PartialLabels.from_table(y)
        known = mark_unassigned(labels) if labels.positive_only else labels
        rows, best = ~known.unlabelled, -np.inf
        for setting in ParameterGrid(dict(self.grid)):
            model = clone(self.estimator).set_params(**setting).fit(X, y)
            held_out = np.asarray(model.out_of_fold_scores_).reshape(known.shape)[rows]
            auc = macro_auc(known[rows].hide(np.isnan(held_out)), held_out)
            score = pu_f1(known[rows], held_out) + float(np.nan_to_num(auc, nan=0.5))
            if score > best:
                best, self.best_, self.setting_ = score, model, setting
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "best_" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.best_, name)
