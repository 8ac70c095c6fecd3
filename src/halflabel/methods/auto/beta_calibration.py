"""From log odds to probabilities that hold at their ends too, where promises of precision are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP, Calibration, fit_platt

#: Of MacKay's approximation: the mean of sigma over a normal of variance v is about sigma(m / sqrt(1 + SPREAD v)).
SPREAD = np.pi / 8

#: No score is taken for farther away than this: its square is a number.
FAR = 1e6

#: Cells (items x labels) on which the common curve is learned at most, and items that are calibrated at a time.
CELLS, BLOCK = 2**20, 4096


@dataclass(frozen=True, eq=False)
class ModeratedPlatt:
    r"""Platt scaling, averaged over what its entries leave open about slope and intercept ([1]_).

    With :math:`m = u + b`, :math:`u = e^\theta z`, and the posterior of :math:`(\theta_j, b_j)` taken for a normal one
    around its mode, of covariance C,

    .. math::
        p = \sigma\bigl(m / \sqrt{1 + \pi v / 8}\bigr), \qquad v = C_{11} u^2 + 2 C_{12} u + C_{22}

    so that a label with few relevant entries is not sure of itself far from them. Beyond one value of u the doubt about
    the slope would grow faster than m; p stays there at what it is, so that the least likely items of a label with a
    handful of entries may share one p.

    Attributes
    ----------
    platt : Calibration
    covariance : ndarray of shape (3, n_labels)
        :math:`C_{11}, C_{12}, C_{22}`.

    References
    ----------
    .. [1] D. MacKay, "The Evidence Framework Applied to Classification Networks", Neural Computation 4, 1992.
    """

    platt: Calibration
    covariance: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of the shape of ``scores``; the label's fallback where there is no score."""
        b, (c11, c12, c22) = self.platt.intercept, self.covariance
        u = self.platt.slope * (scores - self.platt.center) / self.platt.spread
        rising, bend = 1 / SPREAD + c22 - b * c12, c12 - b * c11  # dp/du has the sign of rising + bend u
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            turn = -rising / bend
        u = np.clip(u, np.where(bend > 0, turn, -FAR), np.where(bend < 0, turn, FAR))
        p = expit((u + b) / np.sqrt(1 + SPREAD * (c11 * u**2 + 2 * c12 * u + c22)))
        return np.clip(np.where(np.isnan(scores), self.platt.fallback, p), CLIP, 1 - CLIP)


def moderate(scores: Floats, labels: PartialLabels) -> ModeratedPlatt:
    """Fit Platt scaling, :func:`halflabel.labels.calibration.fit_platt`, and the covariance of its posterior.

    The latter is the inverse of Fisher's information plus the shrinkage, 1 for both.
    """
    platt = fit_platt(scores, labels)
    h11, h12, h22 = np.ones_like(platt.slope), np.zeros_like(platt.slope), np.ones_like(platt.slope)
    for rows in _blocks(len(scores)):
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

    The two ends have slopes of their own: where the surest entries hold less often than was said, b is below 1.

    Attributes
    ----------
    a, b, c : float
        1, 1 and 0 change nothing.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily implemented improvement on
       logistic calibration for binary classifiers", AISTATS 2017.
    """

    a: float = 1.0
    b: float = 1.0
    c: float = 0.0

    def __call__(self, p: Floats) -> Floats:
        """Return probabilities of the shape of ``p``, which lies between 0 and 1."""
        return np.asarray(expit(self.a * np.log(p) - self.b * np.log1p(-p) + self.c))


def fit_beta(p: Floats, relevant: Floats) -> BetaCurve:
    r"""Return the curve with the least log loss, shrunk to the identity by half the square of (log a, log b, c).

    Parameters
    ----------
    p : ndarray of shape (n,)
    relevant : ndarray of shape (n,)
        1 or 0.
    """
    low, high = np.log(p), -np.log1p(-p)
    sign = np.where(relevant > 0, 1.0, -1.0)

    def loss(theta: Floats) -> tuple[float, Floats]:
        parts = np.exp(theta[0]) * low, np.exp(theta[1]) * high
        m = sign * (parts[0] + parts[1] + theta[2])
        g = -sign * expit(-m)
        slope = np.array([g @ parts[0], g @ parts[1], g.sum()])
        return float(np.logaddexp(0, -m).sum() + theta @ theta / 2), slope + theta

    theta = minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B", bounds=[(-5, 5)] * 3, options={"ftol": 1e-12}).x
    return BetaCurve(float(np.exp(theta[0])), float(np.exp(theta[1])), float(theta[2]))


@dataclass(frozen=True, eq=False)
class CheckedCalibration:
    """Each label's own scaling, then one curve for all labels.

    Attributes
    ----------
    own : ModeratedPlatt
    common : BetaCurve
    """

    own: ModeratedPlatt
    common: BetaCurve

    @property
    def fallback(self) -> Floats:
        """Probability of each label where there is no score."""
        return self.own.platt.fallback

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of the shape of ``scores``; the label's fallback where there is no score."""
        p = np.empty(scores.shape)
        for rows in _blocks(len(scores)):
            p[rows] = np.clip(self.common(self.own(scores[rows])), CLIP, 1 - CLIP)
        return np.where(np.isnan(scores), self.fallback, p)


def calibrate(scores: Floats, labels: PartialLabels, folds: Ints) -> CheckedCalibration:
    """Calibrate out-of-fold log odds, and check what was promised on entries that had no say in it.

    A sigmoid per label promises more than holds among the surest entries: of many labels, those whose slope happens to
    be overestimated reach high probabilities, and no sigmoid levels off where labels are simply noisy. What the
    sigmoids of the other folds say about a fold shows by how much; a curve that all labels share corrects it.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_labels)
        Out-of-fold log odds; NaN where there is none. Entries that are not observed are not read.
    labels : PartialLabels
    folds : ndarray of int, shape (n_items,)
        Fold of each item, negative for those that cannot be held out.
    """
    own = moderate(scores, labels)
    some = np.flatnonzero((labels.observed & ~np.isnan(scores)).any(axis=1) & (folds >= 0))
    most = max(CELLS // labels.shape[1], 1000)
    if len(some) > most:
        some = np.random.default_rng(0).choice(some, most, replace=False)
    scores, labels, folds = scores[some], labels[some], folds[some]
    if len(np.unique(folds)) < 2:
        return CheckedCalibration(own, BetaCurve())
    unseen = np.empty(scores.shape)
    for fold in np.unique(folds):
        out = folds == fold
        unseen[out] = moderate(scores[~out], labels[~out])(scores[out])
    used = labels.observed & ~np.isnan(scores)
    return CheckedCalibration(own, fit_beta(unseen[used], labels.relevant[used].astype(np.float64)))


def _blocks(n: int) -> Iterator[slice]:
    """Cut items so that what stands in between takes little beside the table."""
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))
