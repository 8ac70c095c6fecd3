"""Statements of Zhang & Zhou (2008) about the dependence that MDDM maximises."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from halflabel.datasets.benchmark import Dataset
from halflabel.plugins import Floats, is_sparse


def dependence_at(data: Dataset, rng: np.random.Generator, *, share: float) -> dict[str, float]:
    """Return the dependence between labels and the first directions, a share of the number of labels.

    ``hsic_share`` is its share of the maximum (all directions), ``hsic_gap`` the relative difference between the
    dependence of the projected items and the sum of the eigenvalues.
    """
    X, Y = _center(data)
    d = max(1, round(share * data.Y.shape[1]))
    values, P = _solve_thin(X, Y)
    d = min(d, len(values))
    projected = float(linalg.norm((X @ P[:, :d]).T @ Y) ** 2)
    total, expected = float(values.sum()), float(values[:d].sum())
    return {"hsic_share": projected / total, "hsic_gap": abs(projected - expected) / expected}


def solve_dense(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return the dependence of the leading directions of the D x D matrix X'HLHX, as the paper computes them."""
    X, Y = _center(data)
    S = X.T @ Y
    P = linalg.eigh(S @ S.T)[1][:, ::-1]
    return {"dependence": float(linalg.norm(S.T @ P[:, : Y.shape[1]]) ** 2)}


def solve_thin(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return the dependence of the same directions by a thin singular value decomposition of X'HY."""
    X, Y = _center(data)
    P = _solve_thin(X, Y)[1]
    return {"dependence": float(linalg.norm(P.T @ (X.T @ Y)) ** 2)}


def _center(data: Dataset) -> tuple[Floats, Floats]:
    X = data.X.toarray() if is_sparse(data.X) else np.asarray(data.X)
    Y = data.Y.values()
    return X - X.mean(axis=0), Y - Y.mean(axis=0)


def _solve_thin(X: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues that are not zero, and their eigenvectors."""
    U, s, _ = linalg.svd(X.T @ Y, full_matrices=False)
    kept = s > 1e-8 * s[0]
    return s[kept] ** 2, U[:, kept]
