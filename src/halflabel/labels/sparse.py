"""Labels of items by their numbers: the sparse sibling of PartialLabels, for thousands of labels.

A label that is not stored is irrelevant or unknown, which depends on the item, see :class:`SparseLabels`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from halflabel._arrays import Ints, Mask
from halflabel._wording import count, plural, quoted
from halflabel.labels.names import Absent
from halflabel.labels.partial import PartialLabels
from halflabel.labels.tables import check_size, is_missing, read_tags


@dataclass(frozen=True, eq=False, repr=False)
class SparseLabels:
    """Labels of items, stored by number, with the labels of which each item was asked.

    An entry that is stored is stated. An item that is annotated was asked of all labels: its other labels are
    irrelevant, or were not assigned if ``positive_only``. An item that is not annotated was asked of the stored
    labels only: its other labels are unknown.

    Examples
    --------
    >>> labels = SparseLabels.from_tags([["rock", "sad"], [], None], absent="irrelevant")
    >>> labels
    3 items, 2 labels: 2 relevant entries, 2 annotated items.
    >>> labels.to_dense().state.tolist()
    [[1, 1], [-1, -1], [0, 0]]
    """

    #: Shape (n_items, n_labels). +1 relevant, -1 irrelevant, 0 (stored) unknown although the item is annotated.
    stated: sparse.csr_array
    names: tuple[str, ...]
    #: Shape (n_items,).
    annotated: Mask
    #: True if a label that an annotated item does not list may be a missing positive.
    positive_only: bool = False

    @classmethod
    def from_tags(
        cls, tags: Iterable[Iterable[str] | None], *, absent: Absent, names: Sequence[str] | None = None
    ) -> SparseLabels:
        """Read one list of tags per item, as :meth:`PartialLabels.from_tags` does.

        Raises
        ------
        ValueError
            If a tag is not among ``names``, names are not distinct, or no item has a tag.
        """
        if absent not in ("irrelevant", "unknown"):
            raise ValueError(f"absent must be 'irrelevant' or 'unknown', not {absent!r}.")
        lists = [None if is_missing(row) else read_tags(row, i) for i, row in enumerate(tags)]
        names = sorted({tag for row in lists if row for tag in row}) if names is None else list(names)
        number = {name: j for j, name in enumerate(names)}
        unique = [list(dict.fromkeys(row or ())) for row in lists]
        flat = [tag for row in unique for tag in row]
        if odd := {tag for tag in flat if tag not in number}:
            raise ValueError(f"{quoted(sorted(odd))} is not among the {count(len(names))} names given.")
        ids = np.array([number[tag] for tag in flat], dtype=np.int32)
        rows = np.repeat(np.arange(len(lists)), [len(row) for row in unique])
        annotated = np.array([row is not None for row in lists], dtype=bool)
        return cls.from_entries(rows, ids, np.ones(len(ids)), names, annotated, positive_only=absent == "unknown")

    @classmethod
    def from_entries(
        cls, rows: Ints, ids: Any, values: Any, names: Sequence[str], annotated: Mask, *, positive_only: bool
    ) -> SparseLabels:
        """Return the labels of distinct entries (row, number of the label), whose values are +1, -1 or 0."""
        if twice := sorted(name for name, n in Counter(names).items() if n > 1):
            raise ValueError(f"label names must be distinct; {quoted(twice)} occurs more than once.")
        entries: Any = (np.asarray(values, dtype=np.int8), (rows, ids))
        stated: Any = sparse.coo_array(entries, shape=(len(annotated), len(names))).tocsr()
        stated.sort_indices()
        if not (stated.data > 0).any():
            raise ValueError("no item has a label: give at least a few items their tags.")
        return cls(stated, tuple(names), annotated, positive_only)

    @classmethod
    def from_dense(cls, labels: PartialLabels) -> SparseLabels:
        """Return the same labels, by number. An item of which every entry is known is annotated."""
        positive = labels.positive_only
        whole: Any = labels.annotated if positive else labels.observed.all(axis=1)
        rows, ids = np.nonzero(labels.observed & ((labels.state > 0) | ~whole[:, None] | positive))
        return cls.from_entries(rows, ids, labels.state[rows, ids], labels.names, whole, positive_only=positive)

    def to_dense(self) -> PartialLabels:
        """Return the same labels as a table with a cell for each entry. Raise above 2e8 cells."""
        check_size(*self.shape)
        state = np.zeros(self.shape, dtype=np.int8)
        if not self.positive_only:
            state[self.annotated] = -1
        rows = self._rows
        state[rows, self.stated.indices] = self.stated.data
        known = self.annotated if self.positive_only else self.annotated | (state != 0).any(axis=1)
        return PartialLabels(state, self.names, known.copy(), self.positive_only)

    @property
    def _rows(self) -> Ints:
        """The item of each stored entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.stated.indptr))

    @property
    def shape(self) -> tuple[int, int]:
        """(n_items, n_labels)."""
        return self.stated.shape[0], self.stated.shape[1]

    @property
    def relevant(self) -> sparse.csr_array:
        """The relevant entries, as 1."""
        return self._select(self.stated.data > 0)

    @property
    def complete(self) -> Mask:
        """Items that were asked of every label, from which methods learn."""
        is_open = np.bincount(self._rows, weights=self.stated.data == 0, minlength=len(self)) > 0
        return np.asarray(self.annotated & ~is_open)

    def find_known(self, rows: Ints, ids: Ints) -> Mask:
        """Return which entries are known: stated as relevant or irrelevant, or not listed by an annotated item."""
        value = np.asarray(self.stated[rows, ids]).ravel()
        stored = np.asarray(self._pattern[rows, ids]).ravel() > 0
        return np.asarray((value != 0) | (self.annotated[rows] & ~stored & (not self.positive_only)))

    @property
    def _pattern(self) -> sparse.csr_array:
        return sparse.csr_array(
            (np.ones(self.stated.nnz, dtype=np.int8), self.stated.indices, self.stated.indptr), shape=self.shape
        )

    def _select(self, which: Mask) -> sparse.csr_array:
        ones = np.ones(int(which.sum()))
        return sparse.csr_array((ones, (self._rows[which], self.stated.indices[which])), shape=self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> SparseLabels:
        """Select items and keep the labels."""
        return replace(self, stated=self.stated[rows], annotated=self.annotated[rows])

    def __repr__(self) -> str:
        return (
            f"{plural(len(self), 'item')}, {plural(len(self.names), 'label')}: "
            f"{plural(int((self.stated.data > 0).sum()), 'relevant entry', 'relevant entries')}, "
            f"{plural(int(self.annotated.sum()), 'annotated item')}."
        )
