"""Items drawn in few dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA

from halflabel.arrays import Floats, is_sparse
from halflabel.base import Scaler

__all__ = ["item_map"]


def item_map(X: Any, scores: Floats, n_components: int) -> Floats:
    """Return the principal components of the features joined with the method's label scores.

    Both blocks are given the same total variance, so that neither features nor labels decide alone; a label without
    scores is left out. Sparse X is centred implicitly. Signs are fixed.

    Parameters
    ----------
    X : matrix of shape (n_items, n_features)
    scores : ndarray of shape (n_items, n_labels)
    n_components : int

    Returns
    -------
    ndarray of shape (n_items, n_components)
    """
    most = min(X.shape[0], X.shape[1]) - 1 if is_sparse(X) else min(X.shape)
    if not 1 <= n_components <= most:
        raise ValueError(f"a map of these items has between 1 and {most} dimensions, not {n_components}.")
    features = Scaler.learn(X, "auto")(X)
    labels = scores[:, ~np.isnan(scores).any(axis=0)]
    labels = labels * np.sqrt(_total_variance(features) / (_total_variance(labels) or 1.0))
    joined = sparse.hstack([features, labels], format="csr") if is_sparse(X) else np.hstack([features, labels])
    solver = "arpack" if is_sparse(X) else "auto"
    return np.asarray(PCA(n_components, svd_solver=solver, random_state=0).fit_transform(joined))


def _total_variance(A: Any) -> float:
    squares = A.multiply(A) if is_sparse(A) else A**2
    return float((np.asarray(squares.mean(axis=0)) - np.asarray(A.mean(axis=0)) ** 2).sum())
