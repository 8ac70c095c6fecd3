"""One classifier per label, with the other observed labels of the item as additional features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from halflabel.labels import PartialLabels
from halflabel.methods.baselines.binary_relevance import BinaryRelevance
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.masked_targets import score_columns
from halflabel.methods.model_selection import entry_folds
from halflabel.numerics.scaling import Scaler
from halflabel.plugins import Floats, Mask, Matrix, is_sparse


class OtherLabels(BinaryRelevance):
    r"""A scikit-learn classifier per label, with the features and the other labels of the item as its input.

    Another label is coded +1 if relevant, -1 if irrelevant and 0 if unknown. This is the simple reference method for
    single missing entries: if labels are missing one by one, the other labels of an item are more informative than its
    features.

    Parameters
    ----------
    classifier : scikit-learn classifier, default=None
        Cloned for each label; it needs ``predict_proba`` or ``decision_function``. None means
        ``LogisticRegression(max_iter=1000)``. If it accepts NaN, so does ``fit``.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only. Labels are not scaled.
    n_folds : int, default=5
        Number of folds of observed *entries*, for the out-of-fold scores: the model that scores an entry uses the
        entries of the item in other folds, as it does for an unknown entry.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares the score of the classifier with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    classifiers_ : list of classifier or None
        One per label; None where a label was not observed with both values.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Notes
    -----
    Costs ``n_folds + 1`` fits per label. For ``predict`` the other labels of a new item are unknown.

    Examples
    --------
    >>> X = np.zeros((8, 1))
    >>> y = np.array([[0.0, 0]] * 4 + [[1, 1]] * 4)
    >>> y[0, 1] = y[7, 1] = np.nan
    >>> OtherLabels(n_folds=2).fit(X, y).transduction_[[0, 7]]
    array([[0, 0],
           [1, 1]])
    """

    @property
    def _allow_nan(self) -> bool:  # type: ignore[override] # the classifier decides
        return self.classifier is not None and bool(get_tags(self.classifier).input_tags.allow_nan)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit one classifier per label, with ``X`` and ``y`` as in :meth:`halflabel.SSDRMC.fit`."""
        X, labels = self._enter(X, y)
        self.scaler_ = Scaler.learn(X, self.scale)
        X = self.scaler_(X)
        self.classifiers_ = self._fit_each(X, labels)
        return self._decide(labels, _score_each(self.classifiers_, X, labels.state), self._out_of_fold(X, labels))

    def _fit_each(self, X: Matrix, labels: PartialLabels) -> list[Any]:
        template = self.classifier if self.classifier is not None else LogisticRegression(max_iter=1000)
        fitted: list[Any] = []
        for j, learnable in enumerate(labels.learnable):
            rows = np.flatnonzero(labels.state[:, j])
            seen = _append_other_labels(X[rows], labels.state[rows], j)
            fitted.append(clone(template).fit(seen, labels.state[rows, j] > 0) if learnable else None)
        return fitted

    def _out_of_fold(self, X: Matrix, labels: PartialLabels) -> Floats:
        n_folds = min(self.n_folds, int(labels.observed.sum()))
        if n_folds < 2:
            return np.full(labels.shape, np.nan)

        def score_held_out(held_out: Mask) -> Floats:
            rest = labels.hide(held_out)
            return _score_each(self._fit_each(X, rest), X, rest.state)[held_out]

        folds = entry_folds(labels, n_folds, np.random.default_rng(self.random_state))
        return score_out_of_fold(score_held_out, folds, labels.shape)

    def _score_new(self, X: Matrix) -> Floats:
        unknown = np.zeros((X.shape[0], len(self.classifiers_)), dtype=np.int8)
        return _score_each(self.classifiers_, self.scaler_(X), unknown)


def _append_other_labels(X: Matrix, state: NDArray[np.int8], label: int) -> Matrix:
    """Return the features, followed by the states (+1, -1, 0 for unknown) of all labels but one."""
    others = np.delete(state, label, axis=1).astype(np.float64)
    if is_sparse(X):
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(others)]))
    return np.hstack([X, others])


def _score_each(classifiers: list[Any], X: Matrix, state: NDArray[np.int8]) -> Floats:
    scores = np.full((X.shape[0], len(classifiers)), np.nan)
    for j, classifier in enumerate(classifiers):
        if classifier is not None:
            scores[:, [j]] = score_columns(classifier, _append_other_labels(X, state, j), 1)
    return scores
