"""Zhao & Guo (2015) as printed: dense Gram matrices, Kronecker systems, and eq. (11) for an interior point method."""

from __future__ import annotations

import numpy as np


def gram(X, bandwidth):
    """G, entry by entry."""
    return np.array([[np.exp(-((a - b) ** 2).sum() / (2 * bandwidth**2)) for b in X] for a in X])


def equation_7(G, L, Q, Y, annotated, alpha, alpha_manifold):
    """A of eq. (7), one dense Kronecker system; Y has a row per annotated item."""
    N, n, rows = len(G), Y.shape[1], len(annotated)
    J, padded = np.zeros((N, N)), np.zeros((N, n))
    J[annotated, annotated] = 1
    padded[annotated] = Y
    left = np.kron(Q.T, J @ G + rows * alpha_manifold * L @ G) + rows * alpha * np.eye(N * n)
    return np.linalg.solve(left, padded.T.ravel()).reshape(n, N).T


def masked_equation_7(G, L, Q, Y, observed, annotated, alpha, alpha_manifold):
    """The same where the loss counts observed entries only, divided by the number of annotated items."""
    N, n, rows = len(G), Y.shape[1], len(annotated)
    mask, padded = np.zeros((N, n)), np.zeros((N, n))
    mask[annotated], padded[annotated] = observed, np.where(observed, Y, 0)
    left = mask.T.ravel()[:, None] * np.kron(Q.T, G) + rows * alpha_manifold * np.kron(Q.T, L @ G)
    left += rows * alpha * np.eye(N * n)
    return np.linalg.solve(left, padded.T.ravel()).reshape(n, N).T


def equation_11(G, L, Q, Y, free, annotated, alpha, alpha_manifold, trace, slope):
    """Minimum, Z and GAQ of eq. (11) over A and Z, by an interior point method."""
    import cvxpy as cp  # every process imports every test file, and few run this oracle

    root, root_Q, root_L = (_root(M) for M in (G, Q, L))
    A, Z = cp.Variable((len(G), Y.shape[1])), cp.Variable(Y.shape)
    F = G @ A @ Q
    objective = cp.sum_squares(F[annotated] - Z) / len(Y) + alpha * cp.sum_squares(root @ A @ root_Q)
    objective += alpha_manifold * cp.sum_squares(root_L @ F) + trace * cp.normNuc(Z) + slope * cp.sum(Z - Y)
    problem = cp.Problem(cp.Minimize(objective), [Z >= Y, cp.multiply(~free, Z - Y) == 0])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return problem.value, Z.value, F.value


def objective_11(G, L, Q, Y, Z, A, annotated, alpha, alpha_manifold, trace, slope):
    """Value of eq. (11), term by term."""
    F = G @ A @ Q
    value = ((F[annotated] - Z) ** 2).sum() / len(Y) + alpha * np.trace(G @ A @ Q @ A.T)
    value += alpha_manifold * np.trace(F.T @ L @ F)
    return value + trace * np.linalg.svd(Z, compute_uv=False).sum() + slope * (Z - Y).sum()


def _root(M):
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
