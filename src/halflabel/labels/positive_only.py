"""Positive-only labels: the coding of Zhao and Guo (2015), and P(relevant) from scores of being assigned.

A relevant entry that was not assigned is a *missing positive*. The *label frequency* c (Elkan and Noto 2008) is the
share of the relevant entries that were assigned. It is an assumption of the user, the parameter ``observed_rate``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.labels.calibration import Calibrated, fit_platt
from halflabel.labels.partial import PartialLabels

#: Maximum of the quotient of P(assigned) and c as a probability.
MAX_QUOTIENT = 0.999


def mark_unassigned(labels: PartialLabels) -> PartialLabels:
    """Return positive-only labels with -1 for each label that was not assigned in an annotated item.

    Other labels are returned as they are.

    Examples
    --------
    >>> mark_unassigned(PartialLabels.from_positives([[1.0, 0.0], [np.nan, np.nan]])).state.tolist()
    [[1, -1], [0, 0]]
    """
    if not labels.has_positive_only:
        return labels
    absent = (labels.annotated[:, None] | labels.is_mixed) & (labels.state == 0) & labels.positives
    return replace(labels, state=np.where(absent, -1, labels.state).astype(np.int8), positives=False)


def trust_positives(labels: PartialLabels, names: Sequence[str]) -> PartialLabels:
    """Return the labels where some are positive-only: an absent entry may be a missing positive in every item.

    A 0 of such a label means the same as nothing, unless the label has both: then a person has rejected the 0 entries.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 1], [0, 0], [0, 0]])
    >>> trust_positives(labels, labels.names[1:]).state.tolist()
    [[1, 1], [-1, 0], [-1, 0]]
    """
    chosen = np.isin(labels.names, list(names))
    rejects = (labels.state < 0).any(axis=0) & (labels.state == 0).any(axis=0)
    state = np.where(chosen & ~rejects, np.maximum(labels.state, 0), labels.state).astype(np.int8)
    declared = replace(labels, state=state, positives=chosen | labels.positives)
    return replace(declared, annotated=np.ones(len(labels), bool)) if declared.positive_only else declared


def require_observed_rate(observed_rate: float | Literal["ask"] | None) -> None:
    """Raise if the label frequency is not a share of the relevant entries."""
    if observed_rate is not None and (observed_rate == "ask" or not 0 < observed_rate <= 1):
        raise ValueError(
            f"observed_rate (the share of the relevant entries that were assigned) must be above 0 and at most 1, "
            f"not {observed_rate!r}."
        )


@dataclass(frozen=True, eq=False)
class Assumption:
    r"""Probabilities and filled entries that follow from a label frequency c."""

    #: The label frequency c. None assumes nothing.
    observed_rate: float | None
    #: From scores to probabilities of an item that is not annotated: of being relevant, without c of being assigned.
    calibration: Calibrated
    #: Shape (n_items, n_labels). With c, P(relevant): p, as for an item that is not annotated, and :math:`p (1 - c) /
    #: (1 - p c)` for an entry that was not assigned in an annotated item. Without c, P(assigned), as for an item that
    #: is not annotated.
    probabilities: Floats
    #: Shape (n_labels,). For these probabilities.
    thresholds: Floats
    #: Shape (n_items, n_labels). Entries that were not assigned and whose probability reaches the threshold.
    filled: Mask


@runtime_checkable
class LearnsFromPositives(Protocol):
    """The additional interface of a method for positive-only labels."""

    observed_rate: float | None

    def assume(self, observed_rate: float | None) -> Assumption:
        """Return probabilities and filled entries of the fitted items for another label frequency."""
        ...


class Calibrate(Protocol):
    """From scores, labels and the label frequency c to probabilities of being relevant."""

    def __call__(self, scores: Floats, labels: PartialLabels, /, *, ceiling: float) -> Calibrated:
        """Return the calibration that :func:`halflabel.labels.calibration.fit_platt` fits, or a better one."""
        ...


def assume(
    scores: Floats,
    known: PartialLabels,
    observed_rate: float | None,
    rule: Callable[[Floats], Floats],
    calibrate: Calibrate = fit_platt,
) -> Assumption:
    r"""Return probabilities, thresholds and filled entries for a label frequency c.

    If every relevant entry was assigned with the same probability c, then P(assigned) is c P(relevant), and levels off
    at c. P(relevant) is the sigmoid of the score that maximises the likelihood of the assigned labels,
    :func:`halflabel.labels.calibration.fit_platt` with c as ceiling. The order of a label's items does not depend on c.

    The thresholds are computed on items that are not annotated. The same thresholds hold for new items and for entries
    that were not assigned, so that one rule decides for all entries.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_labels)
        Higher means more probably assigned. Out of fold for annotated items. NaN for an entry without score.
    known : PartialLabels
        From :func:`mark_unassigned`.
    observed_rate : float or None
        The label frequency c.
    rule : callable
        From probabilities to thresholds.
    calibrate : callable
        A sigmoid per label by default.

    Examples
    --------
    >>> known = mark_unassigned(PartialLabels.from_positives([[1.0], [0.0], [np.nan]]))
    >>> assume(np.full((3, 1), np.nan), known, 0.8, lambda p: p[0]).probabilities.ravel()  # no scores
    array([0.625, 0.25 , 0.625])
    """
    calibration = calibrate(scores, known, ceiling=observed_rate or 1.0)
    p = before = calibration(scores)
    if observed_rate is not None:
        p = lower_unassigned(before, known, observed_rate)
    cut = rule(before)
    filled = ~known.relevant & (p >= cut)
    return Assumption(observed_rate, calibration, p, cut, filled)


def lower_unassigned(p: Floats, known: PartialLabels, observed_rate: float) -> Floats:
    """Return P(relevant) of all entries, lowered where an entry was not assigned in an annotated item (-1)."""
    return np.where(known.state < 0, p * (1 - observed_rate) / (1 - p * observed_rate), p)


def divide_by_frequency(p_assigned: Floats, observed_rate: float) -> Floats:
    """Return P(relevant) from P(assigned), if each relevant entry was assigned with probability ``observed_rate``."""
    return np.minimum(p_assigned / observed_rate, MAX_QUOTIENT)


def pu_f1(labels: PartialLabels, scores: Floats, observed_rate: float = 1.0, threshold: float | None = None) -> float:
    r"""Return F1 at a threshold, by default at the best one, where missing positives do not count as false.

    :math:`2 TP / (c \cdot \#\mathrm{predicted} + \#\mathrm{relevant})` with the label frequency c.

    Examples
    --------
    >>> pu_f1(PartialLabels.from_table([[1], [0], [1], [0]]), np.array([[0.9], [0.8], [0.7], [0.1]]))
    0.8
    """
    used = labels.observed & ~np.isnan(scores)
    order = np.argsort(-scores[used], kind="stable")
    hits = labels.relevant[used][order]
    if not hits.any():
        return 0.0
    predicted = np.arange(1, len(hits) + 1)
    f1 = 2 * np.cumsum(hits) / (observed_rate * predicted + hits.sum())
    if threshold is None:
        return float(f1.max())
    chosen = int((scores[used] >= threshold).sum())
    return float(f1[chosen - 1]) if chosen else 0.0
