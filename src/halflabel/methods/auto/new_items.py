"""New items: their calibration and thresholds, and the use of those labels of theirs that are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated
from halflabel.methods.auto.coupling import compute_residuals
from halflabel.methods.auto.residuals import Refiner


@dataclass(frozen=True, eq=False)
class NewItemDecision:
    """The calibration and the thresholds of new items, which have no auxiliary information."""

    #: From log odds to probabilities.
    calibration: Calibrated
    #: Shape (n_labels,).
    thresholds: Floats

    def select(self, labels: Ints) -> NewItemDecision:
        """Return the decision about some labels, in this order."""
        return NewItemDecision(self.calibration.select(labels), self.thresholds[labels])


@dataclass(frozen=True, eq=False)
class ByItem:
    """The calibration of some items: of items without an observed label, and of all others."""

    #: Shape (n_items,).
    unlabelled: Mask
    alone: Calibrated
    coupled: Calibrated

    @property
    def fallback(self) -> Floats:
        """The rate of each label."""
        return self.coupled.fallback

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities."""
        return np.where(self.unlabelled[:, None], self.alone(scores), self.coupled(scores))

    def log_odds(self, scores: Floats) -> Floats:
        """Return log odds before they are clipped."""
        return np.where(self.unlabelled[:, None], self.alone.log_odds(scores), self.coupled.log_odds(scores))

    def select(self, labels: Ints) -> ByItem:
        """Return the calibration of some labels, in this order."""
        return ByItem(self.unlabelled, self.alone.select(labels), self.coupled.select(labels))


def refine_new(refiner: Refiner, scores: Floats, labels: PartialLabels, place: Ints) -> Floats:
    """Return the log odds of new items, corrected by their observed labels.

    ``scores`` are the calibrated log odds of the ensemble and ``labels`` the observed entries, in the order of the
    caller. ``place`` is the position of each label in the canonical order, which the refiner has.
    """
    order = np.argsort(place)
    refined = refiner.predict(np.take(scores, order, axis=1), labels.select(order))
    return np.take(refined, place, axis=1)


def divide_by_label(refiner: Refiner, scores: Floats, labels: PartialLabels, place: Ints, label: int) -> Floats:
    """Return the contribution of each observed label of one item to the log odds of ``label`` in the linear coupling.

    The arguments are as in :func:`refine_new`. If trees on the other labels are also used, the coupling has its weight,
    and the part of the trees is not divided.
    """
    order, j = np.argsort(place), int(place[label])
    _, residual = compute_residuals(labels.select(order), np.take(scores, order, axis=1))
    has_trees = refiner.forests is not None and bool(refiner.forests.forests[j])
    shares = residual[0] * refiner.coupling.weights[[j]].toarray()[0] * (refiner.weights[0] if has_trees else 1.0)
    return np.asarray(shares[place])
