r"""A bound on the number of wrong entries that holds after every answer, so that a person may look and stop at will.

Of a population of entries whose values are frozen, M are wrong. Entries are drawn at random without replacement and
answered. Before draw i, :math:`N_i` entries have no answer, and :math:`F_i` wrong entries are known. Other entries may
be answered between two draws, chosen in any way that does not use the draws to come. Draw i finds a wrong entry
(:math:`w_i = 1`) with the probability :math:`(M - F_i) / N_i`. The likelihood of M, and that of a mixture, are

.. math::

    L_n(M) = \prod_{i \le n} \left(\frac{M - F_i}{N_i}\right)^{w_i} \left(1 - \frac{M - F_i}{N_i}\right)^{1 - w_i},
    \qquad
    Q_n = \frac{B(1 + k_n,\ b + n - k_n)}{B(1, b)},
    \qquad b = \frac{1}{e} - 1,

where :math:`k_n = \sum w_i` and e is the expected share of wrong entries. For the true M, :math:`Q_n / L_n(M)` is a
martingale that begins at 1. By Ville's inequality it ever reaches :math:`1 / \alpha` with a probability of at most
:math:`\alpha`. The largest M with :math:`L_n(M) > \alpha Q_n` is therefore an upper bound at all n together. If e is
far from the truth, the bound is wider and as valid. Without other answers, :math:`L_n` is hypergeometric and
:math:`Q_n` beta-binomial: the prior-posterior ratio of Waudby-Smith and Ramdas, "Confidence sequences for sampling
without replacement" (NeurIPS 2020), theorem 2.1.

**Several fits.** A new fit has another M, so it begins a new sequence with a new random order. It may use
:math:`\alpha' = \alpha \cdot Q_n / \max_M L_n(M)`, where :math:`\alpha` is that of the sequence before it. With this
rule, the probability that *any* bound of *any* sequence is ever below the truth is at most the first :math:`\alpha`.
Proof: let X be :math:`(\alpha_j / \alpha_1) \cdot Q_n / L_n(M_j)` in sequence j, for its true :math:`M_j`. Inside a
sequence X is a martingale. From one sequence to the next it cannot increase, because
:math:`\max_M L_n(M) \ge L_n(M_j)`. X is a supermartingale that begins at 1, and a false bound needs
:math:`X \ge 1 / \alpha_1`. A sequence without a draw costs nothing. All draws up to the last answered one must have an
answer then: n is a stopping time.

An old random answer is *not* an answer about a new fit, even where the value did not change: a fit that learned from
the answers repairs the wrong ones among them, so that the unchanged ones are better than the table. The old **bound**
is reused: entries that did not change have at most the old number of errors. With D changed values among the entries
without an answer, the new M is at most the old bound of the errors that remain plus D.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Ints, Mask

__all__ = ["Draws", "bound_errors", "bound_wrong", "keep_alpha"]

#: The expected share of wrong entries where nothing is known, and its limits elsewhere.
EXPECTED, MIN_EXPECTED, MAX_EXPECTED = 0.02, 0.005, 0.3


@dataclass(frozen=True, eq=False)
class Draws:
    """The random entries of a sequence that were answered, in the order in which they were drawn."""

    unanswered: Ints  #: The number of entries without an answer, before each draw.
    found: Ints  #: The number of wrong entries of the population that were known before each draw.
    wrong: Mask  #: Whether the value is not the answer.
    expected: float = EXPECTED  #: The share of wrong entries that was expected before the first draw.

    @classmethod
    def count(cls, entries: int, answered: int, errors: int, expected: float = EXPECTED) -> Draws:
        """Return draws without other answers in between. Their order does not change a bound."""
        wrong = np.arange(answered) >= answered - errors
        return cls(entries - np.arange(answered), np.cumsum(wrong) - wrong, wrong, expected)

    @property
    def known(self) -> int:
        """The number of wrong entries that are known after the last draw."""
        return int(self.found[-1] + self.wrong[-1]) if len(self.wrong) else 0

    @property
    def log_mixture(self) -> float:
        """The logarithm of Q."""
        b = 1 / min(max(self.expected, MIN_EXPECTED), MAX_EXPECTED) - 1
        i = np.arange(len(self.wrong))
        k: Ints = np.cumsum(self.wrong) - self.wrong
        return float(np.log(np.where(self.wrong, 1 + k, b + i - k) / (1 + b + i)).sum())

    def log_likelihood(self, wrong_entries: int) -> float:
        """Return the logarithm of L."""
        left = wrong_entries - self.found
        cases = np.where(self.wrong, left, self.unanswered - left)
        return float(np.log(cases / self.unanswered).sum()) if (cases > 0).all() else -math.inf

    def find_likeliest(self) -> int:
        """Return the number of wrong entries whose likelihood is largest."""
        low, high = self.known, self._most
        while low < high:  # the logarithm of L is concave
            middle = (low + high) // 2
            if self.log_likelihood(middle + 1) > self.log_likelihood(middle):
                low = middle + 1
            else:
                high = middle
        return low

    @property
    def _most(self) -> int:
        """The largest number of wrong entries that is possible."""
        return int(self.known + self.unanswered[-1] - 1)


def bound_wrong(draws: Draws, alpha: float) -> int:
    """Return the upper bound of the number of wrong entries of the population, the known ones included."""
    lowest = math.log(alpha) + draws.log_mixture
    low, high = draws.find_likeliest(), draws._most
    while low < high:
        middle = (low + high + 1) // 2
        if draws.log_likelihood(middle) > lowest:
            low = middle
        else:
            high = middle - 1
    return low


def bound_errors(entries: int, answered: int, errors: int, level: float, expected: float = EXPECTED) -> int:
    """Return :func:`bound_wrong` of random answers without other answers in between.

    Examples
    --------
    76 answers without an error prove that at most 5 % of 4,000 entries are wrong:

    >>> bound_errors(4000, 75, 0, 0.95) / 4000 > 0.05 >= bound_errors(4000, 76, 0, 0.95) / 4000
    True
    """
    if not answered:
        return entries
    return bound_wrong(Draws.count(entries, answered, errors, expected), 1 - level)


def keep_alpha(draws: Draws, alpha: float) -> float:
    """Return the alpha that is left for the sequence after this one."""
    if not len(draws.wrong):
        return alpha
    spent = draws.log_mixture - draws.log_likelihood(draws.find_likeliest())
    return alpha * math.exp(min(spent, 0.0))
