"""Split items, or single entries, into parts that are alike in every label.

The classes to balance are the pairs (label, value): a part gets its share of the relevant *and* of the irrelevant
observed entries of every label. Where labels have gaps, one does not follow from the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels


def split_items(
    labels: PartialLabels, shares: Sequence[float], rng: np.random.Generator, groups: Ints | None = None
) -> Ints:
    """Split the items into parts, each with its share of every label's observed values.

    Iterative stratification [1]_, [2]_ for labels with gaps, a whole class at a time: the class (label, value) with
    the fewest items left is assigned first, in the proportions that the parts still need of it, by largest remainder.
    A tie is won by the part with the most room, then by chance. Items of a class are assigned in the order of their
    label sets, so that pairs of labels are spread too. Unlabelled items come last and are spread by themselves.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    shares : sequence of float, length n_parts
        The share of each part, positive, with sum 1.
    groups : ndarray of int, shape (n_items,), optional
        Items of one group come into the same part, see :func:`halflabel.labels.groups.number_groups`. Groups of
        several items are assigned first, the largest before all, each to the part where it reduces Pearson's
        chi-square most (or increases it least), summed over the classes, the unlabelled items and all items. Single
        items follow as without groups.

    Returns
    -------
    ndarray of int, shape (n_items,)
        The part of each item, from 0 to ``n_parts - 1``.

    References
    ----------
    .. [1] Sechidis, K., Tsoumakas, G. and Vlahavas, I. (2011). On the stratification
       of multi-label data. ECML PKDD.
    .. [2] Szymański, P. and Kajdanowicz, T. (2017). A network perspective on
       stratification of multi-label data. LIDTA, PMLR 74.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> parts = split_items(labels, (0.5, 0.5), np.random.default_rng(0))
    >>> sorted(parts[:2].tolist()), sorted(parts[2:].tolist())
    ([0, 1], [0, 1])
    """
    share = np.asarray(shares, dtype=np.float64)
    shuffle = rng.permutation(len(labels))
    classes, annotated = _classes(labels.state[shuffle]), labels.annotated[shuffle]
    parts = np.full(len(labels), -1, dtype=np.intp)
    if groups is not None:
        parts = _assign_groups(groups[shuffle], classes, annotated, share, rng)
    _assign_items(parts, classes, annotated, share, rng)
    result = np.empty_like(parts)
    result[shuffle] = parts
    return result


def split_entries(labels: PartialLabels, shares: Sequence[float], rng: np.random.Generator) -> NDArray[np.int8]:
    """Split the observed entries into parts, separately for each label's relevant and irrelevant entries.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    shares : sequence of float, length n_parts
        The share of each part, positive, with sum 1. At most 127 parts.

    Returns
    -------
    ndarray of int8, shape (n_items, n_labels)
        The part of each observed entry, -1 for unknown entries. Of the *m* entries of a label and value a part gets its
        share of *m*, rounded up or down.
    """
    share = np.asarray(shares, dtype=np.float64)
    room = share * labels.observed.sum()
    parts = np.full(labels.shape, -1, dtype=np.int8)
    for j, column in enumerate(labels.state.T):
        for value in (1, -1):
            rows = rng.permutation(np.flatnonzero(column == value))
            parts[rows, j] = own = _assign_shares(len(rows), share, room, rng)
            room -= np.bincount(own, minlength=len(share))
    return parts


def _assign_groups(groups: Ints, classes: Mask, annotated: Mask, share: Floats, rng: np.random.Generator) -> Ints:
    """Return the part of each item of a group, assigned from the largest group down, and -1 for single items."""
    number, size = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    several = np.flatnonzero(size > 1)
    several = several[np.lexsort((rng.random(len(several)), -size[several]))]
    blank = ~classes.any(axis=1)
    kinds = np.column_stack([classes, blank & annotated, blank & ~annotated, np.ones_like(blank)])
    total = kinds.sum(axis=0)
    expected = np.maximum(total, 1)[:, None] * share
    wanted = total[:, None] * share
    parts = np.full(len(groups), -1, dtype=np.intp)
    members = np.split(np.argsort(number, kind="stable"), size.cumsum()[:-1])
    for group in several:
        counts = kinds[members[group]].sum(axis=0)[:, None]
        chi_square = (counts * (counts - 2 * wanted) / expected).sum(axis=0)  # the increase by this group
        part = np.lexsort((rng.random(len(share)), -wanted[-1], chi_square.round(9)))[0]
        wanted[:, part] -= counts[:, 0]
        parts[members[group]] = part
    return parts


def _assign_items(parts: Ints, classes: Mask, annotated: Mask, share: Floats, rng: np.random.Generator) -> None:
    """Assign the items without a part (-1), class by class, and write into ``parts`` in place."""
    pattern = np.unique(np.packbits(classes, axis=1), axis=0, return_inverse=True)[1]
    taken = parts == np.arange(len(share))[:, None]
    wanted = (classes.sum(axis=0) * share[:, None] - taken @ classes.astype(np.intp)).T
    room = share * len(parts) - taken.sum(axis=1)
    left = classes[parts < 0].sum(axis=0)
    while left.any():
        rarest = np.argmin(np.where(left > 0, left, len(parts) + 1))
        members = np.flatnonzero(classes[:, rarest] & (parts < 0))
        members = members[np.argsort(pattern[members], kind="stable")]
        parts[members] = _assign_shares(len(members), wanted[rarest], room, rng)
        for part in range(len(share)):
            new = members[parts[members] == part]
            wanted[:, part] -= classes[new].sum(axis=0)
            room[part] -= len(new)
        left -= classes[members].sum(axis=0)
    rest = np.flatnonzero(parts < 0)
    rest = rest[np.argsort(annotated[rest], kind="stable")]
    blank = ~classes.any(axis=1)
    parts[rest] = _assign_shares(len(rest), share * blank.sum() - (taken & blank).sum(axis=1), room, rng)


def _classes(state: NDArray[np.int8]) -> Mask:
    """Return the items of each class (label, value) as a mask, the rarest class first."""
    classes = np.hstack([state > 0, state < 0])
    return classes[:, np.argsort(classes.sum(axis=0), kind="stable")]


def _assign_shares(count: int, wanted: Floats, room: Floats, rng: np.random.Generator) -> Ints:
    """Return the parts of ``count`` items in a row, so that any run of items is divided in about the same shares."""
    wish = np.maximum(wanted, 0.0)
    wish = wish if wish.any() else np.ones_like(wish)
    exact = count * wish / wish.sum()
    sizes = np.floor(exact + 1e-9).astype(np.intp)
    remainder = np.round(exact - sizes, 9)  # so that equal remainders tie in spite of rounding
    order = np.lexsort((rng.random(len(wish)), room, remainder))[::-1]
    sizes[order[: count - sizes.sum()]] += 1
    parts = np.repeat(np.arange(len(sizes)), sizes)
    positions = np.concatenate([(np.arange(size) + rng.random()) / size for size in sizes])
    return parts[np.argsort(positions, kind="stable")]
