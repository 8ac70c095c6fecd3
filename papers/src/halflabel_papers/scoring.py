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
    "count": "one threshold on the scores, as many relevant entries as expected from the observed ones",
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
    #: Threshold of the rule "H".
    H: float = 0.3

    def decide_all(self, rules: Sequence[str]) -> dict[str, Mask]:
        """Return the relevant entries by rule, without the rules that the method has no scores or probabilities for."""
        decided = {rule: self._decide(rule) for rule in rules}
        return {rule: relevant for rule, relevant in decided.items() if relevant is not None}

    def _decide(self, rule: str) -> Mask | None:
        if rule == "H":
            return np.asarray(self.scores >= self.H)
        if rule == "count":
            return np.asarray(self.scores >= thresholds(self.scores, "cardinality", cardinality=self.cardinality))
        if self.probabilities is None or self.reference is None:
            return None
        half = rule == "half"
        return np.asarray(
            self.probabilities >= (0.5 if half else thresholds(self.reference, rule, cardinality=self.cardinality))
        )
