"""A slow, obvious reference for stage 2's coupling: scikit-learn, one label at a time, a dense design."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression


def residual(Y, log_odds):
    """Truth minus probability, 0 where the truth is unknown (NaN)."""
    return np.where(np.isnan(Y), 0.0, Y - 1 / (1 + np.exp(-log_odds)))


def free_coupling(Y, log_odds, ridge):
    """Return (a, c, B) with a ridge on B alone: a column scaled by 1e4 is as good as not penalised."""
    n_labels, r = Y.shape[1], residual(Y, log_odds)
    a, c, B = np.zeros(n_labels), np.zeros(n_labels), np.zeros((n_labels, n_labels))
    for j in range(n_labels):
        rows, others = ~np.isnan(Y[:, j]), [k for k in range(n_labels) if k != j]
        design = np.column_stack([1e4 * log_odds[rows, j], r[rows][:, others]])
        model = LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-12, max_iter=1000)
        model.fit(design, Y[rows, j])
        a[j], c[j], B[j, others] = model.intercept_[0], 1e4 * model.coef_[0, 0], model.coef_[0, 1:]
    return a, c, B


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
