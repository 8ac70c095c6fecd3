"""MLSI and LPP by explicit matrices of items by items."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def mlsi(X, Y, beta, d):
    """Latent variables: the top eigenvectors of K confined to what is linear in X. Returns (values, V)."""
    K = (1 - beta) * X @ X.T + beta * Y @ Y.T
    P = X @ np.linalg.pinv(X)
    values, V = np.linalg.eigh(P @ K @ P)
    return values[::-1][:d], V[:, ::-1][:, :d]


def mlsi_error(X, Y, beta, V):
    """The objective, its regressions by least squares."""
    rebuilt = [V @ np.linalg.lstsq(V, target, rcond=None)[0] for target in (X, Y)]
    return (1 - beta) * ((X - rebuilt[0]) ** 2).sum() + beta * ((Y - rebuilt[1]) ** 2).sum()


def heat_graph(X, k, bandwidth):
    """S by loops over pairs: an edge if either item is among the k nearest of the other."""
    n = len(X)
    distance = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    order = [sorted((j for j in range(n) if j != i), key=lambda j: distance[i, j])[:k] for i in range(n)]
    sigma = np.mean([distance[i, near[-1]] for i, near in enumerate(order)]) if bandwidth is None else bandwidth
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in order[i] or i in order[j]:
                S[i, j] = np.exp(-(distance[i, j] ** 2) / (2 * sigma**2))
    return S


def lpp(X, k, d, bandwidth=None):
    """The generalised eigenproblem as printed, X centred by its weighted mean. Returns (values, W)."""
    S = heat_graph(X, k, bandwidth)
    D = np.diag(S.sum(axis=1))
    X = X - np.average(X, axis=0, weights=np.diag(D))
    values, W = linalg.eigh(X.T @ (D - S) @ X, X.T @ D @ X)
    return values[:d], W[:, :d]
