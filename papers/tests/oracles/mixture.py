"""Slow, obvious references for mixtures of Gaussians on rows with gaps: EM row by row."""

from __future__ import annotations

import numpy as np
from tests.oracles.impute import conditional

__all__ = ["conditional", "em_step", "mixture_means"]


def em_step(X, weights, means, covs, load):
    """One step of EM with a prior exp(-load/2 tr inv(cov)) on each covariance; also the objective before it."""
    k = len(weights)
    given = [[conditional(x, means[j], covs[j]) for j in range(k)] for x in X]
    density = np.array([[weights[j] * np.exp(given[i][j][2]) for j in range(k)] for i in range(len(X))])
    r = density / density.sum(axis=1, keepdims=True)
    objective = np.log(density.sum(axis=1)).sum() - load / 2 * sum(np.trace(np.linalg.inv(cov)) for cov in covs)
    new_means, new_covs = [], []
    for j in range(k):
        n = r[:, j].sum()
        mean = sum(r[i, j] * given[i][j][0] for i in range(len(X))) / n
        cov = load / n * np.eye(X.shape[1])
        for i in range(len(X)):
            filled, spread, _ = given[i][j]
            cov += r[i, j] / n * (np.outer(filled - mean, filled - mean) + spread)
        new_means.append(mean)
        new_covs.append(cov)
    return r.mean(axis=0), np.array(new_means), np.array(new_covs), objective


def mixture_means(X, weights, means, covs):
    """Expectation of every cell given the values of its row."""
    out = np.empty_like(X)
    for i, x in enumerate(X):
        given = [conditional(x, mean, cov) for mean, cov in zip(means, covs, strict=True)]
        r = np.array([w * np.exp(one[2]) for w, one in zip(weights, given, strict=True)])
        out[i] = sum(share * one[0] for share, one in zip(r / r.sum(), given, strict=True))
    return out
