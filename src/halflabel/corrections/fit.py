"""A fit with its corrections: labels, fit, probabilities, corrections in a fixed order, and the filled table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import clone

from halflabel._arrays import Floats, Ints, Mask, MatrixLike
from halflabel.corrections.correction import EVERY_ROW, Fitted, Given, Learned, ValidRows
from halflabel.corrections.order import CORRECTIONS
from halflabel.evidence.why_known import Why
from halflabel.labels import PartialLabels
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auxiliary import fit_with_auxiliary
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.decision import choose_thresholds
from halflabel.table import OpenTable
from halflabel.table.unlearned import leave_unlearned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halflabel.methods.auto.kept import KeptFit


@dataclass(frozen=True, eq=False)
class Corrected:
    """A fitted method with corrections of its probabilities, for new items. A model file holds it.

    Without corrections, everything is as the method decides.
    """

    model: PartialLabelEstimator
    #: In the order of :data:`halflabel.corrections.order.CORRECTIONS`.
    learned: tuple[Learned, ...]
    #: Shape (n_labels,). Chosen on the probabilities of the fitted items after the last correction.
    thresholds: Floats

    def predict_both(self, X: MatrixLike) -> tuple[NDArray[np.int64], Floats]:
        """Return 0/1 and the probabilities of new items of which nothing is known."""
        if not self.learned:
            return self.model.predict_both(X)
        n_items: int = np.shape(X)[0]  # type: ignore[arg-type]
        return self.complete_both(X, PartialLabels.unknown(n_items, self.model.label_names_))

    def complete_both(self, X: MatrixLike, known: PartialLabels) -> tuple[NDArray[np.int64], Floats]:
        """Return 0/1 and the probabilities of new items of which some labels are known. Known entries stay."""
        if not self.learned:
            return self.model.complete_both(X, known)
        scores, p = self.model.score_both(X, known)
        for each in self.learned:
            p = each(p, known)
        relevant = self.valid_rows.decide(self.model.resolve_rule().measure(scores, p, self.thresholds), known.state)
        return np.where(known.observed, known.relevant, relevant).astype(np.int64), p

    @property
    def valid_rows(self) -> ValidRows:
        """The rows of labels that are valid."""
        return find_valid(each.valid_rows for each in self.learned)


@dataclass(frozen=True, eq=False)
class Fit(Fitted):
    """A fitted method and all corrections learned from it, for the items of the fit."""

    #: The fit that this one was updated from, if it was.
    first: Fit | None = None

    @property
    def before_estimate(self) -> Floats:
        """The probabilities before the first estimate of a rate among the gaps, or the last ones."""
        first = next((k for k, each in enumerate(self.learned) if each.estimates_gaps), len(self.learned))
        return self.steps[first]

    def vary_estimate(self, p: Floats, z: float) -> Floats:
        """Return probabilities at :attr:`before_estimate` if the estimates differ by ``z`` standard deviations."""
        for each in self.learned:
            p = each.vary(p, self.known, z) if each.estimates_gaps else p
        return p

    @cached_property
    def deviation(self) -> Floats:
        """One standard deviation of the level of the probabilities: corrections, or the value, may move it."""
        steps = zip(self.learned, self.steps, strict=False)
        return sum((each.deviate(p, self.known) for each, p in steps), self.why_known.deviate(self.probabilities))

    @property
    def why_known(self) -> Why:
        """Why the entries are known that the person brought: an update changes nothing about it."""
        return (self.first or self).why

    @cached_property
    def thresholds(self) -> Floats:
        """The thresholds of the rule on the gaps, chosen after the last correction.

        Of positive-only labels, the method has chosen them on items that are not annotated.
        """
        known, p = self.known, self.probabilities
        if not self.learned or known.has_positive_only:
            return self.model.thresholds_
        unknown = ~known.observed
        per_item = np.where(unknown, p, 0.0).sum(axis=0) / np.maximum(unknown.sum(axis=0), 1)
        return choose_thresholds(known, p, self.model.resolve_rule(), float(per_item.sum()))

    @cached_property
    def relevant(self) -> Mask:
        """The filled table."""
        if not self.learned:
            return np.asarray(self.model.transduction_ == 1).reshape(self.known.shape)
        margins = self.model.resolve_rule().measure(self.model.label_scores_, self.probabilities, self.thresholds)
        return self.valid_rows.decide(margins, self.known.state)

    @property
    def valid_rows(self) -> ValidRows:
        """The rows of labels that are valid."""
        return find_valid(each.valid_rows for each in self.learned)

    @cached_property
    def sentences(self) -> list[str]:
        """The finding, the assumption and the change of each correction that a person has to know."""
        steps = zip(self.learned, self.steps, strict=False)
        found = (each.describe(before, self.probabilities, self.known) for each, before in steps)
        return [sentence for sentence in found if sentence]

    @property
    def doubt(self) -> str:
        """Why no number of wrong values can be stated, or an empty text."""
        return next((each.doubt for each in self.learned if each.doubt), "")

    @property
    def counts(self) -> tuple[str, ...]:
        """Sentences about the entries that corrections decide."""
        return tuple(sentence for each in self.learned for sentence in each.counts)

    def decompose(self, rows: Ints, learned_from: PartialLabels) -> dict[str, Floats]:
        """Return the parts of the log odds of fitted items, whose sum is that of :attr:`probabilities`."""
        parts: dict[str, Floats] = self.model.decompose(rows, learned_from)
        for k, each in enumerate(self.learned):
            parts[each.part] = _subtract(self.steps[k + 1][rows], self.steps[k][rows])
        return parts

    @property
    def texts(self) -> dict[str, str]:
        """The grounds of the part of each correction."""
        return {each.part: each.rests_on for each in self.learned}

    @property
    def by_name(self) -> Mapping[str, Learned]:
        """The learned record of each correction."""
        return {each.name: each for each in self.learned}

    @property
    def for_new_items(self) -> Corrected:
        """The method and its corrections for new items."""
        return Corrected(self.model, tuple(each.for_new_items() for each in self.learned), self.thresholds)

    @cached_property
    def kept(self) -> KeptFit:
        """The structures of the fit, on which further entries can be learned."""
        if self.first is not None:
            return self.first.kept
        if not isinstance(self.model, AutoLabeler):
            raise ValueError(
                f"{type(self.model).__name__} has no update: give all answers to complete(..., answers=answers), a new "
                "fit."
            )
        from halflabel.methods.auto.kept import KeptFit  # imported here: only an update needs it

        return KeptFit(self.model, self.opened.X, self.targets, self.opened.groups)

    def update(self, given: Given) -> Fit:
        """Return the fit after it has learned all known entries on the structures that it keeps."""
        targets = given.labels
        if self.has_targets:
            before = self.kept.labels
            state = np.where(targets.observed, targets.state, before.state)
            targets = replace(before, state=state, annotated=(state != 0).any(axis=1))
        return self.learn_again(self.kept.update(targets), given, targets, self.first or self)

    def learn_again(
        self, model: PartialLabelEstimator, given: Given, targets: PartialLabels, first: Fit | None = None
    ) -> Fit:
        """Return another fit with the same corrections."""
        fit = Fit(model, given.opened, targets, calibrate_on=given.calibrate_on, first=first)
        return learn_corrections(fit, self.by_name)


def fit_corrected(model: PartialLabelEstimator, given: Given) -> Fit:
    """Fit a method, and learn the corrections."""
    opened = given.opened
    auxiliary: dict[str, Any] = {"groups": opened.groups, "prior": opened.prior, "calibrate_on": given.calibrate_on}
    targets = make_targets(given)
    fitted = fit_with_auxiliary(clone(model), opened.X, targets, **auxiliary)
    return learn_corrections(Fit(fitted, opened, targets, calibrate_on=given.calibrate_on))


def make_targets(given: Given) -> PartialLabels:
    """Return the labels of a fit: the known ones, unless a correction makes others of them."""
    made = (each.targets(given) for each in CORRECTIONS)
    return next((targets for targets in made if targets is not given.labels), given.labels)


def learn_corrections(fit: Fit, before: Mapping[str, Learned] | None = None) -> Fit:
    """Return a fit with the corrections learned from it. After an update, only corrections in ``before`` learn."""
    for each in CORRECTIONS:
        if before is None or each.name in before:
            learned = each.learn(fit, None if before is None else before[each.name])
            if learned is not None:
                fit = replace(fit, learned=(*fit.learned, learned))
    return fit


def leave_unlearned_targets(opened: OpenTable) -> OpenTable:
    """Return the table without the labels of which a fit would learn one value only, and a note about these."""
    targets = make_targets(Given(opened))
    if targets is opened.labels:
        return leave_unlearned(opened)
    left = leave_unlearned(replace(opened, labels=targets))
    return replace(opened.keep_labels(left.labels.names), notes=left.notes)


def find_valid_rows(opened: OpenTable) -> ValidRows:
    """Return the rows of labels that are valid in a table."""
    return find_valid(each.find_valid_rows(opened) for each in CORRECTIONS)


def find_valid(found: Iterable[ValidRows]) -> ValidRows:
    """Return the one description of valid rows that allows less than all of them."""
    return next((each for each in found if each is not EVERY_ROW), EVERY_ROW)


def _subtract(p: Floats, before: Floats) -> Floats:
    """Return the difference of log odds."""
    with np.errstate(divide="ignore"):
        return np.asarray(logit(p) - logit(before))
