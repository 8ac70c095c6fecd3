"""How frequent a label is among all items: the share among known entries, corrected by the probabilities of all items.

A count of the completed values is biased: each of them is the more probable value of its entry, so that a label with
probability .3 everywhere is counted as absent. The estimate here is that of prediction-powered inference [1]_ for the
mean of a finite population. It is unbiased even if the probabilities are wrong. If they are good, its interval is
narrow.

References
----------
.. [1] Angelopoulos, Duchi and Zrnic, "PPI++: Efficient prediction-powered inference", 2023, arXiv:2311.01453.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from halflabel._arrays import Floats, Mask
from halflabel.evidence.label_frequency import Share
from halflabel.labels.intervals import wilson_interval

#: Minimum number of items of a group, and of known entries of a label in a group.
MIN_ITEMS, MIN_KNOWN = 20, 5


@dataclass(frozen=True)
class Prevalence:
    """The share of the relevant entries among a number of items, with an interval."""

    #: ``n_items``, ``n_known``: Number of items, and number of those whose entry is known.
    n_items: int
    n_known: int
    #: ``share``, ``low``, ``high``: The estimate, and the ends of its interval.
    share: float
    low: float
    high: float

    def divide(self, rate: Share, quantile: float = 0.0) -> Prevalence:
        """Return the share of relevant entries where this is the share of assigned ones, and ``rate`` is c.

        The two intervals are combined on the scale of logarithms, by Newcombe's method 10. If all items are known, the
        number of assigned entries still depends on chance: each relevant entry was assigned with the probability c.
        ``quantile`` is the quantile of the normal distribution for this chance; 0 if ``rate`` is about these items.
        """
        c, lowest, highest = rate
        if self.share == 0:
            return Prevalence(self.n_items, self.n_known, 0.0, 0.0, min(self.high / lowest, 1.0))
        chance = quantile * np.sqrt((1 - c) / (self.share * self.n_items)) if self.n_known == self.n_items else 0.0
        share = min(self.share / c, 1.0)
        below = np.inf if self.low == 0 else np.hypot(np.log(self.share / self.low), np.log(highest / c))
        above = np.hypot(np.log(self.high / self.share), np.log(c / lowest))
        low, high = (
            self.share / c * float(np.exp(side)) for side in (-np.hypot(below, chance), np.hypot(above, chance))
        )
        return Prevalence(self.n_items, self.n_known, share, min(low, 1.0), min(high, 1.0))


@dataclass(frozen=True)
class Correction:
    """The use of the probabilities of a label for an estimate of its share."""

    #: The weight lambda of the probabilities, from 0 (known entries alone) to 1.
    weight: float
    #: The number of known entries, per known entry, that give an equally narrow interval without probabilities.
    gain: float

    @classmethod
    def fit(cls, relevant: Mask, p: Floats) -> Correction:
        r"""Learn both from known entries y and their probabilities p, which are out of fold.

        .. math:: \lambda = \operatorname{cov}(y, p) / \operatorname{var}(p), \qquad
                  \text{gain} = \operatorname{var}(y) / \operatorname{var}(y - \lambda p)

        Two more items of mean probability, one of each value, keep both variances from 0 where all known entries have
        the same value.
        """
        y = np.append(relevant.astype(float), [1.0, 0.0])
        p = np.append(p, [p.mean()] * 2)
        y, p = y - y.mean(), p - p.mean()
        weight = float(np.clip(p @ y / (p @ p), 0.0, 1.0)) if np.ptp(p) > 1e-9 else 0.0
        rest = y - weight * p
        return cls(weight, max(float(y @ y / (rest @ rest)), 1.0))

    def estimate(self, relevant: Mask, p: Floats, known: Mask, confidence: float) -> Prevalence:
        r"""Return the share among items of which the entries in ``known`` are known.

        .. math:: \hat\theta = \bar y_K + \lambda (\bar p - \bar p_K)

        The interval is that of Wilson for a share of :math:`n_e = n_K \cdot \text{gain} / (1 - n_K / N)` entries: the
        gain, and the factor for a finite population. Its quantile is that of Student's distribution, which is wide
        where few entries are known. Both ends are whole numbers of items, rounded outwards, that the known entries
        leave possible: a low end of 0.1 items means that perhaps no item has the label.

        Parameters
        ----------
        relevant : ndarray of bool, shape (n_items,)
            The known values. It is not read where an entry is not known.
        p : ndarray of shape (n_items,)
            Probabilities, of known entries out of fold.
        known : ndarray of bool, shape (n_items,)
            The entries that are known by chance. At least one is.
        """
        n, n_known, n_relevant = len(p), int(known.sum()), int((relevant & known).sum())
        least, most = n_relevant / n, 1 - (n_known - n_relevant) / n
        if n_known == n:
            return Prevalence(n, n, least, least, least)
        share = n_relevant / n_known + self.weight * float(p.mean() - p[known].mean())
        share = min(max(share, least), most)
        size = n_known * self.gain / (1 - n_known / n)
        low, high = wilson_interval(share, size, float(stdtrit(max(n_known - 1, 1), (1 + confidence) / 2)))
        low, high = math.floor(n * low + 1e-9) / n, math.ceil(n * high - 1e-9) / n
        return Prevalence(n, n_known, share, min(max(low, least), share), max(min(high, most), share))


def estimate_shifted(relevant: Mask, known: Mask, p: Floats, of_shift: Floats, confidence: float) -> Prevalence:
    """Return the share among items whose entries are known because of their value.

    Known entries are counted, and the gaps have their expected number, by probabilities that follow the rate among the
    gaps. The interval is that of a normal distribution. Its variance is that of the values for given probabilities, and
    that of the rate. ``of_shift`` states by how much one standard deviation of the rate among the gaps changes each
    probability.
    """
    n, n_known, n_relevant = len(p), int(known.sum()), int((relevant & known).sum())
    least, most = n_relevant / n, 1 - (n_known - n_relevant) / n
    gaps = p[~known]
    share = (n_relevant + float(gaps.sum())) / n
    deviation = np.hypot(np.sqrt((gaps * (1 - gaps)).sum()), of_shift[~known].sum()) / n
    half = float(ndtri((1 + confidence) / 2) * deviation)
    return Prevalence(n, n_known, share, max(share - half, least), min(share + half, most))


def count_questions(half_width: float = 0.05, confidence: float = 0.90) -> int:
    """Return the number of random items whose values alone give an interval of at most this half width."""
    square = ndtri((1 + confidence) / 2) ** 2
    return int(np.ceil(square / (2 * half_width) ** 2 - square))  # Wilson's interval is widest for a share of one half
