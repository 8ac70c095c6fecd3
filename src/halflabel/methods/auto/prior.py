"""Probabilities from another source (a language model, last year's model), calibrated and combined with an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import optimize
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import cross_calibrate, fit_platt, require_probabilities
from halflabel.labels.groups import number_groups
from halflabel.labels.rules import Rule
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.positives import PositiveOnlyEstimator

#: Ridge weight of a prior's calibration, and of its weight in the combination; as for members.
RIDGE = 10.0

#: Probabilities are clipped to this distance from 0 and 1: some sources only answer 0 and 1.
CLIP = 1e-4


@dataclass(frozen=True, eq=False)
class WithPrior:
    """The log odds of an ensemble and a prior together."""

    #: Shape (n_items, n_labels). Of both together; of the ensemble where the prior is missing.
    log_odds: Floats
    #: Of the same shape. Calibrated log odds of the prior, out of fold for observed entries; NaN where it is missing.
    alone: Floats
    #: Of the ensemble's log odds and of the prior's.
    weights: tuple[float, float]


def read_prior(prior: Any, labels: PartialLabels) -> Floats:
    """Return a prior as a float array of the shape of ``labels``. Raise for anything else."""
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


def add_prior(prior: Floats, log_odds: Floats, labels: PartialLabels, folds: Ints) -> WithPrior:
    r"""Combine the log odds of a prior and an ensemble with weights that are fitted on the observed entries.

    With :math:`l` the ensemble's log odds, :math:`r` the prior's after a Platt calibration, and :math:`s = \pm 1` the
    observed values, the result is :math:`a l + b r + c` for

    .. math::
        \min_{a, b \ge 0,\, c} \sum \log(1 + e^{-s(a l + b r + c)})
        + \tfrac{\rho}{2}\left((a - \tfrac12)^2 + (b - \tfrac12)^2 + c^2\right)

    over the observed entries that have a prior: the weights are shrunk towards equal weights. Three numbers for all
    labels together are too few to fit noise, so that a prior without information gets a weight near 0. The result is
    calibrated once more, separately from the entries without a prior, whose log odds have another scale.

    Parameters
    ----------
    prior : ndarray of shape (n_items, n_labels)
        Probabilities; NaN where there is none.
    log_odds : ndarray of the same shape
        Calibrated log odds of the ensemble; out of fold for items with an observed label. NaN stays NaN.
    folds : ndarray of int, shape (n_items,)
        The prior's calibration for the items of a fold is fitted without them; -1 for items that were not held out,
        which the weights are not fitted on.
    """
    alone = _calibrate(prior, labels, folds)
    held_out = np.where((folds >= 0)[:, None], log_odds, np.nan)
    used = labels.observed & ~np.isnan(alone + held_out)
    sources = np.stack([log_odds[used], alone[used], np.ones(used.sum())])
    a, b, c = _fit_weights(sources, labels.state[used].astype(np.float64))
    both = a * log_odds + b * alone + c
    together = logit(fit_platt(np.where(used, both, np.nan), labels)(both))
    return WithPrior(np.where(np.isnan(alone + log_odds), log_odds, together), alone, (a, b))


def _calibrate(prior: Floats, labels: PartialLabels, folds: Ints) -> Floats:
    """Return the prior's log odds by calibrations fitted without the item, or NaN without a prior."""
    scores = logit(np.clip(prior, CLIP, 1 - CLIP))
    return np.where(np.isnan(prior), np.nan, logit(cross_calibrate(scores, labels, folds, RIDGE)))


def _fit_weights(sources: Floats, sign: Floats) -> tuple[float, float, float]:
    """Return a, b and c. ``sources`` has l, r and 1 of every entry, shape (3, n_entries)."""
    equal = np.array([0.5, 0.5, 0.0])

    def objective(w: Floats) -> tuple[float, Floats]:
        margin = sign * (w @ sources)
        loss = np.logaddexp(0, -margin).sum() + RIDGE / 2 * ((w - equal) ** 2).sum()
        return float(loss), -(sources @ (sign * expit(-margin))) + RIDGE * (w - equal)

    bounds = [(0, None), (0, None), (None, None)]
    a, b, c = map(float, optimize.minimize(objective, equal, jac=True, method="L-BFGS-B", bounds=bounds).x)
    return a, b, c


class CalibratedPrior(PositiveOnlyEstimator):
    """A prior alone, calibrated on the observed entries: a reference for methods that use features.

    Parameters
    ----------
    n_folds : int, default=5
        Folds of the labelled items for out-of-fold scores.
    observed_rate, rule, random_state
        As in :class:`halflabel.AutoLabeler`.
    """

    own_threshold: ClassVar[float] = 0.0
    auxiliary: ClassVar[frozenset[str]] = frozenset({"groups", "prior"})

    def __init__(
        self,
        *,
        n_folds: int = 5,
        observed_rate: float | None = None,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.n_folds = n_folds
        self.observed_rate = observed_rate
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None, prior: Any = None) -> Self:
        """Calibrate ``prior``. Only the number of items is used of ``X``.

        The arguments are as of :meth:`halflabel.AutoLabeler.fit`.
        """
        X, labels = self._validate_input(X, self._mark_unassigned(y))
        if prior is None:
            raise ValueError("give a prior: fit(X, y, prior=...).")
        numbers = None if groups is None else number_groups(groups, len(labels))
        prior = read_prior(prior, labels)
        order = self._choose_order(X, labels, numbers, prior)
        labels, numbers = labels[order], None if numbers is None else numbers[order]
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state), numbers)
        alone = _calibrate(np.take(prior, order, axis=0), labels, folds)
        return self._decide(labels, alone, alone)
