"""The rows of the report: filled values drawn at random, and values to check with a reason in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._arrays import Ints
from halflabel._wording import clipped, plural
from halflabel.completion.review_list import list_for_review

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion.evidence import Evidence

#: Number of filled values in the strip, of values to check, and of items near each of them.
STRIP, MAX_CHECKS, NEAREST = 12, 12, 10

#: Adds the image and the shown columns of items to their rows.
Describe = Callable[[Ints], list[dict[str, Any]]]


def draw_strip(evidence: Evidence, describe: Describe, n: int = STRIP, random_state: int = 0) -> list[dict[str, Any]]:
    """Return random filled values, half of them yes where there are as many: item, label, value, probability."""
    chosen = evidence.sample_filled(n, random_state)
    rows, columns = (chosen[name].to_numpy(dtype=np.intp) for name in ("position", "column"))
    return [
        {
            **item,
            "label": clipped(evidence.labels.names[j]),
            "value": "yes" if evidence.state[i, j] > 0 else "no",
            "probability": float(evidence.printed_probabilities[i, j]),
        }
        for item, i, j in zip(describe(rows), rows, columns, strict=True)
    ]


def list_checks(evidence: Evidence, describe: Describe) -> list[dict[str, Any]]:
    """Return the values whose check helps most, with the reason for each."""
    listed = list_for_review(evidence, MAX_CHECKS, (), None)
    places = evidence.doubts.head(MAX_CHECKS)
    rows, columns = (places[name].to_numpy(dtype=np.intp) for name in ("position", "column"))
    return [
        {
            **item,
            "label": clipped(evidence.labels.names[j]),
            "value": _name_value(evidence, i, j),
            "probability": p,
            "why": write_reason(evidence, i, j),
        }
        for item, i, j, p in zip(describe(rows), rows, columns, listed["probability"], strict=True)
    ]


def _name_value(evidence: Evidence, row: int, column: int) -> str:
    """Return the value of the completed table in words."""
    source = "given" if evidence.labels.observed[row, column] else "filled"
    return {1: f"yes, {source}", -1: f"no, {source}", 0: "empty"}[int(evidence.state[row, column])]


def write_reason(evidence: Evidence, row: int, column: int) -> str:
    """Return how many of the nearest items with a known value have the other value than the table."""
    learned = evidence.measured_on
    known = np.flatnonzero(learned.observed[:, column])
    nearest = evidence.find_nearest(row, known[known != row], NEAREST)
    has = int(learned.relevant[nearest, column].sum())
    without = "are not known to have it" if evidence.labels.select([column]).has_positive_only else "do not have it"
    number, verb = (len(nearest) - has, without) if evidence.state[row, column] > 0 else (has, "have it")
    return f"{number} of its {plural(len(nearest), 'nearest known item')} {verb}" if len(nearest) else ""
