"""How many annotated items have no assigned label because all of their relevant labels were missed."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from halflabel._arrays import Ints

#: Steps of expectation and maximisation; after them, the expected number changes by less than one in a thousand.
STEPS = 200

#: Annotated items without a label are too few if they are less than a third of the expected number, and if the missing
#: ones are at least this share of the annotated items with a label, or of the unlabelled items.
MAX_PART, MIN_SHARE = 1 / 3, 0.02


def count_missed_items(assigned: Ints, observed_rate: float) -> float:
    r"""Return the expected number of annotated items whose relevant labels are all missing positives.

    An item with k relevant labels has a binomial number of assigned ones, and none of them with probability
    :math:`(1-c)^k`. The distribution of k is the one with the highest likelihood, by expectation and maximisation.

    ``assigned`` is the number of assigned labels of each annotated item with at least one, and ``observed_rate`` is c.

    Examples
    --------
    >>> round(count_missed_items(np.ones(70, dtype=int), 0.7))  # items with one relevant label: 30 of 100 are missed
    30
    """
    if not len(assigned):
        return 0.0
    counts = np.bincount(assigned)
    number = np.arange(len(counts))
    at_most = bdtr(number[:, None].astype(float), number[None, 1:], observed_rate)  # assigned x relevant
    likelihood = np.diff(np.where(number[:, None] >= number[None, 1:], 1.0, at_most), axis=0, prepend=0.0)
    share, missed = np.full(len(counts) - 1, 1.0 / (len(counts) - 1)), 0.0
    for _ in range(STEPS):
        expected = likelihood @ share
        missed = len(assigned) * expected[0] / (1 - expected[0])
        whole = np.append(missed, counts[1:])
        share = share * ((whole / np.maximum(expected, 1e-300)) @ likelihood) / whole.sum()
    return float(missed)


def count_lacking_items(assigned: Ints, unlabelled: int, observed_rate: float) -> int:
    """Return how many annotated items look unlabelled, because no label of them was assigned.

    ``assigned`` is the number of assigned labels of each annotated item, and ``unlabelled`` the number of other items.
    The result is 0 if there are annotated items without a label, about as many as expected, or if too few are missing
    to matter.
    """
    without, with_label = int((assigned == 0).sum()), assigned[assigned > 0]
    missed = count_missed_items(with_label, observed_rate)
    lacking = missed - without
    matters = lacking >= MIN_SHARE * min(len(with_label), unlabelled) and unlabelled > 0
    return round(lacking) if without < MAX_PART * missed and matters else 0
