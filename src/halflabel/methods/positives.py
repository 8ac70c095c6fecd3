"""Methods that learn from positive-only labels what is assigned, and predict what is relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.positive_only import Assumption, assigned, assume, require_observed_rate
from halflabel.methods.base import PartialLabelEstimator


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
