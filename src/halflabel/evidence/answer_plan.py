"""How many answers a bound will probably need. No proof depends on this plan."""

from __future__ import annotations

import math

import numpy as np

from halflabel._arrays import Floats
from halflabel.evidence.betting import LARGEST, weigh

#: Minimum number of random answers for an exact bound that is printed. If all are right, it is about 5 %.
MIN_RANDOM = 60

#: Number of ways to divide the answers that are compared, and of levels of probability.
COMPARED, LEVELS = 50, 100

#: The moments at which the growth of the evidence is computed: the mean number of draws of an entry of weight one half.
MOMENTS = np.geomspace(1e-4, 30, 50)

#: The cost of not knowing the share of errors, in units of evidence.
UNKNOWN = 1.0


def plan_answers(wrong: Floats, allowed: int, alpha: float, evidence: float = 0.0) -> tuple[int, int]:
    """Return how many chosen and then how many random answers prove, at least cost, that few errors remain.

    ``wrong`` is the probability that each entry without an answer is wrong, ``allowed`` the number of wrong entries
    that may remain (below 0 if more answers are "not sure"), and ``alpha`` the probability of a false bound that may be
    used. ``evidence`` is the logarithm of the evidence against more errors that was found already.

    Notes
    -----
    The entries that are most probably wrong are answered, and the remaining ones are drawn by weight until the
    logarithm of the capital of :mod:`halflabel.evidence.betting` is ``log(1 / alpha)``. Its mean growth is computed for
    entries of equal probability together. All numbers of chosen entries on a grid are compared.
    """
    n = len(wrong)
    if allowed < 0:  # all of them, and as many that were answered with "not sure"
        return n - allowed, 0
    if n <= allowed:
        return 0, 0
    level = np.rint(np.sqrt(wrong) * LEVELS).astype(np.intp)
    counts = np.bincount(level, minlength=LEVELS + 1)[::-1].astype(float)
    p = (np.arange(LEVELS, -1, -1) / LEVELS) ** 2
    needed = max(-math.log(alpha) + UNKNOWN - evidence, 0.0)
    chosen = np.unique(np.linspace(0, n, COMPARED).astype(int))
    before = np.cumsum(counts) - counts
    random = []
    for x in chosen:
        left = counts - np.clip(x - before, 0, counts)
        random.append(_count_random(p, left, allowed, needed))
    best = int(np.argmin(chosen + random))
    return int(chosen[best]), math.ceil(random[best])


def _count_random(p: Floats, counts: Floats, allowed: int, needed: float) -> float:
    """Return the expected number of random answers about numbers of entries of some probabilities."""
    total, there = float(counts.sum()), counts > 0
    if total <= allowed or not there.any():
        return 0.0
    p, counts = p[there], counts[there]
    s = weigh(p)
    left = counts * np.exp(-2 * s * np.append(0.0, MOMENTS)[:, None])
    drawn = total - left.sum(axis=1)
    size, errors = left @ s, left @ p
    lost = (1 - p) * size[:, None] / s  # by a wrong entry; a right one gains
    excluded, chance = allowed + 1 - errors, left * s / (size[:, None] + 1e-12)
    variance = size * ((allowed + 1) / (errors + 1e-12) * (left @ (p * (1 - 2 * p) / s)) + left @ (p**2 / s))
    gain, limit = np.maximum(excluded, 0.0), LARGEST / (lost.max(axis=1) + errors + 1e-12)
    stake = np.minimum(gain / np.maximum(variance - excluded**2, 1e-12), limit)[:, None]
    of_right = np.log1p(stake * (excluded[:, None] + p * size[:, None] / s))
    of_wrong = np.log1p(stake * (excluded[:, None] - lost))
    growth = (chance * (p * of_wrong + (1 - p) * of_right)).sum(axis=1)
    evidence = np.append(0.0, np.cumsum(np.diff(drawn) * (growth[1:] + growth[:-1]) / 2))
    enough = np.interp(needed, evidence, drawn) if evidence[-1] > needed else total
    return float(min(enough, total - allowed))
