"""Slow, obvious references for filling gaps: EM row by row, and the convex problem as it is written."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal


def conditional(x, mean, cov):
    """Expectation and covariance of a row given its values, and the log density of those."""
    o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
    filled, spread = x.copy(), np.zeros_like(cov)
    if len(o) == 0:
        return mean.copy(), cov.copy(), 0.0
    slope = cov[np.ix_(m, o)] @ np.linalg.inv(cov[np.ix_(o, o)])
    filled[m] = mean[m] + slope @ (x[o] - mean[o])
    spread[np.ix_(m, m)] = cov[np.ix_(m, m)] - slope @ cov[np.ix_(o, m)]
    return filled, spread, multivariate_normal(mean[o], cov[np.ix_(o, o)]).logpdf(x[o])


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


def soft_impute(X, alpha, n_iter=20_000):
    """Mazumder et al., algorithm 1 for one weight: fill, shrink the singular values, and again."""
    known, Z = ~np.isnan(X), np.zeros(X.shape)
    for _ in range(n_iter):
        U, s, Vt = np.linalg.svd(np.where(known, X, Z), full_matrices=False)
        new = (U * np.maximum(s - alpha, 0)) @ Vt
        if np.abs(new - Z).max() < 1e-14:
            break
        Z = new
    return Z


def soft_impute_objective(X, Z, alpha):
    """The objective as it is written."""
    return 0.5 * np.nansum((X - Z) ** 2) + alpha * np.linalg.svd(Z, compute_uv=False).sum()
