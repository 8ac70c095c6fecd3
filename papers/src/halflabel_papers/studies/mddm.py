"""Statements of Zhang & Zhou (2008) about the dependence that MDDM maximises."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from halflabel.datasets.benchmark import Dataset
from halflabel.plugins import Floats, stored


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
    return _compare(S, float(linalg.norm(S.T @ P[:, : Y.shape[1]]) ** 2))


def solve_thin(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return the dependence of the same directions by a thin singular value decomposition of X'HY."""
    X, Y = _center(data)
    P, S = _solve_thin(X, Y)[1], X.T @ Y
    return _compare(S, float(linalg.norm(P.T @ S) ** 2))


def ascend(data: Dataset, rng: np.random.Generator, *, iterations: int) -> dict[str, float]:
    """Return the dependence after a number of gradient steps on orthonormal directions, from a random start."""
    X, Y = _center(data)
    S = X.T @ Y
    P = linalg.qr(rng.normal(size=S.shape), mode="economic")[0]
    step = 1 / linalg.norm(S, 2) ** 2
    for _ in range(iterations):
        P = linalg.qr(P + step * (S @ (S.T @ P)), mode="economic")[0]
    return _compare(S, float(linalg.norm(P.T @ S) ** 2))


def select_features(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return the dependence of as many features, chosen greedily: with linear kernels it is a sum over features."""
    X, Y = _center(data)
    S = X.T @ Y
    return _compare(S, float(np.sort(np.square(S).sum(axis=1))[-Y.shape[1] :].sum()))


def _compare(S: Floats, dependence: float) -> dict[str, float]:
    """Return a dependence, and the share of the maximum, the squares of S, that it lacks."""
    return {"dependence": dependence, "missing_share": 1 - dependence / float(np.square(S).sum())}


def _center(data: Dataset) -> tuple[Floats, Floats]:
    X = stored(data.X, as_sparse=False)
    Y = data.Y.values()
    return X - X.mean(axis=0), Y - Y.mean(axis=0)


def _solve_thin(X: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues that are not zero, and their eigenvectors."""
    U, s, _ = linalg.svd(X.T @ Y, full_matrices=False)
    kept = s > 1e-8 * s[0]
    return s[kept] ** 2, U[:, kept]
