"""A method of Zhao & Guo (2015) with the best of its settings: one loss for all methods, and one for each rule."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid

from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.plugins import Floats
from halflabel_papers.comparators.comparator import rate_held_out


class Tuned(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """The setting with the best out-of-fold scores: their F1 plus their macro-AUC, as for LowRankVVMR.

    F1 is at the sign for :meth:`predict`. It is at the best threshold for scores and probabilities, which other
    threshold rules use.

    Parameters
    ----------
    estimator : estimator
        It has ``out_of_fold_scores_`` after a fit. It may choose among settings itself: then by the same loss.
    grid : mapping of str to sequence, optional
        Values of its other parameters; every combination is fitted.
    zero : float, default=0.0
        The sign is that of the score less this value.

    Attributes
    ----------
    signed_, best_ : estimator
        The best one at the sign, and the best one at the best threshold. This object has the attributes of the latter,
        and its values and choices in ``setting_``.
    """

    def __init__(self, estimator: Any = None, grid: Any = None, zero: float = 0.0) -> None:
        self.estimator = estimator
        self.grid = grid
        self.zero = zero

    def fit(self, X: Any, y: Any) -> Self:
        """Fit every setting, and keep the best for each of the two thresholds."""
        labels = y if isinstance(y, PartialLabels) else PartialLabels.from_table(y)
        known = mark_unassigned(labels) if labels.positive_only else labels
        self.signed_, _ = self._choose(X, y, known, self.zero)
        self.best_, self.setting_ = self._choose(X, y, known, None)
        return self

    def _choose(self, X: Any, y: Any, known: PartialLabels, threshold: float | None) -> tuple[Any, dict[str, Any]]:
        rows, models, rates = ~known.unlabelled, [], []
        settings = list(ParameterGrid(dict(self.grid or {})))
        for setting in settings:
            model = clone(self.estimator).set_params(**setting)
            if "rule" in model.get_params():
                model.rule = "micro_f1" if threshold is None else Rule("fixed", threshold=threshold)
            model.adds_auc = True
            models.append(model.fit(X, y))
            held_out = np.asarray(model.out_of_fold_scores_).reshape(known.shape)
            rates.append(rate_held_out(known[rows], held_out[rows], threshold))
        best = int(np.argmax(rates))
        own = getattr(models[best], "setting_", {})
        return models[best], {**(own if isinstance(own, dict) else vars(own)), **settings[best]}

    def predict(self, X: Any) -> Floats:
        """Return 1 where the score is at least ``zero``."""
        return np.asarray(self.signed_.predict(X), dtype=np.float64)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "best_" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.best_, name)
