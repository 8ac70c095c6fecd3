"""Folds that have items of every label, out-of-fold predictions, and scorers for labels with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.folds import split_entries, split_items
from halflabel.labels.groups import number_groups
from halflabel.labels.metrics import METRICS
from halflabel.methods.base import PartialLabelEstimator
from halflabel.numerics.column_order import order_columns

__all__ = ["ItemKFold", "entry_folds", "folds_of_labelled", "item_folds", "make_scorer", "out_of_fold"]

By = Literal["items", "entries"]
Method = Literal["predict_proba", "decision_function", "predict"]

#: The fitted attribute with which a transductive estimator predicts the items it was fitted on.
_TRANSDUCTIVE: dict[str, str] = {
    "predict_proba": "label_probabilities_",
    "decision_function": "label_scores_",
    "predict": "transduction_",
}


# -- folds -----------------------------------------------------------------------


def item_folds(labels: PartialLabels, n_splits: int, rng: np.random.Generator, groups: Any = None) -> Ints:
    """Assign the items to folds with equal shares of every label's observed values and of the unlabelled items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    n_splits : int
        At least 2, at most the number of labelled items, or of groups with a labelled item.
    rng : numpy.random.Generator
    groups : array-like of shape (n_items,), optional
        Items of equal value (a thread, an author, duplicates) are always in the same fold. An item with a missing value
        is a group of its own.

    Returns
    -------
    ndarray of int, shape (n_items,)
        The fold of each item, from 0 to ``n_splits - 1``, see :func:`halflabel.labels.folds.split_items` for the
        algorithm.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1], [None, None], [None, None]])
    >>> folds = item_folds(labels, 2, np.random.default_rng(0))
    >>> [sorted(pair.tolist()) for pair in folds.reshape(3, 2)]
    [[0, 1], [0, 1], [0, 1]]
    """
    numbers = None if groups is None else number_groups(groups, len(labels))
    labelled = np.flatnonzero(~labels.unlabelled)
    if numbers is None:
        _check_n_splits(n_splits, len(labelled), "labelled items")
    else:
        _check_n_splits(n_splits, len(np.unique(numbers[labelled])), "groups with a labelled item")
    return split_items(labels.select(order_columns(labels.state)), [1 / n_splits] * n_splits, rng, numbers)


def folds_of_labelled(
    labels: PartialLabels, n_folds: int, rng: np.random.Generator, groups: Ints | None = None
) -> Ints:
    """Return the fold of each item with an observed label, and -1 for items without one.

    As :func:`item_folds`, but with at most as many folds as items (or groups). A single item or group is in no fold.
    """
    folds, rows = np.full(len(labels), -1, dtype=np.intp), np.flatnonzero(~labels.unlabelled)
    groups = None if groups is None else groups[rows]
    max_folds = len(rows) if groups is None else len(np.unique(groups))
    if max_folds > 1:
        folds[rows] = item_folds(labels[rows], min(n_folds, max_folds), rng, groups)
    return folds


def entry_folds(labels: PartialLabels, n_splits: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Assign the observed entries to folds, evenly for each label and value.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    n_splits : int
        At least 2, at most 127 and the number of observed entries.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (n_items, n_labels)
        The fold of each observed entry, -1 for unknown entries.
    """
    _check_n_splits(n_splits, min(int(labels.observed.sum()), 127), "observed entries (and 127)")
    order = order_columns(labels.state)
    return split_entries(labels.select(order), [1 / n_splits] * n_splits, rng)[:, np.argsort(order)]


def _check_n_splits(n_splits: int, maximum: int, kind: str) -> None:
    if not 2 <= n_splits <= maximum:
        raise ValueError(
            f"n_splits must be at least 2 and at most the number of {kind}, here {maximum}, but is {n_splits}."
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
        """Yield (train, test) positions for ``y``, an array with NaN, a DataFrame or PartialLabels.

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
    """Predict each observed entry with a clone of the estimator that was fitted without it.

    Parameters
    ----------
    estimator : estimator
        A method of this library, or another estimator that takes labels in the form of ``y``.
    X : array-like, sparse matrix or DataFrame of shape (n_items, n_features)
    y : array with NaN, DataFrame, Series or PartialLabels
    by : {"items", "entries"}
        Hold out all labels of an item, as if it were not annotated, or single entries, so that the item's other labels
        can be used.
    groups : array-like of shape (n_items,), optional
        With ``by="items"``: items that are held out together, see :func:`item_folds`.
    n_splits : int, default=5
    random_state : int, numpy.random.Generator or None
        Decides the folds.
    method : {"predict_proba", "decision_function", "predict"}

    Returns
    -------
    ndarray of shape (n_items, n_labels)
        ``by="items"``: the whole row of every annotated item, a row of NaN for any other item.
        ``by="entries"``: every observed entry, NaN elsewhere.

    Notes
    -----
    Methods of this library are fitted to all of ``X``, with held-out items as unlabelled items, and the result is read
    from their attributes (``label_probabilities_``, ``label_scores_``, ``transduction_``). With positive-only labels, a
    held-out item counts as not annotated, a held-out entry as not assigned. Any other estimator is fitted on the other
    items, and predicts the held-out items.
    """
    if by not in ("items", "entries"):
        raise ValueError(f"by must be 'items' or 'entries', not {by!r}.")
    if method not in _TRANSDUCTIVE:
        raise ValueError(f"method must be one of {', '.join(map(repr, _TRANSDUCTIVE))}, not {method!r}.")
    if by == "entries" and groups is not None:
        raise ValueError("groups are held out as whole items: use by='items', or leave groups= out.")
    labels, rng = PartialLabels.from_table(y), np.random.default_rng(random_state)
    if by == "entries":
        from halflabel.methods.cross_fitting import score_out_of_fold

        folds = entry_folds(labels, n_splits, rng)
        return score_out_of_fold(partial(_predict_entries, estimator, X, y, labels, method), folds, labels.shape)
    annotated = np.flatnonzero(labels.annotated)
    numbers = None if groups is None else number_groups(groups, len(labels))[annotated]
    item_fold = np.full(len(labels), -1)
    item_fold[annotated] = item_folds(labels[annotated], n_splits, rng, numbers)
    from halflabel.methods.cross_fitting import score_out_of_fold

    return score_out_of_fold(partial(_predict_items, estimator, X, y, labels, method), item_fold, labels.shape)


def _predict_items(estimator: Any, X: Any, y: Any, labels: PartialLabels, method: Method, held_out: Mask) -> Floats:
    """Return predictions of the held-out items."""
    if isinstance(estimator, PartialLabelEstimator):
        model = clone(estimator).fit(X, _in_form_of(y, labels.hide(held_out[:, None])))
        return _predict_fitted(model, X, labels, method)[held_out]
    rows, rest = np.flatnonzero(held_out), np.flatnonzero(~held_out)
    model = clone(estimator).fit(_safe_indexing(X, rest), _safe_indexing(_in_form_of(y, labels), rest))
    return _predict_new(model, _safe_indexing(X, rows), labels[rows], method)


def _predict_entries(estimator: Any, X: Any, y: Any, labels: PartialLabels, method: Method, held_out: Mask) -> Floats:
    """Return predictions of the held-out entries."""
    rest = labels.hide(held_out)
    if labels.positive_only:  # the item stays annotated, also without its only tag
        rest = replace(rest, annotated=labels.annotated)
    model = clone(estimator).fit(X, _in_form_of(y, rest))
    return _predict_fitted(model, X, labels, method)[held_out]


def _in_form_of(y: Any, labels: PartialLabels) -> Any:
    """Return the labels in the form in which the caller gave ``y``, with NaN for unknown."""
    if isinstance(y, PartialLabels):
        return labels
    if isinstance(y, pd.DataFrame):
        return pd.DataFrame(labels.values(), index=y.index, columns=y.columns)
    return labels.values()[:, 0] if np.ndim(y) == 1 else labels.values()


def _predict_fitted(model: Any, X: Any, labels: PartialLabels, method: Method) -> Floats:
    """Return a model's predictions of the items it was fitted on."""
    if isinstance(model, PartialLabelEstimator):
        return np.asarray(getattr(model, _TRANSDUCTIVE[method]), dtype=np.float64).reshape(labels.shape)
    return _predict_new(model, X, labels, method)


def _predict_new(model: Any, X: Any, labels: PartialLabels, method: Method) -> Floats:
    """Return a model's predictions of new items, one column per label also for a single label."""
    values = np.asarray(getattr(model, method)(X), dtype=np.float64)
    if labels.shape[1] == 1 and values.shape[1:] == (2,):  # P(irrelevant), P(relevant)
        values = values[:, 1]
    table = values[:, None] if values.ndim == 1 else values
    if table.shape != labels.shape:
        raise ValueError(
            f"{type(model).__name__}.{method} returned an array of shape {values.shape}, but the labels have shape "
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
        For ``scoring=``. Higher is better: losses are negated, like scikit-learn's ``neg_*``. Metrics of labels use
        ``predict``, metrics of scores and probabilities use ``predict_proba``.

    Examples
    --------
    >>> make_scorer("brier")
    make_scorer('brier')
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
        predictions = _predict_new(estimator, X, labels, "predict" if metric.needs == "labels" else "predict_proba")
        value = metric.function(labels, predictions)
        return value if metric.greater_is_better else -value

    def __repr__(self) -> str:
        return f"make_scorer({self.name!r})"
