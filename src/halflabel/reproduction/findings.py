"""What records say about a sentence of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Finding(Enum):
    """What the records say about a claim; the value is the word on the page."""

    SUPPORTED = "supported"
    IN_PART = "in part"
    REFUTED = "refuted"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class ClaimResult:
    """A finding and its evidence in words."""

    finding: Finding
    evidence: str


def counted(total: int, fell_short: Sequence[str], claim: str) -> ClaimResult:
    """Return the finding on a claim that held in all comparisons but those that fell short."""
    held = total - len(fell_short)
    if not total:
        return ClaimResult(Finding.NOT_MEASURED, "Too few values.")
    finding = Finding.SUPPORTED if held == total else Finding.IN_PART if held else Finding.REFUTED
    but = f", but not: {', '.join(fell_short[:6])}{' ...' if len(fell_short) > 6 else ''}" if fell_short else ""
    return ClaimResult(finding, f"In {held} of {total} comparisons {claim}{but}.")
