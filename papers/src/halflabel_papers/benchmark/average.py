"""The average of plain methods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import logit
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from halflabel.methods.baselines import BinaryRelevance


class Average(BaseEstimator):  # type: ignore[misc]
    """The mean probability of logistic regression, ExtraTrees and gradient boosting, as a score.

    The board maps scores to probabilities, by Platt scaling on the entries that are held out.

    Attributes
    ----------
    members_ : list of estimators

    Examples
    --------
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.arange(40) % 2, np.nan, X[:, 0] > 0)[:, None]
    >>> bool((Average().fit(X, y).decision_function(X)[X[:, 0] > 0.5] > 0).all())
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the three methods to the known entries of each label."""
        trees = ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0)
        boosting = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=4, early_stopping=False, random_state=0)
        plain = [
            BinaryRelevance(LogisticRegression(C=0.1, max_iter=300), n_folds=3),
            BinaryRelevance(trees, n_folds=3),
            BinaryRelevance(boosting, n_folds=3, scale=None),
        ]
        self.members_ = [each.fit(X, y) for each in plain]
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the logit of the mean, which is at least 1e-6 from 0 and 1."""
        mean = np.mean([each.predict_proba(X) for each in self.members_], axis=0)
        return logit(np.clip(mean, 1e-6, 1 - 1e-6))

    def predict(self, X: Any) -> Any:
        """Return 1 where the mean is at least one half."""
        return (self.decision_function(X) >= 0).astype(int)
