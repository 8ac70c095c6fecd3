"""What the toy paper of the tests names by import path."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels


def make(rng: np.random.Generator, n: int = 40, noise: float = 0.5) -> Dataset:
    X = rng.normal(size=(n, 4))
    Y = (X[:, :3] + noise * rng.normal(size=(n, 3)) > 0).astype(float)
    labels = PartialLabels.from_table(Y)
    return Dataset("toy", X, labels, tuple("abcd"), "drawn", "none", "")


class Linear(BaseEstimator):
    """Least squares; slow on request."""

    def __init__(self, seconds: float = 0.0, keep: int = 4) -> None:
        self.seconds = seconds
        self.keep = keep

    def fit(self, X: Any, y: Any) -> Self:
        time.sleep(self.seconds)
        self.coef_ = np.linalg.lstsq(X[:, : self.keep], 2 * y - 1, rcond=None)[0]
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, : self.keep] @ self.coef_

    def predict_proba(self, X: Any) -> Any:
        return 1 / (1 + np.exp(-3 * self.decision_function(X)))

    def predict(self, X: Any) -> Any:
        return (self.decision_function(X) > 0).astype(int)


class Chance(Linear):
    """Random scores."""

    def decision_function(self, X: Any) -> Any:
        return np.random.default_rng(0).normal(size=(len(X), 3))


class Breaks(Linear):
    def fit(self, X: Any, y: Any) -> Self:
        raise RuntimeError("nothing works")


class FirstTwo(TransformerMixin, BaseEstimator):
    n_components_ = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        return self

    def transform(self, X: Any) -> Any:
        return X[:, :2]


class Sleeps(Linear):
    """Marks that it runs, and does not end in time."""

    def fit(self, X: Any, y: Any) -> Self:
        Path(os.environ["SLEEPING"]).touch()
        time.sleep(300)
        return self
