"""How many answers a bound will probably need. No proof depends on this plan."""

from __future__ import annotations

import math

import numpy as np

from halflabel._arrays import Floats
from halflabel.evidence.confidence_sequence import bound_errors

#: The numbers of answers for which a likely bound is shown.
PROPOSED = (60, 120, 240, 480)

#: Minimum number of random answers for an exact bound that is printed. If all are right, it is about 5 %.
MIN_RANDOM = 60

#: Maximum number of ways to divide the answers that are compared.
MAX_COMPARED = 200

#: The cost of not knowing the share of errors, in units of evidence: half the logarithm of the errors, and this much.
UNKNOWN = 1.0


def propose_sizes(entries: int, error_rate: float, level: float = 0.95) -> list[dict[str, float]]:
    """Return numbers of answers, and the precision that each of them will most likely prove.

    ``entries`` is the size of the population, and ``error_rate`` the expected share of wrong entries.

    Examples
    --------
    >>> [(each["n"], round(each["precision"], 2)) for each in propose_sizes(4000, 0.13)]
    [(60, 0.71), (120, 0.76), (240, 0.8), (480, 0.82)]
    """
    sizes = [n for n in PROPOSED if n < entries] or [entries]
    return [
        {"n": n, "precision": 1 - bound_errors(entries, n, round(n * error_rate), level, error_rate) / entries}
        for n in sizes
        if n
    ]


def plan_answers(wrong: Floats, allowed: int, alpha: float, evidence: float = 0.0) -> tuple[int, int]:
    """Return how many chosen and then how many random answers prove, at least cost, that few errors remain.

    ``wrong`` is the probability that each entry without an answer is wrong, ``allowed`` the number of wrong entries
    that may remain, and ``alpha`` the probability of a false bound that may be used. ``evidence`` is the logarithm of
    the evidence against more errors that was found already.

    Notes
    -----
    If the x entries that are most probably wrong are answered, the other entries have a share r of wrong entries, and
    a share of more than l is to be excluded. A random answer adds the divergence of r from l to the evidence on
    average, and ``log(1 / alpha)`` is needed (Wald, 1945). All x on a grid are compared.
    """
    if allowed < 0:
        return len(wrong), 0
    ranked = np.sort(wrong)[::-1]
    errors = np.append(ranked[::-1].cumsum()[::-1], 0.0)
    chosen = np.unique(np.linspace(0, len(ranked), MAX_COMPARED).astype(int))
    left = len(ranked) - chosen
    needed = -math.log(alpha) + UNKNOWN - evidence
    random = np.array([_count_random(errors[x], n, allowed, needed) for x, n in zip(chosen, left, strict=True)])
    best = int(np.argmin(chosen + random))
    return int(chosen[best]), math.ceil(random[best])


def _count_random(errors: float, entries: int, allowed: int, needed: float) -> float:
    """Return the expected number of random answers about entries with this number of errors."""
    if entries <= allowed:
        return 0.0
    share, limit = max(errors, 0.5) / entries, (allowed + 1) / entries
    if share >= limit:
        return float(entries)
    gain = share * math.log(share / limit)
    gain += (1 - share) * math.log((1 - share) / (1 - limit)) if limit < 1 else math.inf
    known = max(needed, 0.0)
    return float(min((known + 0.5 * math.log1p(known / gain * share)) / gain, entries))
