"""Votes of several sources as levels, and how far the sources agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels.votes import Votes

#: Maximum number of levels that the probabilities of a source are divided into.
MAX_LEVELS = 10


@dataclass(frozen=True, eq=False)
class Levels:
    """Votes as a list, in the order of their sources, each with the number of its level.

    0 and 1 are two levels, and probabilities are divided at quantiles and one half. An entry is counted row by row.
    """

    #: The numbers of sources, items and labels.
    shape: tuple[int, int, int]
    #: ``sources``, ``entries``: shape (n_votes,). Who voted, and on which entry.
    sources: Ints
    entries: Ints
    #: Shape (n_votes,). The level of each vote.
    codes: Ints
    #: Shape (n_sources, n_levels). The mean value of each level; NaN for levels that a source does not have.
    values: Floats

    @classmethod
    def cut(cls, votes: Votes) -> Levels:
        """Divide the values of each source into levels."""
        n_sources, n_items, n_labels = votes.values.shape
        codes, means = [], []
        for values, given, is_binary in zip(votes.values, votes.given, votes.are_binary, strict=True):
            own, found = _cut(values[given], bool(is_binary))
            codes.append(own)
            means.append(found)
        width = max(map(len, means))
        sources, entries = np.nonzero(votes.given.reshape(n_sources, -1))
        values = np.array([np.pad(each, (0, width - len(each)), constant_values=np.nan) for each in means])
        return cls((n_sources, n_items, n_labels), sources, entries, np.concatenate(codes), values)

    @property
    def labels(self) -> Ints:
        """The label of each vote."""
        return self.entries % self.shape[2]

    @property
    def exist(self) -> Mask:
        """Whether a source has each level, shape (n_sources, n_levels)."""
        return ~np.isnan(self.values)

    @property
    def of_votes(self) -> Floats:
        """The mean value of the level of each vote."""
        return np.asarray(self.values[self.sources, self.codes])

    def look_up(self, table: Floats) -> Floats:
        """Return the value of a table (n_sources, n_labels, n_levels) for each vote."""
        return np.asarray(table[self.sources, self.labels, self.codes])

    def take(self, table: NDArray[Any]) -> NDArray[Any]:
        """Return the value of a table (n_items, n_labels) for the entry of each vote."""
        return np.asarray(table.ravel()[self.entries])

    def add(self, parts: Floats) -> Floats:
        """Return the sum of the parts of the votes on each entry, shape (n_items, n_labels)."""
        total = np.bincount(self.entries, parts, self.shape[1] * self.shape[2])
        return total.astype(np.float64).reshape(self.shape[1:])

    def count(self, weights: Floats) -> Floats:
        """Return the sum of the weights of votes per source, label and level."""
        shape = (self.shape[0], self.shape[2], self.values.shape[1])
        place = np.ravel_multi_index((self.sources, self.labels, self.codes), shape)
        return np.bincount(place, weights, int(np.prod(shape))).astype(np.float64).reshape(shape)

    def count_votes(self) -> Floats:
        """Return the number of votes per source and label."""
        return np.asarray(self.count(np.ones(len(self.codes))).sum(axis=2))

    def find_entries(self, source: int) -> slice:
        """Return the place of the votes of a source."""
        first, end = np.searchsorted(self.sources, [source, source + 1])
        return slice(int(first), int(end))

    def repeat(self, place: Ints) -> tuple[Levels, Ints]:
        """Return the votes of copies of sources, and the vote that each is a copy of."""
        of_copy = [np.arange(*self.find_entries(source).indices(len(self.codes))) for source in place]
        votes, sources = np.concatenate(of_copy), np.repeat(np.arange(len(place)), [len(each) for each in of_copy])
        shape = (len(place), *self.shape[1:])
        return Levels(shape, sources, self.entries[votes], self.codes[votes], self.values[place]), votes


def _cut(values: Floats, is_binary: bool) -> tuple[NDArray[np.intp], Floats]:
    """Return the level of each value, and the mean value of each level."""
    if is_binary:
        return values.astype(np.intp), np.array([0.0, 1.0])
    inner = np.quantile(values, np.linspace(0, 1, MAX_LEVELS)[1:-1])
    levels = np.searchsorted(np.unique(np.append(inner, 0.5)), values, side="right")
    codes = np.unique(levels, return_inverse=True)[1]
    return codes, np.bincount(codes, weights=values) / np.bincount(codes)


def measure_agreement(votes: Votes) -> Floats:
    r"""Return Krippendorff's alpha of each label.

    It is NaN where no entry has two votes, and where all votes are equal.

    :math:`\alpha = 1 - D_o / D_e` with the squared difference of two values, which for 0 and 1 is the nominal
    difference: :math:`D_o` is its mean over pairs of votes on the same entry, each vote counting once, and :math:`D_e`
    over all pairs of votes that have a partner (Krippendorff, Content Analysis, 2004).

    Examples
    --------
    >>> votes = Votes(("a", "b"), np.array([[[1.0], [0], [1], [0]], [[1.0], [0], [1], [1]]]))
    >>> measure_agreement(votes).round(3).tolist()
    [0.533]
    """
    number = votes.given.sum(axis=0)
    paired = np.where((number > 1) & votes.given, votes.values, np.nan)
    total, squares = np.nansum(paired, axis=0), np.nansum(paired**2, axis=0)
    partners = np.maximum(number - 1, 1)
    within = (2 * (number * squares - total**2) / partners).sum(axis=0)
    n = np.where(number > 1, number, 0).sum(axis=0)
    between = 2 * (n * squares.sum(axis=0) - total.sum(axis=0) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = 1 - (within / n) / (between / (n * (n - 1)))
    return np.where((n > 1) & (between > 1e-12), alpha, np.nan)
