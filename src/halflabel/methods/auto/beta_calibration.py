"""From log odds to probabilities that are well calibrated near 0 and 1 too, where entries are filled at a precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP, Calibration, fit_platt, softplus_and_sigmoid
from halflabel.methods.auto.member_weights import add_without
from halflabel.numerics.threads import limit_threads

#: Constant of MacKay's approximation: the mean of sigma over a normal of mean m and variance v is about
#: sigma(m / sqrt(1 + SPREAD v)).
SPREAD = np.pi / 8

#: Scores are clipped to this distance from 0, so that their square is a finite number.
MAX_SCORE = 1e6

#: Maximum number of cells (items x labels) on which the common curve is fitted, and number of items that are calibrated
#: at a time.
MAX_CELLS, BLOCK = 2**20, 4096


@dataclass(frozen=True, eq=False)
class ModeratedPlatt:
    r"""Platt scaling, averaged over the uncertainty of slope and intercept ([1]_).

    With :math:`m = u + b`, :math:`u = e^\theta z`, and a normal approximation of the posterior of
    :math:`(\theta_j, b_j)` around its mode, with covariance C,

    .. math::
        p = \sigma\bigl(m / \sqrt{1 + \pi v / 8}\bigr), \qquad v = C_{11} u^2 + 2 C_{12} u + C_{22}

    so that a label with few relevant entries gets no extreme probabilities far from them. Beyond one value of u the
    uncertainty of the slope would grow faster than m; from there p is constant, so that the least likely items of a
    label with a handful of entries may share one p.

    References
    ----------
    .. [1] D. MacKay, "The Evidence Framework Applied to Classification Networks", Neural Computation 4, 1992.
    """

    platt: Calibration
    #: Shape (3, n_labels). :math:`C_{11}, C_{12}, C_{22}`.
    covariance: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of the shape of ``scores``. An entry without a score gets the fallback of its label."""
        p = expit(self.log_odds(scores))
        return np.clip(np.where(np.isnan(scores), self.platt.fallback, p), CLIP, 1 - CLIP)

    def select(self, labels: Ints) -> ModeratedPlatt:
        """Return the calibration of some labels, in this order."""
        return ModeratedPlatt(self.platt.select(labels), self.covariance[:, labels])

    def log_odds(self, scores: Floats) -> Floats:
        """Return log odds before they are clipped, or NaN without a score."""
        b, (c11, c12, c22) = self.platt.intercept, self.covariance
        u = self.platt.slope * (scores - self.platt.center) / self.platt.spread
        rising, bend = 1 / SPREAD + c22 - b * c12, c12 - b * c11  # dp/du has the sign of rising + bend u
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            turn = -rising / bend
        u = np.clip(u, np.where(bend > 0, turn, -MAX_SCORE), np.where(bend < 0, turn, MAX_SCORE))
        return np.asarray((u + b) / np.sqrt(1 + SPREAD * (c11 * u**2 + 2 * c12 * u + c22)))


def moderate(scores: Floats, labels: PartialLabels, ceiling: float = 1.0) -> ModeratedPlatt:
    """Fit Platt scaling, :func:`halflabel.labels.calibration.fit_platt`, and the covariance of its posterior.

    The latter is the inverse of Fisher's information plus the shrinkage, 1 for both. Below a ceiling of 1 it is left
    out.
    """
    platt = fit_platt(scores, labels, ceiling=ceiling)
    if ceiling < 1:
        return ModeratedPlatt(platt, np.zeros((3, labels.shape[1])))
    h11, h12, h22 = np.ones_like(platt.slope), np.zeros_like(platt.slope), np.ones_like(platt.slope)
    for rows in _split_into_blocks(len(scores)):
        known = labels.observed[rows] & ~np.isnan(scores[rows])
        u = platt.slope * (np.where(known, scores[rows], 0.0) - platt.center) / platt.spread
        weight = np.where(known, expit(u + platt.intercept) * expit(-u - platt.intercept), 0.0)
        h11 += (weight * u**2).sum(axis=0)
        h12 += (weight * u).sum(axis=0)
        h22 += weight.sum(axis=0)
    return ModeratedPlatt(platt, np.stack([h22, -h12, h11]) / (h11 * h22 - h12**2))


@dataclass(frozen=True)
class BetaCurve:
    r"""Maps probabilities to probabilities, :math:`\sigma(a \log p - b \log(1 - p) + c)` (beta calibration [1]_).

    The two ends have different slopes: where the entries with the highest probabilities are relevant less often than
    predicted, b is below 1.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily implemented improvement on
       logistic calibration for binary classifiers", AISTATS 2017.
    """

    #: ``a``, ``b``, ``c``: 1, 1 and 0 change nothing.
    a: float = 1.0
    b: float = 1.0
    c: float = 0.0

    def __call__(self, p: Floats) -> Floats:
        """Return probabilities of the shape of ``p``, which lies between 0 and 1."""
        return np.asarray(expit(self.log_odds(p)))

    def log_odds(self, p: Floats) -> Floats:
        """Return the log odds of the result."""
        return np.asarray(self.a * np.log(p) - self.b * np.log1p(-p) + self.c)


def fit_beta(p: Floats, relevant: Floats, ceiling: float = 1.0) -> BetaCurve:
    r"""Return the curve with the least log loss, shrunk to the identity by half the square of (log a, log b, c).

    ``relevant`` is 1 or 0. ``ceiling`` is the share of the relevant entries that is 1: the curve is of being relevant.
    """
    low, high, is_one = np.log(p), -np.log1p(-p), relevant > 0

    def loss(theta: Floats) -> tuple[float, Floats]:
        parts = np.exp(theta[0]) * low, np.exp(theta[1]) * high
        m = parts[0] + parts[1] + theta[2]
        # A value is 1 with probability c sigma(m), and 0 with (1 + (1 - c) e^m) / (1 + e^m).
        both, sigmoid = softplus_and_sigmoid(m)
        zero, rate = softplus_and_sigmoid(m + np.log1p(-ceiling)) if ceiling < 1 else (0.0, 0.0)
        g = sigmoid - np.where(is_one, 1.0, rate)
        slope = np.array([g @ parts[0], g @ parts[1], g.sum()])
        return float((both - np.where(is_one, m, zero)).sum() + theta @ theta / 2), slope + theta

    bounds = [(-5, 5)] * 3
    with limit_threads(len(p), 1):  # each step calls LAPACK, where threads cost more than the whole search
        theta = minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12}).x
    return BetaCurve(float(np.exp(theta[0])), float(np.exp(theta[1])), float(theta[2]))


@dataclass(frozen=True, eq=False)
class CheckedCalibration:
    """A scaling per label, then one curve for all labels."""

    per_label: ModeratedPlatt
    common: BetaCurve

    @property
    def fallback(self) -> Floats:
        """Probability of each label for entries without a score."""
        return self.per_label.platt.fallback

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of the shape of ``scores``. An entry without a score gets the fallback of its label."""
        p = np.empty(scores.shape)
        for rows in _split_into_blocks(len(scores)):
            p[rows] = np.clip(self.common(self.per_label(scores[rows])), CLIP, 1 - CLIP)
        return np.where(np.isnan(scores), self.fallback, p)

    def select(self, labels: Ints) -> CheckedCalibration:
        """Return the calibration of some labels, in this order."""
        return CheckedCalibration(self.per_label.select(labels), self.common)

    def log_odds(self, scores: Floats) -> Floats:
        """Return log odds before the last clipping, or NaN without a score."""
        return np.where(np.isnan(scores), np.nan, self.common.log_odds(self.per_label(scores)))


def calibrate(
    scores: Floats, labels: PartialLabels, folds: Ints, ceiling: float = 1.0, parts: Sequence[Floats] = ()
) -> CheckedCalibration:
    """Calibrate out-of-fold log odds, then check and correct the calibration on held-out entries.

    With one sigmoid per label, the highest probabilities are too high: among many labels, labels with an overestimated
    slope reach them, and a sigmoid does not level off where labels are noisy. The probabilities of a fold by sigmoids
    that are fitted on the other folds show by how much; a curve that all labels share corrects it. The weights of
    members are fitted to the other folds, too: they are a little better on the entries that they were chosen on.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_labels)
        Out-of-fold log odds; NaN where there is none. Entries that are not observed are not read.
    folds : ndarray of int, shape (n_items,)
        Fold of each item; negative for items that cannot be held out.
    ceiling : float in (0, 1]
        The label frequency c of positive-only labels. The result is the probability of being relevant.
    parts : sequence of ndarray of shape (n_items, n_labels)
        Log odds of each member, if the scores are a weighted sum of them.
    """
    per_label = moderate(scores, labels, ceiling)
    some = np.flatnonzero((labels.observed & ~np.isnan(scores)).any(axis=1) & (folds >= 0))
    max_items = max(MAX_CELLS // labels.shape[1], 1000)
    if len(some) > max_items:
        some = np.random.default_rng(0).choice(some, max_items, replace=False)
    scores, labels, folds, parts = scores[some], labels[some], folds[some], [part[some] for part in parts]
    if len(np.unique(folds)) < 2:
        return CheckedCalibration(per_label, BetaCurve())
    unseen = predict_unseen(scores, labels, folds, ceiling, parts)
    return CheckedCalibration(per_label, fit_common(unseen, labels, ceiling))


def fit_common(unseen: Floats, labels: PartialLabels, ceiling: float = 1.0) -> BetaCurve:
    """Return the curve of all labels. ``unseen`` is from :func:`predict_unseen`, NaN where there is no score."""
    used = labels.observed & ~np.isnan(unseen)
    return fit_beta(unseen[used], labels.relevant[used].astype(np.float64), ceiling)


def predict_unseen(
    scores: Floats, labels: PartialLabels, folds: Ints, ceiling: float = 1.0, parts: Sequence[Floats] = ()
) -> Floats:
    """Return probabilities of each fold's items by scalings, and weights of ``parts``, fitted to the other folds."""
    unseen = np.empty(scores.shape)
    for fold in np.unique(folds):
        out = folds == fold
        total = np.where(np.isnan(scores), np.nan, add_without(parts, labels, out)) if parts else scores
        unseen[out] = moderate(total[~out], labels[~out], ceiling)(total[out])
    return np.where(np.isnan(scores), np.nan, unseen)


def _split_into_blocks(n: int) -> Iterator[slice]:
    """Return slices of the items, so that intermediate arrays need little memory compared with the table."""
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))
