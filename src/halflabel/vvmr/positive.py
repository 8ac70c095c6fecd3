"""Positive-only labels as the paper codes them, and what P(assigned) says about P(relevant)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Protocol, runtime_checkable

import numpy as np

from halflabel.arrays import Floats, Mask
from halflabel.decision import Calibration
from halflabel.labels import PartialLabels

__all__ = [
    "AssignedCalibration",
    "Assumption",
    "LearnsFromPositives",
    "assigned",
    "assume",
    "of_relevant",
    "require_observed_rate",
]

#: No probability of being relevant is higher than this, however rarely positives are assigned.
SURE = 0.999


def assigned(labels: PartialLabels) -> PartialLabels:
    """Return positive-only labels with -1 for what was not assigned in an annotated item.

    Examples
    --------
    >>> assigned(PartialLabels.from_positives([[1.0, 0.0], [np.nan, np.nan]])).state.tolist()
    [[1, -1], [0, 0]]
    """
    state = np.where(labels.annotated[:, None] & (labels.state == 0), -1, labels.state).astype(np.int8)
    return replace(labels, state=state, positive_only=False)


def require_observed_rate(observed_rate: float | None) -> None:
    """Refuse what is no share of the relevant entries."""
    if observed_rate is not None and not 0 < observed_rate <= 1:
        raise ValueError(
            f"observed_rate (the share of the relevant entries that were assigned) must be above 0 and at most 1, "
            f"not {observed_rate!r}."
        )


@dataclass(frozen=True)
class AssignedCalibration(Calibration):
    r"""P(relevant) from P(assigned), if each relevant entry was assigned with the same probability.

    Parameters
    ----------
    observed_rate : float
        c, that probability: :math:`P(\mathrm{relevant}) = P(\mathrm{assigned}) / c`.
    """

    observed_rate: float

    @classmethod
    def of(cls, plain: Calibration, observed_rate: float) -> AssignedCalibration:
        """Return a calibration for P(assigned) with c beside it."""
        parts = {field.name: getattr(plain, field.name) for field in fields(Calibration)}
        return cls(**parts, observed_rate=observed_rate)

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of being relevant."""
        return of_relevant(super().__call__(scores), self.observed_rate)


@dataclass(frozen=True, eq=False)
class Assumption:
    r"""What P(assigned) comes to under an assumption about how many positives were assigned.

    Parameters
    ----------
    observed_rate : float or None
        c; None assumes nothing.
    probabilities : ndarray of shape (n_items, n_labels)
        Of being relevant: before anybody looked, :math:`P(\mathrm{assigned}) / c`, and
        :math:`p (1 - c) / (1 - p c)` for an entry that was not assigned in an annotated item. Without c of being
        assigned, before anybody looked.
    thresholds : ndarray of shape (n_labels,)
        For these probabilities.
    filled : ndarray of bool, shape (n_items, n_labels)
        Entries that were not assigned and are likely enough to be relevant.
    """

    observed_rate: float | None
    probabilities: Floats
    thresholds: Floats
    filled: Mask


@runtime_checkable
class LearnsFromPositives(Protocol):
    """What a method for positive-only labels offers beside the rest."""

    observed_rate: float | None

    def assume(self, observed_rate: float | None) -> Assumption:
        """Return what the fitted method would say about its items under another assumption."""
        ...


def assume(
    p_assigned: Floats, known: PartialLabels, observed_rate: float | None, rule: Callable[[Floats], Floats]
) -> Assumption:
    """Return probabilities and thresholds under an assumption.

    Thresholds are those of items that nobody has looked at: one threshold holds for them, for new items and for
    what was not assigned, so that a label is filled in if it is likely enough, wherever it stands.

    Parameters
    ----------
    p_assigned : ndarray of shape (n_items, n_labels)
        P(assigned) of every entry by a model that has not seen it.
    known : PartialLabels
        From :func:`assigned`.
    observed_rate : float or None
    rule : callable
        From probabilities to thresholds.

    Examples
    --------
    >>> known = assigned(PartialLabels.from_positives([[1.0], [0.0], [np.nan]]))
    >>> assume(np.full((3, 1), 0.4), known, 0.5, lambda p: p[0]).probabilities.round(3).ravel()
    array([0.8  , 0.667, 0.8  ])
    """
    p = before = p_assigned
    if observed_rate is not None:
        before = of_relevant(p_assigned, observed_rate)
        p = np.where(known.state < 0, before * (1 - observed_rate) / (1 - before * observed_rate), before)
    thresholds = rule(before)
    return Assumption(observed_rate, p, thresholds, ~known.relevant & (p >= thresholds))


def of_relevant(p_assigned: Floats, observed_rate: float) -> Floats:
    """Return P(relevant) from P(assigned), if each relevant entry was assigned with that probability."""
    return np.minimum(p_assigned / observed_rate, SURE)
