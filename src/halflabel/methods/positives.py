"""The base of methods that learn from positive-only labels what is assigned, and predict what is relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import Assumption, lower_unassigned, mark_unassigned, require_observed_rate
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.contributions import Calibrated
from halflabel.methods.decision import Decision, assume_frequency, decide_relevant


class PositiveOnlyEstimator(PartialLabelEstimator):
    """Base of the methods that learn from positive-only labels what is assigned, and predict what is relevant.

    A subclass has the parameter ``observed_rate``, and its ``fit`` passes labels through :meth:`_mark_unassigned`
    before :meth:`_enter`. It is fitted to labels with -1 for what was not assigned; when scores become probabilities
    and 0/1, these entries count as unknown again. Entries that a person has rejected (-1 in positive-only labels) are
    learned from in the same way, and are never filled in. Other labels are treated as in every method.
    """

    observed_rate: float | None
    positive_only_: bool
    _rejected: Mask | None = None

    _transductive: ClassVar[tuple[str, ...]] = (
        *PartialLabelEstimator._transductive,
        "assigned_probabilities_",
        "_known",
        "_rejected",
    )

    def assume(self, observed_rate: float | None) -> Assumption:
        """Return probabilities, thresholds and filled entries of the fitted items for another label frequency c.

        The fit itself stays the same, also if ``observed_rate`` was part of the criterion that chose its settings.
        """
        check_is_fitted(self)
        require_observed_rate(observed_rate)
        if not self.positive_only_:
            raise ValueError(
                "there is nothing to assume: these labels hold irrelevant entries, so that no positive is missing."
            )
        order = self._item_order
        scores, out_of_fold = self.label_scores_[order], self.out_of_fold_scores_[order]
        assumption = assume_frequency(self._known[order], scores, out_of_fold, observed_rate, self.resolve_rule())
        probabilities, filled = map(self._restore_order, (assumption.probabilities, assumption.filled))
        filled = filled if self._rejected is None else filled & ~self._rejected
        return replace(assumption, probabilities=probabilities, filled=filled)

    def _mark_unassigned(self, y: Any) -> Any:
        """Return positive-only labels with -1 for what was not assigned in an annotated item, others unchanged."""
        require_observed_rate(self.observed_rate)
        self.positive_only_ = isinstance(y, PartialLabels) and y.positive_only
        self._rejected = y.state < 0 if self.positive_only_ and (y.state < 0).any() else None
        return mark_unassigned(y) if self.positive_only_ else y

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        self._known = self._restore_order(labels)
        return super()._decide(labels, scores, out_of_fold)

    def _decision(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Decision:
        """Decide what is assigned, as for any labels; then, for positive-only labels, what is relevant."""
        decision = super()._decision(labels, scores, out_of_fold)
        if not self.positive_only_:
            return decision
        return decide_relevant(decision, labels, self.observed_rate, self.resolve_rule())

    def _apply_decision(
        self, scores: Floats, labels: PartialLabels, calibration: Calibrated, thresholds: Floats
    ) -> tuple[Mask, Floats]:
        """Lower the probability of an entry that was not assigned in an annotated item, as in :meth:`assume`."""
        relevant, p = super()._apply_decision(scores, labels, calibration, thresholds)
        if not self.positive_only_ or self.observed_rate is None:
            return relevant, p
        p = lower_unassigned(p, mark_unassigned(labels), self.observed_rate)
        return self.resolve_rule().apply(scores, p, thresholds), p

    def _store(self, decision: Decision) -> Self:
        if decision.assigned is not None:
            self.assigned_probabilities_ = self._restore_order(decision.assigned)
        super()._store(decision)
        if self._rejected is not None:
            self.transduction_ = np.where(self._rejected, 0, self.transduction_)
        return self
