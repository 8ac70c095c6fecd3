"""The quadratic programs of Elisseeff and Weston (2001) pair by pair, and thresholds by trying all of them."""

from __future__ import annotations

import itertools

import cvxpy as cp
import numpy as np

SHARP = {"solver": "CLARABEL", "tol_gap_rel": 1e-11, "tol_gap_abs": 1e-11, "tol_feas": 1e-11}


def pairs(upper, lower):
    """All (row, k, l) with k in P and l in Q."""
    return [(i, k, m) for i in range(len(upper)) for k in np.flatnonzero(upper[i]) for m in np.flatnonzero(lower[i])]


def hinge(F, upper, lower, weight):
    return sum(weight[i] * max(0.0, 1 - F[i, k] + F[i, m]) for i, k, m in pairs(upper, lower))


def prox(v, upper, lower, charge):
    """One row's minimiser of charge * hinge + |z - v|^2 / 2."""
    z = cp.Variable(len(v))
    slack = [cp.pos(1 - z[k] + z[m]) for _, k, m in pairs([upper], [lower])]
    cp.Problem(cp.Minimize(charge * sum(slack) + cp.sum_squares(z - v) / 2)).solve(**SHARP)
    return z.value


def primal(Phi, upper, lower, weight, *, biases):
    """Weights, value and biases of |W|^2 / 2 + hinge; with ``biases``, free ones are added to the scores."""
    n, m = Phi.shape[1], upper.shape[1]
    W, b = cp.Variable((n, m)), cp.Variable(m)
    F = Phi @ W + (cp.reshape(b, (1, m), order="C") if biases else 0)
    loss = sum(weight[i] * cp.pos(1 - F[i, k] + F[i, l]) for i, k, l in pairs(upper, lower))  # noqa: E741
    problem = cp.Problem(cp.Minimize(cp.sum_squares(W) / 2 + loss))
    problem.solve(**SHARP)
    return W.value, problem.value, b.value


def dual(K, upper, lower, weight):
    """Value of the paper's dual in alpha, with free biases: sum alpha - beta' K beta / 2."""
    alpha_of = pairs(upper, lower)
    n, m = upper.shape
    to_beta = np.zeros((m, n, len(alpha_of)))
    for a, (i, k, l) in enumerate(alpha_of):  # noqa: E741
        to_beta[k, i, a], to_beta[l, i, a] = 1, -1
    alpha = cp.Variable(len(alpha_of))
    root = np.linalg.cholesky(K + 1e-12 * np.eye(n))
    quadratic = sum(cp.sum_squares(root.T @ to_beta[k] @ alpha) for k in range(m))
    limits = [alpha >= 0, alpha <= np.array([weight[i] for i, _, _ in alpha_of])]
    balance = [cp.sum(to_beta[k] @ alpha) == 0 for k in range(m)]
    problem = cp.Problem(cp.Maximize(cp.sum(alpha) - quadratic / 2), limits + balance)
    problem.solve(**SHARP)
    return problem.value


def wrong_side(t, f, state):
    """How many observed labels lie on the wrong side of t, on it included."""
    return sum(s != 0 and (value <= t if s > 0 else value >= t) for value, s in zip(f, state, strict=True))


def best_threshold(f, state):
    """The middle of the widest of the best gaps between observed scores, the outer ones 1 wide."""
    known = sorted(value for value, s in zip(f, state, strict=True) if s)
    edges = [known[0] - 1, *known, known[-1] + 1]
    widths = [1, *np.diff(known), 1]
    gaps = [
        (wrong_side((a + b) / 2, f, state), -width, (a + b) / 2)
        for (a, b), width in zip(itertools.pairwise(edges), widths, strict=True)
    ]
    return min(gaps, key=lambda gap: gap[:2])[2]
