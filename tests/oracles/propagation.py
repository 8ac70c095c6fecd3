"""Slow, obvious references: loops and dense solves."""

from __future__ import annotations

import numpy as np


def nearest(X, k):
    """k nearest other rows, by sorting all distances of each row."""
    out = []
    for i, x in enumerate(X):
        distance = [(np.linalg.norm(x - other), j) for j, other in enumerate(X) if j != i]
        out.append([j for _, j in sorted(distance)[:k]])
    return np.array(out)


def weights_of_row(x, neighbors, ridge):
    """Equation (4) with the load of eq. (13), by an explicit inverse."""
    k = len(neighbors)
    L = np.array([[(a - x) @ (b - x) for b in neighbors] for a in neighbors])
    L = L + ridge * np.trace(L) / k * np.eye(k)
    w = np.linalg.inv(L) @ np.ones(k)
    return w / w.sum()


def anchored(W, target, weight):
    """Minimiser of ||(I - W)F||^2 + sum d (F - T)^2, one dense solve per label."""
    A = np.eye(len(W)) - W
    return np.column_stack(
        [np.linalg.solve(A.T @ A + np.diag(d), d * t) for t, d in zip(target.T, weight.T, strict=True)]
    )


def left_out_ridge(Phi, Y, alpha):
    """Predictions for each row of a ridge regression that was refitted without it."""
    out = np.empty_like(Y)
    for i in range(len(Phi)):
        rest = np.arange(len(Phi)) != i
        P = Phi[rest]
        out[i] = Phi[i] @ np.linalg.solve(P.T @ P + alpha * np.eye(P.shape[1]), P.T @ Y[rest])
    return out
