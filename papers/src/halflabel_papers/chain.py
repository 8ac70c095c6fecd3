"""The steps of a method: built from their description, fitted one after the other, and their predictions."""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from halflabel.labels import PartialLabels
from halflabel.labels.rules import as_rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.plugins import Floats, Matrix, is_sparse
from halflabel_papers.imports import import_object
from halflabel_papers.spec import SpecError

#: Resolves ``{ same_as = METHOD, attribute = NAME }``: from both names to the attribute of that method's first step.
Lookup = Callable[[str, str], Any]

#: The words by which a spec states the threshold rule of a method, each with its field of a rule.
RULE_WORDS = {"decision": "name", "threshold": "threshold", "cost_ratio": "ratio"}


def build_step(step: Mapping[str, Any], n_features: int, lookup: Lookup) -> Any:
    """Return the unfitted estimator that a step describes: an instance of a class, or a copy of an estimator."""
    settings = dict(step)
    kind = import_object(settings.pop("use"))
    published = settings.pop("as_published", False)
    parameters = {name: _build_parameter(value, n_features, lookup) for name, value in settings.items()}
    try:
        parameters = _state_rule(kind, published, parameters)
        if published:
            return kind.as_published().set_params(**parameters)
        return kind(**parameters) if isinstance(kind, type) else clone(kind).set_params(**parameters)
    except Exception as error:  # a user's class may raise anything
        raise SpecError(f"{step['use']} cannot be built: {error}") from None


def _state_rule(kind: Any, published: bool, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with one rule in place of the words of a spec, which change the rule of the method."""
    stated = {field: parameters[word] for word, field in RULE_WORDS.items() if word in parameters}
    if not stated or not isinstance(kind, type) or not issubclass(kind, PartialLabelEstimator):
        return parameters
    rule = (kind.as_published() if published else kind()).rule
    kept = {name: value for name, value in parameters.items() if name not in RULE_WORDS}
    return {**kept, "rule": replace(as_rule(rule), **stated)}


def _build_parameter(value: Any, n_features: int, lookup: Lookup) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "use" in value:
        return build_step(value, n_features, lookup)
    if "same_as" in value:
        return lookup(value["same_as"], value["attribute"])
    if "share_of_features" in value:
        return max(1, round(value["share_of_features"] * n_features))
    return dict(value)


def _make_lookup(first_steps: Mapping[str, Mapping[str, Any]], X: Matrix, labels: PartialLabels) -> Lookup:
    """Return the lookup of ``same_as`` for these training rows."""

    def lookup(name: str, attribute: str) -> Any:
        step = build_step(first_steps[name], X.shape[1], lookup)
        return getattr(clone(step).fit(X, labels), attribute)

    return lookup


@dataclass(frozen=True)
class Prediction:
    """The prediction of a fitted chain, with one row per item and one column per label."""

    #: 0/1 by the method's own rule.
    labels: Floats
    #: Higher is more relevant; -inf for a label that could not be learned, so that it ranks last.
    scores: Floats
    #: None if the method has none.
    probabilities: Floats | None
    #: Number of entries that the method returned as NaN, among the labels or the values that rank.
    n_missing: int = 0

    @classmethod
    def of(
        cls, labels: Any, scores: Any, probabilities: Any, shape: tuple[int, int], classes: Any = None
    ) -> Prediction:
        """Bring the outputs of an estimator to one shape. Without scores, probabilities or else labels rank.

        A label of NaN is not predicted, and a score of NaN ranks last.
        """
        p = None if probabilities is None else _table(probabilities, shape, classes)
        own = _table(labels, shape)
        ranked = p if scores is None else _table(scores, shape)
        ranked = own if ranked is None else ranked
        n_missing = int((np.isnan(own) | np.isnan(ranked)).sum())
        return cls(np.nan_to_num(own), np.nan_to_num(ranked, nan=-np.inf, posinf=np.inf), p, n_missing)


@dataclass(frozen=True)
class Chain:
    """Fitted steps."""

    steps: Sequence[Any]
    #: The training rows as the input of the last step.
    X: Matrix
    #: ``fit 0``, ``fit 1`` ... of each step, and ``fit`` of all.
    seconds: Mapping[str, float]

    @classmethod
    def fit(
        cls, steps: Sequence[Mapping[str, Any]], helpers: Mapping[str, Any], X: Matrix, labels: PartialLabels
    ) -> Chain:
        """Fit every step on the training rows as the steps before it transform them."""
        lookup = _make_lookup(helpers, X, labels)
        n_features, y = X.shape[1], labels if labels.positive_only else labels.values()
        fitted, seconds = [], {}
        for number, step in enumerate(steps):
            estimator = build_step(step, n_features, lookup)
            started = time.process_time()
            fitted.append(estimator.fit(X, y))
            seconds[f"fit {number}"] = time.process_time() - started
            if number + 1 < len(steps):
                X = estimator.transform(X)
        return cls(fitted, X, {**seconds, "fit": sum(seconds.values())})

    def predict_new(self, X: Matrix, shape: tuple[int, int]) -> Prediction:
        """Return the prediction for new rows."""
        for step in self.steps[:-1]:
            X = step.transform(X)
        last = self.steps[-1]
        p = last.predict_proba(X) if hasattr(last, "predict_proba") else None
        scores = last.decision_function(X) if hasattr(last, "decision_function") else None
        classes = getattr(last, "classes_", None) if isinstance(p, list) else None
        return Prediction.of(last.predict(X), scores, p, shape, classes)

    def predict_fitted(self, shape: tuple[int, int]) -> Prediction:
        """Return the transduction of the training rows, or the prediction for them as if they were new."""
        last = self.steps[-1]
        if not hasattr(last, "transduction_"):
            return Chain(self.steps[-1:], self.X, {}).predict_new(self.X, shape)
        return Prediction.of(last.transduction_, last.label_scores_, last.label_probabilities_, shape)

    def complete_features(self, X: Matrix) -> Floats | None:
        """Return X with its gaps filled by the first step, or None if that step does not fill gaps."""
        first = self.steps[0]
        filled = first.transform(X) if hasattr(first, "transform") else None
        return filled if filled is not None and filled.shape == X.shape else None

    def map_items(self) -> Floats | None:
        """Return the training rows as a map: the input of the last step, if earlier steps made it two-dimensional."""
        flat = len(self.steps) > 1 and self.X.shape[1] == 2 and not is_sparse(self.X)
        return np.asarray(self.X, dtype=np.float64) if flat and np.isfinite(self.X).all() else None

    def list_choices(self) -> dict[str, Any]:
        """Return the choices of the steps: a dimension, a weight, the number of iterations."""
        names = ("n_components_", "rank_", "n_features_in_", "alpha_", "label_weight_", "n_iter_")
        found = {name.removesuffix("_in_").rstrip("_"): getattr(self.steps[0], name, None) for name in names}
        if (setting := getattr(self.steps[-1], "setting_", None)) is not None:
            found |= setting if isinstance(setting, Mapping) else vars(setting)
        return {name: _plain(value) for name, value in found.items() if _is_number(value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and math.isfinite(value)


def _plain(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _table(output: Any, shape: tuple[int, int], classes: Any = None) -> Floats:
    """Return one column per label, also from scikit-learn's forms.

    These are a list with an array of both classes per label, and one such array if there is a single label.
    """
    if isinstance(output, list):
        known = classes if classes is not None else [None] * len(output)
        output = np.column_stack([_select_class_one(each, own) for each, own in zip(output, known, strict=True)])
    table = np.asarray(output, dtype=np.float64)
    if shape[1] == 1 and table.shape == (shape[0], 2):
        table = table[:, 1:]
    if table.shape != shape and not (shape[1] == 1 and table.shape == shape[:1]):
        raise ValueError(f"a prediction has shape {table.shape}, not {shape}: a row per item and a column per label.")
    return table.reshape(shape)


def _select_class_one(probabilities: Any, classes: Any) -> Floats:
    """Return P(1) of one label. An estimator that was fitted on a single class returns one column, for that class."""
    if probabilities.shape[1] > 1:
        return np.asarray(probabilities[:, -1])
    return np.full(len(probabilities), float(classes is not None and np.ravel(classes)[-1] == 1))
