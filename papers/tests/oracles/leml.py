"""LEML's objective entry by entry, a general minimiser from random starts, and its convex form by an interior point."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize


def objective(X, Y, W, H, b, alpha):
    """X as it is scored (centred), Y +1, -1 or NaN."""
    total = alpha / 2 * (np.sum(W**2) + np.sum(H**2))
    for i, x in enumerate(X):
        for j, y in enumerate(Y[i]):
            if not np.isnan(y):
                total += (y - x @ W @ H[j] - b[j]) ** 2 / 2
    return total


def stationary_value(X, Y, rank, alpha, rng):
    """The value that BFGS with numerical gradients reaches from a random start."""
    d, q = X.shape[1], Y.shape[1]

    def parts(v):
        return v[: d * rank].reshape(d, rank), v[d * rank : -q].reshape(q, rank), v[-q:]

    found = minimize(lambda v: objective(X, Y, *parts(v), alpha), rng.normal(size=(d + q) * rank + q), tol=1e-9)
    return found.fun


def trace_norm(X, Y, alpha):
    """Minimum, and scores at it, of the squared loss at XZ + b plus alpha times the trace norm of Z."""
    d, q = X.shape[1], Y.shape[1]
    Z, b = cp.Variable((d, q)), cp.Variable(q)
    i, j = np.nonzero(~np.isnan(Y))
    F = X @ Z + np.ones((len(X), 1)) @ cp.reshape(b, (1, q), order="C")
    problem = cp.Problem(cp.Minimize(cp.sum_squares(Y[i, j] - F[i, j]) / 2 + alpha * cp.normNuc(Z)))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, F.value
