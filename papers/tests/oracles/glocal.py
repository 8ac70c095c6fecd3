"""GLOCAL's objective as a list of residuals, entry by entry, and the minimum over a block by dense least squares."""

from __future__ import annotations

import cvxpy as cp
import numpy as np


def residuals(X, Y, cluster, U, b, V, W, Z, weights):
    """Numbers whose squares add up to the objective; X is centred, Y is +1, -1 or 0 (unknown), rows are items."""
    alpha, ridge, alpha_global, alpha_local = weights
    n, found = len(X), []
    for i, j in np.argwhere(Y != 0):
        found.append(Y[i, j] - V[i] @ U[j] - b[j])
    found += [np.sqrt(alpha) * (V[i, c] - X[i] @ W[:, c]) for i, c in np.ndindex(V.shape)]
    found += [np.sqrt(ridge) * value for factor in (U, V, W) for value in factor.ravel()]
    F = X @ W @ U.T
    for m in np.unique(cluster):
        share = (cluster == m).mean()
        for i in range(n):
            for c in range(Z.shape[2]):
                tie = sum(F[i, j] * Z[m, j, c] for j in range(len(U)))
                found.append(np.sqrt(alpha_global * share) * tie)
                if cluster[i] == m:
                    found.append(np.sqrt(alpha_local) * tie)
    return np.array(found)


def least(residuals_of, shapes):
    """The blocks of these shapes that minimise the sum of squares of residuals that are affine in them."""
    sizes = [int(np.prod(shape)) for shape in shapes]

    def split(flat):
        return [part.reshape(shape) for part, shape in zip(np.split(flat, np.cumsum(sizes)[:-1]), shapes, strict=True)]

    start = residuals_of(*split(np.zeros(sum(sizes))))
    A = np.column_stack([residuals_of(*split(unit)) - start for unit in np.eye(sum(sizes))])
    return split(np.linalg.lstsq(A, -start)[0])


def least_correlation(A):
    """The minimum of tr(A S) over correlation matrices S, by an interior point method."""
    S = cp.Variable(A.shape, PSD=True)
    problem = cp.Problem(cp.Minimize(cp.trace(A @ S)), [cp.diag(S) == 1])
    return problem.solve(solver="CLARABEL")


def shrink_values(M, by):
    """M with its singular values lowered by this much, not below 0: the proximal point of the trace norm."""
    P, s, Qt = np.linalg.svd(M, full_matrices=False)
    return P @ np.diag(np.maximum(s - by, 0)) @ Qt
