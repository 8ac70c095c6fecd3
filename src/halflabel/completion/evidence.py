"""The evidence of a completion: each number that the report, the page and the command print about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel.completion.completed_frame import build_frame
from halflabel.completion.facts import collect_facts, collect_predictions
from halflabel.completion.gap_sentences import describe_gaps, describe_ranked
from halflabel.corrections.correction import Given
from halflabel.corrections.fit import Fit
from halflabel.evidence.checks import Facts, Result, check, contradicts, rank_results
from halflabel.evidence.components import take_components
from halflabel.evidence.doubts import rank_doubts
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.expected_errors import estimate_errors
from halflabel.evidence.filled_samples import sample_filled
from halflabel.evidence.suspects import rank_missing, rank_suspects
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import LearnsFromPositives, mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.methods.auto import MixedLabeler
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.canonical_order import order_items
from halflabel.table import OpenTable

if TYPE_CHECKING:
    from halflabel.completion.asked_frequency import AskedFrequency
    from halflabel.evidence.lower_bounds import ResampledCalibration

#: Number of given values of yes that a label needs for a number of its own.
MIN_YES = 5


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """A table, the fit to it, and everything that follows, one step after the other, each computed when it is used.

    The steps are the labels that were learned from, the probabilities, the filled values, the results of checks, and
    the tables that a person reads. Random samples are drawn in canonical order, so that the order of the rows changes
    nothing.
    """

    #: The input: features, labels, roles, notes.
    opened: OpenTable
    #: The fitted method, and the corrections of its probabilities.
    fit: Fit
    #: The expected precision below which entries were left empty.
    min_precision: float | None = None
    #: Shape (n_items, n_labels). The labels after completion, if answers and a frozen fit decide them.
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
    def not_by_chance(self) -> Result | None:
        """The check that contradicts that known entries represent the gaps, if any."""
        return next((each for each in self.contradictions if each["code"] != "calibration"), None)

    @property
    def counts(self) -> tuple[str, ...]:
        """Sentences about the entries that corrections decide. The first one has no rate of known entries."""
        holds = self.fit.doubt or self.not_by_chance is None
        return self.fit.counts[: None if holds else 1]

    @property
    def gaps(self) -> tuple[str, ...]:
        """The decision about the gaps, in sentences."""
        part, ranked = self.of_filled, [self.labels.names[j] for j in np.flatnonzero(self.ranked_only)]
        first = (*self.counts, *((describe_ranked(ranked, self.observed_rate),) if ranked else ()))
        learned = part.learned_from if self.fit.has_targets else part.labels
        return describe_gaps(learned, part.model, self.rule, first, has_targets=self.fit.has_targets)

    @cached_property
    def learned_from(self) -> PartialLabels:
        """The labels in the form that the method learns from: absent tags of an annotated item count as irrelevant."""
        return mark_unassigned(self.fit.targets if self.fit.has_targets else self.labels)

    @property
    def measured_on(self) -> PartialLabels:
        """The entries that show how right probabilities are.

        Labels that a correction made for the fit depend on the probabilities, so that only known entries can.
        """
        return self.labels if self.fit.has_targets else self.learned_from

    @cached_property
    def calibrated_on(self) -> PartialLabels:
        """:attr:`measured_on` without the entries that probabilities were not fitted on.

        In a mixed table, it has no entry of the positive-only labels: none of them is known to be irrelevant.
        """
        if self.labels.is_mixed:
            return self.labels.hide(np.broadcast_to(self.labels.positives, self.labels.shape))
        measured, calibrate_on = self.measured_on, self.fit.calibrate_on
        return measured if calibrate_on is None else measured.hide(~calibrate_on)

    @property
    def ranked_only(self) -> Mask:
        """The labels that are ranked and not filled in: positive-only ones of a mixed table.

        With a label frequency they are filled in, unless a precision is asked for, which no known entry confirms.
        """
        unfilled = self.labels.is_mixed and (self.observed_rate is None or self.min_precision is not None)
        return np.asarray(self.labels.positives) & unfilled

    @property
    def of_filled(self) -> Evidence:
        """The evidence of the labels that are filled in, which do not depend on labels that are ranked only."""
        return self.of_checked if self.ranked_only.any() else self

    @cached_property
    def of_checked(self) -> Evidence:
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
        return self.fit.probabilities

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
        return np.where(self.fit.valid_rows.decide(margins, self.labels.state), 1, -1).astype(np.int8)

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
        from halflabel.evidence.random_order import digest_table  # imported here, as below: few completions need it

        return digest_table(list(map(str, self.opened.index)), self.labels.names, self.state)

    def fill_at(self, precision: float) -> NDArray[np.int8]:
        """Return the gaps that can be filled at a precision, see :func:`halflabel.completion.sure_values.fill_sure`."""
        from halflabel.completion.sure_values import fill_sure

        learned = self.labels, self.learned_from, self.calibrated_on, self.resampled_calibration
        return fill_sure(self.fit, *learned, precision, self.observed_rate)

    @cached_property
    def broken(self) -> list[Mask]:
        """The given entries that break a rule between labels, for each rule that is broken."""
        return [entries for _, entries in self.fit.valid_rows.mark_broken(self.labels.state)]

    @cached_property
    def order(self) -> Ints:
        """The positions of the items in canonical order."""
        return order_items(self.opened.X, self.learned_from)

    @cached_property
    def components(self) -> Floats:
        """Principal components of the items in canonical order."""
        return take_components(self.opened.X[self.order], np.random.default_rng(0))

    @property
    def ordered_groups(self) -> Ints | None:
        """The groups of the items in canonical order."""
        return None if self.opened.groups is None else self.opened.groups[self.order]

    @cached_property
    def resampled_calibration(self) -> ResampledCalibration | None:
        """Calibrations of bootstrap samples of the labelled items, or None if nothing was held out."""
        from halflabel.completion.sure_values import resample_calibration

        return resample_calibration(self.model, self.calibrated_on, self.order, self.ordered_groups)

    @cached_property
    def facts(self) -> Facts:
        """The facts that checks read."""
        drift = measure_drift(self.components, self.measured_on.unlabelled[self.order], np.random.default_rng(0))
        learned = self.measured_on, self.calibrated_on, self.learned_probabilities
        return collect_facts(self.opened, self.fit, *learned, self.observed_rate, drift)

    @cached_property
    def results(self) -> list[Result]:
        """The results of all checks, of which each list and number below is made."""
        return check(self.of_filled.facts)

    @property
    def warnings(self) -> list[Result]:
        """The results of all checks, the most serious first: code, level (warning, caution, note or fine), ..."""
        return rank_results(self.results, self.opened.description.accept)

    @property
    def contradictions(self) -> list[Result]:
        """The :attr:`warnings` that contradict the probabilities of gaps."""
        return [each for each in self.results if contradicts(each)]

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
    def suspects(self) -> pd.DataFrame:
        """The given entries, or the probable missing positives, the most probably wrong first, with ids of items."""
        if self.labels.positive_only:
            ranked = rank_missing(self.labels, self.probabilities)
        else:
            part = self.of_filled
            ranked = rank_suspects(part.labels, part.probabilities, part.broken)
        return self.opened.name_items(ranked)

    @cached_property
    def doubts(self) -> pd.DataFrame:
        """The entries that a person should check, without a limit: position, column, suggested, reason, gain."""
        part, kept = self.of_filled, np.flatnonzero(~self.ranked_only)
        found = rank_doubts(part.labels, part.state, part.probabilities, part.learned_probabilities, part.broken)
        return found.assign(column=kept[found["column"].to_numpy(dtype=int)])

    def sample_filled(self, n: int, random_state: int = 0) -> pd.DataFrame:
        """Return ``n`` random filled entries: position, column. The order of items and labels decides nothing.

        See :func:`halflabel.evidence.filled_samples.sample_filled`.
        """
        rows, columns = self.order, np.argsort(np.array(self.labels.names), kind="stable")
        filled = np.where(self.labels.observed, 0, self.state)[np.ix_(rows, columns)]
        chosen = sample_filled(filled.astype(np.int8), n, random_state)
        return chosen.assign(position=rows[chosen["position"]], column=columns[chosen["column"]])

    def find_nearest(self, row: int, among: Ints, n: int) -> Ints:
        """Return the ``n`` items that are nearest to an item by their principal components, of some items."""
        places = np.empty_like(self.components)
        places[self.order] = self.components
        apart = ((places[among] - places[row]) ** 2).sum(axis=1)
        return among[np.argsort(apart, kind="stable")[:n]]

    def next_to_label(self, n: int) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: item, bits, unknown."""
        from halflabel.evidence.questions import rank_questions

        order, rng = self.order, np.random.default_rng(0)
        labels, p = self.of_filled.labels, self.of_filled.probabilities
        ranked = rank_questions(labels[order], p[order], self.components, n, rng)
        return self.opened.name_items(ranked.assign(position=order[ranked["position"]]))

    @cached_property
    def expected_errors(self) -> pd.DataFrame:
        """:attr:`estimated_errors`, without numbers that a check contradicts, and of labels with few values of yes."""
        part, table = self.of_filled, self.estimated_errors.copy()
        few = np.append(part.labels.relevant.sum(axis=0) < MIN_YES, False)  # the last row is of all labels
        table.loc[few | (not part.has_precision), ["expected", "low", "high"]] = np.nan
        return table

    @cached_property
    def estimated_errors(self) -> pd.DataFrame:
        """The number of filled entries that are expected to be wrong by the probabilities, per label and in all."""
        if self.of_filled is not self:
            return self.of_filled.estimated_errors
        return self._estimate_errors(np.where(self.labels.observed, 0, self.state))

    def expect_errors_in(self, value: int) -> pd.Series:
        """Return the row of all labels of :attr:`estimated_errors` for the gaps filled as +1 or as -1 alone."""
        return self._estimate_errors(np.where(self.labels.observed | (self.state != value), 0, value)).iloc[-1]

    def _estimate_errors(self, filled: NDArray[np.int64]) -> pd.DataFrame:
        order, c = self.order, (self.observed_rate or 1.0) if self.labels.positive_only else 1.0
        known, asked = self.calibrated_on, self.opened.asked
        if asked is not None and self.opened.brought.any():  # answers that a queue chose are not a sample of the gaps
            known = known.hide(asked)
        return estimate_errors(
            known[order],
            filled[order].astype(np.int8),
            self.probabilities[order],
            collect_predictions(self.fit, self.learned_probabilities, order, c),
            self.learned_from.unlabelled[order],
            self.fit.deviation[order],
            self.ordered_groups,
        )
