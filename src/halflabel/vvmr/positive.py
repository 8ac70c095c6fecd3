"""Positive-only labels as Zhao and Guo (2015) code them, and what scores of being assigned say about P(relevant)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from halflabel.arrays import Floats, Mask
from halflabel.base import PartialLabelEstimator
from halflabel.decision import Calibration, fit_platt, thresholds
from halflabel.labels import PartialLabels

__all__ = [
    "AnswersFromPositives",
    "Assumption",
    "LearnsFromPositives",
    "assigned",
    "assume",
    "of_relevant",
    "require_observed_rate",
]

#: No quotient of P(assigned) and c is taken for higher than this.
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


@dataclass(frozen=True, eq=False)
class Assumption:
    r"""What scores of being assigned come to under an assumption about how many positives were assigned.

    Parameters
    ----------
    observed_rate : float or None
        c; None assumes nothing.
    calibration : Calibration
        From scores to probabilities before anybody looked: of being relevant, without c of being assigned.
    probabilities : ndarray of shape (n_items, n_labels)
        Of being relevant: before anybody looked, p, and :math:`p (1 - c) / (1 - p c)` for an entry that was not
        assigned in an annotated item. Without c of being assigned, before anybody looked.
    thresholds : ndarray of shape (n_labels,)
        For these probabilities.
    filled : ndarray of bool, shape (n_items, n_labels)
        Entries that were not assigned and are likely enough to be relevant.
    """

    observed_rate: float | None
    calibration: Calibration
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
    scores: Floats, known: PartialLabels, observed_rate: float | None, rule: Callable[[Floats], Floats]
) -> Assumption:
    r"""Return probabilities and thresholds under an assumption.

    If every relevant entry was assigned with the same probability c, then P(assigned) is c P(relevant), and levels off
    at c. So P(relevant) is the sigmoid of a score under which what was assigned is likeliest,
    :func:`halflabel.decision.fit_platt` with c as ceiling. The order of a label's items does not depend on c.

    Thresholds are those of items that nobody has looked at: one threshold holds for them, for new items and for
    what was not assigned, so that a label is filled in if it is likely enough, wherever it stands.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_labels)
        The higher, the likelier to be assigned; of every entry by a model that has not seen it. NaN where there is
        none.
    known : PartialLabels
        From :func:`assigned`.
    observed_rate : float or None
    rule : callable
        From probabilities to thresholds.

    Examples
    --------
    >>> known = assigned(PartialLabels.from_positives([[1.0], [0.0], [np.nan]]))
    >>> assume(np.full((3, 1), np.nan), known, 0.8, lambda p: p[0]).probabilities.ravel()  # scores say nothing
    array([0.625, 0.25 , 0.625])
    """
    calibration = fit_platt(scores, known, ceiling=observed_rate or 1.0)
    p = before = calibration(scores)
    if observed_rate is not None:
        p = np.where(known.state < 0, before * (1 - observed_rate) / (1 - before * observed_rate), before)
    cut = rule(before)
    filled = ~known.relevant & (p >= cut)
    return Assumption(observed_rate, calibration, p, cut, filled)


class AnswersFromPositives(PartialLabelEstimator):
    """Base of the methods that learn from positive-only labels what is assigned, and answer what is relevant.

    A subclass has the parameter ``observed_rate`` and passes labels through :meth:`_assigned` on their way into
    ``fit``. It learns them as :func:`assigned` codes them; what was only not assigned is open again when scores become
    answers. Other labels are learned and answered as ever.
    """

    observed_rate: float | None
    positive_only_: bool

    _transductive: ClassVar[tuple[str, ...]] = (
        *PartialLabelEstimator._transductive,
        "assigned_probabilities_",
        "_known",
        "_unseen",
    )

    def assume(self, observed_rate: float | None) -> Assumption:
        """Return what the fit to positive-only labels says about its items under another ``observed_rate``.

        What was learned stays as it is, also where a criterion that chose settings counted with ``observed_rate``.
        """
        check_is_fitted(self)
        require_observed_rate(observed_rate)
        if not self.positive_only_:
            raise ValueError("there is nothing to assume: these labels hold irrelevant entries, none was forgotten.")
        found = assume(self._unseen, self._known, observed_rate, lambda before: self._rule(before, observed_rate))
        if self.decision != "fixed":
            return found
        above = self._cut(self.label_scores_, found.probabilities, found.thresholds)
        return replace(found, filled=~self._known.relevant & above)

    def _assigned(self, y: Any) -> Any:
        """Return labels as they are learned: what was not assigned in an annotated item as irrelevant."""
        require_observed_rate(self.observed_rate)
        self.positive_only_ = isinstance(y, PartialLabels) and y.positive_only
        return assigned(y) if self.positive_only_ else y

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        """Decide as for any labels, then open again what was only not assigned."""
        super()._decide(labels, scores, out_of_fold)
        self._known = labels
        if not self.positive_only_:
            return self
        self._unseen = np.where(labels.observed & labels.learnable, out_of_fold, self.label_scores_)
        self.assigned_probabilities_ = self.label_probabilities_
        found = self.assume(self.observed_rate)
        self.calibration_, self.thresholds_ = found.calibration, found.thresholds
        self.label_probabilities_ = found.probabilities
        self.transduction_ = self._shaped((labels.relevant | found.filled).astype(np.int64))
        return self

    def _rule(self, p: Floats, observed_rate: float | None) -> Floats:
        """Return the thresholds for items that nobody has looked at: all are drawn from the same source."""
        if self.decision == "fixed":
            return np.full(p.shape[1], float(self.threshold))
        p = np.where(self._known.learnable, p, np.nan)
        cardinality = float(np.nansum(self._known.rates)) / (observed_rate or 1.0)
        return thresholds(p, self.decision, cardinality=cardinality, cost_ratio=self.cost_ratio)


def of_relevant(p_assigned: Floats, observed_rate: float) -> Floats:
    """Return P(relevant) from P(assigned), if each relevant entry was assigned with that probability."""
    return np.minimum(p_assigned / observed_rate, SURE)
