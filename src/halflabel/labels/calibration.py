"""Scores -> probabilities (calibration) -> labels that reach a precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.rules import RULES, require_precision, require_rule, thresholds

__all__ = [
    "RULES",
    "Calibrated",
    "Calibration",
    "cross_calibrate",
    "fill_confident",
    "fit_platt",
    "require_precision",
    "require_probabilities",
    "require_rule",
    "thresholds",
]


#: Probabilities are clipped to this distance from 0 and 1.
CLIP = 1e-6

#: A column of a Newton iteration is done at a step below the first size. Relative differences of the loss below the
#: second size are rounding.
MIN_STEP, ROUNDING = 1e-9, 1e-14

#: Number of cells (items x labels) of one block of a Newton iteration, .5 MB per array.
BLOCK = 2**16


class Calibrated(Protocol):
    """A calibration whose log odds are known before they are clipped."""

    @property
    def fallback(self) -> Floats:
        """The rate of each label."""

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities."""

    def log_odds(self, scores: Floats) -> Floats:
        """Return log odds before they are clipped, NaN for an entry without score."""

    def select(self, labels: Ints) -> Self:
        """Return the calibration of some labels, in this order."""


@dataclass(frozen=True)
class Calibration:
    r"""Maps scores to probabilities, :math:`\sigma(a_j z + b_j)` with z the standardised score.

    Mean and standard deviation are taken over all labels together. A label without a score (never observed with both
    values) gets its ``fallback``.
    """

    center: float
    spread: float
    slope: Floats
    intercept: Floats
    fallback: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of the shape of ``scores``."""
        p = expit(self.log_odds(scores))
        return np.clip(np.where(np.isnan(scores), self.fallback, p), CLIP, 1 - CLIP)

    def select(self, labels: Ints) -> Calibration:
        """Return the calibration of some labels, in this order."""
        per_label = {name: getattr(self, name)[labels] for name in ("slope", "intercept", "fallback")}
        return replace(self, **per_label)

    def log_odds(self, scores: Floats) -> Floats:
        """Return log odds before they are clipped, NaN for an entry without score."""
        return np.asarray(self.slope * (scores - self.center) / self.spread + self.intercept)


def fit_platt(scores: Floats, labels: PartialLabels, ridge: float = 1.0, ceiling: float = 1.0) -> Calibration:
    r"""Fit Platt scaling per label, with log-slope and intercept shrunk towards the fit to all labels together.

    Minimises, per label j over its observed entries with an out-of-fold score,

    .. math::
        -\sum_{s_{ij} = 1} \log c\,\sigma(m_{ij}) - \sum_{s_{ij} = -1} \log(1 - c\,\sigma(m_{ij}))
        + \tfrac{\rho}{2}\left((\theta_j - \bar\theta)^2 + (b_j - \bar b)^2\right),
        \qquad m_{ij} = e^{\theta_j} z_{ij} + b_j

    with :math:`s = \pm 1` and :math:`(\bar\theta, \bar b)` the fit of the same form to all labels
    together, itself shrunk to slope 1 at the observed share of relevant entries over c.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_labels)
        Out-of-fold scores, NaN for an entry without score. Entries that are not observed are not read.
    labels : PartialLabels
    ridge : float
        :math:`\rho`, in units of one entry's log loss.
    ceiling : float in (0, 1]
        The label frequency c: a relevant entry is observed as relevant with this probability, otherwise as irrelevant.
        The result is the probability of being relevant, :math:`\sigma(m)`. A sigmoid that is fitted to the observed
        values and divided by c is not calibrated, because it does not level off at c.
    """
    used = labels.observed & ~np.isnan(scores)
    values = scores[used]
    center, spread = (float(values.mean()), float(values.std()) or 1.0) if values.size else (0.0, 1.0)
    rows = np.flatnonzero(used.any(axis=1))  # unlabelled items would only slow down the Newton steps
    used = used[rows]
    z = np.where(used, (scores[rows] - center) / spread, 0.0)
    sign = np.where(used, labels.state[rows], 0).astype(np.float64)
    rate = float(logit(_jeffreys(labels.relevant.sum(), labels.observed.sum(), ceiling)))
    pooled = _newton(z[used][:, None], sign[used][:, None], np.array([[0.0], [rate]]), ridge, ceiling)
    per_label = _newton(z, sign, np.repeat(pooled, z.shape[1], axis=1), ridge, ceiling)
    seen, relevant = labels.observed.sum(axis=0), labels.relevant.sum(axis=0)
    # A label that was never observed gets the rate of all labels together.
    fallback = np.where(seen > 0, _jeffreys(relevant, seen, ceiling), expit(rate))
    return Calibration(center, spread, np.exp(per_label[0]), per_label[1], fallback)


def cross_calibrate(scores: Floats, labels: PartialLabels, folds: Ints, ridge: float = 1.0) -> Floats:
    """Return the probabilities of each fold, from a Platt scaling that was fitted to the other folds.

    Parameters
    ----------
    scores, labels, ridge
        As in :func:`fit_platt`.
    folds : ndarray of int, shape (n_items,)
        Fold of each item. Items without fold (a negative number) get the scaling that was fitted to all entries.
    """
    p = fit_platt(scores, labels, ridge)(scores)
    numbers = np.unique(folds[folds >= 0])
    for fold in numbers if len(numbers) > 1 else ():
        own = folds == fold
        p[own] = fit_platt(scores[~own], labels[~own], ridge)(scores[own])
    return p


def _jeffreys(relevant: Any, seen: Any, ceiling: float) -> Any:
    """Return Jeffreys' estimate of the rate of relevant entries, if only a share of them is observed."""
    return np.minimum((relevant + 0.5) / (seen + 1) / ceiling, 1 - CLIP)


def _newton(z: Floats, sign: Floats, prior: Floats, ridge: float, ceiling: float, max_iter: int = 50) -> Floats:
    """Fit (log-slope, intercept) of every column by damped Newton steps. Entries with sign 0 do not count.

    A column is done when its step is small. Near the optimum the loss differs by less than its rounding error, so that
    a further decrease cannot be the criterion.
    """
    theta, open_columns = prior.copy(), np.arange(z.shape[1])
    here = _expand(theta, z, sign, prior, ridge, ceiling)
    damping = np.ones(z.shape[1])
    for _ in range(max_iter):
        step = _solve(here, damping)
        trial = theta[:, open_columns] - step
        there = _expand(trial, z, sign, prior[:, open_columns], ridge, ceiling)
        better = there[0] <= here[0] * (1 + ROUNDING)
        theta[:, open_columns] = np.where(better, trial, theta[:, open_columns])
        here, damping = np.where(better, there, here), np.where(better, damping / 10, damping * 10)
        moving = np.abs(step).max(axis=0) >= MIN_STEP
        if not moving.any():
            break
        if not moving.all():
            open_columns, z, sign = open_columns[moving], z[:, moving], sign[:, moving]
            here, damping = here[:, moving], damping[moving]
    return theta


def _expand(theta: Floats, z: Floats, sign: Floats, prior: Floats, ridge: float, ceiling: float) -> Floats:
    """Return the penalised loss of each column, its gradient (2) and its curvature (3), shape (6, n_columns).

    The curvature is Fisher's information plus the term of the exponential of the log-slope, where this term is
    positive: without it, steps of a label whose scores have no information go too far, and hundreds are needed.
    """
    scale, total = np.exp(np.clip(theta[0], -20, 20)), np.zeros((6, z.shape[1]))
    rows = max(1, BLOCK // max(z.shape[1], 1))
    for start in range(0, len(z), rows):  # blocks stay in the cache
        s = sign[start : start + rows]
        used, relevant = np.abs(s), np.maximum(s, 0.0)
        u = scale * z[start : start + rows]
        m = u + theta[1]
        softplus, sigmoid = softplus_and_sigmoid(m)
        missing, rate = softplus_and_sigmoid(m + np.log1p(-ceiling)) if ceiling < 1 else (0.0, 0.0)
        loss = used * (softplus - missing) + relevant * (missing - m)
        h = used * (sigmoid - rate)
        g = h + relevant * (rate - 1)
        h *= 1 - sigmoid
        hu = h * u
        total += [_dot(one, other) for one, other in ((loss, None), (g, u), (g, None), (hu, u), (hu, None), (h, None))]
    total[0] += 0.5 * ridge * ((theta - prior) ** 2).sum(axis=0)
    total[3] += np.maximum(total[1], 0.0)
    total[1:3] += ridge * (theta - prior)
    total[[3, 5]] += ridge
    return total


def _dot(one: Floats, other: Floats | None) -> Floats:
    """Return the sum of each column of a matrix, or of its product with another one: faster than ``sum(axis=0)``."""
    return np.asarray(np.einsum("ij->j", one) if other is None else np.einsum("ij,ij->j", one, other))


def softplus_and_sigmoid(m: Floats) -> tuple[Floats, Floats]:
    """Return log(1 + e^m) and its derivative, from one exponential."""
    small = np.exp(-np.abs(m))
    return np.maximum(m, 0.0) + np.log1p(small), np.where(m >= 0, 1.0, small) / (1 + small)


def _solve(expansion: Floats, damping: Floats) -> Floats:
    """Return the damped Newton step, a 2 x 2 system per column."""
    _, g0, g1, h00, h01, h11 = expansion
    h00, h11 = h00 + damping, h11 + damping
    det = h00 * h11 - h01**2
    return np.stack([(h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det])


def fill_confident(
    probabilities: Floats, precision: float, relevant: Floats | None = None, irrelevant: Floats | None = None
) -> NDArray[np.int8]:
    """Return +1 / -1 where a cell can be filled at the wanted precision, 0 where it is better left unknown.

    Per label and per value, the largest number of the most probable cells whose mean probability of being right is at
    least ``precision``. A cell never gets its less probable value. The precision is an expectation under calibrated
    probabilities, label by label, not a bound.

    Parameters
    ----------
    probabilities : ndarray of shape (n_items, n_labels)
        P(relevant). NaN for cells that are not filled.
    precision : float
    relevant : ndarray of shape (n_items, n_labels), optional
        Lower probabilities of being relevant. They decide which cells are filled in as relevant.
    irrelevant : ndarray of shape (n_items, n_labels), optional
        Lower probabilities of being irrelevant. They decide which cells are filled in as irrelevant.
    """
    require_precision(precision)
    of_yes = probabilities if relevant is None else relevant
    of_no = 1 - probabilities if irrelevant is None else irrelevant
    state = np.zeros(probabilities.shape, dtype=np.int8)
    for j, p in enumerate(probabilities.T):
        yes, no = np.flatnonzero(p >= 0.5), np.flatnonzero(p < 0.5)
        state[yes[_choose_confident(of_yes[yes, j], precision)], j] = 1
        state[no[_choose_confident(of_no[no, j], precision)], j] = -1
    return state


def require_probabilities(
    table: Floats, what: str, rows: Sequence[Any] | None = None, columns: Sequence[Any] | None = None
) -> None:
    """Raise if a value is neither NaN nor from 0 to 1, with the names of its row and column."""
    invalid = ~np.isnan(table) & ~((table >= 0) & (table <= 1))
    if invalid.any():
        i, j = np.argwhere(invalid)[0]
        row, column = (int(k) if names is None else repr(names[k]) for k, names in ((i, rows), (j, columns)))
        raise ValueError(
            f"{what} must hold probabilities between 0 and 1, empty where there is none, but row {row}, column "
            f"{column} holds {table[i, j]:g}."
        )


def _choose_confident(p: Floats, precision: float) -> Mask:
    """Return the mask of the largest set of top cells with mean at least ``precision``.

    Of equal cells all or none are in the set, so that their order changes nothing.
    """
    ranked = np.sort(p)[::-1]
    number = int((np.cumsum(ranked) / np.arange(1, len(p) + 1) >= precision - ROUNDING).sum())
    above: float = ranked[number] if number < len(p) else -np.inf
    return np.asarray(p > above)
