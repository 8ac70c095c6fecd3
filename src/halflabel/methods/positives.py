"""The base of methods for positive-only labels, which learn P(assigned) and predict P(relevant)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated, fit_platt
from halflabel.labels.positive_only import Assumption, mark_unassigned, require_observed_rate
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.decision import Decision, assume_frequency, decide, decide_new, decide_relevant


class PositiveOnlyEstimator(PartialLabelEstimator):
    """Base of the methods for positive-only labels, which learn P(assigned) and predict P(relevant).

    A subclass has the parameter ``observed_rate``, and its ``fit`` passes labels through :meth:`_mark_unassigned`
    before :meth:`_enter`. It is fitted to labels with -1 for labels that were not assigned. When scores become
    probabilities and 0/1, these entries count as unknown again. Entries that a person has rejected (-1 in positive-only
    labels) are learned from in the same way, and are never filled in. Other labels are treated as in every method.
    """

    observed_rate: float | None
    positive_only_: bool
    _rejected: Mask | None = None

    #: The position of each label in the canonical order, for a method that is fitted in it.
    _label_place: Any = None

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
        # In the order of the fit, so that the frequency of the fit gives the bits of the fit.
        place = np.arange(self.label_scores_.shape[1]) if self._label_place is None else self._label_place
        rows, columns = self._item_order, np.argsort(place)
        scores, out_of_fold = (table[np.ix_(rows, columns)] for table in (self.label_scores_, self.out_of_fold_scores_))
        known = self._known[rows].select(columns)
        assumption = assume_frequency(known, scores, out_of_fold, observed_rate, self.resolve_rule(), self._calibrate)
        tables = (np.take(table, place, axis=1) for table in (assumption.probabilities, assumption.filled))
        probabilities, filled = map(self._restore_order, tables)
        filled = filled if self._rejected is None else filled & ~self._rejected
        calibration, thresholds = assumption.calibration.select(place), assumption.thresholds[place]
        return Assumption(observed_rate, calibration, probabilities, thresholds, filled)

    def _calibrate(self, scores: Floats, labels: PartialLabels, /, *, ceiling: float) -> Calibrated:
        """Return the calibration of the fit under another label frequency, with items and labels in its order."""
        return fit_platt(scores, labels, ceiling=ceiling)

    def _mark_unassigned(self, y: Any) -> Any:
        """Return positive-only labels with -1 for unassigned labels of annotated items. Other labels do not change."""
        require_observed_rate(self.observed_rate)
        self.positive_only_ = isinstance(y, PartialLabels) and y.positive_only
        self._rejected = y.state < 0 if self.positive_only_ and (y.state < 0).any() else None
        return mark_unassigned(y) if self.positive_only_ else y

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        """Decide which entries are assigned, as for any labels. Of positive-only labels, decide which are relevant."""
        decision = decide(labels, scores, out_of_fold, self.resolve_rule())
        if self.positive_only_:
            decision = decide_relevant(decision, labels, self.observed_rate, self.resolve_rule())
        return self._store(decision, labels)

    def _decide_new(self, scores: Floats, labels: PartialLabels | None = None) -> tuple[Mask, Floats]:
        """Lower the probability of an entry that was not assigned in an annotated item, as in :meth:`assume`."""
        return self._decide_by(self.calibration_, self.thresholds_, scores, labels)

    def _decide_by(
        self, calibration: Calibrated, thresholds: Floats, scores: Floats, labels: PartialLabels | None
    ) -> tuple[Mask, Floats]:
        known = mark_unassigned(labels) if self.positive_only_ and labels is not None else None
        return decide_new(scores, self.resolve_rule(), calibration, thresholds, known, self.observed_rate)

    def _store(self, decision: Decision, labels: PartialLabels) -> Self:
        self._known = self._restore_order(labels)
        if decision.assigned is not None:
            self.assigned_probabilities_ = self._restore_order(decision.assigned)
        super()._store(decision, labels)
        if self._rejected is not None:
            self.transduction_ = np.where(self._rejected, 0, self.transduction_)
        return self
