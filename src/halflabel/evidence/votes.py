"""Votes of several sources as levels, and how far the sources agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.labels.votes import Votes

#: Maximum number of levels that the probabilities of a source are divided into.
MAX_LEVELS = 10


@dataclass(frozen=True, eq=False)
class Levels:
    """Votes as numbers of levels: 0 and 1 are two levels, and probabilities are divided at quantiles and one half.

    Attributes
    ----------
    codes : ndarray of int8, shape (n_sources, n_items, n_labels)
        The level of each vote; -1 where there is none.
    values : ndarray of shape (n_sources, n_levels)
        The mean value of each level; NaN for levels that a source does not have.
    """

    codes: NDArray[np.int8]
    values: Floats

    @classmethod
    def cut(cls, votes: Votes) -> Levels:
        """Divide the values of each source into levels."""
        codes = np.full(votes.values.shape, -1, dtype=np.int8)
        means = []
        for k, (values, given) in enumerate(zip(votes.values, votes.given, strict=True)):
            codes[k][given], found = _cut(values[given], bool(votes.are_binary[k]))
            means.append(found)
        width = max(map(len, means))
        return cls(codes, np.array([np.pad(each, (0, width - len(each)), constant_values=np.nan) for each in means]))

    @property
    def exist(self) -> Mask:
        """Whether a source has each level, shape (n_sources, n_levels)."""
        return ~np.isnan(self.values)

    def look_up(self, table: Floats, source: int) -> Floats:
        """Return the value of a table (n_labels, n_levels) for each vote of a source, and 0 where there is none."""
        codes = self.codes[source]
        found = np.take_along_axis(table, np.maximum(codes, 0).T.astype(np.intp), axis=1).T
        return np.where(codes >= 0, found, 0.0)

    def count(self, weights: Floats, source: int) -> Floats:
        """Return the sum of the weights of entries per label and level of a source, shape (n_labels, n_levels)."""
        levels = range(self.values.shape[1])
        return np.stack([np.where(self.codes[source] == k, weights, 0.0).sum(axis=0) for k in levels], axis=1)


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
