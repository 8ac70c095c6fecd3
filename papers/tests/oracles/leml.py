"""LEML's objective entry by entry, a general minimiser from random starts, and its convex form by an interior point."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize


def loss_of(name, y, z):
    if name == "squared":
        return (y - z) ** 2 / 2
    return np.log1p(np.exp(-y * z)) if name == "logistic" else max(0.0, 1 - y * z) ** 2 / 2


def objective(X, Y, W, H, b, alpha, loss):
    """X as it is scored (centred), Y +1, -1 or NaN."""
    total = alpha / 2 * (np.sum(W**2) + np.sum(H**2))
    for i, x in enumerate(X):
        for j, y in enumerate(Y[i]):
            if not np.isnan(y):
                total += loss_of(loss, y, x @ W @ H[j] + b[j])
    return total


def stationary_value(X, Y, rank, alpha, loss, rng):
    """The value that BFGS with numerical gradients reaches from a random start."""
    d, q = X.shape[1], Y.shape[1]

    def parts(v):
        return v[: d * rank].reshape(d, rank), v[d * rank : -q].reshape(q, rank), v[-q:]

    found = minimize(lambda v: objective(X, Y, *parts(v), alpha, loss), rng.normal(size=(d + q) * rank + q), tol=1e-9)
    return found.fun


def trace_norm(X, Y, alpha, loss):
    """Minimum, and scores at it, of the loss at XZ + b plus alpha times the trace norm of Z."""
    d, q = X.shape[1], Y.shape[1]
    Z, b = cp.Variable((d, q)), cp.Variable(q)
    i, j = np.nonzero(~np.isnan(Y))
    F = X @ Z + np.ones((len(X), 1)) @ cp.reshape(b, (1, q), order="C")
    margins = cp.multiply(Y[i, j], F[i, j])
    terms = {
        "squared": cp.sum_squares(1 - margins) / 2,
        "logistic": cp.sum(cp.logistic(-margins)),
        "hinge": cp.sum_squares(cp.pos(1 - margins)) / 2,
    }
    problem = cp.Problem(cp.Minimize(terms[loss] + alpha * cp.normNuc(Z)))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, F.value
