"""The result of complete_folder(): counts and lists of all parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from halflabel._wording import count, decimal, plural
from halflabel.folders.manifest import Places
from halflabel.folders.totals import Totals


@dataclass(frozen=True, eq=False)
class FolderCompletion:
    """The result of :func:`complete_folder`.

    Parameters
    ----------
    out : Path
        The folder of the completed parts.
    n_parts : int
    labels : tuple of str
    totals : Totals
        Totals and lists of all parts.
    core : mapping of str to int
        The number of labelled and of unlabelled rows that the model was fitted on.
    probability_of : str
        "being relevant", or "being assigned" for positive-only labels without a label frequency.
    contradictions : tuple of str
        The titles of the checks of the core that contradict the probabilities of gaps; see
        :attr:`Evidence.contradictions`. If there is one, no number of wrong entries is expected.
    notes : tuple of str
        Notes from reading the table. Empty if the model was fitted by an earlier run.
    rule : str
        The threshold rule that decided which entries are filled in as relevant.
    """

    out: Path
    n_parts: int
    labels: tuple[str, ...]
    totals: Totals
    core: dict[str, int]
    probability_of: str = "being relevant"
    notes: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    rule: str = ""

    @property
    def counts(self) -> pd.DataFrame:
        """Per label: given and filled entries, and the number of filled entries that are expected to be wrong.

        This number is missing where a check contradicts it.
        """
        table = self.totals.to_frame(self.labels)
        return table.assign(expected_wrong=np.nan) if self.contradictions else table

    @property
    def candidates(self) -> pd.DataFrame:
        """The 100 unknown entries that are likeliest to be relevant."""
        return self.totals.lists["candidates"]

    @property
    def suspects(self) -> pd.DataFrame:
        """The 100 given entries that are most probably wrong, as in :attr:`halflabel.Completion.suspects`."""
        return self.totals.lists["suspects"]

    @property
    def model(self) -> Path:
        """The model, for :func:`halflabel.load`."""
        return Places(self.out).folder / "core.halflabel"

    def describe(self) -> tuple[str, ...]:
        """Return the result in sentences."""
        counts, core, shape = self.counts.set_index("label"), self.core, self.totals.n_rows * len(self.labels)
        n_relevant, n_filled = counts["filled_relevant"].sum(), counts.filter(like="filled").to_numpy().sum()
        n_empty = shape - n_filled - counts.filter(like="given").to_numpy().sum()
        filled = f"{plural(int(n_filled), 'entry', 'entries')} filled in, {count(int(n_relevant))} as relevant"
        filled += f", {count(int(n_empty))} left empty" if n_empty else ""
        if self.probability_of == "being assigned":
            filled += "; probabilities are of being assigned"
        elif self.contradictions:
            filled += f"; the number of wrong ones is unknown, because a check contradicts it: {self.contradictions[0]}"
        elif n_filled:
            expected = counts["expected_wrong"].sum()
            share = decimal(100 * expected / n_filled, 1)
            filled += f"; about {count(round(expected))} ({share} %) are expected to be wrong"
        rows = f"{plural(self.totals.n_rows, 'row')}, {count(self.totals.n_labelled)} of them labelled"
        fitted = f"{plural(core['labelled'], 'labelled row')} and {count(core['unlabelled'])} unlabelled ones"
        return f"{rows}. The model was fitted on {fitted}.", f"{filled}.", f"Threshold rule: {self.rule}."
