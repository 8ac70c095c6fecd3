"""The default of this library as an estimator, and a baseline without features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

import halflabel
from halflabel.labels import PartialLabels
from halflabel.labels.names import Effort
from halflabel.plugins import is_sparse


class Default(BaseEstimator):  # type: ignore[misc]
    """:func:`halflabel.complete` with its defaults, as an estimator.

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"

    Attributes
    ----------
    transduction_, label_scores_, label_probabilities_ : ndarray of shape (n_items, n_labels)
        Every entry, with the probability as scores. A label that was not observed with both values has its rate.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.arange(40) % 2, np.nan, X[:, 0] > 0)[:, None]
    >>> bool((Default("fast").fit(X, y).label_probabilities_[X[:, 0] > 0.5] > 0.5).all())
    True
    """

    def __init__(self, effort: Effort = "default") -> None:
        self.effort = effort

    def __sklearn_tags__(self) -> Any:
        """Return the tags: features may have gaps."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fill the labels. ``X`` and ``y`` are as in :func:`halflabel.complete`."""
        labels = y if isinstance(y, PartialLabels) else PartialLabels.from_table(np.asarray(y))
        filled = halflabel.complete(X if is_sparse(X) else np.asarray(X), labels, effort=self.effort)
        places = {name: j for j, name in enumerate(filled.labels.names)}
        p = np.broadcast_to(np.nan_to_num(labels.rates), labels.shape).copy()
        for j, name in enumerate(labels.names):
            if name in places:
                p[:, j] = filled.evidence.probabilities[:, places[name]]
        self.label_scores_ = self.label_probabilities_ = p
        self.transduction_ = (p >= 0.5).astype(int)
        return self


class LabelRate(BaseEstimator):  # type: ignore[misc]
    """The share of relevant entries among the known ones of each label, for every item: the baseline without features.

    Examples
    --------
    >>> LabelRate().fit(np.zeros((3, 1)), np.array([[1.0], [0.0], [np.nan]])).predict_proba(np.zeros((1, 1)))
    array([[0.5]])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Store the rates."""
        known = ~np.isnan(y)
        self.rates_ = np.where(known, y, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the rates, once per item."""
        return np.broadcast_to(self.rates_, (X.shape[0], len(self.rates_)))

    def predict(self, X: Any) -> Any:
        """Return 1 where the rate is at least one half."""
        return (self.predict_proba(X) >= 0.5).astype(int)
