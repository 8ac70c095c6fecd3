"""One independent classifier per label."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from halflabel._arrays import Floats, Mask, Matrix, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.masked_targets import score_columns
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.numerics.scaling import Scaler


class BinaryRelevance(PartialLabelEstimator):
    """One copy of a scikit-learn classifier per label, fitted to the observed entries of its label.

    Parameters
    ----------
    classifier : scikit-learn classifier, default=None
        Cloned for each label. The score is the result of its ``predict_proba`` or ``decision_function``. None means
        ``LogisticRegression(max_iter=1000)``.
    scale : {"auto", "standard", None}, default="auto"
        "standard" divides each feature by its standard deviation; dense X is centred first. "auto" does so for
        dense X only.
    n_folds : int, default=5
        Number of folds of labelled items, for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares the score of the classifier with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    classifiers_ : list of classifier or None
        One per label. None where a label was not observed with both values.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Notes
    -----
    Costs ``n_folds + 1`` fits per label.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.where(X[:, 0] < 6, 0.0, 1.0)
    >>> y[[2, 8]] = np.nan
    >>> BinaryRelevance(n_folds=3).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """

    scaler_: Scaler
    classifiers_: list[Any]

    def __init__(
        self,
        classifier: BaseEstimator | None = None,
        *,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.classifier = classifier
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fit one classifier per label. ``X`` and ``y`` are as in :meth:`halflabel.SSDRMC.fit`."""
        X, labels = self._enter(X, y)
        self.scaler_ = Scaler.learn(X, self.scale)
        X = self.scaler_(X)
        self.classifiers_ = fit_each(self.classifier, X, labels)
        return self._decide(labels, score_each(self.classifiers_, X), self._out_of_fold(X, labels))

    def _out_of_fold(self, X: Matrix, labels: PartialLabels) -> Floats:
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))

        def score_held_out(held_out: Mask) -> Floats:
            rest = (folds >= 0) & ~held_out
            return score_each(fit_each(self.classifier, X[rest], labels[rest]), X[held_out])

        return score_out_of_fold(score_held_out, folds, labels.shape)

    def _score_new(self, X: Matrix) -> Floats:
        return score_each(self.classifiers_, self.scaler_(X))


def fit_each(classifier: BaseEstimator | None, X: Matrix, labels: PartialLabels) -> list[Any]:
    """Return one fitted copy of the classifier per label, None where a label was not observed with both values."""
    template = classifier if classifier is not None else LogisticRegression(max_iter=1000)
    fitted: list[Any] = []
    for state, learnable in zip(labels.state.T, labels.learnable, strict=True):
        rows = np.flatnonzero(state)
        fitted.append(clone(template).fit(X[rows], state[rows] > 0) if learnable else None)
    return fitted


def score_each(classifiers: list[Any], X: Matrix) -> Floats:
    """Return one column per classifier, NaN for a label without classifier."""
    scores = np.full((X.shape[0], len(classifiers)), np.nan)
    for j, classifier in enumerate(classifiers):
        if classifier is not None:
            scores[:, [j]] = score_columns(classifier, X, 1)
    return scores
