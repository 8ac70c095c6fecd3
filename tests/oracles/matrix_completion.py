"""Slow, obvious references for matrix completion; as in the paper, items are columns."""

from __future__ import annotations

import numpy as np


def shrink(A, threshold):
    """Singular value thresholding by a full SVD."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return U @ np.diag(np.maximum(s - threshold, 0)) @ Vt


def objective(Z, b, Y, X, mu, lam, row_weight=0.0):
    """Eq. (2), entry by entry; NaN is unknown. With a row weight the last row of Z is pulled to ones."""
    t, n = Y.shape
    d = len(X)
    seen_y = [(i, j) for i in range(t) for j in range(n) if not np.isnan(Y[i, j])]
    seen_x = [(i, j) for i in range(d) for j in range(n) if not np.isnan(X[i, j])]
    total = mu * np.linalg.svd(Z, compute_uv=False).sum()
    for i, j in seen_y:
        total += lam / len(seen_y) * np.log(1 + np.exp(-Y[i, j] * (Z[i, j] + b[i])))
    for i, j in seen_x:
        total += 0.5 / len(seen_x) * (Z[t + i, j] - X[i, j]) ** 2
    if row_weight:
        total += sum(0.5 * row_weight / len(seen_x) * (Z[-1, j] - 1) ** 2 for j in range(n))
    return total


def gradient(Z, b, Y, X, lam):
    """Eq. (5), entry by entry; the row of ones has none."""
    t, n = Y.shape
    seen_y, seen_x = np.sum(~np.isnan(Y)), np.sum(~np.isnan(X))
    g = np.zeros_like(Z)
    for i in range(t):
        for j in range(n):
            if not np.isnan(Y[i, j]):
                g[i, j] = lam / seen_y * -Y[i, j] / (1 + np.exp(Y[i, j] * (Z[i, j] + b[i])))
    for i in range(len(X)):
        for j in range(n):
            if not np.isnan(X[i, j]):
                g[t + i, j] = (Z[t + i, j] - X[i, j]) / seen_x
    return g


def algorithm_1(Z, b, Y, X, mu, lam, tau_z, tau_b, n_iter):
    """The inner loop as printed."""
    for _ in range(n_iter):
        g = gradient(Z, b, Y, X, lam)
        b, A = b - tau_b * g[: len(Y)].sum(axis=1), Z - tau_z * g
        Z = shrink(A, tau_z * mu)
    return Z, b


def algorithm_2(Z, Y, X, mu, lam, tau, n_iter):
    """The inner loop as printed, with the projection that sets the last row."""
    b = np.zeros(len(Y))
    for _ in range(n_iter):
        Z = shrink(Z - tau * gradient(Z, b, Y, X, lam), tau * mu)
        Z[-1] = 1
    return Z


def hard_row(Y, X, mu, lam):
    """Eq. (3) by an interior point method."""
    import cvxpy as cp

    (t, n), d = Y.shape, len(X)
    Z = cp.Variable((t + d + 1, n))
    seen_y, seen_x = ~np.isnan(Y), ~np.isnan(X)
    margin = cp.multiply(-np.nan_to_num(Y), Z[:t])
    labels = lam / seen_y.sum() * cp.sum(cp.multiply(seen_y, cp.logistic(margin)))
    features = 0.5 / seen_x.sum() * cp.sum_squares(cp.multiply(seen_x, Z[t : t + d] - np.nan_to_num(X)))
    problem = cp.Problem(cp.Minimize(mu * cp.normNuc(Z) + labels + features), [Z[-1] == 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return problem.value, Z.value
