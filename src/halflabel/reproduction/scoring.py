"""From an answer to a run's figures: features as a method sees them, metrics, and metrics under common rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from halflabel._arrays import Mask, Matrix, is_sparse
from halflabel.datasets import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import RULES
from halflabel.labels.metrics import METRICS, rankable
from halflabel.reproduction.chain import Answer

#: What ``rules`` may name, and what each means.
RULES_IN_WORDS: Mapping[str, str] = {
    **RULES,
    "half": "P ≥ ½",
    "H": "score at least H (.3 where nothing is said)",
    "zero": "score at least 0, or what is 0 in the method's unit",
    "count": "one threshold on the scores, as many relevant entries as the observed ones say",
    "pu_f1": "one threshold on the scores, highest F1 of held-out items, hidden positives not counted as false",
}


@dataclass(frozen=True)
class Outcome:
    """What one run found.

    Parameters
    ----------
    metrics : mapping of str to float
        By name; ``name@rule`` for a metric of 0/1 labels under another threshold rule than the method's own.
    facts : mapping
        What else is determined by the run's description (dimensions chosen, iterations).
    seconds : mapping of str to float
        ``fit`` and ``predict`` of the whole chain, and ``fit 0``, ``fit 1`` ... of its steps.
    """

    metrics: Mapping[str, float]
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def features_of(data: Dataset, options: Mapping[str, Any]) -> Matrix:
    """Return the features as the options ``without_features``, ``dense`` and ``standardised`` want them."""
    if options.get("without_features", False):
        return np.zeros((len(data.Y), 1))
    X = data.X.toarray() if options.get("dense", False) and is_sparse(data.X) else data.X
    if not options.get("standardised", False):
        return X
    sd = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1.0)


def figures(
    truth: PartialLabels, answer: Answer, metrics: Sequence[str], by_rule: Mapping[str, Mask], *, pairs: bool = False
) -> dict[str, float]:
    """Return every metric asked for, those of 0/1 labels also for what each further rule predicts.

    ``pairs`` leaves items without both a relevant and an irrelevant label out of ranking metrics.
    """
    keep = rankable(truth) if pairs else np.ones(len(truth), dtype=bool)
    values = {name: _value(name, truth, answer, keep) for name in metrics}
    for rule, predicted in by_rule.items():
        for name in (name for name in metrics if METRICS[name].needs == "labels"):
            values[f"{name}@{rule}"] = METRICS[name].function(truth, predicted)
    return values


def _value(name: str, truth: PartialLabels, answer: Answer, keep: Mask) -> float:
    metric = METRICS[name]
    if metric.needs == "labels":
        return metric.function(truth, answer.labels)
    if metric.needs == "probabilities":
        return np.nan if answer.probabilities is None else metric.function(truth, answer.probabilities)
    rows = keep if name != "macro_auc" else np.ones_like(keep)
    return metric.function(truth[rows], answer.scores[rows])
