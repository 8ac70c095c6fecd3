"""Comparisons of two methods by a test, and the finding that follows from their directions and significances."""

from __future__ import annotations

import math

import pandas as pd

from halflabel.plugins import plural
from halflabel_papers.verdicts.results import ClaimResult, conclude
from halflabel_papers.verdicts.significance import ALPHA, compute_p_of_difference, detect_difference, format_p

#: Maximum number of sets whose results are listed by name.
MAX_NAMED_SETS = 4


class Comparisons:
    """Comparisons by a test, sorted by their direction and their significance at the level :data:`ALPHA`."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.weak: list[str] = []
        self.against: list[str] = []

    def add(
        self, place: str, detail: str, p: float, *, agrees: bool, significant: bool = True, alpha: float = ALPHA
    ) -> None:
        """Add a comparison that agrees with the claim or not. ``significant`` is whether the claim needs a small p."""
        if agrees and (p < alpha or not significant):
            return
        sorted_in = self.weak if agrees else self.failed if p < alpha else self.against
        sorted_in.append(f"{place} ({format_p(p) if sorted_in is self.failed else detail})")

    def conclude(self, total: int, claim: str, missing: int) -> ClaimResult:
        """Return the finding."""
        return conclude(total, self.failed, claim, weak=self.weak, against=self.against, missing=missing)


def compute_p(runs: pd.DataFrame, first: str, second: str) -> float:
    """Return p of a paired t-test. A single pair is not random: its p is 0."""
    both = runs[[first, second]].dropna()
    return compute_p_of_difference(both[first] - both[second]) if len(both) > 1 else 0.0


def describe_power(difference: pd.Series[float], p: float) -> str:
    """Return p, the number of pairs, and the difference that this number detects."""
    detected = detect_difference(float(difference.std()) / math.sqrt(len(difference)), len(difference) - 1)
    return f"{format_p(p)}; difference {abs(difference.mean()):.3g}, {len(difference)} pairs detect {detected:.2g}"


def split_by_set(difference: pd.Series[float]) -> dict[str, pd.Series[float]]:
    """Return the differences of each set that has more than one run."""
    if difference.empty:
        return {}
    return {str(name): part for name, part in difference.groupby(level="set") if len(part) > 1}


def describe_sets(difference: pd.Series[float]) -> str:
    """Return sign and p of a paired t-test of a difference (positive is better) by set, if sets have different signs.

    Runs of a set share its items, so that a test over the runs of all sets can hide that the sets disagree.
    """
    parts = split_by_set(difference)
    if len(parts) < 2:
        return ""
    if len({part.mean() > 0 for part in parts.values()}) == 1:
        return ""
    tests = {name: (float(part.mean()), compute_p_of_difference(part)) for name, part in parts.items()}
    if len(tests) <= MAX_NAMED_SETS:
        return ", ".join(f"{name} {mean:+.3f} ({format_p(p)})" for name, (mean, p) in tests.items())
    counts = [
        sum(sign * mean > 0 and p < level for mean, p in tests.values()) for sign in (1, -1) for level in (2, ALPHA)
    ]
    better, clearly_better, worse, clearly_worse = counts
    return f"better on {plural(better, 'set')} ({clearly_better} significantly), worse on {worse} ({clearly_worse})"
