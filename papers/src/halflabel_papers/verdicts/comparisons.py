"""Comparisons of two methods by a test, and the finding that follows from their directions and significances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from halflabel_papers.verdicts.results import ClaimResult, conclude
from halflabel_papers.verdicts.significance import (
    ALPHA,
    adjust_holm,
    compute_p_of_difference,
    detect_difference,
    format_p,
)

#: Maximum number of comparisons whose mean differences are listed.
MAX_LISTED = 6


class Comparisons:
    """Comparisons by a test, sorted by their direction and their significance at a level.

    Parameters
    ----------
    unit : str
        Name of several pairs: "runs" or "sets".
    alpha : float
    """

    def __init__(self, unit: str = "runs", alpha: float = ALPHA) -> None:
        self.unit = unit
        self.alpha = alpha
        self.total = 0
        self.missing = 0
        self.failed: list[str] = []
        self.weak: list[str] = []
        self.against: list[str] = []
        self.details: list[str] = []

    def compare(self, gain: pd.Series[float], place: str, *, significant: bool = True) -> None:
        """Add a comparison from the gains of its pairs, or its parts if they are significant in opposite directions."""
        if len(gain) < 2:
            self.missing += 1
            return
        for name, part, p in split_opposites(gain) or [("", gain, compute_p_of_difference(gain))]:
            where = f"{place} {name}" if name else place
            wins = f"{int((part > 0).sum())} of {len(part)} {self.unit}"
            self.details.append(f"{where} {part.mean():+.3g} ({wins}, {format_p(p)})")
            self.add(where, describe_power(part, p, self.unit), p, agrees=part.mean() > 0, significant=significant)

    def add(self, place: str, detail: str, p: float, *, agrees: bool, significant: bool = True) -> None:
        """Add a comparison that agrees with the claim or not. ``significant`` is whether the claim needs a small p."""
        self.total += 1
        if agrees and (p < self.alpha or not significant):
            return
        sorted_in = self.weak if agrees else self.failed if p < self.alpha else self.against
        sorted_in.append(f"{place} ({format_p(p) if sorted_in is self.failed else detail})")

    def conclude(self, claim: str) -> ClaimResult:
        """Return the finding, with the mean differences of a few comparisons."""
        result = conclude(self.total, self.failed, claim, weak=self.weak, against=self.against, missing=self.missing)
        if not 0 < len(self.details) <= MAX_LISTED:
            return result
        shown = f"Mean difference (pairs in which it is better): {'; '.join(self.details)}."
        return ClaimResult(result.finding, f"{result.evidence} {shown}")


def split_opposites(difference: pd.Series[float]) -> list[tuple[str, pd.Series[float], float]]:
    """Return name, pairs and p (Holm) of each set or each point of a grid, if some are significant in both directions.

    The mean of such parts depends on the number of points of each kind, and not on the method alone. The parts are the
    sets, or the values of one axis of the grid, or else the points of all axes; a part may again have such parts.
    """
    names = [str(name) for name in difference.index.names if name != "trial"]
    axes = [name for name in names if difference.index.get_level_values(name).nunique() > 1]
    for by in (*([axis] for axis in axes), axes):
        parts = {name: part for name, part in split_points(difference, by) if len(part) > 1}
        p = adjust_holm({name: compute_p_of_difference(part) for name, part in parts.items()})
        if len({parts[name].mean() > 0 for name in parts if p[name] < ALPHA}) == 2:
            return [each for name, part in parts.items() for each in _split_again(name, part, p[name])]
    return []


def _split_again(name: str, part: pd.Series[float], p: float) -> list[tuple[str, pd.Series[float], float]]:
    return [(f"{name} {place}", own, q) for place, own, q in split_opposites(part)] or [(name, part, p)]


def split_points(runs: Any, axes: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the runs of each point of these axes of their index: the sets, or axes of the grid."""
    for point, part in runs.groupby(level=axes) if axes else [((), runs)]:
        places = (f"at {axis.removeprefix('grid ')} =" if axis != "set" else "on" for axis in axes)
        yield " ".join(f"{place} {value}" for place, value in zip(places, point, strict=True)), part


def compute_p(runs: pd.DataFrame, first: str, second: str) -> float:
    """Return p of a paired t-test. A single pair is not random: its p is 0."""
    both = runs[[first, second]].dropna()
    return compute_p_of_difference(both[first] - both[second]) if len(both) > 1 else 0.0


def describe_power(difference: pd.Series[float], p: float, unit: str) -> str:
    """Return p, the number of pairs, and the difference that this number detects."""
    detected = detect_difference(float(difference.std()) / math.sqrt(len(difference)), len(difference) - 1)
    return f"{format_p(p)}; difference {abs(difference.mean()):.3g}, {len(difference)} {unit} detect {detected:.2g}"
