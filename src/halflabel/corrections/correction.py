"""The parts of every correction: labels for the fit, something learned from the fit, and other probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
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
    #: Shape (n_items, n_labels). After a fit: its probabilities without use of the item's own labels.
    alone: Floats | None = None

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


def keep_labels(given: Given) -> PartialLabels:
    """Return the known labels as the labels of the fit."""
    return given.labels


def accept_every_row(opened: OpenTable) -> ValidRows:
    """Return that every row of labels is valid."""
    return EVERY_ROW


#: From the given things, the labels of the fit, its probabilities, and the record of an earlier fit.
Learn = Callable[[Given, PartialLabels, Floats, Learned | None], Learned | None]


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
