"""Statements of Zhang & Zhou (2008) about the dependence that MDDM maximises."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator

from halflabel.datasets.benchmark import Dataset
from halflabel.methods.baselines import MLkNN
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
    X = data.X.toarray() if is_sparse(data.X) else np.asarray(data.X)
    Y = data.Y.values()
    return X - X.mean(axis=0), Y - Y.mean(axis=0)


def _solve_thin(X: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues that are not zero, and their eigenvectors."""
    U, s, _ = linalg.svd(X.T @ Y, full_matrices=False)
    kept = s > 1e-8 * s[0]
    return s[kept] ** 2, U[:, kept]


class LeakedMLSI(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""MLSI in which training items keep latent variables that contain their labels, followed by ML-kNN.

    A reading of the printed row of MLSI: V are the leading eigenvectors of :math:`(1 - \beta) XX^T + \beta YY^T`, times
    :math:`\sqrt\lambda`, which ML-kNN learns from; only the test items are mapped, by a ridge regression of V on X.

    Parameters
    ----------
    n_components : int, default=2
    beta : float, default=0.5
    ridge : float, default=10.0
    n_neighbors : int, default=10
    """

    def __init__(self, n_components: int = 2, beta: float = 0.5, *, ridge: float = 10.0, n_neighbors: int = 10) -> None:
        self.n_components = n_components
        self.beta = beta
        self.ridge = ridge
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the latent variables, their regression, and ML-kNN."""
        X, Y = _to_dense(X), np.asarray(y, dtype=np.float64)
        K = (1 - self.beta) * X @ X.T + self.beta * Y @ Y.T
        values, V = linalg.eigh(K, subset_by_index=[len(K) - self.n_components, len(K) - 1])
        V *= np.sqrt(np.maximum(values, 0))
        self.weights_ = linalg.solve(X.T @ X + self.ridge * np.eye(X.shape[1]), X.T @ V, assume_a="pos")
        self.classifier_ = MLkNN.as_published().set_params(n_neighbors=self.n_neighbors).fit(V, Y)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the labels of new items."""
        return np.asarray(self.classifier_.predict(_to_dense(X) @ self.weights_))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of new items."""
        return np.asarray(self.classifier_.predict_proba(_to_dense(X) @ self.weights_))


def _to_dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
