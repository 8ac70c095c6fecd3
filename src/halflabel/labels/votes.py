"""Votes of several sources on the same entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from halflabel._arrays import Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class Votes:
    """The values that sources gave to entries."""

    #: The sources.
    names: tuple[str, ...]
    #: Shape (n_sources, n_items, n_labels). 1 has it, 0 does not have it, or a probability; NaN where a source gave no
    #: value.
    values: Floats

    @cached_property
    def given(self) -> Mask:
        """Whether a source gave a value to an entry."""
        return ~np.isnan(self.values)

    @cached_property
    def voted(self) -> Mask:
        """Whether any source gave a value, shape (n_items, n_labels)."""
        return np.asarray(self.given.any(axis=0))

    @cached_property
    def means(self) -> Floats:
        """The mean value of each label over all of its votes, or one half without votes."""
        number = self.given.sum(axis=(0, 1))
        return np.where(number, np.nansum(self.values, axis=(0, 1)) / np.maximum(number, 1), 0.5)

    @cached_property
    def are_binary(self) -> Mask:
        """Whether each source gave only 0 and 1."""
        return np.array([np.isin(each[~np.isnan(each)], (0, 1)).all() for each in self.values])

    def without_copies(self) -> Votes:
        """Return the votes without copies: sources whose votes are equal to the votes of another one."""
        flat = np.nan_to_num(self.values, nan=-1.0).reshape(len(self.values), -1)
        first = np.sort(np.unique(flat, axis=0, return_index=True)[1])
        return Votes(tuple(self.names[k] for k in first), self.values[first])

    def select(self, labels: Sequence[int]) -> Votes:
        """Return the votes on some labels, in this order."""
        return replace(self, values=self.values[:, :, list(labels)])

    def __getitem__(self, items: Ints) -> Votes:
        return replace(self, values=self.values[:, items])
