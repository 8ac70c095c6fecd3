"""LSML step by step as in the program that the authors of SGMML distribute, and the objective that CPLST minimises."""

from __future__ import annotations

import numpy as np


def soft(value, by):
    return max(value - by, 0.0) - max(-value - by, 0.0)


def lsml(X, Y, lambda1, lambda2, lambda3, lambda4, rho, n_iter):
    """W and C after ``n_iter`` iterations, entry by entry."""
    d, m = X.shape[1], Y.shape[1]
    W = np.linalg.solve(X.T @ X + rho * np.eye(d), X.T @ Y)
    W_1, C, C_1 = W.copy(), np.zeros((m, m)), np.zeros((m, m))
    bk = bk_1 = 1.0
    lip1 = 2 * np.linalg.norm(X.T @ X, 2) ** 2 + 2 * np.linalg.norm(X.T @ Y, 2) ** 2
    lip1 += 2 * np.linalg.norm((lambda1 + 1) * Y.T @ Y, 2) ** 2
    for _ in range(n_iter):
        L = np.diag([sum(C[i]) for i in range(m)]) - C
        lip = np.sqrt(lip1 + 2 * np.linalg.norm(lambda4 * (L + L.T), 2) ** 2)
        C_k = C + (bk_1 - 1) / bk * (C - C_1)
        gradient = Y.T @ (Y @ C_k - X @ W) + lambda1 * Y.T @ (Y @ C_k - Y)
        C_1 = C
        C = np.array(
            [[max(soft(C_k[i, j] - gradient[i, j] / lip, lambda3 / lip), 0) for j in range(m)] for i in range(m)]
        )
        L = np.diag([sum(C[i]) for i in range(m)]) - C
        W_k = W + (bk_1 - 1) / bk * (W - W_1)
        gradient = X.T @ (X @ W_k - Y @ C) + lambda4 * W_k @ (L + L.T)
        W_1 = W
        W = np.array([[soft(W_k[i, j] - gradient[i, j] / lip, lambda2 / lip) for j in range(m)] for i in range(d)])
        bk_1, bk = bk, (1 + np.sqrt(4 * bk**2 + 1)) / 2
    return W, C


def cplst(X, Y, V, ridge):
    """Error of the code V of centred labels, and of the best ridge regression of the code on centred features."""
    code = Y @ V
    stacked = np.vstack([X, np.sqrt(ridge) * np.eye(X.shape[1])])
    target = np.vstack([code, np.zeros((X.shape[1], V.shape[1]))])
    W = np.linalg.lstsq(stacked, target, rcond=None)[0]
    return ((Y - code @ V.T) ** 2).sum() + ((target - stacked @ W) ** 2).sum()
