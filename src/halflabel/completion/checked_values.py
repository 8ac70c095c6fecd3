"""The results of the checks on the probabilities of a completion, and the numbers that may be printed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel.completion.values import Values
from halflabel.evidence.calibration_error import measure_calibration
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.missed_items import count_lacking_items
from halflabel.evidence.rate_changes import check_rates
from halflabel.evidence.selection import is_selected
from halflabel.evidence.warnings import (
    Result,
    collect_warnings,
    describe_broken,
    describe_correction,
    describe_share,
    find_contradictions,
    is_exceeded,
)
from halflabel.labels.positive_only import LearnsFromPositives

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)


class CheckedValues(Values):
    """The values of a completion with the results of the checks."""

    @cached_property
    def warnings(self) -> list[Result]:
        """The results of all checks, the most serious first: code, level (warning, caution, note or fine), ..."""
        if self.of_filled is not self:
            return self.of_filled.warnings
        notes, changes = self.opened.notes, [*self.correction, *self._rate_changes]
        others = describe_broken({rule: int(at.any(axis=1).sum()) for rule, at in self.broken_rules})
        if self.labels.is_mixed and self.observed_rate is not None:
            names = [self.labels.names[j] for j in np.flatnonzero(self.labels.positives)]
            others = [*others, describe_share(names, self.observed_rate)]
        given: dict[str, Any] = {"drift": self.drift, "notes": notes, "correction": changes, "others": others}
        given["accepted"] = self.opened.description.accept
        return collect_warnings(self.learned_from, **given, **self._checked)

    @property
    def _rate_changes(self) -> list[Result]:
        """The warning about labels with another share of relevant entries in the gaps, unless another check has it."""
        if self.learned_from.positive_only or self.labels.positive_only or self.correction or self.is_selected:
            return []
        return check_rates(self.learned_from, self.learned_probabilities)

    @cached_property
    def contradictions(self) -> list[Result]:
        """The :attr:`warnings` that contradict the probabilities of gaps."""
        if self.of_filled is not self:
            return self.of_filled.contradictions
        return find_contradictions(**self._checked)

    @cached_property
    def correction(self) -> list[Result]:
        """The finding, the assumption and the change, where the rates among the gaps were estimated."""
        return list(map(describe_correction, self.fit.sentences))

    @cached_property
    def _checked(self) -> dict[str, Any]:
        quality = measure_calibration(self.checked_on, self.learned_probabilities)
        selected = self.is_selected and not self.fit.estimates_gaps
        checked: dict[str, Any] = {"quality": quality, "positive": self.describe_frequency(), "selected": selected}
        checked["voted"], checked["doubt"] = self.fit.has_targets, self.fit.doubt
        return checked | {"groups": self._count_labelled_groups()}

    def _count_labelled_groups(self) -> int | None:
        """Return the number of groups that labelled items are of, or None without groups."""
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
        p = self.fit.predict_targets(corrects_gaps=False)
        return not self.labels.positive_only and is_selected(self.calibrated_on.observed, p)

    @cached_property
    def drift(self) -> float | None:
        """How well labelled and unlabelled items can be separated (area under the ROC curve), or None."""
        return measure_drift(self._components, self.learned_from.unlabelled[self._order], np.random.default_rng(0))

    # Positive-only labels.

    def describe_frequency(self) -> dict[str, Any] | None:
        """Return the label frequency of positive-only labels, and the counts that can contradict it."""
        if not self.labels.positive_only:
            return None
        c = self.observed_rate
        return {"observed_rate": c, "above": self._count_above(1.0 if c is None else c), "lacking": self._lacking}

    @cached_property
    def _lacking(self) -> int:
        """The expected number of annotated items that look unlabelled, because all of their labels were missed."""
        whole = self.opened.written_labels
        assigned, unlabelled = whole.relevant.sum(axis=1)[whole.annotated], int((~whole.annotated).sum())
        return 0 if self.observed_rate is None else count_lacking_items(assigned, unlabelled, self.observed_rate)

    def _count_above(self, rate: float) -> dict[str, int]:
        """Return the number of annotated entries with a probability of being assigned above c, and of assigned ones."""
        above = self.learned_from.observed & (self.learned_probabilities > rate)
        return {"entries": int(above.sum()), "assigned": int((above & self.labels.relevant).sum())}

    @cached_property
    def assumptions(self) -> pd.DataFrame:
        """For positive-only labels, the effect of the label frequency c.

        Columns: observed_rate, filled (gaps filled in as relevant), expected (relevant entries expected among the
        gaps; missing where more was assigned than c), threshold (on the probability of being relevant, its mean over
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
        exceeded = is_exceeded(**self._count_above(rate), observed_rate=rate)
        expected = np.nan if exceeded else float(found.probabilities[~self.labels.observed].sum())
        return [rate, int(filled.sum()), expected, cut]
