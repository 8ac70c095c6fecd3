"""Totals of completed parts: sums, and the entries with the largest scores. Both can be merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel.evidence.suspects import FlipRates
from halflabel.labels import PartialLabels

#: Number of entries in each list.
MAX_ENTRIES = 100

#: The counts of each label, in this order. "expected_wrong" is the expected number of wrong filled entries.
COUNTS = ("given_relevant", "given_irrelevant", "filled_relevant", "filled_irrelevant", "expected_wrong")

#: Columns that identify an entry, and the further columns of each list. The first further column is its score.
ENTRY = ("item", "label", "part", "row")
LISTS = {"candidates": ("probability",), "suspects": ("wrong", "probability", "given")}


@dataclass(frozen=True, eq=False)
class Totals:
    """Totals and lists of one batch, one part or all parts."""

    n_rows: int
    n_labelled: int
    counts: Floats  #: Shape (5, n_labels). See :data:`COUNTS`.
    lists: Mapping[str, pd.DataFrame]  #: See :data:`LISTS`.

    @classmethod
    def empty(cls, n_labels: int) -> Totals:
        """Return the totals of an empty batch."""
        lists = {name: pd.DataFrame(columns=[*ENTRY, *columns]) for name, columns in LISTS.items()}
        return cls(0, 0, np.zeros((len(COUNTS), n_labels)), lists)

    def add(self, other: Totals) -> Totals:
        """Return the totals of both counts together."""
        lists = {name: _keep_best([self.lists[name], other.lists[name]], LISTS[name]) for name in LISTS}
        n_rows, n_labelled = self.n_rows + other.n_rows, self.n_labelled + other.n_labelled
        return Totals(n_rows, n_labelled, self.counts + other.counts, lists)

    def to_plain(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        lists = {name: table.to_dict("list") for name, table in self.lists.items()}
        return {"rows": self.n_rows, "labelled": self.n_labelled, "counts": self.counts.tolist(), "lists": lists}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Totals:
        """Return the totals that :meth:`to_plain` returned."""
        lists = {name: pd.DataFrame(columns) for name, columns in plain["lists"].items()}
        return cls(plain["rows"], plain["labelled"], np.array(plain["counts"], dtype=np.float64), lists)

    def to_frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return the counts, one row per label."""
        table = pd.DataFrame(self.counts.T, columns=list(COUNTS))
        whole = {name: table[name].astype(np.int64) for name in COUNTS[:-1]}
        return table.assign(**whole).assign(label=list(names))[["label", *COUNTS]]


def count_batch(
    labels: PartialLabels,
    relevant: Ints,
    p: Floats,
    *,
    flips: FlipRates,
    ids: NDArray[np.object_],
    part: str,
    first: int,
) -> Totals:
    """Return the totals of a batch.

    Parameters
    ----------
    labels : PartialLabels
        The given labels.
    relevant, p : ndarray of shape (n_items, n_labels)
        The completed labels as 0/1 (-1: left empty), and their probabilities.
    flips : FlipRates
        Of the core.
    ids : ndarray of str
        How the items are called in lists.
    part, first : str and int
        The part, and the number of its first row.
    """
    gaps = ~labels.observed
    wrong = np.where(gaps & (relevant >= 0), np.where(relevant == 1, 1 - p, p), 0.0)
    parts = (labels.relevant, labels.state < 0, gaps & (relevant == 1), gaps & (relevant == 0), wrong)
    counts = np.array([values.sum(axis=0) for values in parts], dtype=np.float64)

    def name_entries(rows: Ints, columns: Ints) -> dict[str, Any]:
        names = np.array(labels.names, dtype=object)[columns]
        return {"item": ids[rows], "label": names, "part": part, "row": rows + first}

    rows, columns = _find_largest(p, gaps)
    candidates = pd.DataFrame({**name_entries(rows, columns), "probability": p[rows, columns]})
    score, doubted = _score_given(labels, p, flips)
    rows, columns = _find_largest(score, doubted)
    given = labels.relevant[rows, columns].astype(int)
    suspects = {"wrong": score[rows, columns], "probability": p[rows, columns], "given": given}
    lists = {"candidates": candidates, "suspects": pd.DataFrame({**name_entries(rows, columns), **suspects})}
    return Totals(len(labels), int(labels.annotated.sum()), counts, lists)


def _score_given(labels: PartialLabels, p: Floats, flips: FlipRates) -> tuple[Floats, Mask]:
    """Return how probably each given entry is wrong. Of positive-only labels, absent entries are scored."""
    if labels.positive_only:
        return p, labels.annotated[:, None] & (labels.state == 0)
    doubted = labels.observed
    return np.where(doubted, flips.flipped(labels.relevant, p), 0.0), doubted


def _find_largest(score: Floats, among: Mask) -> tuple[Ints, Ints]:
    """Return rows and columns of the entries with the largest scores, in the order of the table among equals."""
    entries = np.flatnonzero(among)
    scores = score.ravel()[entries]
    if len(scores) > MAX_ENTRIES:  # most entries are below the last one that is kept, and need no sorting
        kept = scores >= np.partition(scores, -MAX_ENTRIES)[-MAX_ENTRIES]
        entries, scores = entries[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")[:MAX_ENTRIES]
    rows, columns = np.unravel_index(entries[order], score.shape)
    return rows, columns


def _keep_best(tables: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """Return the entries with the largest scores of several lists, equal scores in the order of the lists."""
    filled = [table for table in tables if len(table)]
    if not filled:
        return tables[0]
    ranked = pd.concat(filled).sort_values(columns[0], ascending=False, kind="stable", ignore_index=True)
    return ranked[:MAX_ENTRIES]
