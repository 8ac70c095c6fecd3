"""A member for words: logistic regression with a ridge, for all labels at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse
from halflabel._progress import step
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import Carriers, Examples

#: Maximum number of weights (words x labels) of a regression; 64 MB. With more words, it sees the most frequent ones.
MAX_WEIGHTS = 2**23

#: Weight of the square of the weights. Rows have length 1: a larger one leaves a few items at the rate of each label.
RIDGE = 0.3

#: The iteration stops at a gradient of this size in every weight, relative to the root of the bound of its curvature.
TOL, MAX_ITER = 5e-3, 300


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Log odds that are linear in the features."""

    evidence: ClassVar[Evidence] = "features"

    #: Shape (n_used,). Positions of the features that have weights.
    features: Ints
    #: Shape (n_used, n_labels).
    weights: Floats
    #: Shape (n_labels,).
    intercept: Floats

    def predict(self, items: Items) -> Floats:
        """Return log odds."""
        return np.asarray(items.X[:, self.features] @ self.weights + self.intercept)

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each feature: its weight times its value."""
        row, shares = item.X[:, self.features], np.zeros(item.X.shape[1])
        shares[self.features] = (row.toarray() if is_sparse(row) else row)[0] * self.weights[:, label]
        return Carriers(features=shares)


def logistic(task: Task) -> Fitted[LinearScores]:
    """Logistic regression on words. The model is the mean of the regressions without each fold."""
    folds = task.folds
    features = choose_frequent(task.X[folds.rows], max(1, MAX_WEIGHTS // folds.Y.shape[1]))
    return fit_words(task.X, folds, features)


def fit_words(X: Matrix, folds: Folds, features: Ints) -> Fitted[LinearScores]:
    """Fit a regression without each fold, on some features.

    Every regression starts from zero. The start from a regression that was fitted to the fold would leak its labels.
    """
    labelled, out_of_fold = X[folds.rows][:, features], np.full(folds.Y.shape, np.nan)
    model = LinearScores(features, np.zeros((len(features), folds.Y.shape[1])), np.zeros(folds.Y.shape[1]))
    for fold in folds.numbers:
        step("logistic regression", fold, len(folds.numbers))
        out = folds.fold == fold
        weights, intercept = fit_logistic(labelled[~out], folds.Y[~out], folds.observed[~out])
        out_of_fold[out] = labelled[out] @ weights + intercept
        model.weights[:] += weights / len(folds.numbers)
        model.intercept[:] += intercept / len(folds.numbers)
    return Fitted(model, model.predict(Items(X, None)), out_of_fold)


def choose_frequent(X: Matrix, max_features: int) -> Ints:
    """Return the features that are not 0 in the largest number of rows, in order."""
    if X.shape[1] <= max_features:
        return np.arange(X.shape[1])
    count = np.asarray((X != 0).sum(axis=0)).ravel()
    return np.sort(np.argsort(-count, kind="stable")[:max_features])


def fit_logistic(
    X: Matrix, Y: Floats, observed: Mask, tol: float = TOL, max_iter: int = MAX_ITER
) -> tuple[Floats, Floats]:
    r"""Minimise the log loss of the observed entries plus :math:`0.15\|w_j\|^2` for each label j.

    Accelerated gradient descent that restarts a label where its step goes uphill [1]_. The step of weight k is its
    gradient divided by :math:`0.3 + \tfrac14\sum_i |x_{ik}| (1 + \sum_l |x_{il}|)`. A diagonal matrix of these numbers
    is above the curvature of every label, so that the loss falls, and rare words take large steps.

    Parameters
    ----------
    X : matrix of shape (n_items, n_features)
    Y : ndarray of shape (n_items, n_labels)
    observed : ndarray of bool, shape (n_items, n_labels)

    Returns
    -------
    weights : ndarray of shape (n_features, n_labels)
    intercept : ndarray of shape (n_labels,)

    References
    ----------
    .. [1] B. O'Donoghue and E. Candes, "Adaptive restart for accelerated gradient schemes", Found. Comput. Math. 15,
       2015.
    """
    turned: Any = sparse.csr_array(X.T) if is_sparse(X) else X.T
    length = np.asarray(abs(X).sum(axis=1)).ravel() + 1  # of a row, with the 1 of the intercept
    bound = np.append(RIDGE + (abs(turned) @ length) / 4, length.sum() / 4)[:, None]
    start = logit((Y.sum(axis=0, where=observed) + 0.5) / (observed.sum(axis=0) + 1))
    here = np.vstack([np.zeros((X.shape[1], Y.shape[1])), start])
    ahead, t = here, np.ones(Y.shape[1])
    for _ in range(max_iter):
        error = np.where(observed, expit(X @ ahead[:-1] + ahead[-1]) - Y, 0.0)
        gradient = np.vstack([turned @ error + RIDGE * ahead[:-1], error.sum(axis=0)])
        if (np.abs(gradient) <= tol * np.sqrt(bound)).all():
            break
        following = ahead - gradient / bound
        t = np.where((gradient * (following - here)).sum(axis=0) > 0, 1.0, t)
        later = (1 + np.sqrt(1 + 4 * t**2)) / 2
        here, ahead, t = following, following + (t - 1) / later * (following - here), later
    return ahead[:-1], ahead[-1]
