"""Splits that keep every label in every fold, out-of-fold answers, and scorers for labels with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.folds import split_entries, split_items
from halflabel.labels.groups import number_groups
from halflabel.labels.metrics import METRICS
from halflabel.methods.base import PartialLabelEstimator

__all__ = ["ItemKFold", "entry_folds", "folds_of_labelled", "item_folds", "make_scorer", "out_of_fold"]

By = Literal["items", "entries"]
Method = Literal["predict_proba", "decision_function", "predict"]

#: Where a transductive estimator keeps its answers about the items it was fitted on.
_TRANSDUCTIVE: dict[str, str] = {
    "predict_proba": "label_probabilities_",
    "decision_function": "label_scores_",
    "predict": "transduction_",
}


# -- folds -----------------------------------------------------------------------


def item_folds(labels: PartialLabels, n_splits: int, rng: np.random.Generator, groups: Any = None) -> Ints:
    """Deal the items into folds that are alike in every label's observed values and in unlabelled items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    n_splits : int
        At least 2, at most the number of labelled items, or of groups that hold any.
    rng : numpy.random.Generator
    groups : array-like of shape (n_items,), optional
        Items of equal value (a thread, an author, duplicates) always fall in the same fold; an item whose value is
        missing stands for itself.

    Returns
    -------
    ndarray of int, shape (n_items,)
        The fold of each item, from 0 to ``n_splits - 1``; see
        :func:`halflabel.labels.folds.split_items` for the algorithm.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1], [None, None], [None, None]])
    >>> folds = item_folds(labels, 2, np.random.default_rng(0))
    >>> [sorted(pair.tolist()) for pair in folds.reshape(3, 2)]
    [[0, 1], [0, 1], [0, 1]]
    """
    together = None if groups is None else number_groups(groups, len(labels))
    labelled = np.flatnonzero(~labels.unlabelled)
    if together is None:
        _check_n_splits(n_splits, len(labelled), "labelled items")
    else:
        _check_n_splits(n_splits, len(np.unique(together[labelled])), "groups with a labelled item")
    return split_items(labels, [1 / n_splits] * n_splits, rng, together)


def folds_of_labelled(
    labels: PartialLabels, n_folds: int, rng: np.random.Generator, groups: Ints | None = None
) -> Ints:
    """Return the fold of each item with an observed label, -1 for the others.

    As :func:`item_folds`, but for as many folds as there are items (or groups) to deal; a single one is in none.
    """
    folds, rows = np.full(len(labels), -1, dtype=np.intp), np.flatnonzero(~labels.unlabelled)
    together = None if groups is None else groups[rows]
    most = len(rows) if together is None else len(np.unique(together))
    if most > 1:
        folds[rows] = item_folds(labels[rows], min(n_folds, most), rng, together)
    return folds


def entry_folds(labels: PartialLabels, n_splits: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Deal the observed entries into folds, evenly for each label and value.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    n_splits : int
        At least 2, at most 127 and the number of observed entries.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (n_items, n_labels)
        The fold of each observed entry, -1 for unknown ones.
    """
    _check_n_splits(n_splits, min(int(labels.observed.sum()), 127), "observed entries (and 127)")
    return split_entries(labels, [1 / n_splits] * n_splits, rng)


def _check_n_splits(n_splits: int, most: int, kind: str) -> None:
    if not 2 <= n_splits <= most:
        raise ValueError(
            f"n_splits must be at least 2 and at most the number of {kind}, here {most}, but is {n_splits}."
        )


@dataclass
class ItemKFold:
    """K folds of items, stratified for labels with gaps: a ``cv`` for scikit-learn's tools.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, numpy.random.Generator or None, default=None

    Examples
    --------
    >>> Y = np.array([[1, 0], [1, np.nan], [0, 1], [0, 1]])
    >>> [len(test) for train, test in ItemKFold(2, random_state=0).split(np.zeros((4, 1)), Y)]
    [2, 2]
    """

    n_splits: int = 5
    random_state: int | np.random.Generator | None = None

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Yield (train, test) positions; ``y`` may be an array with NaN, a DataFrame or PartialLabels.

        Items of equal ``groups`` stay together, see :func:`item_folds`.
        """
        rng = np.random.default_rng(self.random_state)
        folds = item_folds(PartialLabels.from_table(y), self.n_splits, rng, groups)
        for fold in range(self.n_splits):
            yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return ``n_splits``."""
        return self.n_splits


# -- out of fold -------------------------------------------------------------------


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    by: By = "items",
    groups: Any = None,
    n_splits: int = 5,
    random_state: int | np.random.Generator | None = None,
    method: Method = "predict_proba",
) -> Floats:
    """Ask about each observed entry a clone of the estimator that was fitted without it.

    Parameters
    ----------
    estimator : estimator
        This library's, or one that takes labels in the form of ``y``.
    X : array-like, sparse matrix or DataFrame of shape (n_items, n_features)
    y : array with NaN, DataFrame, Series or PartialLabels
    by : {"items", "entries"}
        What is held out at once: all labels of an item, as if it had never been looked at, or single entries,
        so that an item's other labels may help.
    groups : array-like of shape (n_items,), optional
        With ``by="items"``: items that are held out together, see :func:`item_folds`.
    n_splits : int, default=5
    random_state : int, numpy.random.Generator or None
        Decides the folds.
    method : {"predict_proba", "decision_function", "predict"}

    Returns
    -------
    ndarray of shape (n_items, n_labels)
        ``by="items"``: the whole row of every annotated item, NaN rows for the others.
        ``by="entries"``: every observed entry, NaN elsewhere.

    Notes
    -----
    Estimators of this library see all of ``X`` in every fit, held-out items as unlabelled ones, and are asked
    what they learned about them (``label_probabilities_``, ``label_scores_``, ``transduction_``).
    Of positive-only labels, a held-out item is one that nobody looked at, a held-out entry one that was not assigned.
    Any other estimator is fitted on the items that are not held out, and predicts those that are.
    """
    if by not in ("items", "entries"):
        raise ValueError(f"by must be 'items' or 'entries', not {by!r}.")
    if method not in _TRANSDUCTIVE:
        raise ValueError(f"method must be one of {', '.join(map(repr, _TRANSDUCTIVE))}, not {method!r}.")
    if by == "entries" and groups is not None:
        raise ValueError("groups are held out as whole items: use by='items', or leave groups= out.")
    labels, rng = PartialLabels.from_table(y), np.random.default_rng(random_state)
    if by == "entries":
        return _answer_by_entries(estimator, X, y, labels, entry_folds(labels, n_splits, rng), method)
    annotated = np.flatnonzero(labels.annotated)
    together = None if groups is None else number_groups(groups, len(labels))[annotated]
    folds = np.full(len(labels), -1)
    folds[annotated] = item_folds(labels[annotated], n_splits, rng, together)
    return _answer_by_items(estimator, X, y, labels, folds, method)


def _answer_by_items(estimator: Any, X: Any, y: Any, labels: PartialLabels, folds: Ints, method: Method) -> Floats:
    answers = np.full(labels.shape, np.nan)
    for fold in range(folds.max() + 1):
        held_out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if isinstance(estimator, PartialLabelEstimator):
            hidden = labels.hide((folds == fold)[:, None])
            answers[held_out] = _ask_about_fitted(clone(estimator).fit(X, _as_given(hidden, y)), X, labels, method)[
                held_out
            ]
        else:
            model = clone(estimator).fit(_safe_indexing(X, rest), _safe_indexing(_as_given(labels, y), rest))
            answers[held_out] = _ask(model, _safe_indexing(X, held_out), labels[held_out], method)
    return answers


def _answer_by_entries(
    estimator: Any, X: Any, y: Any, labels: PartialLabels, folds: NDArray[np.int8], method: Method
) -> Floats:
    answers = np.full(labels.shape, np.nan)
    for fold in range(folds.max() + 1):
        held_out = folds == fold
        rest = labels.hide(held_out)
        if labels.positive_only:  # somebody looked at the item all the same, also if this was its only tag
            rest = replace(rest, annotated=labels.annotated)
        model = clone(estimator).fit(X, _as_given(rest, y))
        answers[held_out] = _ask_about_fitted(model, X, labels, method)[held_out]
    return answers


def _as_given(labels: PartialLabels, y: Any) -> Any:
    """Return the labels in the form in which the caller gave them, with NaN for unknown."""
    if isinstance(y, PartialLabels):
        return labels
    if isinstance(y, pd.DataFrame):
        return pd.DataFrame(labels.values(), index=y.index, columns=y.columns)
    return labels.values()[:, 0] if np.ndim(y) == 1 else labels.values()


def _ask_about_fitted(model: Any, X: Any, labels: PartialLabels, method: Method) -> Floats:
    """Return a model's answers about the items it was fitted on."""
    if isinstance(model, PartialLabelEstimator):
        return np.asarray(getattr(model, _TRANSDUCTIVE[method]), dtype=np.float64).reshape(labels.shape)
    return _ask(model, X, labels, method)


def _ask(model: Any, X: Any, labels: PartialLabels, method: Method) -> Floats:
    """Return a model's answers about new items, one column per label also for a single one."""
    answer = np.asarray(getattr(model, method)(X), dtype=np.float64)
    if labels.shape[1] == 1 and answer.shape[1:] == (2,):  # P(irrelevant), P(relevant)
        answer = answer[:, 1]
    table = answer[:, None] if answer.ndim == 1 else answer
    if table.shape != labels.shape:
        raise ValueError(
            f"{type(model).__name__}.{method} answered with shape {answer.shape}, but the labels have shape "
            f"{labels.shape}: it must return one row per item and one column per label."
        )
    return table


# -- scorers -----------------------------------------------------------------------


def make_scorer(name: str) -> _Scorer:
    """Return a metric as a scikit-learn scorer that leaves unknown entries out.

    Parameters
    ----------
    name : str
        A name in :data:`halflabel.labels.metrics.METRICS`.

    Returns
    -------
    callable (estimator, X, y) -> float
        For ``scoring=``. Higher is better: losses are negated, like scikit-learn's ``neg_*``. Metrics of labels
        ask ``predict``, those of scores and probabilities ``predict_proba``.

    Examples
    --------
    >>> make_scorer("ranking_loss")
    make_scorer('ranking_loss')
    """
    if name not in METRICS:
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(METRICS)}.")
    return _Scorer(name)


@dataclass(frozen=True)
class _Scorer:
    name: str

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        metric = METRICS[self.name]
        labels = PartialLabels.from_table(y)
        answer = _ask(estimator, X, labels, "predict" if metric.needs == "labels" else "predict_proba")
        value = metric.function(labels, answer)
        return value if metric.greater_is_better else -value

    def __repr__(self) -> str:
        return f"make_scorer({self.name!r})"
