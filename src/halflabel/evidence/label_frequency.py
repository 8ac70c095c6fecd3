r"""How many relevant entries of a positive-only label were not assigned, by a few answers about absent entries.

Questions are drawn with known probabilities that increase with the probability of the entry, because relevant entries
are rare among absent ones. With l the log odds of P(assigned), an absent entry is relevant with probability
:math:`\sigma(a + b l)`. The posterior of a and b, given the answers, has a flat prior on a. The prior of b is around
1.3 and was chosen on 14 sets: where each relevant entry is assigned with the same probability, b is above 1. The sum
of these probabilities is the number M of missing positives, and the label frequency is n / (n + M) for n assigned
entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from halflabel._arrays import Floats, Ints, Mask

#: Median of the prior of the slope, and standard deviation of its logarithm.
SLOPE, SLOPE_SD = 1.3, 0.6

#: The grid of the intercept at the reference score, and of the slope in standard deviations.
INTERCEPTS, SLOPES = np.linspace(-8, 8, 81), np.linspace(-2.5, 2.5, 11)

#: Number of draws from the posterior, and number of entries at a time.
DRAWS, BLOCK = 200, 4096


class Share(NamedTuple):
    """A share with its interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class MissingPositives:
    """The posterior of the relevant entries among the absent entries of one label or of several labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> log_odds = rng.normal(-2, 2, size=500)
    >>> relevant = rng.random(500) < expit(1.5 * log_odds)
    >>> asked = draw_by_size(np.sqrt(expit(log_odds)), 60, rng)[0]
    >>> found = MissingPositives(log_odds, asked, relevant[asked]).estimate(200, rng)
    >>> true = 200 / (200 + relevant.sum())
    >>> bool(found.low < true < found.high)
    True
    """

    #: Shape (n_absent,). Log odds of P(assigned), by models that were fitted without the entry.
    log_odds: Floats
    #: The positions of answered entries.
    asked: Ints
    #: Their answers.
    relevant: Mask
    _lines: Floats = field(init=False)  #: Intercepts and slopes of the draws, shape (2, DRAWS).

    def __post_init__(self) -> None:
        slopes = SLOPE * np.exp(SLOPE_SD * SLOPES)
        a, b = (each.ravel() for each in np.meshgrid(INTERCEPTS, slopes, indexing="ij"))
        center = float(np.average(self.log_odds, weights=expit(self.log_odds)))
        a = a - b * center
        log_posterior = np.tile(-0.5 * SLOPES**2, len(INTERCEPTS))
        sign = np.where(np.asarray(self.relevant, dtype=bool), 1.0, -1.0)
        for score, value in zip(self.log_odds[self.asked], sign, strict=True):
            log_posterior -= np.logaddexp(0, -value * (a + b * score))
        weights = np.exp(log_posterior - log_posterior.max())
        # Systematic draws: equal steps through the cumulative weights, without chance.
        at = np.searchsorted(np.cumsum(weights / weights.sum()), (np.arange(DRAWS) + 0.5) / DRAWS)
        object.__setattr__(self, "_lines", np.stack([a[at], b[at]]))

    def _blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the probabilities of some entries under each draw, shape (DRAWS, n)."""
        for start in range(0, len(self.log_odds), BLOCK):
            at = slice(start, start + BLOCK)
            yield at, expit(self._lines[0][:, None] + self._lines[1][:, None] * self.log_odds[at])

    @property
    def probabilities(self) -> Floats:
        """The probability that each absent entry is relevant. Answered entries have it as if they had no answer."""
        p = np.empty(len(self.log_odds))
        for at, of_draws in self._blocks():
            p[at] = of_draws.mean(axis=0)
        return p

    def estimate(self, n_assigned: int, rng: np.random.Generator, confidence: float = 0.90) -> Share:
        """Return the label frequency, with its interval, for a number of assigned entries."""
        is_open = np.ones(len(self.log_odds), dtype=bool)
        is_open[self.asked] = False
        mean, variance = np.zeros(DRAWS), np.zeros(DRAWS)
        for at, of_draws in self._blocks():
            p = of_draws[:, is_open[at]]
            mean += p.sum(axis=1)
            variance += (p * (1 - p)).sum(axis=1)
        drawn = mean + rng.normal(size=(20, DRAWS)) * np.sqrt(variance)
        missing = np.maximum(drawn, 0) + np.sum(self.relevant)
        c = n_assigned / (n_assigned + missing)
        low, middle, high = np.quantile(c, [(1 - confidence) / 2, 0.5, (1 + confidence) / 2])
        return Share(float(middle), float(low), float(high))


def choose_sizes(log_odds: Floats, found: MissingPositives | None) -> Floats:
    """Return sizes of entries for :func:`draw_by_size`. They increase with the probability as long as it is below .5.

    Without answers, it is the root of P(assigned). With answers, it is the standard deviation of the entry.
    """
    if found is None:
        return np.asarray(np.sqrt(expit(log_odds)))
    p = found.probabilities
    return np.asarray(np.sqrt(p * (1 - p)))


def draw_by_size(size: Floats, n: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Return ``n`` entries, each drawn with a probability in proportion to its size, and these probabilities.

    Systematic sampling from a random order: the probabilities are exact. The largest entries are drawn with certainty.

    Examples
    --------
    >>> rows, chances = draw_by_size(np.array([1.0, 1.0, 8.0]), 2, np.random.default_rng(0))
    >>> 2 in rows, chances.tolist()
    (True, [0.5, 0.5, 1.0])
    """
    chance = np.ones(len(size))
    certain = np.full(len(size), n >= len(size))
    while not certain.all():
        rest = (n - certain.sum()) * size / size[~certain].sum()
        chance = np.where(certain, 1.0, rest)
        if (chance[~certain] < 1).all():
            break
        certain |= chance >= 1
    order = rng.permutation(len(size))
    ends = np.cumsum(chance[order]) - rng.random()
    return order[np.diff(np.floor(ends), prepend=-1.0) > 0], chance
