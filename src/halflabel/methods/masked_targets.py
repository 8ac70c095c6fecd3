"""Targets with gaps for any estimator: of scikit-learn, LightGBM, XGBoost, CatBoost or of one's own."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, MultiOutputMixin, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from halflabel._arrays import Floats, Ints, MatrixLike
from halflabel._wording import plural
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.tables import read_float_table

#: The largest error of rounding in a probability of a library with 32 bits.
ROUNDING = 1e-6


class Fits(Protocol):
    """An estimator of any library: it also has ``predict``, ``predict_proba`` or ``decision_function``."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Learn from features and targets."""


def _has(method: str) -> Any:
    return available_if(lambda self: hasattr(self.estimator, method))


class MaskedTargets(MetaEstimatorMixin, MultiOutputMixin, BaseEstimator):  # type: ignore[misc] # no types
    """Fit an estimator to targets with gaps, each target on the items where it is known.

    Targets that are known for the same items share a copy of the estimator if it takes several targets (random forests,
    nearest neighbours, networks); any other target has a copy of its own. No gap is filled in, and no item is left out
    for a target that is known.

    Parameters
    ----------
    estimator : estimator
        A classifier for targets of 0 and 1, or a regressor for numbers.

    Attributes
    ----------
    estimators_ : list of (ndarray of int, estimator)
        The positions of the targets of each copy, and the copy.
    target_names_ : tuple of str

    Notes
    -----
    A target of a classifier that was not observed with both values has no copy: ``predict_proba`` and
    ``decision_function`` are NaN there, and ``predict`` returns its only value, or 0. To fill a table, use
    :func:`halflabel.complete`, which calibrates: ``hl.complete(items, labels=..., method=MaskedTargets(estimator))``.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> Y = np.array([[0, 0], [0, np.nan], [0, 0], [1, 1], [np.nan, 1], [1, 1]])
    >>> MaskedTargets(KNeighborsClassifier(1)).fit(X, Y).predict([[0.4], [4.6]])
    array([[0, 0],
           [1, 1]])
    """

    estimators_: list[tuple[Ints, Any]]
    target_names_: tuple[str, ...]

    def __init__(self, estimator: Fits) -> None:
        self.estimator = estimator

    def fit(self, X: MatrixLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Fit the copies.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_items, n_features)
            As the estimator takes it.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_targets) or (n_items,)
            A missing value is a gap.
        **fit_params
            Arguments of the estimator's ``fit``. An argument with one value for each item, such as ``sample_weight``,
            is cut to the items of each copy.
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(f"estimator is an object with fit, such as LogisticRegression(), not {self.estimator!r}.")
        values, names = self._read(y)
        check_consistent_length(X, values)
        known = ~np.isnan(values)
        self.is_flat_ = not isinstance(y, PartialLabels) and np.ndim(y) == 1
        self.target_names_ = names
        self.n_features_in_ = int(np.shape(X)[1])  # type: ignore[arg-type]
        self.only_value_ = np.array(
            [column[mask][0] if mask.any() else 0 for column, mask in zip(values.T, known.T, strict=True)]
        )
        self.estimators_ = []
        for columns in self._share(values, known):
            rows = np.flatnonzero(known[:, columns[0]])
            target = values[np.ix_(rows, columns)]
            target = target if self._is_regressor() else target.astype(np.int64)
            params = {name: _take(value, rows, len(values)) for name, value in fit_params.items()}
            target = target if len(columns) > 1 else target[:, 0]
            copy = clone(self.estimator, safe=False).fit(_safe_indexing(X, rows), target, **params)
            self.estimators_.append((columns, copy))
        return self

    def predict(self, X: MatrixLike) -> NDArray[Any]:
        """Return the predicted targets, shape (n_items, n_targets), or (n_items,) for a 1-D ``y``."""
        kind = np.float64 if self._is_regressor() else np.int64
        return self._flat(self._collect(X, "predict", np.tile(self.only_value_, (_count(X), 1))).astype(kind))

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return the probabilities of 1, shape (n_items, n_targets). For a 1-D ``y`` the shape is (n_items, 2)."""
        p = self._collect(X, "predict_proba")
        return np.column_stack([1 - p, p]) if self.is_flat_ else p

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the decision values, shape (n_items, n_targets), or (n_items,) for a 1-D ``y``."""
        return self._flat(self._collect(X, "decision_function"))

    def _is_regressor(self) -> bool:
        return find_kind(self.estimator) == "regressor"

    def _read(self, y: Any) -> tuple[Floats, tuple[str, ...]]:
        if self._is_regressor() and not isinstance(y, PartialLabels):
            return read_float_table(y)
        labels = PartialLabels.from_table(y)
        return labels.values(), labels.names

    def _share(self, values: Floats, known: NDArray[np.bool_]) -> list[Ints]:
        """Return the positions of the targets of each copy."""
        varies = np.nanmin(values, axis=0, initial=np.inf) < np.nanmax(values, axis=0, initial=-np.inf)
        fitted = np.flatnonzero(known.any(axis=0) if self._is_regressor() else varies)
        if not _takes_several(self.estimator) or not len(fitted):
            return [np.array([column]) for column in fitted]
        _, group = np.unique(known[:, fitted], axis=1, return_inverse=True)
        return [fitted[group.ravel() == each] for each in range(group.max() + 1)]

    def _collect(self, X: Any, method: str, into: Floats | None = None) -> Floats:
        """Return the results of all copies in the order of the targets."""
        check_is_fitted(self)
        table = np.full((_count(X), len(self.target_names_)), np.nan) if into is None else into.astype(np.float64)
        for columns, copy in self.estimators_:
            table[:, columns] = predict_columns(copy, method, X, len(columns))
        return table

    def _flat(self, table: NDArray[Any]) -> NDArray[Any]:
        return table.ravel() if self.is_flat_ else table


def score_columns(estimator: Any, X: Any, n_labels: int) -> Floats:
    """Return the probabilities of an estimator, or its decision values, one column per label."""
    method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    return predict_columns(estimator, method, X, n_labels)


def predict_columns(estimator: Any, method: str, X: Any, n_labels: int) -> Floats:
    """Return the result of a method of an estimator, one column per label.

    Libraries return a list of (n_items, 2) arrays, (n_items, 2) for one label, (n_items, n_labels), or (n_items,). An
    array of one column in a list is of a label with one value only, which is NaN.

    Raises
    ------
    ValueError
        For another shape, and for values that no label can have.
    """
    result, name = getattr(estimator, method)(X), f"{type(estimator).__name__}.{method}"
    if isinstance(result, list) and all(np.ndim(each) == 2 for each in result):
        tables = map(np.asarray, result)
        result = np.column_stack([t[:, 1:] if t.shape[1] > 1 else np.full(len(t), np.nan) for t in tables])
    try:
        table = np.asarray(result, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} did not return an array of numbers: return one column per label.") from None
    shape = table.shape
    table = table[:, None] if table.ndim == 1 else table[:, 1:] if n_labels == 1 and shape[1:] == (2,) else table
    if table.shape != (_count(X), n_labels):
        expected = f"{plural(_count(X), 'item')} and {plural(n_labels, 'label')}"
        way = "return one row per item and one column per label."
        raise ValueError(f"{name} returned an array of shape {shape}, but there are {expected}: {way}")
    _check_values(table, name)
    return table


def _check_values(table: Floats, name: str) -> None:
    wrong, kind = np.isinf(table) | (np.isnan(table) & ~np.isnan(table).all(axis=0)), "finite numbers"
    if name.endswith(".predict_proba"):
        wrong, kind = wrong | (table < -ROUNDING) | (table > 1 + ROUNDING), "numbers between 0 and 1"
    if wrong.any():
        raise ValueError(f"{name} returned {table[wrong][0]:g}: return {kind}, or NaN for all items of a label.")


def find_kind(estimator: Any) -> str | None:
    """Return "classifier" or "regressor" as an estimator states it, or None for an object that states nothing."""
    tags = _find_tags(estimator)
    kind: str | None = getattr(estimator, "_estimator_type", None) if tags is None else tags.estimator_type
    return kind


def _takes_several(estimator: Any) -> bool:
    """Return whether one copy can be fitted to several targets, as the tags of scikit-learn state it."""
    tags = _find_tags(estimator)
    if tags is None:
        return False
    return bool(tags.target_tags.multi_output if tags.classifier_tags is None else tags.classifier_tags.multi_label)


def _find_tags(estimator: Any) -> Any:
    try:
        return get_tags(estimator)
    except (AttributeError, TypeError):  # an estimator of another library
        return None


def _take(value: Any, rows: Ints, n: int) -> Any:
    return _safe_indexing(value, rows) if hasattr(value, "__len__") and len(value) == n else value


def _count(X: Any) -> int:
    return int(X.shape[0] if hasattr(X, "shape") else len(X))
