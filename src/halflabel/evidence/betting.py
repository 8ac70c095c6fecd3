r"""A bound on the number of wrong entries that holds after every answer, so that a person may look and stop at will.

Of a population of entries whose values are frozen, M are wrong. Each entry e has a probability :math:`p_e` of being
wrong, which may be wrong itself, and a weight :math:`s_e`. Entries are drawn at random without replacement: draw i
takes the entry e of the set :math:`U_i` of entries without an answer with the chance
:math:`q_i(e) = s_e / \sum_{U_i} s`. Other entries may be answered between two draws, chosen in any way that does not
use the draws to come. With :math:`w_e = 1` for a wrong entry, and :math:`F_i` wrong entries known before the draw,

.. math:: X_i = \frac{w_e - p_e}{q_i(e)} \qquad \text{has the mean} \qquad M - F_i - \sum_{U_i} p.

A bet on a smaller X is made against the claim that M is at least m. Its capital is

.. math:: K_n(m) = \prod_{i \le n} \Bigl(1 + \lambda_i \bigl(m - F_i - \sum_{U_i} p - X_i\bigr)\Bigr).

The stake :math:`\lambda_i` follows from the answers before the draw, does not depend on m, and is so small that no
factor is negative. If M is at least m, the capital is a supermartingale that begins at 1. By Ville's inequality it ever
reaches :math:`1 / \alpha` with a probability of at most :math:`\alpha`. Each factor increases with m, so that the
largest m with :math:`K_n(m) < 1 / \alpha` is an upper bound at all n together (Waudby-Smith and Ramdas 2024; Shekhar et
al. 2023 for weights). Probabilities that are wrong make the bound wider and not false.

The stake is that of Kelly for an aim, the number of wrong entries to be excluded: the mean gain over the variance of X
if the aim were the truth, which is best where all entries are alike. The weights are
:math:`\sqrt{p (1 - p)}`, which makes the variance of X smallest, and at least a share of the largest weight,
because probabilities near 0 can be wrong.

"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Ints, Mask

__all__ = ["Bets", "weigh"]

#: The smallest weight, as a share of the largest one. It was chosen from .15, .2, .3 and .5 on scene, emotions, msrc,
#: yahoo-arts and simulated tables.
FLOOR = 0.2

#: As many errors were found and expected before the first draw, for the ratio of both.
PRIOR_ERRORS = 2.0

#: The largest stake, as a share of the stake that can lose the whole capital.
LARGEST = 0.99


def weigh(p: Floats) -> Floats:
    """Return the weights of entries that are wrong with probability ``p``."""
    spread = np.sqrt(p * (1 - p))
    largest = spread.max(initial=0.0)
    return np.maximum(spread, FLOOR * largest) if largest > 0 else np.ones_like(p)


@dataclass(frozen=True, eq=False)
class Bets:
    """The bets on the random answers of a sequence: a factor of the capital is ``1 + stake * (m - centre)``."""

    centres: Floats  #: Shape (n_draws,).
    stakes: Floats  #: Shape (n_draws,).
    found: int  #: The number of wrong entries that are known after the last draw.
    most: int  #: The largest number of wrong entries that is possible then.

    @classmethod
    def place(
        cls, p: Floats, entries: Ints, drawn: Mask, wrong: Mask, aim: float, weights: Floats | None = None
    ) -> Bets:
        """Return the bets on answers about some entries of a population, in their order.

        ``drawn`` are the entries that were drawn, and ``wrong`` those whose value is not the answer. ``aim`` is the
        number of wrong entries without an answer that is to be excluded. ``weights`` are in proportion to the chances,
        by default ``weigh(p)``: a population may be a part of the one that entries were drawn from.
        """
        s = weigh(p) if weights is None else weights
        asked, errors = p[entries], wrong.astype(float)
        left, size, skewed, square = (_sum_rest(each, entries) for each in (p, s, p * (1 - 2 * p) / s, p**2 / s))
        found, known = _sum_before(errors), _sum_before(errors * drawn)
        ratio = (known + PRIOR_ERRORS) / (_sum_before(asked * drawn) + PRIOR_ERRORS)
        limit = LARGEST / (size * float(((1 - p) / s).max(initial=0.0)) + left + 1e-12)
        variance = size * (aim / (left + 1e-12) * skewed + square) - (aim - left) ** 2
        gains = np.maximum(aim - ratio * left, 0.0)
        stakes = np.minimum(gains / np.maximum(variance, 1e-12), limit)
        centres = found + left + (errors - asked) * size / s[entries]
        n_wrong = int(wrong.sum())
        return cls(centres[drawn], stakes[drawn], n_wrong, n_wrong + len(p) - len(entries))

    def measure(self, number: int) -> float:
        """Return the logarithm of the capital against the claim that at least a number of entries is wrong."""
        return float(np.log1p(self.stakes * (number - self.centres)).sum())

    def bound(self, alpha: float) -> int:
        """Return the upper bound of the number of wrong entries, the known ones included."""
        low, high = self.found, self.most
        while low < high:
            middle = (low + high + 1) // 2
            if self.measure(middle) < -math.log(alpha):
                low = middle
            else:
                high = middle - 1
        return low


def _sum_before(values: Floats) -> Floats:
    """Return the sum of the values before each one."""
    return np.cumsum(values) - values


def _sum_rest(values: Floats, entries: Ints) -> Floats:
    """Return the sum over the entries without an answer, before each answer."""
    later = np.cumsum(values[entries][::-1])[::-1]
    return np.asarray(np.delete(values, entries).sum() + later)
