"""From a prediction to the figures of a run: metrics, also under threshold rules that all methods share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from halflabel.labels import PartialLabels
from halflabel.labels.calibration import RULES, thresholds
from halflabel.plugins import Floats, Mask
from halflabel_papers.chain import Prediction
from halflabel_papers.metrics import METRICS, rankable

#: Every threshold rule of a protocol, and its meaning.
RULES_IN_WORDS: Mapping[str, str] = {
    **RULES,
    "half": "P ≥ ½",
    "H": "score at least H (.3 by default)",
    "zero": "score at least 0, or the value that means 0 in the method's unit",
    "count": "one threshold on the scores, as many relevant entries as expected from the observed ones",
    "item_mean": "score above the mean score of the item",
    "top_k": "the labels with the k highest scores of an item; k is the rounded number of expected labels per item",
    "pu_f1": "one threshold on the scores, highest F1 of held-out items, hidden positives not counted as false",
}


@dataclass(frozen=True)
class Outcome:
    """The result of one run."""

    #: By name; ``name@rule`` for a metric of 0/1 labels under another threshold rule than the method's own.
    metrics: Mapping[str, float]
    #: Other results that the run's description determines (chosen dimensions, iterations).
    facts: Mapping[str, Any] = field(default_factory=dict)
    #: CPU time of the process, which does not depend on other work of the machine: ``fit`` and ``predict`` of the
    #: whole chain, and ``fit 0``, ``fit 1`` ... of its steps.
    seconds: Mapping[str, float] = field(default_factory=dict)


def score_prediction(
    truth: PartialLabels,
    prediction: Prediction,
    metrics: Sequence[str],
    by_rule: Mapping[str, Mask],
    *,
    pairs: bool = False,
) -> dict[str, float]:
    """Return every metric in ``metrics``. Metrics of 0/1 labels are also computed for each further rule.

    ``pairs`` leaves items without both a relevant and an irrelevant label out of ranking metrics.
    """
    keep = rankable(truth) if pairs else np.ones(len(truth), dtype=bool)
    values = {name: _compute_metric(name, truth, prediction, keep) for name in metrics}
    for rule, predicted in by_rule.items():
        for name in (name for name in metrics if METRICS[name].needs == "labels"):
            values[f"{name}@{rule}"] = METRICS[name].function(truth, predicted)
    return values


def _compute_metric(name: str, truth: PartialLabels, prediction: Prediction, keep: Mask) -> float:
    metric = METRICS[name]
    if metric.needs == "labels":
        return metric.function(truth, prediction.labels)
    if metric.needs == "probabilities":
        return np.nan if prediction.probabilities is None else metric.function(truth, prediction.probabilities)
    rows = keep if name != "macro_auc" else np.ones_like(keep)
    return metric.function(truth[rows], prediction.scores[rows])


@dataclass(frozen=True)
class Thresholds:
    """Threshold rules that turn the scores or probabilities of a prediction into 0/1 labels."""

    #: Shape (n_items, n_labels). Of the entries to be decided; NaN elsewhere.
    scores: Floats
    #: Of the same shape.
    probabilities: Floats | None
    #: Shape (n_other_items, n_labels). Probabilities on which the rules choose their thresholds.
    reference: Floats | None
    #: Expected number of relevant labels per item.
    cardinality: float
    #: Threshold of the rules "H" and "zero".
    fixed: float
    #: Threshold of the rule "pu_f1", from :func:`choose_pu_threshold`.
    pu_f1: float | None = None

    def decide_all(self, rules: Sequence[str]) -> dict[str, Mask]:
        """Return the relevant entries by rule, without the rules that the method has no scores or probabilities for."""
        decided = {rule: self._decide(rule) for rule in rules}
        return {rule: relevant for rule, relevant in decided.items() if relevant is not None}

    def _decide(self, rule: str) -> Mask | None:
        if rule == "item_mean":
            return np.asarray(self.scores > np.nanmean(self.scores, axis=1, keepdims=True))
        if rule == "top_k":
            ranked = np.where(np.isnan(self.scores), -np.inf, self.scores)
            places = np.argsort(np.argsort(-ranked, axis=1, kind="stable"), axis=1)
            return np.asarray(places < max(1, round(self.cardinality)))
        if rule in ("H", "zero", "count", "pu_f1"):
            threshold = self._on_scores(rule)
            return None if threshold is None else np.asarray(self.scores >= threshold)
        if self.probabilities is None or self.reference is None:
            return None
        half = rule == "half"
        return np.asarray(
            self.probabilities >= (0.5 if half else thresholds(self.reference, rule, cardinality=self.cardinality))
        )

    def _on_scores(self, rule: str) -> Floats | float | None:
        if rule == "count":
            return thresholds(self.scores, "cardinality", cardinality=self.cardinality)
        return self.pu_f1 if rule == "pu_f1" else self.fixed


def choose_pu_threshold(labels: PartialLabels, scores: Floats, frequency: float) -> float:
    r"""Return the threshold with the highest :math:`2 TP / (c \cdot \#\mathrm{predicted} + \#\mathrm{known})`.

    ``frequency`` is the label frequency c, the share of the relevant entries that are known.
    """
    scored = ~np.isnan(scores)
    order = np.argsort(-scores[scored], kind="stable")
    hits = np.cumsum(labels.relevant[scored][order])
    f1 = 2 * hits / (frequency * np.arange(1, len(hits) + 1) + labels.relevant.sum())
    return float(scores[scored][order][np.argmax(f1)]) if len(f1) else np.inf
