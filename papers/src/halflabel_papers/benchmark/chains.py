"""An ensemble of classifier chains that accepts gaps."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

#: Number of chains, each in an order of its own.
N_CHAINS = 10


class Chains(BaseEstimator):  # type: ignore[misc]
    """The mean of chains of logistic regressions: each label has the labels before it as further features.

    Read et al. 2011. An unknown label before it counts with its probability.

    Parameters
    ----------
    C : float, default=0.1

    Attributes
    ----------
    transduction_, label_scores_, label_probabilities_ : ndarray of shape (n_items, n_labels)

    Examples
    --------
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.arange(40) % 2, np.nan, X[:, 0] > 0)[:, None]
    >>> bool((Chains().fit(X, y).label_probabilities_[X[:, 0] > 0.5] > 0.5).all())
    True
    """

    def __init__(self, C: float = 0.1) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        """Fill the labels. A label that was not observed with both values has its rate."""
        X, rng = StandardScaler().fit_transform(X), np.random.default_rng(0)
        p = np.mean([self._follow(X, y, rng.permutation(y.shape[1])) for _ in range(N_CHAINS)], axis=0)
        self.label_scores_ = self.label_probabilities_ = p
        self.transduction_ = (p >= 0.5).astype(int)
        return self

    def _follow(self, X: Any, y: Any, order: Any) -> Any:
        """Return the probabilities of one chain."""
        p = np.zeros(y.shape)
        for j in order:
            known = ~np.isnan(y[:, j])
            p[:, j] = truth = y[known, j].mean() if known.any() else 0.0
            if 0 < truth < 1:
                model = LogisticRegression(C=self.C, max_iter=300).fit(X[known], y[known, j])
                p[:, j] = model.predict_proba(X)[:, 1]
            X = np.column_stack([X, np.where(known, y[:, j], p[:, j])])
        return p
