"""The capital of bets on weighted draws by exact loops, and the probability of a false bound by counting all orders."""

from itertools import permutations

import numpy as np

FLOOR, PRIOR, LARGEST = 0.2, 2.0, 0.99


def weigh(p):
    """Return the weights: the standard deviations, and at least a share of the largest one."""
    spread = [(each * (1 - each)) ** 0.5 for each in p]
    return [max(each, FLOOR * max(spread)) if max(spread) else 1.0 for each in spread]


def grow(p, steps, aim, number):
    """Return the capital against the claim that ``number`` entries are wrong; a step is (entry, drawn, wrong)."""
    s, left, capital, found, seen, expected = weigh(p), list(range(len(p))), 1.0, 0, 0.0, 0.0
    worst = max((1 - p[e]) / s[e] for e in left)
    for entry, drawn, wrong in steps:
        size, sure = sum(s[e] for e in left), sum(p[e] for e in left)
        if drawn:
            ratio = (seen + PRIOR) / (expected + PRIOR)
            gain, common = max(aim - ratio * sure, 0.0), aim / sure
            square = size * sum((common * p[e] * (1 - 2 * p[e]) + p[e] ** 2) / s[e] for e in left)
            stake = min(gain / max(square - (aim - sure) ** 2, 1e-12), LARGEST / (size * worst + sure))
            value = (wrong - p[entry]) * size / s[entry]
            capital *= 1 + stake * (number - found - sure - value)
            seen, expected = seen + wrong, expected + p[entry]
        found += wrong
        left.remove(entry)
    return capital


def bound(p, steps, aim, alpha):
    """Return the largest possible number of wrong entries whose capital is below 1 / alpha."""
    found = sum(wrong for *_, wrong in steps)
    numbers = range(found, found + len(p) - len(steps) + 1)
    return max((m for m in numbers if grow(p, steps, aim, m) < 1 / alpha), default=found)


def share_of_false_bounds(p, truth, choose, aim, alpha):
    """Return the probability that some bound is below the truth. ``choose`` names an entry to answer first, or None."""
    s, total = np.array(weigh(p)), 0.0
    for order in permutations(range(len(p))):
        chance, left = 1.0, s.sum()
        for entry in order:
            chance, left = chance * s[entry] / left, left - s[entry]
        steps, false = [], False
        while len(steps) < len(p):
            answered = {entry for entry, *_ in steps}
            chosen = choose(steps)
            is_chosen = chosen is not None and chosen not in answered
            entry = chosen if is_chosen else next(each for each in order if each not in answered)
            steps.append((entry, not is_chosen, truth[entry]))
            false |= bound(p, steps, aim, alpha) < sum(truth)
        total += chance * false
    return total
