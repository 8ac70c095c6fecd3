"""Methods that learn from positive-only labels what is assigned, and predict what is relevant."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import Assumption, mark_unassigned, require_observed_rate
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.decision import Decision, assume_frequency, decide_relevant


class AnswersFromPositives(PartialLabelEstimator):
    """Base of the methods that learn from positive-only labels what is assigned, and answer what is relevant.

    A subclass has the parameter ``observed_rate`` and passes labels through :meth:`_assigned` on their way into
    ``fit``. It learns them as :func:`mark_unassigned` codes them; what was only not assigned is open again when scores
    become answers. Other labels are learned and answered as ever.
    """

    observed_rate: float | None
    positive_only_: bool

    _transductive: ClassVar[tuple[str, ...]] = (
        *PartialLabelEstimator._transductive,
        "assigned_probabilities_",
        "_known",
    )

    def assume(self, observed_rate: float | None) -> Assumption:
        """Return what the fit to positive-only labels says about its items under another ``observed_rate``.

        What was learned stays as it is, also where a criterion that chose settings counted with ``observed_rate``.
        """
        check_is_fitted(self)
        require_observed_rate(observed_rate)
        if not self.positive_only_:
            raise ValueError("there is nothing to assume: these labels hold irrelevant entries, none was forgotten.")
        return assume_frequency(self._known, self.label_scores_, self.out_of_fold_scores_, observed_rate, self._rule())

    def _assigned(self, y: Any) -> Any:
        """Return labels as they are learned: what was not assigned in an annotated item as irrelevant."""
        require_observed_rate(self.observed_rate)
        self.positive_only_ = isinstance(y, PartialLabels) and y.positive_only
        return mark_unassigned(y) if self.positive_only_ else y

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        self._known = labels
        return super()._decide(labels, scores, out_of_fold)

    def _decision(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Decision:
        """Decide as for any labels; then decide again which entries of positive-only labels are relevant."""
        decision = super()._decision(labels, scores, out_of_fold)
        if not self.positive_only_:
            return decision
        return decide_relevant(decision, labels, self.observed_rate, self._rule())

    def _store(self, decision: Decision) -> Self:
        if decision.assigned is not None:
            self.assigned_probabilities_ = decision.assigned
        return super()._store(decision)
