"""Entries that follow from answers by the rules between labels. They are derived, so that an undo takes them back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halflabel.corrections.fit import find_valid_rows
from halflabel.review_page.answers import NONE
from halflabel.review_page.fits import Fit
from halflabel.table import OpenTable


class Implied:
    """The open entries whose value follows from answers and given entries.

    Parameters
    ----------
    opened : OpenTable

    Attributes
    ----------
    states : ndarray of int8, shape (n_items, n_labels)
        +1 and -1 of these entries, 0 of all others.
    """

    def __init__(self, opened: OpenTable) -> None:
        self._given = opened.labels.state
        self._valid = find_valid_rows(opened)
        self.states: NDArray[np.int8] = np.zeros_like(self._given)

    def update(self, current: NDArray[np.int8]) -> None:
        """Take the current answers. In an item whose answers break a rule, nothing follows."""
        states = np.zeros_like(self._given)  # another thread may read the ones before
        rows = np.flatnonzero((current != NONE).any(axis=1))
        answered = np.abs(current[rows]) == 1
        known = np.where(answered, current[rows], self._given[rows]).astype(np.int8)
        followed, broken = self._valid.infer(known)
        states[rows] = np.where((known == 0) & ~broken[:, None], followed, 0)
        self.states = states

    def complete(self, fit: Fit) -> Fit:
        """Return a fit with these values, and with probabilities that agree with them."""
        if not self.states.any():
            return fit
        at = self.states != 0
        p = np.where(at, self.states > 0, fit.p).astype(np.float32)
        return replace(fit, state=np.where(at, self.states, fit.state), p=p)
