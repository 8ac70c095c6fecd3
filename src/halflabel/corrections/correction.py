"""The parts of every correction: labels for the fit, something learned from the fit, and other probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.evidence.why_known import Why, explain
from halflabel.labels import PartialLabels
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import OpenTable

#: States of items: +1 relevant, -1 irrelevant, 0 unknown.
States = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Given:
    """The things that a person gave to a fit."""

    #: Features, known labels, groups, votes and rules.
    opened: OpenTable
    #: Shape (n_items, n_labels). The known entries that probabilities are fitted on; None for all of them.
    calibrate_on: Mask | None = None

    @property
    def labels(self) -> PartialLabels:
        """The known labels."""
        return self.opened.labels


class ValidRows:
    """The rows of labels that are valid: here, all of them."""

    def decide(self, margins: Floats, states: States) -> Mask:
        """Return the relevant labels of the valid row with the largest sum of margins. Known labels stay."""
        return np.where(states != 0, states > 0, margins >= 0)

    def infer(self, states: States) -> tuple[States, Mask]:
        """Return the states with every label that follows from the known ones, and the items whose row is invalid."""
        return states, np.zeros(len(states), dtype=bool)

    def leave_open(self, filled: States, states: States) -> States:
        """Return the filled labels of a table that is not filled completely, with the labels that follow from them."""
        return filled

    def mark_broken(self, states: States) -> list[tuple[str, Mask]]:
        """Return the faults of rows of known labels, in words, each with its entries."""
        return []


EVERY_ROW = ValidRows()


class Learned:
    """The record that a correction has learned from a fit. It holds for the fitted items and for new items.

    A subclass is a frozen record. A model file holds what :meth:`for_new_items` returns.
    """

    #: The correction.
    name: ClassVar[str]
    #: The part of the log odds that it moves, and the grounds of this part, for an explanation.
    part: ClassVar[str]
    rests_on: ClassVar[str]
    #: Whether it estimates a rate among the gaps, because known entries were chosen by their value.
    estimates_gaps: ClassVar[bool] = False

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the corrected probabilities of new items of which some labels are known."""
        raise NotImplementedError

    def correct_fitted(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the corrected probabilities of the items of the fit: by default, known entries keep theirs."""
        return np.where(known.observed, p, self(p, known))

    def vary(self, p: Floats, known: PartialLabels, z: float) -> Floats:
        """Return the probabilities if the learned values differ by ``z`` standard deviations."""
        return p

    def deviate(self, p: Floats, known: PartialLabels) -> Floats:
        """Return one standard deviation of the level of the probabilities ``p`` before the correction."""
        return np.zeros_like(p)

    @property
    def valid_rows(self) -> ValidRows:
        """The rows of labels that are valid."""
        return EVERY_ROW

    def for_new_items(self) -> Learned:
        """Return the record that new items need."""
        return self

    def describe(self, before: Floats, after: Floats, known: PartialLabels) -> str:
        """Return the finding, the assumption and the change, if a person has to know them.

        ``before`` are the probabilities of the fitted items before the correction, ``after`` those after the last one.
        """
        return ""

    @property
    def doubt(self) -> str:
        """Why no number of wrong values can be stated, or an empty text."""
        return ""

    @property
    def counts(self) -> tuple[str, ...]:
        """Sentences about the entries that it decides."""
        return ()


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted method and the corrections learned from it so far, from which the next one learns."""

    model: PartialLabelEstimator
    #: The table of the fit.
    opened: OpenTable
    #: The labels that the method learned from: the known ones, or those changed by a correction.
    targets: PartialLabels
    #: In the order of :data:`halflabel.corrections.order.CORRECTIONS`.
    learned: tuple[Learned, ...] = ()
    #: Shape (n_items, n_labels). The known entries that probabilities are fitted on; None for all of them.
    calibrate_on: Mask | None = None

    @property
    def known(self) -> PartialLabels:
        """The known labels."""
        return self.opened.labels

    @property
    def has_targets(self) -> bool:
        """Whether the method learned from other labels than the known ones."""
        return self.targets is not self.known

    @cached_property
    def steps(self) -> list[Floats]:
        """The probabilities of the method, and those after each correction."""
        steps: list[Floats] = [self.model.label_probabilities_]
        for each in self.learned:
            steps.append(each.correct_fitted(steps[-1], self.known))
        return steps

    @property
    def probabilities(self) -> Floats:
        """The probabilities after the last correction. For known entries they are out of fold."""
        return self.steps[-1]

    @property
    def estimates_gaps(self) -> bool:
        """Whether a correction estimates the rates among the gaps, because known entries were chosen by value."""
        return any(each.estimates_gaps for each in self.learned)

    @property
    def held_out(self) -> Mask:
        """The known entries that were predicted by models without their item: none if there is one group only."""
        return np.asarray(~np.isnan(self.model.out_of_fold_scores_))

    @property
    def comparable(self) -> Mask:
        """The known entries that gaps can be compared with, by their probabilities."""
        held_out = self.known.observed & self.held_out
        return held_out if self.calibrate_on is None else held_out & self.calibrate_on

    @cached_property
    def alone(self) -> Floats | None:
        """The probabilities without use of the item's own labels, or None if these change nothing."""
        return self.model.predict_alone() if isinstance(self.model, AutoLabeler) else None

    @cached_property
    def why(self) -> Why:
        """Why the entries are known that the person brought. The others are known because a question was asked."""
        if self.estimates_gaps or self.known.positive_only:
            return Why("value" if self.estimates_gaps else "random")
        brought = self.comparable & self.opened.brought & ~np.asarray(self.known.positives)
        return explain(self.opened.X, self.known, brought, self.steps[0], self.alone)  # votes would change gaps only


def keep_labels(given: Given) -> PartialLabels:
    """Return the known labels as the labels of the fit."""
    return given.labels


def accept_every_row(opened: OpenTable) -> ValidRows:
    """Return that every row of labels is valid."""
    return EVERY_ROW


#: From the fit with the corrections so far, and from the record of an earlier fit.
Learn = Callable[[Fitted, Learned | None], Learned | None]


@dataclass(frozen=True)
class Correction:
    """One correction: its name, and its functions. It is a line of :data:`halflabel.corrections.order.CORRECTIONS`."""

    name: str
    #: Learns from a fit, or returns None where there is nothing to correct. An update passes the record from before.
    learn: Learn
    #: The labels of the fit.
    targets: Callable[[Given], PartialLabels] = keep_labels
    #: The rows of labels that are valid in a table.
    find_valid_rows: Callable[[OpenTable], ValidRows] = accept_every_row
    #: The classes of its records in a model file.
    saved: tuple[type, ...] = ()
