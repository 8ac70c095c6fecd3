"""What the missing cells of number features become."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from halflabel._arrays import Floats, Ints, Mask
from halflabel.methods.impute import SoftImputer, complete_rows

#: Completion is learned from so many rows at most, drawn at random: more would add time and little else.
MAX_ROWS = 2000

#: It is not tried below so many rows, where chance would choose, nor above so many features, where it takes minutes.
MIN_ROWS, MAX_FEATURES = 30, 300

#: Features with larger values take no part in it: they cannot be squared.
SQUARABLE = 1e150

#: It is used if cells hidden to try it come back with at most this share of the mean's error.
WORTH = 0.95


@dataclass(frozen=True, eq=False)
class Filling:
    """Fills gaps by low-rank completion where that was seen to beat the mean of the feature, else by the mean.

    Learn one with :meth:`learn`.

    Parameters
    ----------
    means, spreads : ndarray of shape (n_features,)
        Mean of the values that are there, and what they are divided by; 0 and 1 for a feature without any.
    components : ndarray of shape (rank, n_features)
        Of :class:`halflabel.methods.impute.SoftImputer`; without rows, gaps are filled with the mean.
    alpha : float
        Its weight.
    error : float
        Root mean squared error of hidden cells as a share of the mean's; 1 where completion is not used.

    Examples
    --------
    >>> X = np.outer(np.arange(40.0), [1.0, 2.0, 3.0])
    >>> X[[5, 7], [0, 1]] = np.nan
    >>> Filling.learn(X)(X)[[5, 7]].round()
    array([[ 5., 10., 15.],
           [ 7., 14., 21.]])
    """

    means: Floats = field(default_factory=lambda: np.empty(0))
    spreads: Floats = field(default_factory=lambda: np.empty(0))
    components: Floats = field(default_factory=lambda: np.empty((0, 0)))
    alpha: float = 1.0
    error: float = 1.0

    @classmethod
    def learn(cls, X: Floats) -> Filling:
        """Learn from rows of numbers, gaps as NaN."""
        known = ~np.isnan(X)
        means = np.nansum(X, axis=0) / np.maximum(known.sum(axis=0), 1)
        by_mean = cls(means, np.ones(X.shape[1]), np.empty((0, X.shape[1])))
        sample = X[_some(len(X))]
        full = np.asarray(np.fmax.reduce(np.abs(sample), axis=0) < SQUARABLE)  # false for a feature without any value
        if known.all() or len(sample) < MIN_ROWS or not 2 <= full.sum() <= MAX_FEATURES:
            return by_mean
        imputer = SoftImputer()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # hidden cells judge what came out, converged or not
            imputer.fit(sample[:, full])
        completion = by_mean._with(imputer, full)
        return completion if completion.error <= WORTH else by_mean

    def _with(self, imputer: SoftImputer, full: Mask) -> Filling:
        """Return the filling of an imputer that was fitted on the features of a mask; the others keep their mean."""
        means, spreads = self.means.copy(), self.spreads.copy()
        means[full], spreads[full] = imputer.scaler_.center, imputer.scaler_.scale
        components = np.zeros((len(imputer.components_), len(means)))
        components[:, full] = imputer.components_
        errors = imputer.cv_results_["error"]
        share = float(np.sqrt(errors.min() / errors[0])) if errors[0] > 0 else 1.0
        return Filling(means, spreads, components, imputer.alpha_, share)

    def __call__(self, X: Floats) -> Floats:
        """Return rows with their gaps filled; a row is filled alone."""
        gaps = np.isnan(X)
        if not len(self.components):
            return np.where(gaps, self.means, X)
        filled = X.copy()
        rows = gaps.any(axis=1)
        answer = complete_rows((X[rows] - self.means) / self.spreads, self.components, self.alpha)
        filled[rows] = np.where(gaps[rows], answer * self.spreads + self.means, X[rows])
        return filled

    @property
    def way(self) -> str:
        """How gaps are filled, in words that end a sentence."""
        if not len(self.components):
            return "filled with the mean of the feature"
        share = f"{self.error:.0%} of the error of the mean"
        return f"filled by low-rank completion (SoftImputer; {share} on hidden cells)"


def _some(n: int) -> Ints:
    """Return up to MAX_ROWS of n rows."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_ROWS, replace=False))
