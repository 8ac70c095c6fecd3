"""The base of the imputers: validation, units, and known cells."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from halflabel._arrays import Floats, Mask, MatrixLike, is_sparse
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Status


class Imputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of the imputers.

    A subclass has the parameters ``scale``, ``tol`` and ``max_iter``, calls :meth:`_enter` first in ``fit``, and
    defines :meth:`_complete`. Features without any value are not passed on. They stay in the result, filled with 0.
    """

    scale: str | None
    tol: float
    max_iter: int
    status_: Status
    residual_: float

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def transform(self, X: MatrixLike) -> Floats:
        """Fill in the gaps of rows. Each row is new and is handled separately.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing. A row may lack all values.

        Returns
        -------
        ndarray of float64, shape (n_items, n_features)
            Known cells keep their values.
        """
        check_is_fitted(self)
        X = validate_gapped(self, X, reset=False)
        completed = self._complete(self.scaler_(X[:, self.observed_features_]))
        return np.where(np.isnan(X), self._unscale(completed), X)

    def _complete(self, X: Floats) -> Floats:
        """Return a value for every cell of scaled rows, known or not."""
        raise NotImplementedError

    def _enter(self, X: Any) -> tuple[Floats, Floats]:
        """Validate, learn the units, and return X and the scaled features that hold any value, with NaN for gaps."""
        self._validate_parameters()
        X = validate_gapped(self, X, reset=True)
        observed = ~np.isnan(X)
        self.observed_features_: Mask = observed.any(axis=0)
        if not observed.any():
            raise ValueError(f"no cell of X is known: {type(self).__name__} needs values from which it can learn.")
        _warn_of_empty(self, ~self.observed_features_)
        kept = X[:, self.observed_features_]
        self.scaler_ = Scaler.learn(kept, self.scale)
        return X, self.scaler_(kept)

    def _unscale(self, cells: Floats) -> Floats:
        """Return scaled cells in the units of X, with 0 for the features that were never observed."""
        result = np.zeros((len(cells), len(self.observed_features_)))
        result[:, self.observed_features_] = cells * self.scaler_.scale + self.scaler_.center
        return result

    def _validate_parameters(self) -> None:
        require_whole(self, max_iter=1)
        require_positive(self, "tol")

    def _warn_unless_converged(self) -> None:
        """Warn if the solver did not converge."""
        if self.status_ is not Status.CONVERGED:
            sentence = f"{type(self).__name__}: {self.status_.value} (residual {self.residual_:.1e})"
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)


def validate_gapped(transformer: Any, X: Any, *, reset: bool) -> Floats:
    """Return dense items with NaN for gaps. Sparse or infinite values raise."""
    if is_sparse(X):
        raise TypeError(
            f"{type(transformer).__name__} got sparse X, in which an absent cell is a zero and not a gap: pass "
            "X.toarray() with NaN for missing cells; without gaps there is nothing to fill in."
        )
    X = validate_data(transformer, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
    if np.isinf(X).any():
        row, feature = np.argwhere(np.isinf(X))[0]
        raise ValueError(
            f"feature {feature} holds inf in row {row}: a value is a finite number, or NaN if it is missing."
        )
    return np.asarray(X)


def _warn_of_empty(imputer: Imputer, empty: Mask) -> None:
    """Name the features without any value."""
    if empty.any():
        names = getattr(imputer, "feature_names_in_", np.arange(len(empty)))[empty]
        shown = ", ".join(repr(name) for name in names[:5].tolist()) + (" and others" if len(names) > 5 else "")
        warnings.warn(
            f"{len(names)} of {len(empty)} features have no known value ({shown}): they stay, filled with 0.",
            UserWarning,
            stacklevel=4,
        )
