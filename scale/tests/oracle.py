"""The definition of SparseLabeler with a cell for every entry: one regression after another, each item refitted."""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def ridge(K, Y, alpha):
    """Return the coefficients of kernel ridge regression with an intercept in the kernel."""
    return np.linalg.solve(K + 1 + alpha * np.eye(len(K)), Y)


def scores_without(K, Y, alpha):
    """Return the prediction of each item by the regression that is fitted without it."""
    rows = np.arange(len(Y))
    return np.array([(K[i] + 1)[rows != i] @ ridge(K[np.ix_(rows != i, rows != i)], Y[rows != i], alpha) for i in rows])


def neighbour_shares(similarity, Y, k):
    """Return the share of the ``k`` most similar items with each label, weighted by positive similarity."""
    shares = np.zeros((len(similarity), Y.shape[1]))
    for i, row in enumerate(similarity):
        near = [j for j in np.argsort(-row, kind="stable")[:k] if row[j] > 0]
        if near:
            shares[i] = row[near] @ Y[near] / row[near].sum()
    return shares


def probabilities(score, share, n_relevant, calibration):
    """Return the probability of every entry by the formula of :mod:`halflabel_scale.pooled`."""
    s, n = np.log(np.maximum(score, 1e-3)), np.log(n_relevant)
    terms = (s, score, n, n * s, np.log(share + 0.01), np.ones_like(s))
    return expit(sum(c * term for c, term in zip(calibration.coef, terms, strict=True)) + calibration.offset)
