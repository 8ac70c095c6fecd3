"""Bounds of a confidence sequence by exact fractions, and the probability of a false bound by counting all orders."""

from fractions import Fraction
from functools import cache
from itertools import permutations


def exact_bound(draws, expected, alpha):
    """Return :func:`_exact_bound`, computed once for the same draws."""
    return _exact_bound(tuple(draws), expected, alpha)


@cache
def _exact_bound(draws, expected, alpha):
    """Return the largest possible number of wrong entries that exact fractions do not reject.

    ``draws`` lists (entries without an answer, known wrong entries, whether the draw is wrong).
    """
    b, mixture, likelihood = 1 / Fraction(expected) - 1, Fraction(1), {}
    for i, (_, _, wrong) in enumerate(draws):
        k = sum(each for *_, each in draws[:i])
        mixture *= (1 + k if wrong else b + i - k) / (1 + b + i)
    unanswered, found, wrong = draws[-1]
    for number in range(found + wrong, found + unanswered + wrong):
        value = Fraction(1)
        for unanswered, found, wrong in draws:
            share = Fraction(number - found, unanswered)
            value *= share if wrong else 1 - share
        likelihood[number] = value
    kept = [number for number, value in likelihood.items() if value > alpha * mixture]
    return max(kept), mixture / max(likelihood.values())


def play(wrong, order, choose, expected):
    """Yield the draws after each draw of a random order; ``choose`` names an entry to answer before a draw, or None.

    ``wrong`` is the truth: one truth value for each entry.
    """
    answered, draws = [], []
    while len(answered) < len(wrong):
        chosen = choose([(entry, wrong[entry]) for entry in answered])
        if chosen is not None and chosen not in answered:
            answered.append(chosen)
            continue
        entry = next(each for each in order if each not in answered)
        draws.append((len(wrong) - len(answered), sum(wrong[each] for each in answered), wrong[entry]))
        answered.append(entry)
        yield draws, [wrong[each] for each in range(len(wrong)) if each not in answered], answered


def share_of_false_bounds(wrong, choose, expected, alpha):
    """Return the share of all orders in which some bound is below the true number of wrong entries."""
    orders = list(permutations(range(len(wrong))))
    false = sum(
        any(exact_bound(draws, expected, alpha)[0] < sum(wrong) for draws, *_ in play(wrong, order, choose, expected))
        for order in orders
    )
    return Fraction(false, len(orders))
