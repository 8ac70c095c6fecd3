"""The results of the checks on the probabilities of a completion, and the numbers that may be printed."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel.completion.values import Values
from halflabel.corrections.fit import find_held_out
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.missed_items import count_lacking_items
from halflabel.evidence.selection import is_selected
from halflabel.evidence.warnings import (
    Result,
    check,
    contradicts,
    count_above,
    is_exceeded,
    rank_results,
)
from halflabel.labels.positive_only import LearnsFromPositives

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)

#: Checks of the stated label frequency, or of P(assigned): they do not contradict the values for other frequencies.
OF_STATED_RATE = ("more-assigned", "look-unlabelled", "calibration")


class CheckedValues(Values):
    """The values of a completion with the results of the checks."""

    @cached_property
    def results(self) -> list[Result]:
        """The results of all checks, of which each list and number below is made."""
        return check(self.of_filled)

    @property
    def warnings(self) -> list[Result]:
        """The results of all checks, the most serious first: code, level (warning, caution, note or fine), ..."""
        return rank_results(self.results, self.opened.description.accept)

    @property
    def contradictions(self) -> list[Result]:
        """The :attr:`warnings` that contradict the probabilities of gaps."""
        return [each for each in self.results if contradicts(each)]

    @property
    def correction(self) -> list[Result]:
        """The finding, the assumption and the change, where the rates among the gaps were estimated."""
        return [each for each in self.results if each["code"] == "known-by-value"]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes from reading the table."""
        return self.opened.notes

    @property
    def n_groups(self) -> int | None:
        """The number of groups that labelled items are of, or None without groups."""
        groups = self.opened.groups
        return None if groups is None else len(np.unique(groups[~self.learned_from.unlabelled]))

    @property
    def has_precision(self) -> bool:
        """Whether percentages that depend on probabilities of gaps are printed: not if a check contradicts them."""
        is_assigned = self.labels.positive_only and self.observed_rate is None
        return not is_assigned and not self.contradictions

    @property
    def printed_probabilities(self) -> Floats:
        """The probabilities that a person reads. Gaps have none if a check contradicts them."""
        return (
            np.where(~self.labels.observed, np.nan, self.probabilities) if self.contradictions else self.probabilities
        )

    @cached_property
    def is_selected(self) -> bool:
        """Whether known entries differ from gaps, so that they were probably chosen because of their value."""
        if self.of_filled is not self:
            return self.of_filled.is_selected
        if self.labels.positive_only:
            return False
        known = self.calibrated_on.observed & find_held_out(self.model)
        return is_selected(known, self.fit.predict_targets(corrects_gaps=False))

    @cached_property
    def drift(self) -> float | None:
        """How well labelled and unlabelled items can be separated (area under the ROC curve), or None."""
        return measure_drift(self._components, self.learned_from.unlabelled[self._order], np.random.default_rng(0))

    # Positive-only labels.

    @cached_property
    def lacking(self) -> int:
        """The expected number of annotated items that look unlabelled, because all of their labels were missed."""
        whole = self.opened.written_labels
        assigned, unlabelled = whole.relevant.sum(axis=1)[whole.annotated], int((~whole.annotated).sum())
        return 0 if self.observed_rate is None else count_lacking_items(assigned, unlabelled, self.observed_rate)

    @cached_property
    def assumptions(self) -> pd.DataFrame:
        """For positive-only labels, the effect of the label frequency c.

        Columns: observed_rate, filled (gaps filled in as relevant), expected (relevant entries expected among the
        gaps; missing where a check contradicts it), threshold (on the probability of being relevant, its mean over
        labels; missing where a precision decides instead). Empty for other labels.
        """
        columns = ["observed_rate", "filled", "expected", "threshold"]
        if not self.labels.positive_only or not isinstance(self.model, LearnsFromPositives):
            return pd.DataFrame(columns=columns)
        rates = sorted({*USUAL_RATES, self.observed_rate or 1.0})
        return pd.DataFrame([self._assume(self.model, rate) for rate in rates], columns=columns)

    def _assume(self, model: LearnsFromPositives, rate: float) -> list[float]:
        found = model.assume(rate)
        filled, cut = found.filled, float(found.thresholds.mean())
        if self.min_precision is not None:
            filled, cut = self._fill_at(found.probabilities, self.min_precision, rate) > 0, np.nan
        others = [each for each in self.contradictions if each["code"] not in OF_STATED_RATE]
        against = others or is_exceeded(**count_above(self, rate), observed_rate=rate)
        expected = np.nan if against else float(found.probabilities[~self.labels.observed].sum())
        return [rate, int(filled.sum()), expected, cut]
