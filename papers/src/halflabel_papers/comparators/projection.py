"""The base of the linear projections: validation, signs, whitening of a singular matrix, ``transform``."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from halflabel.labels import PartialLabels
from halflabel.methods.validation import is_whole, require, require_irrelevant
from halflabel.plugins import Floats, Matrix

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


class LabelledProjection(LinearProjection):
    """A linear projection that is fitted to items whose labels are all observed. Unlabelled items are left out."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant; a row with nothing observed is left out.
        """
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X, labels = self._enter(X), PartialLabels.from_table(y)
        check_consistent_length(X, labels)
        self._validate_parameters()
        require_irrelevant(self, labels)
        labels.require_observed()
        seen = labels.observed.sum(axis=1)
        partly = np.flatnonzero((seen > 0) & (seen < labels.shape[1]))
        if len(partly):
            raise ValueError(
                f"{type(self).__name__} needs all labels of an item or none, but of item {partly[0]} {seen[partly[0]]} "
                f"of {labels.shape[1]} are observed (this is so for {len(partly)} items): fill in their gaps first, or "
                "leave these items out."
            )
        annotated = ~labels.unlabelled
        return self._fit(X[annotated], labels[annotated].values())

    def _validate_parameters(self) -> None:
        raise NotImplementedError

    def _fit(self, X: Matrix, Y: Floats) -> Self:
        raise NotImplementedError


def whitening(B: Floats, ridge: float = 0.0) -> Floats:
    r"""Return S with :math:`S^T (B + \gamma I) S = I`. Its columns span the complement of the null space of B.

    B is positive semidefinite, and ``ridge`` is :math:`\gamma` in units of its mean eigenvalue.
    """
    values, vectors = linalg.eigh(B)
    kept = values > RANK_TOL * max(values[-1], np.finfo(float).tiny)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept] + ridge * values.mean()))
