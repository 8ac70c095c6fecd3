"""MDDM as the paper prints it: H and L explicit, one dense D x D eigenproblem, items as columns of X."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


def label_kernel_matrix(Y, kernel, gamma=None):
    """L, entry by entry; Y has one row per item."""
    kernels = {
        "linear": lambda a, b: a @ b,
        "quadratic": lambda a, b: (a @ b + 1) ** 2,
        "rbf": lambda a, b: np.exp(-(1 / len(a) if gamma is None else gamma) * ((a - b) ** 2).sum()),
    }
    return np.array([[kernels[kernel](a, b) for b in Y] for a in Y])


def eigenproblem(X, L, metric=None):
    """Eigenvalues, descending, and eigenvectors of X'HLHX (rows are items) in the given metric."""
    H = centring(len(X))
    values, vectors = linalg.eigh(X.T @ H @ L @ H @ X, metric)
    return values[::-1], vectors[:, ::-1]


def hsic(K, L):
    """Equation (1)."""
    H = centring(len(K))
    return np.trace(H @ K @ H @ L) / (len(K) - 1) ** 2


def journal_metric(X, mu):
    H = centring(len(X))
    return mu * X.T @ H @ X + (1 - mu) * np.eye(X.shape[1])


def cross_covariance_with_gaps(X, Y):
    """S, label by label and item by item; NaN is unknown. Features are centred on each label's own items."""
    n_labelled = sum(not np.isnan(row).all() for row in Y)
    S = np.zeros((X.shape[1], Y.shape[1]))
    for j in range(Y.shape[1]):
        seen = [i for i in range(len(Y)) if not np.isnan(Y[i, j])]
        for i in seen:
            S[:, j] += (X[i] - X[seen].mean(axis=0)) * (Y[i, j] - Y[seen, j].mean())
        S[:, j] *= np.sqrt((n_labelled - 1) / (len(seen) - 1))
    return S


def dual_scores(K, L):
    """Kernel MDDM: K H L H K a = lambda K a with a'Ka = 1; eigenvalues and the scores K a of the items."""
    H = centring(len(K))
    values, vectors = linalg.eigh(K)
    kept = values > values[-1] * 1e-10
    root = vectors[:, kept] * np.sqrt(values[kept])  # with a = root (root' root)^-1 b this is an ordinary problem
    eigenvalues, b = linalg.eigh(root.T @ H @ L @ H @ root)
    return eigenvalues[::-1], (root @ b)[:, ::-1]
