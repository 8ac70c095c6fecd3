"""Methods of a person's own: a name, a classifier, or any object with ``fit`` and ``predict_proba``."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from halflabel._arrays import Floats, Mask, Matrix, MatrixLike
from halflabel._wording import closest
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.masked_targets import MaskedTargets, find_kind, score_columns
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import as_seed, warn_of_rates

#: The methods that have a name, by their places.
_PLACES = {
    "AutoLabeler": "auto",
    "MixedLabeler": "auto",
    "SSDRMC": "ssdrmc",
    "MC1": "matrix_completion",
    "MCb": "matrix_completion",
    "VVMR": "vvmr",
    "LowRankVVMR": "vvmr",
    "MLkNN": "baselines",
    "BinaryRelevance": "baselines",
}


def as_method(given: Any, rule: str | Rule = "probable", random_state: int | None = 0) -> PartialLabelEstimator:
    """Return a method that is not fitted: a copy of a method, the one of a name, or an own one.

    Parameters
    ----------
    given : estimator, str or object
        A method of this library or its name, such as "mc-1". A classifier is fitted to each label (see
        :class:`halflabel.MaskedTargets` for targets that share a fit). Any other object has ``fit(X, Y)``, with NaN in
        ``Y`` for a gap, and ``predict_proba(X)`` of shape (n_items, n_labels), or ``decision_function``.
    rule : str or Rule
        The threshold rule of a method that has none.
    random_state : int or None
        The seed of its folds.

    Raises
    ------
    TypeError
        For anything else.
    """
    if isinstance(given, str):
        given = _find(given)
    given = given() if isinstance(given, type) else given
    if isinstance(given, PartialLabelEstimator):
        copy: PartialLabelEstimator = clone(given)
        drawn = hasattr(copy, "random_state") and not isinstance(copy.random_state, int | None)
        return copy.set_params(random_state=as_seed(copy.random_state)) if drawn else copy
    if find_kind(given) == "classifier" and not isinstance(given, MaskedTargets):
        return BinaryRelevance(given, rule=rule, random_state=random_state)
    if not hasattr(given, "fit") or not (hasattr(given, "predict_proba") or hasattr(given, "decision_function")):
        raise TypeError(
            f"{type(given).__name__} is not a method: give the name of one ({', '.join(_PLACES)}), a classifier, or an "
            "object with fit(X, Y), where NaN in Y is a gap, and predict_proba(X)."
        )
    return OwnMethod(given, rule=rule, random_state=random_state)


def _find(name: str) -> Any:
    known = {kind.lower(): kind for kind in _PLACES}
    kind = known.get(re.sub(r"[\W_]", "", name).lower())
    if kind is None:
        raise ValueError(f"there is no method {name!r}: {closest(name, _PLACES)}")
    return getattr(import_module(f"halflabel.methods.{_PLACES[kind]}"), kind)


class OwnMethod(PartialLabelEstimator):
    """An object with ``fit(X, Y)`` and ``predict_proba(X)`` as a method: calibrated out of fold, with thresholds.

    Parameters
    ----------
    estimator : object
        ``fit(X, Y)`` gets all items; a gap is NaN, and an item that is held out has gaps only. ``predict_proba(X)``
        returns one column per label, NaN for a label that it cannot learn; ``decision_function`` serves, too.
    n_folds : int, default=5
        Number of folds of labelled items, for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="probable"
        Threshold rule.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    estimator_ : object
        The copy that is fitted to all known entries.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Examples
    --------
    >>> class Neighbour:
    ...     def fit(self, X, Y):
    ...         self.X, self.Y = X, np.nan_to_num(Y, nan=0.5)
    ...         return self
    ...
    ...     def predict_proba(self, X):
    ...         distances = np.where(self.Y.T == 0.5, np.inf, np.abs(X - self.X.T))
    ...         return self.Y[distances.argmin(axis=1)]
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.where(X[:, 0] < 6, 0.0, 1.0)
    >>> y[[2, 8]] = np.nan
    >>> OwnMethod(Neighbour()).fit(X, y).transduction_.tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    """

    estimator_: Any

    def __init__(
        self,
        estimator: Any,
        *,
        n_folds: int = 5,
        rule: str | Rule = "probable",
        random_state: int | None = 0,
    ) -> None:
        self.estimator = estimator
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fit a copy of the estimator, and one for each fold. ``X`` and ``y`` as in :meth:`halflabel.SSDRMC.fit`."""
        items, labels = self._enter(X, y)
        self.estimator_ = self._fit_copy(items, labels)
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))

        def score_held_out(held_out: Mask) -> Floats:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # a fold has fewer labels than the user
                rest = self._fit_copy(items, labels.hide(held_out[:, None]))
            return score_columns(rest, items[held_out], labels.shape[1])

        out_of_fold = score_out_of_fold(score_held_out, folds, labels.shape)
        scores = score_columns(self.estimator_, items, labels.shape[1])
        lacking = labels.learnable & np.isnan(scores).all(axis=0)
        warn_of_rates(labels, lacking, f"have no score from {type(self.estimator).__name__}, which returned NaN")
        return self._decide(labels, scores, out_of_fold)

    def _fit_copy(self, X: Matrix, labels: PartialLabels) -> Any:
        copy = clone(self.estimator, safe=False)
        copy.fit(X, labels.values())
        return copy

    def _score_new(self, X: Matrix) -> Floats:
        return score_columns(self.estimator_, X, len(self.label_names_))
