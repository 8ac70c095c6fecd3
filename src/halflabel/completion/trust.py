"""What the checks of a completion found, and whether percentages are printed: one place for every output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halflabel.evidence.calibration import measure_calibration
from halflabel.evidence.warnings import Result, collect_warnings, find_contradictions

if TYPE_CHECKING:
    from halflabel.completion.result import Completion


def list_contradictions(completion: Completion) -> list[Result]:
    """Return the warnings of the checks that contradict the probabilities of gaps."""
    return find_contradictions(**_measure(completion))


def list_warnings(completion: Completion) -> list[Result]:
    """Return the results of all checks, as :func:`halflabel.evidence.warnings.collect_warnings`."""
    return collect_warnings(
        completion.learned_from,
        drift=completion.drift,
        notes=completion.notes,
        **_measure(completion),
    )


def describe_positive(completion: Completion) -> dict[str, Any] | None:
    """Return the label frequency of positive-only labels, and the counts that can contradict it."""
    if not completion.labels.positive_only:
        return None
    c = completion.observed_rate
    return {"observed_rate": c, "above": count_above(completion, 1.0 if c is None else c)}


def count_above(completion: Completion, observed_rate: float) -> dict[str, int]:
    """Return the number of annotated entries with a probability of being assigned above c, and of assigned ones."""
    above = completion.learned_from.observed & (completion.learned_probabilities > observed_rate)
    return {"entries": int(above.sum()), "assigned": int((above & completion.labels.relevant).sum())}


def _measure(completion: Completion) -> dict[str, Any]:
    return {
        "quality": measure_calibration(completion.calibrated_on, completion.learned_probabilities),
        "positive": describe_positive(completion),
        "selected": completion.is_selected,
    }
