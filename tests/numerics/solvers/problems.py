"""A small completion problem in the forms that solvers and oracles take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel.datasets.synthetic import make_low_rank
from halflabel.numerics.losses import BiasedLogistic, Logistic, SideBySide, Squared


@dataclass
class Problem:
    X: np.ndarray  # NaN where missing
    Y: np.ndarray  # +1, -1, NaN
    label_weight: float

    @property
    def seen(self):
        return np.sum(~np.isnan(self.Y)), np.sum(~np.isnan(self.X))

    def terms(self, row_weight=None, ridge=None, offset=None):
        """The smooth part: with a row of ones, a free bias, or a fixed one."""
        OY, OX = self.seen
        sign, weight = np.nan_to_num(self.Y), self.label_weight / OY
        features = Squared(np.nan_to_num(self.X), ~np.isnan(self.X), 1 / OX)
        widths = [self.Y.shape[1], self.X.shape[1]]
        if row_weight is not None:
            ones = Squared(np.ones((len(self.X), 1)), None, row_weight / OX)
            return SideBySide([Logistic(sign, weight), features, ones], [*widths, 1])
        labels = Logistic(sign, weight, offset) if ridge is None else BiasedLogistic(sign, weight, ridge)
        return SideBySide([labels, features], widths)

    def zeros(self, extra=0):
        return np.zeros((len(self.X), self.X.shape[1] + self.Y.shape[1] + extra))


def draw(n=40, d=8, t=3, share=0.5, label_weight=0.5, seed=0):
    rng = np.random.default_rng(seed)
    data = make_low_rank(n, d, 2, t, 0.01, rng).dataset
    X = np.where(rng.random((n, d)) < share, data.X, np.nan)
    Y = np.where(rng.random((n, t)) < share, data.Y.values(irrelevant=-1.0), np.nan)
    return Problem(X, Y, label_weight)


def top(terms, Z):
    """The spectral norm of the gradient at 0."""
    return np.linalg.norm(terms.value_and_grad(np.zeros_like(Z))[1], 2)
