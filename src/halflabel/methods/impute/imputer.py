"""What both imputers share: the door, the units, and the cells that are known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from halflabel._arrays import Floats, Mask, is_sparse
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Status


class Imputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of the imputers.

    A subclass has the parameters ``scale``, ``tol`` and ``max_iter``, calls :meth:`_enter` first in ``fit``, and
    defines :meth:`_complete`. It never sees a feature without any value: such a feature stays, filled with 0.
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

    def transform(self, X: Any) -> Floats:
        """Fill the gaps of any rows; each is treated as new, and alone.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing; a row may lack all of them.

        Returns
        -------
        ndarray of float64, shape (n_items, n_features)
            Known cells verbatim.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        answer = self._complete(self.scaler_(X[:, self.observed_features_]))
        return np.where(np.isnan(X), self._unscaled(answer), X)

    def _complete(self, X: Floats) -> Floats:
        """Return an answer for every cell of scaled rows, known or not."""
        raise NotImplementedError

    def _enter(self, X: Any) -> tuple[Floats, Floats]:
        """Validate, learn the units, and return X with the scaled features that hold any value, gaps as NaN."""
        self._validate_parameters()
        X = self._validate(X, reset=True)
        observed = ~np.isnan(X)
        self.observed_features_: Mask = observed.any(axis=0)
        if not observed.any():
            raise ValueError(f"no cell of X is known: {type(self).__name__} needs values to learn from.")
        _warn_of_empty(self, ~self.observed_features_)
        kept = X[:, self.observed_features_]
        self.scaler_ = Scaler.learn(kept, self.scale)
        return X, self.scaler_(kept)

    def _validate(self, X: Any, *, reset: bool) -> Floats:
        if is_sparse(X):
            raise TypeError(
                f"{type(self).__name__} got sparse X, where an absent cell is a zero and no gap: pass X.toarray() "
                "with NaN for what is missing; without gaps there is nothing to fill."
            )
        X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        if np.isinf(X).any():
            row, feature = np.argwhere(np.isinf(X))[0]
            raise ValueError(
                f"feature {feature} holds inf in row {row}: a value is a finite number, or NaN if it is missing."
            )
        return np.asarray(X)

    def _unscaled(self, answer: Floats) -> Floats:
        """Return scaled cells in the units of X, with the features that were never observed, at 0."""
        back = np.zeros((len(answer), len(self.observed_features_)))
        back[:, self.observed_features_] = answer * self.scaler_.scale + self.scaler_.center
        return back

    def _validate_parameters(self) -> None:
        require_whole(self, max_iter=1)
        require_positive(self, "tol")

    def _warn_unless_converged(self) -> None:
        """Turn a bad status into the one warning a user sees."""
        if self.status_ is not Status.CONVERGED:
            sentence = f"{type(self).__name__}: {self.status_.value} (residual {self.residual_:.1e})"
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)


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
