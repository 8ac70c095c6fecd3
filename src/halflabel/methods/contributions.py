"""The parts of a probability in log odds: their sum is the log odds of the probability, whatever the method.

The parts are taken one after the other, in the order in which the method computes the probability:

1. :data:`RATE`: the share of relevant entries of the label, as log odds. It is the probability without any evidence.
2. The parts of the method. An ensemble that adds log odds has one part per member: its weight times the difference
   between its log odds and the log odds of the rate. A method with one score has the part :data:`SCORE`.
3. :data:`PRIOR` and :data:`OTHER_LABELS`: how much the user's prior and the second stage move the sum.
4. :data:`CALIBRATION`: how much the calibration moves it. A calibration is not linear, so that this part is the
   difference between calibrated and uncalibrated log odds at this sum. No share of it belongs to one member.
5. :data:`CLIPPING`: probabilities stay at a small distance from 0 and 1. This part is 0 unless the limit is reached.
6. :data:`NOT_ASSIGNED`: for positive-only labels with a label frequency, the effect of a label that an annotated item
   lacks.

Corrections of the probabilities add their own parts (:class:`halflabel.corrections.fit.Fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from halflabel._arrays import Floats, Mask, Matrix
from halflabel.labels.calibration import CLIP, Calibrated

RATE = "rate of the label"
SCORE = "score"
PRIOR = "prior"
OTHER_LABELS = "other labels"
CALIBRATION = "calibration"
CLIPPING = "limit near 0 and 1"
NOT_ASSIGNED = "not assigned"


@dataclass(frozen=True, eq=False)
class Carriers:
    """The pieces of the score of one item and one label, in the unit of the score. None for a kind without pieces."""

    #: Shape (n_features,). The share of each feature. The shares are exact, and differ from the score by a constant of
    #: the model.
    features: Floats | None = None
    #: Shape (n_examples,). The share of each observed entry of the label: the entries' shares of a regression, measured
    #: from their mean.
    examples: Floats | None = None
    #: Shape (n_nodes,). The share of each neighbour in the graph, measured from the mean over the graph.
    nodes: Floats | None = None
    #: Shape (n_labels,). The share of each other label of the item.
    labels: Floats | None = None

    def scale(self, factor: float) -> Carriers:
        """Return the pieces in another unit."""
        pieces = (self.features, self.examples, self.nodes, self.labels)
        return Carriers(*(None if piece is None else factor * piece for piece in pieces))


@dataclass(frozen=True, eq=False)
class Examples:
    """The observed entries of one label, which regressions divide their scores among."""

    #: Shape (n_examples, n_features).
    X: Matrix
    #: Shape (n_examples,).
    relevant: Mask


def split_score(calibration: Any, scores: Floats) -> dict[str, Floats]:
    """Return the part of a method with one score: its distance from the mean score, in calibrated log odds."""
    middle = np.full_like(scores, calibration.center)
    return {SCORE: np.nan_to_num(calibration.log_odds(scores) - calibration.log_odds(middle))}


def subtract_rate(members: Mapping[str, Floats], weights: Mapping[str, float], rates: Floats) -> dict[str, Floats]:
    """Return weighted log odds of members, minus the log odds of the labels' rates, and 0 for missing values."""
    return {name: np.nan_to_num(z - weights[name] * logit(rates)) for name, z in members.items()}


def add_up(parts: Mapping[str, Floats], calibration: Calibrated, scores: Floats, p: Floats) -> dict[str, Floats]:
    """Return all parts of probabilities, from the ``parts`` of the method. The sum of all parts is logit(p).

    ``parts`` are log odds minus the log odds of the labels' rates, and ``scores`` are the input of the calibration, NaN
    for an entry without score, whose only part is the rate.
    """
    scored = ~np.isnan(scores)
    with np.errstate(divide="ignore"):
        calibrated, printed = logit(calibration(scores)), logit(p)
    at_limit = scored & (np.abs(calibrated) >= logit(1 - CLIP) - 1e-9)
    clipping = np.where(at_limit, calibrated - np.nan_to_num(calibration.log_odds(scores)), 0.0)
    rate = np.where(scored, logit(calibration.fallback), calibrated)
    own = {name: np.where(scored, part, 0.0) for name, part in parts.items()}
    rest = calibrated - clipping - rate - sum(own.values())
    all_parts = {RATE: rate, **own, CALIBRATION: np.where(scored, rest, 0.0), CLIPPING: clipping}
    return {**all_parts, NOT_ASSIGNED: printed - calibrated}
