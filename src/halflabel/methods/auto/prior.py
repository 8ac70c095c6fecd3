"""Probabilities from elsewhere (a language model, last year's model): calibrated out of fold, and added to a pool's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import optimize
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import cross_calibrate, fit_platt, require_probabilities
from halflabel.labels.groups import number_groups
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.positives import AnswersFromPositives

#: How strongly the calibration of a prior is shrunk, and its say to that of the pool; as for members.
RIDGE = 10.0

#: Nobody is surer than that: sources that answer yes and no say 1 and 0.
SUREST = 1e-4


@dataclass(frozen=True, eq=False)
class Added:
    """What a pool says with a prior beside it.

    Attributes
    ----------
    log_odds : ndarray of shape (n_items, n_labels)
        Of both together; of the pool where the prior says nothing.
    alone : ndarray of the same shape
        Of the prior, calibrated, for observed entries out of fold; NaN where it says nothing.
    weights : tuple of float
        Of the pool's log odds and of the prior's.
    """

    log_odds: Floats
    alone: Floats
    weights: tuple[float, float]


def read_prior(prior: Any, labels: PartialLabels) -> Floats:
    """Return a prior as a float array of the shape of ``labels``, or say what is wrong with it."""
    if hasattr(prior, "columns") and [str(name) for name in prior.columns] != list(labels.names):
        raise ValueError(
            f"the prior's columns are {list(prior.columns)[:5]}, the labels {list(labels.names)[:5]}: bring them into "
            "the same order."
        )
    table = np.asarray(prior, dtype=np.float64)
    if table.ndim == 1 and labels.shape[1] == 1:
        table = table[:, None]
    if table.shape != labels.shape:
        raise ValueError(f"the prior has shape {table.shape}, the labels {labels.shape}: give one value per entry.")
    require_probabilities(table, "the prior")
    return table


def add_prior(prior: Floats, log_odds: Floats, labels: PartialLabels, folds: Ints) -> Added:
    r"""Add a prior to a pool in log odds, with the say that the observed entries give it.

    With :math:`l` the pool's log odds, :math:`r` the prior's after a Platt calibration, and :math:`s = \pm 1` what is
    observed, the answer is :math:`a l + b r + c` for

    .. math::
        \min_{a, b \ge 0,\, c} \sum \log(1 + e^{-s(a l + b r + c)})
        + \tfrac{\rho}{2}\left((a - \tfrac12)^2 + (b - \tfrac12)^2 + c^2\right)

    over the observed entries about which the prior says something: equal say, until these tell otherwise. Three
    numbers for all labels together are too few to fit noise, so that a prior that knows nothing is not heard. The
    answer is calibrated once more, by itself: entries without a prior have another scale.

    Parameters
    ----------
    prior : ndarray of shape (n_items, n_labels)
        Probabilities; NaN where there is none.
    log_odds : ndarray of the same shape
        Of the pool, calibrated; of items with an observed label out of fold. NaN stays NaN.
    labels : PartialLabels
    folds : ndarray of int, shape (n_items,)
        Items of one fold are judged by a calibration of the prior that did not see them; -1 for none: of items that
        were not held out nothing is learned about the weights.
    """
    alone = _calibrated(prior, labels, folds)
    judged = np.where((folds >= 0)[:, None], log_odds, np.nan)
    heard = labels.observed & ~np.isnan(alone + judged)
    sources = np.stack([log_odds[heard], alone[heard], np.ones(heard.sum())])
    a, b, c = _weights(sources, labels.state[heard].astype(np.float64))
    both = a * log_odds + b * alone + c
    together = logit(fit_platt(np.where(heard, both, np.nan), labels)(both))
    return Added(np.where(np.isnan(alone + log_odds), log_odds, together), alone, (a, b))


def _calibrated(prior: Floats, labels: PartialLabels, folds: Ints) -> Floats:
    """Return the prior's log odds by calibrations that did not see the item; NaN where it says nothing."""
    scores = logit(np.clip(prior, SUREST, 1 - SUREST))
    return np.where(np.isnan(prior), np.nan, logit(cross_calibrate(scores, labels, folds, RIDGE)))


def _weights(sources: Floats, sign: Floats) -> tuple[float, float, float]:
    """Return a, b and c; ``sources`` holds l, r and 1 of every entry, shape (3, n_entries)."""
    equal = np.array([0.5, 0.5, 0.0])

    def objective(w: Floats) -> tuple[float, Floats]:
        margin = sign * (w @ sources)
        loss = np.logaddexp(0, -margin).sum() + RIDGE / 2 * ((w - equal) ** 2).sum()
        return float(loss), -(sources @ (sign * expit(-margin))) + RIDGE * (w - equal)

    found = optimize.minimize(
        objective, equal, jac=True, method="L-BFGS-B", bounds=[(0, None), (0, None), (None, None)]
    )
    a, b, c = map(float, found.x)
    return a, b, c


class CalibratedPrior(AnswersFromPositives):
    """A prior alone, calibrated on the observed entries: what it is worth beside methods that know features.

    Parameters
    ----------
    n_folds : int, default=5
        Of the labelled items, for answers out of fold.
    observed_rate, decision, threshold, cost_ratio, random_state
        As in :class:`halflabel.AutoLabeler`.
    """

    def __init__(
        self,
        *,
        n_folds: int = 5,
        observed_rate: float | None = None,
        decision: str = "micro_f1",
        threshold: float = 0.0,
        cost_ratio: float = 1.0,
        random_state: int | None = 0,
    ) -> None:
        self.n_folds = n_folds
        self.observed_rate = observed_rate
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None, prior: Any = None) -> Self:
        """Calibrate ``prior``; ``X`` is only counted. Parameters as in :meth:`halflabel.AutoLabeler.fit`."""
        _, labels = self._enter(X, self._assigned(y))
        if prior is None:
            raise ValueError("give a prior: fit(X, y, prior=...).")
        together = None if groups is None else number_groups(groups, len(labels))
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state), together)
        alone = _calibrated(read_prior(prior, labels), labels, folds)
        return self._decide(labels, alone, np.where(labels.observed, alone, np.nan))
