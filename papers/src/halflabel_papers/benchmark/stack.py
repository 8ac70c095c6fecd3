"""Boosting with early stopping, and a stack of plain methods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from halflabel.methods.baselines import BinaryRelevance

#: Probabilities are at least this far from 0 and 1.
CLIP = 1e-4


class Boosting(HistGradientBoostingClassifier):  # type: ignore[misc]
    """Boosted trees with early stopping, except where a class has one item: it cannot be held out.

    Examples
    --------
    >>> bool(Boosting(early_stopping=True).fit(np.eye(30), np.eye(30)[0]).early_stopping)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the trees."""
        asked = self.get_params()["early_stopping"]
        self.set_params(early_stopping=asked and min(np.unique(y, return_counts=True)[1]) > 1)
        try:
            return super().fit(X, y)  # type: ignore[no-any-return]
        finally:
            self.set_params(early_stopping=asked)


class Stack(BaseEstimator):  # type: ignore[misc]
    """The weighted mean of logistic regression, ExtraTrees and boosting, with weights of the least log loss.

    The loss is that of out-of-fold probabilities, so that a member that memorises gets no weight for it.

    Attributes
    ----------
    members_ : list of estimators
    weights_ : ndarray of shape (3,)

    Examples
    --------
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.arange(40) % 2, np.nan, X[:, 0] > 0)[:, None]
    >>> bool((Stack().fit(X, y).predict_proba(X)[X[:, 0] > 0.5] > 0.5).all())
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the members to the known entries of each label, and then the weights."""
        trees = ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0)
        boosting = HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=4, early_stopping=False, random_state=0)
        plain = [
            BinaryRelevance(LogisticRegression(C=0.1, max_iter=300), n_folds=3),
            BinaryRelevance(trees, n_folds=3),
            BinaryRelevance(boosting, n_folds=3, scale=None),
        ]
        self.members_ = [each.fit(X, y) for each in plain]
        known = np.stack([each.label_probabilities_ for each in self.members_])[:, ~np.isnan(y)]
        truth, P = y[~np.isnan(y)] > 0, np.clip(known, CLIP, 1 - CLIP)

        def lose(logits: Any) -> float:
            p = softmax(logits) @ P
            return float(-np.where(truth, np.log(p), np.log1p(-p)).mean())

        self.weights_ = softmax(minimize(lose, np.zeros(len(P)), method="Nelder-Mead").x)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the weighted mean."""
        return np.tensordot(self.weights_, [each.predict_proba(X) for each in self.members_], 1)

    def predict(self, X: Any) -> Any:
        """Return 1 where the mean is at least one half."""
        return (self.predict_proba(X) >= 0.5).astype(int)
