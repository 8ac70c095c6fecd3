"""Given entries that are probably wrong, in the order of the posterior probability that a value was flipped.

The posterior orders entries and is not printed: where values depend on chance, no given entry shows how many of them
were flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels

#: Share of the entries, lowest probabilities first, that are assumed to be irrelevant.
IRRELEVANT_SHARE = 0.3

#: Number of the entries, highest probabilities first, that are assumed to be relevant, as a share of the number
#: of entries that were given as relevant.
RELEVANT_SHARE = 0.15


#: Parts of the ends that are compared, and their minimum number of entries.
PARTS, MIN_ENTRIES = (1, 2, 4, 8, 16), 15

#: The common rates count as many entries when they are averaged with the rates of a label. It was chosen from 100, 200
#: and 300 on emotions, scene, enron and msrc, where the posterior of the first suspects is then calibrated.
COMMON_WEIGHT = 300

#: The highest probabilities are fewer and more difficult entries than the lowest ones, so that e1 is less certain than
#: e0. The common e1 is e0 times this power of e1 / e0. It was chosen from 0.5, 0.67, 0.75 and 1 on emotions, scene,
#: enron, msrc, medical and yeast.
POWER_OF_RATIO = 0.75


#: Minimum number of given entries of a label's rarer value, for a measured AUC or a doubt about one of its entries.
MIN_OF_A_VALUE = 5

#: An entry is listed as doubtful from this posterior on.
MIN_WRONG = 0.5


@dataclass(frozen=True)
class FlipRates:
    """How often a value is given wrongly."""

    false_relevant: float | Floats  #: e0, the share of the irrelevant entries that are given as relevant.
    false_irrelevant: float | Floats  #: e1, the share of the relevant entries that are given as irrelevant.

    @classmethod
    def estimate_by_label(cls, labels: PartialLabels, p: Floats) -> FlipRates:
        """Estimate the rates of each label, shrunk to the common rates of all labels: some labels are noisier."""
        given, relevant = labels.observed, labels.relevant
        common = cls.estimate(relevant[given], p[given]).with_smaller_ratio()
        rates = np.tile([[common.false_relevant], [common.false_irrelevant]], labels.shape[1])
        for j, rows in enumerate(given.T):
            own = cls.estimate(relevant[rows, j], p[rows, j])
            sizes = np.array([int(IRRELEVANT_SHARE * rows.sum()), int(RELEVANT_SHARE * relevant[rows, j].sum())])
            of_label = np.array([own.false_relevant, own.false_irrelevant])
            rates[:, j] = (sizes * of_label + COMMON_WEIGHT * rates[:, j]) / (sizes + COMMON_WEIGHT)
        return cls(*rates)

    @classmethod
    def estimate(cls, relevant: Mask, p: Floats) -> FlipRates:
        """Estimate both rates at the two ends of the probabilities, where the true value is hardly in doubt.

        Of the end, its half, its quarter and so on, the part with the smallest share of the other value counts: flips
        are as frequent in each, but difficult entries are rarer the nearer the end is. Without flips, the whole end
        would give the share of difficult entries. ``relevant`` are the given values, and p the probabilities of being
        given as relevant, by models that were fitted without the entry.
        """
        order = np.argsort(p, kind="stable")
        low = relevant[order[: int(IRRELEVANT_SHARE * len(p))]]
        high = relevant[order[::-1][: int(RELEVANT_SHARE * relevant.sum())]]
        return cls(_estimate_smallest_share(low), _estimate_smallest_share(~high))

    def with_smaller_ratio(self) -> FlipRates:
        """Return the rates with the second one nearer to the first."""
        e0, e1 = self.false_relevant, self.false_irrelevant
        return FlipRates(e0, e0 * (e1 / e0) ** POWER_OF_RATIO)

    def flipped(self, relevant: Mask, p: Floats) -> Floats:
        r"""Return the posterior probability that each given value is wrong, by Bayes' rule.

        With q the probability of being relevant, :math:`p = q(1 - e_1) + (1 - q) e_0`,

        .. math::
            P(\text{wrong} \mid 1) = (1 - q) e_0 / p, \qquad P(\text{wrong} \mid 0) = q e_1 / (1 - p)
        """
        e0, e1 = self.false_relevant, self.false_irrelevant
        q = np.clip((p - e0) / np.maximum(1 - e0 - e1, 0.1), 0, 1)
        given_relevant = (1 - q) * e0 / (q * (1 - e1) + (1 - q) * e0)
        given_irrelevant = q * e1 / (q * e1 + (1 - q) * (1 - e0))
        return np.where(relevant, given_relevant, given_irrelevant)


def measure_flips(labels: PartialLabels, probabilities: Floats, broken: Sequence[Mask] = ()) -> Floats:
    r"""Return the posterior that each given entry was flipped, and 0 for the other entries.

    Of entries that break a rule together, at least one is wrong. If they are flipped independently with probabilities
    :math:`w`, the posterior of each is :math:`w_k / (1 - \prod_i (1 - w_i))`.

    ``probabilities`` are by models that were fitted without the entry. ``broken`` has, for each rule that is broken,
    the mask of the given entries that break it.
    """
    rates = FlipRates.estimate_by_label(labels, probabilities)
    alone = np.where(labels.observed, rates.flipped(labels.relevant, probabilities), 0.0)
    wrong = alone.copy()
    for entries in broken:
        rows = entries.any(axis=1)
        least = np.where(entries[rows], np.clip(alone[rows], 1e-9, 1 - 1e-9), 0.0)
        share = least / -np.expm1(np.log1p(-least).sum(axis=1, keepdims=True))
        wrong[rows] = np.maximum(wrong[rows], share)
    return wrong


def accuse(labels: PartialLabels, wrong: Floats) -> Mask:
    """Return the given entries that may be listed as doubtful. ``wrong`` is from :func:`measure_flips`.

    Held-out entries of a label measure something if enough entries of both values are given.
    """
    relevant, observed = labels.relevant.sum(axis=0), labels.observed.sum(axis=0)
    return np.asarray((wrong >= MIN_WRONG) & (np.minimum(relevant, observed - relevant) >= MIN_OF_A_VALUE))


def rank_suspects(labels: PartialLabels, probabilities: Floats, broken: Sequence[Mask] = ()) -> pd.DataFrame:
    """Return the given entries, the most probably wrong entry first.

    Columns: position, label, given, probability (of being relevant, out of fold). Equal posteriors are ordered by the
    probability of the other value.

    ``probabilities`` and ``broken`` are as in :func:`measure_flips`.
    """
    at = labels.observed
    relevant, p = labels.relevant[at], probabilities[at]
    wrong = measure_flips(labels, probabilities, broken)[at]
    order = np.lexsort((np.where(relevant, p, 1 - p), -wrong))
    return _list_entries(at, labels, probabilities).iloc[order].reset_index(drop=True)


def rank_missing(labels: PartialLabels, probabilities: Floats) -> pd.DataFrame:
    """Return the entries of annotated items that positive-only labels lack, the most probable missing positives first.

    The columns are as in :func:`rank_suspects`, and ``given`` is 0. ``probabilities`` are P(relevant), given that the
    entry was not assigned, or P(assigned) without a label frequency.
    """
    found = _list_entries(labels.annotated[:, None] & ~labels.relevant, labels, probabilities)
    return found.sort_values("probability", ascending=False, kind="stable").reset_index(drop=True)


def _list_entries(at: Mask, labels: PartialLabels, probabilities: Floats) -> pd.DataFrame:
    """Return entries as rows, in the order of the table."""
    rows, columns = np.nonzero(at)
    names = np.array(labels.names, dtype=object)
    return pd.DataFrame(
        {
            "position": rows,
            "label": names[columns],
            "given": labels.relevant[at].astype(int),
            "probability": probabilities[at],
        }
    )


def _estimate_smallest_share(wrong: Mask) -> float:
    """Return the smallest share of the first entries, their first half, quarter, and so on.

    Half a standard deviation is added to each number, because the smallest of several shares is too small, and each
    share is shrunk to 5 % by a prior that counts as much as ten entries. Parts of fewer than 15 entries count
    only if all parts are that small.
    """
    sizes = [len(wrong) // part for part in PARTS]
    kept = [n for n in sizes if n >= MIN_ENTRIES] or sizes[:1]
    numbers = np.array([wrong[:n].sum() for n in kept])
    return float(((numbers + np.sqrt(numbers) / 2 + 0.5) / (np.array(kept) + 10)).min())
