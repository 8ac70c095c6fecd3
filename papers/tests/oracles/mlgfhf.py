"""The harmonic function of Chen et al. (2008) from loops and one dense Kronecker system."""

from __future__ import annotations

import numpy as np


def item_graph(X, k, bandwidth=None):
    """W: heat-kernel weights between items of which one is among the k nearest of the other."""
    n = len(X)
    distance = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    near = [[j for j in np.argsort(distance[i]) if j != i][:k] for i in range(n)]
    sigma = bandwidth or np.mean([distance[i, near[i][-1]] for i in range(n)])
    W = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            W[i, j] = W[j, i] = np.exp(-(distance[i, j] ** 2) / (2 * sigma**2))
    return W, sigma


def label_graph(Y):
    """C: cosine of two label columns over the rows in which both are known."""
    C = np.zeros((Y.shape[1],) * 2)
    for k in range(len(C)):
        for m in range(len(C)):
            both = ~np.isnan(Y[:, k]) & ~np.isnan(Y[:, m])
            a, b = Y[both, k], Y[both, m]
            size = np.sqrt((a**2).sum() * (b**2).sum())
            C[k, m] = a @ b / size if k != m and size > 0 else 0
    return C


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


def energy(F, L, Lc, nu):
    return np.trace(F.T @ L @ F) + nu * np.trace(F @ Lc @ F.T)


def harmonic(Y, L, Lc, nu):
    """Solve (I x L + nu Lc x I) vec(F) = 0 on the unknown entries, column after column in vec."""
    n, c = Y.shape
    A = np.kron(np.eye(c), L) + nu * np.kron(Lc, np.eye(n))
    f = Y.ravel(order="F")
    free = np.isnan(f)
    known = np.where(free, 0, f)
    f = known.copy()
    f[free] = np.linalg.solve(A[np.ix_(free, free)], -(A @ known)[free])
    return f.reshape(n, c, order="F")
