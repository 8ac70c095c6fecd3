"""A slow, obvious reference for stage 2's coupling: scikit-learn, one label at a time, a dense design."""

from __future__ import annotations

import numpy as np


def residual(Y, log_odds):
    """Truth minus probability, 0 where the truth is unknown (NaN)."""
    return np.where(np.isnan(Y), 0.0, Y - 1 / (1 + np.exp(-log_odds)))


def objective(Y, log_odds, ridge, j, a, c, B):
    """What the coupling minimises for label j, as its docstring writes it."""
    r, total = residual(Y, log_odds), (a**2 + (c - 1) ** 2) / 2
    for k in range(Y.shape[1]):
        total += ridge / 2 * B[k] ** 2 if k != j else 0.0
    for i in range(len(Y)):
        if not np.isnan(Y[i, j]):
            eta = a + c * log_odds[i, j] + sum(B[k] * r[i, k] for k in range(Y.shape[1]) if k != j)
            total += np.log1p(np.exp(-(2 * Y[i, j] - 1) * eta))
    return total
