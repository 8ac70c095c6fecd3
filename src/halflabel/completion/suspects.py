"""Given entries that are probably wrong: the posterior probability that a value was flipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels

#: Share of the entries, those with the lowest probabilities, of which none is taken to be relevant.
IRRELEVANT_SHARE = 0.3

#: Number of the entries, those with the highest probabilities, of which all are taken to be relevant: a share of the
#: number of entries that were given as relevant.
RELEVANT_SHARE = 0.15


@dataclass(frozen=True)
class FlipRates:
    """How often a value is given wrongly.

    Attributes
    ----------
    false_relevant : float
        e0, the share of the irrelevant entries that are given as relevant.
    false_irrelevant : float
        e1, the share of the relevant entries that are given as irrelevant.
    """

    false_relevant: float
    false_irrelevant: float

    @classmethod
    def estimate(cls, relevant: Mask, p: Floats) -> FlipRates:
        """Estimate both rates at the two ends of the probabilities, where the true value is hardly in doubt.

        Parameters
        ----------
        relevant : ndarray of bool, shape (n_entries,)
            The given values.
        p : ndarray of shape (n_entries,)
            Probabilities of being given as relevant, by models that were fitted without the entry.
        """
        order = np.argsort(p, kind="stable")
        low = relevant[order[: int(IRRELEVANT_SHARE * len(p))]]
        high = relevant[order[len(p) - int(RELEVANT_SHARE * relevant.sum()) :]]
        return cls(_estimate_share(low), _estimate_share(~high))

    def flipped(self, relevant: Mask, p: Floats) -> Floats:
        r"""Return the posterior probability that each given value is wrong, by Bayes' rule.

        With q the probability of being relevant, :math:`p = q(1 - e_1) + (1 - q) e_0`,

        .. math::
            P(\text{wrong} \mid 1) = (1 - q) e_0 / p, \qquad P(\text{wrong} \mid 0) = q e_1 / (1 - p)
        """
        e0, e1 = self.false_relevant, self.false_irrelevant
        q = np.clip((p - e0) / max(1 - e0 - e1, 0.1), 0, 1)
        given_relevant = (1 - q) * e0 / (q * (1 - e1) + (1 - q) * e0)
        given_irrelevant = q * e1 / (q * e1 + (1 - q) * (1 - e0))
        return np.where(relevant, given_relevant, given_irrelevant)


def rank_suspects(labels: PartialLabels, probabilities: Floats) -> pd.DataFrame:
    """Return the given entries, those first that are most probably wrong.

    Columns: position, label, given, probability (of being relevant, out of fold), wrong (the posterior probability that
    the value was flipped). Among equal posteriors the order is that of the probability of the other value.

    Parameters
    ----------
    labels : PartialLabels
    probabilities : ndarray of shape (n_items, n_labels)
        By models that were fitted without the entry.
    """
    rows, columns = np.nonzero(labels.observed & labels.learnable)
    relevant, p = labels.state[rows, columns] > 0, probabilities[rows, columns]
    wrong = FlipRates.estimate(relevant, p).flipped(relevant, p) if len(p) else p
    order = np.lexsort((np.where(relevant, p, 1 - p), -wrong))
    names = np.array(labels.names, dtype=object)
    ranked = {
        "position": rows,
        "label": names[columns],
        "given": relevant.astype(int),
        "probability": p,
        "wrong": wrong,
    }
    return pd.DataFrame(ranked).iloc[order].reset_index(drop=True)


def _estimate_share(wrong: Mask) -> float:
    """Return a share, shrunk to 5 % by a prior that counts as much as ten entries."""
    return float((wrong.sum() + 0.5) / (len(wrong) + 10))
