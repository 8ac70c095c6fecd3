"""The values of a completion: labels that were learned from, probabilities, and the filled entries that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask
from halflabel.completion.asked_frequency import AskedFrequency
from halflabel.completion.completed_frame import build_frame
from halflabel.completion.gap_sentences import describe_gaps, describe_ranked
from halflabel.corrections.correction import Given, ValidRows
from halflabel.corrections.fit import Fit
from halflabel.evidence.components import take_components
from halflabel.evidence.drawing import digest_table
from halflabel.evidence.lower_bounds import (
    MIN_P,
    ResampledCalibration,
    lower_irrelevant,
    lower_positives,
    lower_probabilities,
)
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fill_confident
from halflabel.labels.positive_only import LearnsFromPositives, mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.methods.auto import MixedLabeler
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.canonical_order import order_items
from halflabel.table import OpenTable


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The values of a completion, as arrays, and the table and fit that they come from.

    Everything is computed when it is first used. Random samples are drawn in canonical order, so that the order of the
    rows changes nothing.
    """

    #: The input: features, labels, roles, notes.
    opened: OpenTable
    #: The fitted method, and the corrections of its probabilities.
    fit: Fit
    #: The expected precision below which entries were left empty.
    min_precision: float | None = None
    #: Shape (n_items, n_labels). The given entries on which probabilities were fitted and are checked; None for all of
    #: them.
    calibrate_on: Mask | None = None
    #: Shape (n_items, n_labels). The labels after completion where answers and a frozen fit decide them; None where the
    #: fit does.
    delivered: NDArray[np.int8] | None = None
    #: The answers that estimate the label frequency, where it is asked for.
    asked_frequency: AskedFrequency | None = None

    @property
    def model(self) -> PartialLabelEstimator:
        """The fitted method, without corrections."""
        return self.fit.model

    @property
    def labels(self) -> PartialLabels:
        """The labels as they were given, without the labels that cannot be learned."""
        return self.opened.labels

    @property
    def rule(self) -> Rule:
        """The threshold rule that decided which entries are filled in as relevant."""
        return self.model.resolve_rule() if self.min_precision is None else Rule("precision", at=self.min_precision)

    @property
    def observed_rate(self) -> float | None:
        """The label frequency c that is assumed for positive-only labels, if any."""
        learns = isinstance(self.model, LearnsFromPositives | MixedLabeler)
        return self.model.observed_rate if learns else None

    @property
    def gaps(self) -> tuple[str, ...]:
        """The kinds of gap, and how each kind was filled, in sentences."""
        part, ranked = self.of_filled, [self.labels.names[j] for j in np.flatnonzero(self.ranked_only)]
        first = (*self.fit.counts, *((describe_ranked(ranked, self.observed_rate),) if ranked else ()))
        learned = part.learned_from if self.fit.has_targets else part.labels
        has = {"has_targets": self.fit.has_targets, "has_others": bool(ranked)}
        return describe_gaps(learned, part.model, self.rule, first, **has)

    @property
    def weights(self) -> sparse.csr_array | None:
        """The weights between items that the method used, if it used any."""
        return getattr(self.model, "weights_", None)

    # The labels that were learned from, and the values that follow.

    @cached_property
    def learned_from(self) -> PartialLabels:
        """The labels in the form that the method learns from: absent tags of an annotated item count as irrelevant."""
        return mark_unassigned(self.fit.targets if self.fit.has_targets else self.labels)

    @cached_property
    def calibrated_on(self) -> PartialLabels:
        """:attr:`learned_from` without the entries that probabilities were not fitted on.

        In a mixed table, it has no entry of the positive-only labels: none of them is known to be irrelevant.
        """
        if self.labels.is_mixed:
            return self.labels.hide(np.broadcast_to(self.labels.positives, self.labels.shape))
        return self.learned_from if self.calibrate_on is None else self.learned_from.hide(~self.calibrate_on)

    @property
    def checked_on(self) -> PartialLabels:
        """The entries that can show whether probabilities are calibrated.

        Labels that a correction made for the fit depend on the probabilities, so that only known entries can.
        """
        return self.labels if self.fit.has_targets else self.calibrated_on

    @property
    def ranked_only(self) -> Mask:
        """The labels that are ranked and not filled in: positive-only ones of a mixed table.

        With a label frequency they are filled in, unless a precision is asked for, which no known entry confirms.
        """
        unfilled = self.labels.is_mixed and (self.observed_rate is None or self.min_precision is not None)
        return np.asarray(self.labels.positives) & unfilled

    @property
    def of_filled(self) -> Self:
        """The evidence of the labels that are filled in, which do not depend on labels that are ranked only."""
        return self.of_checked if self.ranked_only.any() else self

    @cached_property
    def of_checked(self) -> Self:
        """The evidence of the labels with irrelevant entries in a mixed table: no other label has a quality."""
        if not self.labels.is_mixed:
            return self
        assert isinstance(self.model, MixedLabeler)  # no other method supports such tables
        kept = np.flatnonzero(~np.asarray(self.labels.positives))
        opened = self.opened.keep_labels([self.labels.names[j] for j in kept])
        delivered = None if self.delivered is None else self.delivered[:, kept]
        fit = self.fit.learn_again(self.model.first_, Given(opened), opened.labels)
        return replace(self, opened=opened, fit=fit, delivered=delivered)

    @property
    def probabilities(self) -> Floats:
        """Calibrated probabilities. For observed entries they are out of fold."""
        return self.fit.probabilities

    @cached_property
    def learned_probabilities(self) -> Floats:
        """Probabilities of relevance in :attr:`learned_from`. For positive-only labels, this is P(assigned)."""
        if self.labels.positive_only and isinstance(self.model, LearnsFromPositives):
            p: Floats = self.model.assume(None).probabilities
            return p
        return self.fit.predict_targets()

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """The labels after completion: +1 relevant, -1 irrelevant, 0 left unknown. Given entries do not change."""
        if self.delivered is not None:
            return self.delivered
        if self.ranked_only.any():
            state = self.labels.state.copy()
            state[:, ~self.ranked_only] = self.of_filled.state
            return state
        if self.min_precision is not None:
            filled = self.fill_at(self.min_precision)
        else:
            filled = np.where(self.fit.relevant, 1, -1).astype(np.int8)
        filled = np.where(self.labels.observed, self.labels.state, filled)
        return self._complete(filled) if filled.all() else filled

    def _complete(self, filled: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the completed labels, where given entries that the fit did not have may decide others."""
        margins = filled * (0.5 + np.abs(self.probabilities - 0.5))
        return np.where(self.valid_rows.decide(margins, self.labels.state), 1, -1).astype(np.int8)

    @property
    def valid_rows(self) -> ValidRows:
        """The rows of labels that are valid."""
        return self.fit.valid_rows

    @cached_property
    def written_state(self) -> NDArray[np.int8]:
        """:attr:`state` of all labels of the completed table: one that is not learned stays as it was given."""
        whole = self.opened.written_labels
        state = whole.state.copy()
        state[:, [whole.names.index(name) for name in self.labels.names]] = self.state
        return state

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The completed table as a DataFrame, whatever kind of object was given."""
        return build_frame(self.opened, self.written_state)

    @property
    def digest(self) -> str:
        """The SHA-256 of the completed labels, which a certificate names."""
        return digest_table(list(map(str, self.opened.index)), self.labels.names, self.state)

    def fill_at(self, precision: float, n_times: float = 1.0) -> NDArray[np.int8]:
        """Return the gaps that can be filled at a precision: +1 relevant, -1 irrelevant, 0 neither.

        Of each label and value, these are the most probable entries whose mean probability of being right reaches the
        precision. Probabilities of being relevant are lowered by their uncertainty, see
        :mod:`halflabel.evidence.lower_bounds`.

        With ``n_times``, the number of labelled items that calibrate counts as larger by this factor.
        """
        return self._fill_at(self.probabilities, precision, self.observed_rate, n_times)

    def _fill_at(self, p: Floats, precision: float, rate: float | None, n_times: float = 1.0) -> NDArray[np.int8]:
        """Return :meth:`fill_at` for other probabilities, such as those under another label frequency."""
        known, model, resampled = self.calibrated_on, self.model, self.resampled_calibration
        scores = np.where(self.learned_from.observed, model.out_of_fold_scores_, model.label_scores_)
        if self.labels.positive_only:
            relevant = lower_positives(p, known, scores, resampled, rate or 1.0, precision)
            irrelevant = 1 - p
        else:
            relevant, irrelevant = self._lower(p, known, scores, n_times)
        given, observed = self.labels.state, self.labels.observed
        filled = fill_confident(np.where(observed, np.nan, p), precision, relevant, irrelevant)
        return np.where(observed, 0, self.valid_rows.leave_open(np.where(observed, given, filled), given))

    def _lower(self, p: Floats, known: PartialLabels, scores: Floats, n_times: float) -> tuple[Floats, Floats]:
        """Return lower probabilities of being relevant and of being irrelevant.

        Both include the uncertainty of the calibration, and of the rate among the gaps if they have their own.
        """
        resampled, before = self.resampled_calibration, self.fit.before_estimate if self.fit.estimates_gaps else p
        lower = lower_probabilities(before, known, scores, resampled, n_times, least=0.0)
        irrelevant = lower_irrelevant(before, scores, resampled, n_times)
        relevant = np.where(p >= MIN_P, self.fit.vary_estimate(lower, -1.0), 0.0)
        return relevant, 1 - self.fit.vary_estimate(1 - irrelevant, 1.0)

    @property
    def broken(self) -> list[Mask]:
        """The given entries that break a rule between labels, for each rule that is broken."""
        return [entries for _, entries in self.broken_rules]

    @cached_property
    def broken_rules(self) -> list[tuple[str, Mask]]:
        """The rules between labels that given entries break, each with these entries."""
        return self.valid_rows.mark_broken(self.labels.state)

    # Samples in canonical order.

    @cached_property
    def resampled_calibration(self) -> ResampledCalibration | None:
        """Calibrations of bootstrap samples of the labelled items, or None if nothing was held out."""
        model, order = self.model, self._order
        folds = getattr(model, "folds_", None)
        return ResampledCalibration.fit(
            self.calibrated_on[order],
            model.label_scores_[order],
            model.out_of_fold_scores_[order],
            folds if folds is None else folds[order],
            np.random.default_rng(0),
            self._groups,
        )

    @property
    def _groups(self) -> Ints | None:
        """The groups of the items in canonical order, or None without groups."""
        return None if self.opened.groups is None else self.opened.groups[self._order]

    @cached_property
    def _order(self) -> Ints:
        """The positions of the items in canonical order."""
        return order_items(self.opened.X, self.learned_from)

    @cached_property
    def _components(self) -> Floats:
        """Principal components of the items in canonical order."""
        return take_components(self.opened.X[self._order], np.random.default_rng(0))
