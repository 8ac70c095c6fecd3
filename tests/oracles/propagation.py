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
    return weights_of_gram(local_gram(x, neighbors), ridge)


def local_gram(x, neighbors):
    """Inner products of the neighbours as seen from x, entry by entry."""
    return np.array([[(a - x) @ (b - x) for b in neighbors] for a in neighbors])


def weights_of_gram(L, ridge):
    """The load of eq. (13), and weights that sum to 1, by an explicit inverse."""
    k = len(L)
    w = np.linalg.inv(L + ridge * np.trace(L) / k * np.eye(k)) @ np.ones(k)
    return w / w.sum()


def mixed_weights(X, F, indices, ridge, alpha):
    """Equation (4) with features and scores, each Gram matrix divided by the mean trace of its kind."""
    P, Q = ([local_gram(A[i], A[own]) for i, own in enumerate(indices)] for A in (X, F))
    p, q = (np.mean([np.trace(L) for L in grams]) for grams in (P, Q))
    return [weights_of_gram((1 - alpha) * a / p + alpha * b / q, ridge) for a, b in zip(P, Q, strict=True)]


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


def equation_5(W, Y, observed):
    """True minimiser of eq. (5), label by label: M_uu F_u = -M_ul Y with an explicit M."""
    M = (np.eye(len(W)) - W).T @ (np.eye(len(W)) - W)
    F = np.where(observed, Y, 0.0)
    for j in range(Y.shape[1]):
        u, known = ~observed[:, j], observed[:, j]
        F[u, j] = np.linalg.solve(M[np.ix_(u, u)], -M[np.ix_(u, known)] @ Y[known, j])
    return F


def equation_7(W, Y, observed):
    """F_u = (I - W_uu)^-1 W_ul Y, label by label, with an explicit inverse."""
    F = np.where(observed, Y, 0.0)
    for j in range(Y.shape[1]):
        u, known = ~observed[:, j], observed[:, j]
        F[u, j] = np.linalg.inv(np.eye(u.sum()) - W[np.ix_(u, u)]) @ W[np.ix_(u, known)] @ Y[known, j]
    return F


def equation_12(W, Y, beta):
    """((I - W)/beta + I)^-1 Y as printed, with unknown entries filled by 0."""
    return np.linalg.inv((np.eye(len(W)) - W) / beta + np.eye(len(W))) @ np.nan_to_num(Y)
