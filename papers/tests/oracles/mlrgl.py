"""MLR-GL pair by pair, and its minimum by an interior point method."""

from __future__ import annotations

import cvxpy as cp
import numpy as np


def groups(state):
    """(item, irrelevant label, its relevant labels) of every group of ranking errors."""
    for i, row in enumerate(state):
        relevant = [k for k, s in enumerate(row) if s > 0]
        for low, s in enumerate(row):
            if s < 0 and relevant:
                yield i, low, relevant


def objective(K, state, beta, C):
    F = K @ beta
    total = sum(b @ K @ b for b in beta.T) / 2
    for i, low, relevant in groups(state):
        total += C * np.sqrt(sum(max(0.0, 1 - F[i, k] + F[i, low]) ** 2 for k in relevant))
    return total


def interior_point(K, state, C):
    """Minimum, and scores of the items at it."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0))
    V = cp.Variable((len(K), state.shape[1]))
    F = root @ V
    errors = [cp.norm(cp.pos(1 - F[i, relevant] + F[i, low])) for i, low, relevant in groups(state)]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(V) / 2 + C * sum(errors)))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, F.value
