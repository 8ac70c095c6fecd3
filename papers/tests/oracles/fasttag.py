"""FastTag with every way of blanking out tags written down, and with the two closed forms in turn."""

from __future__ import annotations

from itertools import product

import numpy as np


def blanked(tags, p):
    """Every (probability, what is left of the tags with the constant behind them)."""
    for kept in product([0, 1], repeat=len(tags)):
        probability = np.prod([1 - p if k else p for k in kept])
        yield probability, np.append(tags * np.array(kept), 1.0)


def objective(X, Y, weights, B, W, w0, alpha, gamma, p):
    total = alpha * np.sum(W**2)
    for c, x, y in zip(weights, X, Y, strict=True):
        total += c * np.sum((B @ np.append(y, 1.0) - W @ x - w0) ** 2)
        total += gamma * c * sum(prob * np.sum((y - B @ left) ** 2) for prob, left in blanked(y, p))
    return total


def least_squares(X, Y, weights, alpha, gamma, p):
    """B, W and w0 from one least-squares problem in which every item and every way of blanking out is a row."""
    d, q = X.shape[1], Y.shape[1]
    rows, targets = [], []
    for c, x, y in zip(weights, X, Y, strict=True):
        rows.append(np.sqrt(c) * np.concatenate([y, [1], -x, [-1]]))
        targets.append(np.zeros(q))
        for probability, left in blanked(y, p):
            root = np.sqrt(gamma * c * probability)
            rows.append(root * np.concatenate([left, np.zeros(d + 1)]))
            targets.append(root * y)
    ridge = np.sqrt(alpha) * np.eye(q + 1 + d + 1)[q + 1 : -1]
    found = np.linalg.lstsq(np.vstack([rows, ridge]), np.vstack([targets, np.zeros((d, q))]))[0].T
    return found[:, : q + 1], found[:, q + 1 : -1], found[:, -1]


def alternate(X, Y, weights, alpha, gamma, p, n_iter):
    """B and W (intercept last) from the paper's two closed forms, each given the other."""
    Xc, Yc = np.column_stack([X, np.ones(len(X))]).T, np.column_stack([Y, np.ones(len(Y))]).T
    D = np.diag(weights)
    keep = np.append(np.full(Y.shape[1], 1 - p), 1.0)
    S = Yc @ D @ Yc.T
    P, Q = Y.T @ D @ Yc.T * keep, S * np.outer(keep, keep)
    Q[np.diag_indices_from(Q)] = keep * np.diag(S)
    penalty = alpha * np.diag(np.append(np.ones(X.shape[1]), 0.0))
    B = P @ np.linalg.inv(Q)
    for _ in range(n_iter):
        W = B @ Yc @ D @ Xc.T @ np.linalg.inv(Xc @ D @ Xc.T + penalty)
        B = (gamma * P + W @ Xc @ D @ Yc.T) @ np.linalg.inv(gamma * Q + S)
    return B, W
