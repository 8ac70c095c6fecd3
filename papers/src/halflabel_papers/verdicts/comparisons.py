"""Comparisons of two methods by a test, and the finding that follows from their directions and significances."""

from __future__ import annotations

import math

import pandas as pd

from halflabel_papers.verdicts.results import ClaimResult, conclude
from halflabel_papers.verdicts.significance import ALPHA, compare_paired, detect_difference, format_p


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
    return compare_paired(both[first], both[second]).p if len(both) > 1 else 0.0


def describe_power(difference: pd.Series[float], p: float) -> str:
    """Return p, the number of pairs, and the difference that this number detects."""
    detected = detect_difference(float(difference.std()) / math.sqrt(len(difference)), len(difference) - 1)
    return f"{format_p(p)}; difference {abs(difference.mean()):.3g}, {len(difference)} pairs detect {detected:.2g}"
