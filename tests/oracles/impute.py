"""Slow, obvious references for filling gaps: a row given its values, and the convex problem as it is written."""

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
