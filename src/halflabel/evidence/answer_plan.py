"""How many answers a bound will probably need. No proof depends on this plan."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from halflabel._arrays import Floats
from halflabel.evidence.betting import weigh

#: Minimum number of random answers for an exact bound that is printed. If all are right, it is about 5 %.
MIN_RANDOM = 60

#: Number of ways to divide the answers that are compared, and of levels of probability.
COMPARED, LEVELS = 50, 100

#: The moments at which the bound is computed: the mean number of draws of an entry of weight one half.
MOMENTS = np.geomspace(1e-4, 30, 50)


def plan_answers(wrong: Floats, allowed: int, alpha: float, evidence: float = 0.0) -> tuple[int, int]:
    """Return how many chosen and then how many random answers prove, at least cost, that few errors remain.

    ``wrong`` is the probability that each entry without an answer is wrong, ``allowed`` the number of wrong entries
    that may remain (below 0 if more answers are "not sure"), and ``alpha`` the probability of a false bound that may be
    used. ``evidence`` is the logarithm of the evidence against more errors that was found already.

    Notes
    -----
    The entries that are most probably wrong are answered, and the remaining ones are drawn by weight. All numbers of
    chosen entries on a grid are compared as if a normal test at the level ``alpha`` ended the draws. Such a test needs
    less than bets do on average. It compares better, because bets that rise and fall often end earlier. The number of
    random answers is the one that bets need.
    """
    n = len(wrong)
    if allowed < 0:  # all of them, and as many that were answered with "not sure"
        return n - allowed, 0
    if n <= allowed:
        return 0, 0
    level = np.rint(np.sqrt(wrong) * LEVELS).astype(np.intp)
    counts = np.bincount(level, minlength=LEVELS + 1)[::-1].astype(float)
    p = (np.arange(LEVELS, -1, -1) / LEVELS) ** 2
    chosen = np.unique(np.linspace(0, n, COMPARED).astype(int))
    before = np.cumsum(counts) - counts
    rests = [counts - np.clip(x - before, 0, counts) for x in chosen]
    best = np.argmin(chosen + [_count_random(p, rest, allowed, ndtri(alpha) ** 2 / 2 - evidence) for rest in rests])
    return int(chosen[best]), math.ceil(_count_random(p, rests[best], allowed, -math.log(alpha) - evidence))


def _count_random(p: Floats, counts: Floats, allowed: int, needed: float) -> float:
    """Return the expected number of random answers about numbers of entries of some probabilities.

    After these answers, one error too many is excluded with the evidence that is needed: half of the square of its
    distance to the expected errors in standard deviations. The deviation is that of their estimate from entries that
    are drawn with a known chance, if the table had that number of errors.
    """
    total, there = float(counts.sum()), counts > 0
    if total <= allowed:
        return 0.0
    p, counts = p[there], counts[there]
    kept = np.exp(-2 * weigh(p) * MOMENTS[:, None])
    left = counts * kept
    errors, spread = left @ p + 1e-12, (left / (1 - kept)) @ (p * (1 - p))
    is_enough = allowed + 1 - errors >= np.sqrt(2 * max(needed, 0.0) * spread * (allowed + 1) / errors)
    drawn = total - left[np.argmax(is_enough)].sum() if is_enough.any() else total
    return float(min(drawn, total - allowed))
