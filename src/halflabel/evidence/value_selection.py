"""Whether entries are known because of their value: known and unknown entries then have other probabilities."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from halflabel._arrays import Floats, Mask
from halflabel.labels.ranks import rank_rows

#: Minimum number of known and of unknown entries of a label, for a comparison.
MIN_ENTRIES = 5

#: A difference counts if chance shows it in one of a thousand tables, and if it is large enough to matter: the
#: distance from one half of the area under the ROC curve (its root mean square over labels).
LEVEL, MIN_EFFECT = 0.001, 0.03

#: Where items are known or unknown as a whole, features can be the reason: the difference has to be larger.
MIN_EFFECT_OF_ITEMS = 0.10


def is_selected(known: Mask, p: Floats) -> bool:
    """Return whether the probabilities of known and of unknown entries differ by more than chance.

    For each label, the test of Mann and Whitney compares the probabilities of known entries (out of fold) with the
    probabilities of unknown entries. If entries are missing at random, both have the same distribution. The comparison
    is among items that are known in part, since all features of such items are the same for both. If no item is known
    in part, the comparison is among all items. ``known`` are the entries on which probabilities were fitted, and p is
    by models that were fitted without the item.
    """
    partly = known.any(axis=1) & ~known.all(axis=1)
    areas, deviations = _compare(known[partly], p[partly])
    least, n_free = MIN_EFFECT, len(areas)
    if not n_free:
        areas, deviations = _compare(known, p)
        least, n_free = MIN_EFFECT_OF_ITEMS, min(len(areas), 1)  # labels of whole items depend on each other
    if not n_free:
        return False
    z = areas / deviations
    of_each = chdtrc(n_free, np.mean(z**2) * n_free)
    of_all = chdtrc(1, np.mean(z) ** 2 * n_free)  # more powerful where all labels differ in the same direction
    effect = np.mean(areas**2 - deviations**2)
    return bool(2 * min(of_each, of_all) < LEVEL and effect > least**2)


def _compare(known: Mask, p: Floats) -> tuple[Floats, Floats]:
    """Return, per label, the area under the curve less one half, and its standard deviation by chance."""
    n_known = known.sum(axis=0)
    both = np.minimum(n_known, len(known) - n_known) >= MIN_ENTRIES
    known, m = known[:, both], n_known[both]
    if not both.any():
        return np.zeros(0), np.zeros(0)
    n = len(known) - m
    ranks = np.where(known, rank_rows(p[:, both].T, np.ones_like(known.T)).T, 0.0).sum(axis=0)
    areas = (ranks - m * (m + 1) / 2) / (m * n) - 0.5
    return areas, np.sqrt((m + n + 1) / (12 * m * n))
