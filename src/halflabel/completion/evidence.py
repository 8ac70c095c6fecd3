"""The evidence of a completion: each number that the report, the page and the command print about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask
from halflabel.completion.asked_frequency import AskedFrequency
from halflabel.completion.completed_frame import build_frame
from halflabel.completion.gap_sentences import describe_gaps
from halflabel.completion.sources import Sources
from halflabel.evidence.calibration_error import measure_calibration
from halflabel.evidence.components import take_components
from halflabel.evidence.doubts import rank_doubts
from halflabel.evidence.drawing import digest_table
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.expected_errors import estimate_errors
from halflabel.evidence.filled_samples import sample_filled
from halflabel.evidence.kinds import KINDS, classify_entries, count_gaps
from halflabel.evidence.lower_bounds import (
    MIN_P,
    ResampledCalibration,
    lower_irrelevant,
    lower_positives,
    lower_probabilities,
)
from halflabel.evidence.missed_items import count_lacking_items
from halflabel.evidence.optimism import measure_optimism
from halflabel.evidence.questions import rank_questions
from halflabel.evidence.rate_changes import check_rates
from halflabel.evidence.selection import is_selected
from halflabel.evidence.suspects import rank_missing, rank_suspects
from halflabel.evidence.warnings import (
    Result,
    collect_warnings,
    describe_broken,
    describe_correction,
    find_contradictions,
    is_exceeded,
)
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fill_confident
from halflabel.labels.label_rules import LabelRule
from halflabel.labels.positive_only import LearnsFromPositives, mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.methods.auto import MEMBERS, AutoLabeler, MixedLabeler
from halflabel.methods.auto.kept import KeptFit
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.canonical_order import order_items
from halflabel.methods.valid_labels import ValidLabels, find_valid_labels
from halflabel.table import OpenTable

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The evidence of a completion, as arrays and as tables of pandas.

    Everything is computed when it is first used. Random samples are drawn in canonical order, so that the order of the
    rows changes nothing.

    Parameters
    ----------
    opened : OpenTable
        The input: features, labels, roles, notes.
    model : PartialLabelEstimator
        The fitted method.
    min_precision : float or None
        The expected precision below which entries were left empty.
    calibrate_on : ndarray of bool, shape (n_items, n_labels), or None
        The given entries on which probabilities were fitted and are checked; None for all of them.
    delivered : ndarray of int8, shape (n_items, n_labels), or None
        The labels after completion where answers and a frozen fit decide them; None where the fit does.
    as_known : PartialLabelEstimator, optional
        The fitted method before the probabilities of gaps were shifted to a rate of their own, if they were.
    kept_fit : KeptFit, optional
        The fit that the method was updated from, if it was.
    sources : Sources, optional
        The error rates of the sources, where entries have votes of several people or models.
    asked_frequency : AskedFrequency, optional
        The answers that estimate the label frequency, where it is asked for.
    """

    opened: OpenTable
    model: PartialLabelEstimator
    min_precision: float | None = None
    calibrate_on: Mask | None = None
    delivered: NDArray[np.int8] | None = None
    as_known: PartialLabelEstimator | None = None
    kept_fit: KeptFit | None = None
    sources: Sources | None = None
    asked_frequency: AskedFrequency | None = None

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
        voted = () if self.sources is None else self.sources.sentences
        return describe_gaps(self.labels if self.sources is None else self.learned_from, self.model, self.rule, voted)

    @property
    def weights(self) -> sparse.csr_array | None:
        """The weights between items that the method used, if it used any."""
        return getattr(self.model, "weights_", None)

    @cached_property
    def kept(self) -> KeptFit:
        """The last fit to all entries, which can learn further ones."""
        model = self.as_known or self.model
        if not isinstance(model, AutoLabeler):
            raise ValueError(
                f"{type(model).__name__} has no update: give all answers to complete(..., review=answers), a new fit."
            )
        return self.kept_fit or KeptFit(model, self.opened.X, self.labels, self.opened.groups)

    # The labels that were learned from, and the values that follow.

    @cached_property
    def learned_from(self) -> PartialLabels:
        """The labels in the form that the method learns from: absent tags of an annotated item count as irrelevant.

        Of entries with votes, it is the more probable value.
        """
        if self.sources is not None:
            return self.sources.consensus
        return mark_unassigned(self.labels)

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
        """The entries that can show whether probabilities are calibrated: with votes, only known entries.

        The more probable value of an entry with votes depends on the probabilities.
        """
        return self.calibrated_on if self.sources is None else self.labels

    @property
    def ranked_only(self) -> Mask:
        """The labels that are ranked and not filled in: positive-only ones of a mixed table.

        With a label frequency they are filled in, unless a precision is asked for, which no known entry confirms.
        """
        unfilled = self.labels.is_mixed and (self.observed_rate is None or self.min_precision is not None)
        return np.asarray(self.labels.positives) & unfilled

    @cached_property
    def of_filled(self) -> Evidence:
        """The evidence of the labels that are filled in, which do not depend on labels that are ranked only."""
        if not self.ranked_only.any():
            return self
        assert isinstance(self.model, MixedLabeler)  # no other method supports such tables
        kept = np.flatnonzero(~self.ranked_only)
        opened = self.opened.keep_labels([self.labels.names[j] for j in kept])
        delivered = None if self.delivered is None else self.delivered[:, kept]
        return replace(self, opened=opened, model=self.model.first_, delivered=delivered).obey_rules()

    @property
    def probabilities(self) -> Floats:
        """Calibrated probabilities. For observed entries they are out of fold."""
        p: Floats = self.model.label_probabilities_
        return p

    @cached_property
    def learned_probabilities(self) -> Floats:
        """Probabilities of relevance in :attr:`learned_from`. For positive-only labels, this is P(assigned).

        With votes, they are the probabilities by the features alone.
        """
        if self.sources is not None:
            return self.sources.fit.prior
        if self.labels.positive_only and isinstance(self.model, LearnsFromPositives):
            p: Floats = self.model.assume(None).probabilities
            return p
        return self.probabilities

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
            answer = np.asarray(self.model.transduction_).reshape(self.labels.shape)
            filled = np.where(answer == 1, 1, -1).astype(np.int8)
        filled = np.where(self.labels.observed, self.labels.state, filled)
        return filled if self.valid_labels is None or not filled.all() else self._correct(filled, self.valid_labels)

    def _correct(self, filled: NDArray[np.int8], valid: ValidLabels) -> NDArray[np.int8]:
        """Return the completed labels, where given entries that the fit did not have may decide others by the rules."""
        margins = filled * (0.5 + np.abs(self.probabilities - 0.5))
        return np.where(valid.decide(margins, self.labels.state), 1, -1).astype(np.int8)

    def obey_rules(self) -> Evidence:
        """Return the evidence with probabilities and filled entries that obey the rules of the table between labels."""
        rules = self.opened.rules
        return replace(self, model=self.model.obey(rules, self.labels)) if rules.rules else self

    @property
    def valid_labels(self) -> ValidLabels | None:
        """The labels that obey the rules between labels, or None without rules."""
        rules = getattr(self.model, "label_rules_", None)
        return None if rules is None else find_valid_labels(rules)

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

        Parameters
        ----------
        precision : float in (0.5, 1)
        n_times : float, default=1
            As if the number of labelled items that calibrate were larger by this factor.
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
        filled = fill_confident(np.where(self.labels.observed, np.nan, p), precision, relevant, irrelevant)
        if self.valid_labels is None:
            return filled
        given, observed = self.labels.state, self.labels.observed
        return np.where(observed, 0, self.valid_labels.leave_open(np.where(observed, given, filled), given))

    def _lower(self, p: Floats, known: PartialLabels, scores: Floats, n_times: float) -> tuple[Floats, Floats]:
        """Return lower probabilities of being relevant and of being irrelevant.

        Both include the uncertainty of the calibration, and of the rate among the gaps if they have their own.
        """
        resampled = self.resampled_calibration
        shift = None if self.as_known is None else self.model.shift_
        if self.as_known is None or shift is None:
            lower = lower_probabilities(p, known, scores, resampled, n_times)
            return lower, lower_irrelevant(p, scores, resampled, n_times)
        before, has_known = self.as_known.label_probabilities_, ~self.labels.unlabelled
        lower = lower_probabilities(before, known, scores, resampled, n_times, least=0.0)
        irrelevant = lower_irrelevant(before, scores, resampled, n_times)
        relevant = np.where(p >= MIN_P, shift.vary(lower, has_known, -1.0), 0.0)
        return relevant, 1 - shift.vary(1 - irrelevant, has_known, 1.0)

    @property
    def broken(self) -> list[Mask]:
        """The given entries that break a rule between labels, for each rule that is broken."""
        return [entries for _, entries in self.broken_rules]

    @cached_property
    def broken_rules(self) -> list[tuple[LabelRule, Mask]]:
        """The rules between labels that given entries break, each with these entries."""
        return [] if self.valid_labels is None else self.valid_labels.mark_broken(self.labels.state)

    # The results of the checks.

    @cached_property
    def warnings(self) -> list[Result]:
        """The results of all checks, the most serious first: code, level (warning, caution, note or fine), ..."""
        if self.of_filled is not self:
            return self.of_filled.warnings
        notes, changes = self.opened.notes, [*self.correction, *self._rate_changes]
        broken = describe_broken({str(rule): int(at.any(axis=1).sum()) for rule, at in self.broken_rules})
        given: dict[str, Any] = {"drift": self.drift, "notes": notes, "correction": changes, "broken": broken}
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
        """The finding, the assumption and the change, where the probabilities of gaps were shifted."""
        if self.as_known is None:
            return []
        gaps = ~self.labels.observed
        before, after = (float(each.label_probabilities_[gaps].sum()) for each in (self.as_known, self.model))
        return [describe_correction(int(gaps.sum()), before, after, is_selected=self.is_selected)]

    @cached_property
    def _checked(self) -> dict[str, Any]:
        quality = measure_calibration(self.checked_on, self.learned_probabilities)
        selected = self.is_selected and self.as_known is None
        checked: dict[str, Any] = {"quality": quality, "positive": self.describe_frequency(), "selected": selected}
        checked["voted"] = self.sources is not None
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
        model = self.as_known or self.model
        p = model.label_probabilities_ if self.sources is None else self.sources.fit.prior
        return not self.labels.positive_only and is_selected(self.calibrated_on.observed, p)

    @cached_property
    def drift(self) -> float | None:
        """How well labelled and unlabelled items can be separated (area under the ROC curve), or None."""
        return measure_drift(self._components, self.learned_from.unlabelled[self._order], np.random.default_rng(0))

    def vary_rates(self, z: float) -> Floats:
        """Return the probabilities if the rates among the gaps are ``z`` standard deviations above the estimate."""
        shift = self.model.shift_
        if self.as_known is None or shift is None:
            return self.probabilities
        before, observed = self.as_known.label_probabilities_, self.labels.observed
        return np.where(observed, before, shift.vary(before, ~self.labels.unlabelled, z))

    def measure_separation(self) -> float | None:
        """Return how well features separate items with few known entries from the other items, as :attr:`drift`."""
        number = self.learned_from.observed.sum(axis=1)
        return measure_drift(self._components, (number <= np.median(number))[self._order], np.random.default_rng(0))

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

    # The evidence for the values.

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """The kind of evidence for each entry, as its position in :data:`halflabel.evidence.kinds.KINDS`."""
        return classify_entries(self.model, self.learned_from)

    @property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of evidence for each entry: a name in :data:`halflabel.evidence.kinds.KINDS`."""
        return np.array(KINDS)[self.codes]

    @property
    def gaps_by_kind(self) -> dict[str, int]:
        """The number of gaps for each kind of evidence."""
        return count_gaps(self.labels, self.codes)

    # The entries to check and the questions to ask, by position.

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The given entries, or the probable missing positives, the most probably wrong first, with ids of items."""
        if self.labels.positive_only:
            ranked = rank_missing(self.labels, self.probabilities, self.observed_rate)
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

    def rank_candidates(self, n: int = 100) -> pd.DataFrame:
        """Return the ``n`` unknown entries that are likeliest to be relevant: item, label, rank, probability."""
        n_gaps = int((~self.labels.observed).sum())
        p = np.where(self.labels.observed, -1.0, self.probabilities)
        # Probabilities near 1 are equal after clipping; the probabilities before it still differ.
        order = np.lexsort((-self.learned_probabilities.ravel(), -p.ravel()))[: min(n, n_gaps)]
        rows, columns = np.unravel_index(order, p.shape)
        names, rank = np.array(self.labels.names, dtype=object), np.arange(1, len(rows) + 1)
        ranked = {"position": rows, "label": names[columns], "rank": rank, "probability": p[rows, columns]}
        return self.opened.name_items(pd.DataFrame(ranked))

    def sample_filled(self, n: int, random_state: int = 0) -> pd.DataFrame:
        """Return ``n`` random filled entries of each label: position, column.

        See :func:`halflabel.evidence.filled_samples.sample_filled`.
        """
        order = self._order
        filled = np.where(self.labels.observed, 0, self.state).astype(np.int8)
        chosen = sample_filled(filled[order], self.labels.names, n, random_state)
        return chosen.assign(position=order[chosen["position"]])

    def next_to_label(self, n: int) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: item, bits, unknown."""
        order, rng = self._order, np.random.default_rng(0)
        labels, p = self.of_filled.labels, self.of_filled.probabilities
        ranked = rank_questions(labels[order], p[order], self._components, n, rng)
        return self.opened.name_items(ranked.assign(position=order[ranked["position"]]))

    @cached_property
    def expected_errors(self) -> pd.DataFrame:
        """The number of filled entries that are expected to be wrong, per label and in all."""
        if self.of_filled is not self:
            return self.of_filled.expected_errors
        order, model = self._order, self.model
        filled = np.where(self.labels.observed, 0, self.state).astype(np.int8)
        return estimate_errors(
            self.calibrated_on[order],
            filled[order],
            self.probabilities[order],
            model.label_scores_[order],
            model.out_of_fold_scores_[order],
            np.random.default_rng(0),
            model.shift_,
            ~self.labels.unlabelled[order],
            self._optimism,
            self._groups,
        )

    @property
    def _optimism(self) -> float:
        """The ratio of errors to stated errors of entries that no weight and no calibration was fitted to.

        It is measured where the method is a weighted sum of members; no other method chooses as much on known entries.
        """
        model, order = self.model, self._order
        if not isinstance(model, AutoLabeler) or model.positive_only_:
            return 1.0
        if not model.contributions_.keys() <= MEMBERS.keys():  # other evidence has no weight that could be fitted again
            return 1.0
        parts = [part[order].astype(np.float64) for part in model.contributions_.values()]
        return measure_optimism(parts, self.calibrated_on[order], model.folds_[order], np.random.default_rng(0))

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
