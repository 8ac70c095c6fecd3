"""What the tests of the positives protocol name by import path."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.methods.baselines import BinaryRelevance


def make(rng: np.random.Generator, n: int = 120, gaps: float = 0.0) -> Dataset:
    """Return items whose labels are linear in their features, a share of the entries unknown."""
    X = rng.normal(size=(n, 4))
    Y = (X @ rng.normal(size=(4, 5)) + 0.5 * rng.normal(size=(n, 5)) > 0.7).astype(float)
    labels = PartialLabels.from_table(np.where(rng.random(Y.shape) < gaps, np.nan, Y))
    return Dataset("toy", X, labels, tuple("abcd"), "drawn", "none", "")


class Recording(BinaryRelevance):
    """Keeps what it was fitted on."""

    last: ClassVar[Recording]

    def fit(self, X: Any, y: Any) -> Self:
        self.seen_ = X, y
        type(self).last = self
        return super().fit(X, y)


class Positives(BaseEstimator):
    """Takes positive-only labels and has neither probabilities nor held-out scores."""

    last: ClassVar[Positives]

    def fit(self, X: Any, y: PartialLabels) -> Self:
        self.seen_ = X, y
        type(self).last = self
        return self

    def decision_function(self, X: Any) -> Any:
        return np.tile(X[:, :1], 5)

    def predict(self, X: Any) -> Any:
        return (self.decision_function(X) >= 1).astype(int)
