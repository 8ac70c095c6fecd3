"""The base of the linear projections: validation, signs, whitening of a singular matrix, ``transform``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from halflabel._arrays import Floats, Matrix, is_sparse
from halflabel.methods.validation import is_whole, require

#: Maximum number of features: a matrix of features by features then has 0.8 GB, and its spectrum takes an hour.
MAX_FEATURES = 10_000

#: Directions with less than this share of the largest eigenvalue count as null.
RANK_TOL = 1e-10


class LinearProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A transformer that multiplies items by ``components_``, an array of shape (n_components, n_features)."""

    n_components: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _enter(self, X: Any) -> Matrix:
        """Validate features at the top of ``fit``."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        n = X.shape[1]
        if n > MAX_FEATURES:
            raise ValueError(
                f"{type(self).__name__} needs matrices of features by features, {n**2 * 8 / 1e9:.1f} GB each for {n} "
                f"features: reduce them to at most {MAX_FEATURES} first, for example by TruncatedSVD."
            )
        return X

    def _require_components(self, available: int) -> None:
        """Raise unless ``n_components`` is a whole number from 1 to the number of available directions."""
        require(
            self,
            "n_components",
            lambda count: is_whole(count) and 1 <= count <= available,
            f"be a whole number between 1 and {available}, the number of directions that these items have "
            f"(n_features={self.n_features_in_})",
        )

    def _project(self, eigenvalues: Floats, W: Floats) -> None:
        """Store the eigenvectors, columns of W, each with its largest entry positive."""
        largest = np.take_along_axis(W, np.abs(W).argmax(axis=0)[None], axis=0)
        self.components_ = np.ascontiguousarray((W * np.sign(largest)).T)
        self.eigenvalues_ = eigenvalues

    def transform(self, X: Any) -> Floats:
        """Return the new features of items, shape (n_items, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return np.asarray(X @ self.components_.T)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def whitening(B: Floats, ridge: float = 0.0) -> Floats:
    r"""Return S with :math:`S^T (B + \gamma I) S = I`; its columns span the complement of the null space of B.

    Parameters
    ----------
    B : ndarray of shape (n, n)
        Positive semidefinite.
    ridge : float
        :math:`\gamma` in units of the mean eigenvalue of B.

    Returns
    -------
    ndarray of shape (n, rank)
    """
    values, vectors = linalg.eigh(B)
    kept = values > RANK_TOL * max(values[-1], np.finfo(float).tiny)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept] + ridge * values.mean()))


def to_dense(A: Matrix) -> Floats:
    """Return a matrix of features by features as an array, whether it is sparse or not."""
    return np.asarray(A.toarray() if is_sparse(A) else A)
