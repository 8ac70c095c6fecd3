"""Dealing items, or single entries, into groups that are alike in every label.

The classes to balance are the pairs (label, value): a group should get its share of
the relevant *and* of the irrelevant observed entries of every label, since with gaps
one no longer follows from the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels


def deal_items(
    labels: PartialLabels, shares: Sequence[float], rng: np.random.Generator, together: Ints | None = None
) -> Ints:
    """Deal the items into groups, each with its share of every label's observed values.

    Iterative stratification [1]_, [2]_ for labels with gaps, a whole class at a time:
    the class (label, value) with the fewest items left is dealt first, in the
    proportions that the groups still want of it, by largest remainder. Ties go to
    the group with the most room, then to chance. Items of a class are dealt in
    the order of their label sets, so that pairs of labels are spread too. Unlabelled items
    come last and are spread by themselves.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    shares : sequence of float, length n_groups
        The share of each group; positive, with sum 1.
    rng : numpy.random.Generator
    together : ndarray of int, shape (n_items,), optional
        Items of one number are dealt as one card, see :func:`halflabel.labels.groups.number_groups`. Cards of several
        items come first, the largest before all, each to the group where it takes most from Pearson's chi-square (or
        adds least to it), summed over the classes, the unlabelled items and all items. Single items follow as always.

    Returns
    -------
    ndarray of int, shape (n_items,)
        The group of each item, from 0 to ``n_groups - 1``.

    References
    ----------
    .. [1] Sechidis, K., Tsoumakas, G. and Vlahavas, I. (2011). On the stratification
       of multi-label data. ECML PKDD.
    .. [2] Szymański, P. and Kajdanowicz, T. (2017). A network perspective on
       stratification of multi-label data. LIDTA, PMLR 74.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> groups = deal_items(labels, (0.5, 0.5), np.random.default_rng(0))
    >>> sorted(groups[:2].tolist()), sorted(groups[2:].tolist())
    ([0, 1], [0, 1])
    """
    share = np.asarray(shares, dtype=np.float64)
    shuffle = rng.permutation(len(labels))
    classes = _classes(labels.state[shuffle])
    pattern = np.unique(np.packbits(classes, axis=1), axis=0, return_inverse=True)[1]
    dealt = np.full(len(labels), -1, dtype=np.intp)
    if together is not None:
        dealt = _deal_cards(together[shuffle], classes, labels.annotated[shuffle], share, rng)
    already = dealt == np.arange(len(share))[:, None]
    wanted = (classes.sum(axis=0) * share[:, None] - already @ classes.astype(np.intp)).T
    room = share * len(labels) - already.sum(axis=1)
    left = classes[dealt < 0].sum(axis=0)
    while left.any():
        rarest = np.argmin(np.where(left > 0, left, len(labels) + 1))
        members = np.flatnonzero(classes[:, rarest] & (dealt < 0))
        members = members[np.argsort(pattern[members], kind="stable")]
        dealt[members] = _deal(len(members), wanted[rarest], room, rng)
        for group in range(len(share)):
            taken = members[dealt[members] == group]
            wanted[:, group] -= classes[taken].sum(axis=0)
            room[group] -= len(taken)
        left -= classes[members].sum(axis=0)
    rest = np.flatnonzero(dealt < 0)
    rest = rest[np.argsort(labels.annotated[shuffle][rest], kind="stable")]
    blank = ~classes.any(axis=1)
    dealt[rest] = _deal(len(rest), share * blank.sum() - (already & blank).sum(axis=1), room, rng)
    groups = np.empty_like(dealt)
    groups[shuffle] = dealt
    return groups


def deal_entries(labels: PartialLabels, shares: Sequence[float], rng: np.random.Generator) -> NDArray[np.int8]:
    """Deal the observed entries into groups, each label's relevant and irrelevant ones by themselves.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    shares : sequence of float, length n_groups
        The share of each group; positive, with sum 1; at most 127 groups.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (n_items, n_labels)
        The group of each observed entry, -1 for unknown ones. Of the *m* entries of a
        label and value a group gets its share of *m*, rounded up or down.
    """
    share = np.asarray(shares, dtype=np.float64)
    room = share * labels.observed.sum()
    groups = np.full(labels.shape, -1, dtype=np.int8)
    for j, column in enumerate(labels.state.T):
        for value in (1, -1):
            rows = rng.permutation(np.flatnonzero(column == value))
            dealt = _deal(len(rows), share, room, rng)
            groups[rows, j] = dealt
            room -= np.bincount(dealt, minlength=len(share))
    return groups


def _deal_cards(together: Ints, classes: Mask, annotated: Mask, share: Floats, rng: np.random.Generator) -> Ints:
    """Deal the cards of several items, the largest first; -1 for single items."""
    number, size = np.unique(together, return_inverse=True, return_counts=True)[1:]
    cards = np.flatnonzero(size > 1)
    cards = cards[np.lexsort((rng.random(len(cards)), -size[cards]))]
    blank = ~classes.any(axis=1)
    kinds = np.column_stack([classes, blank & annotated, blank & ~annotated, np.ones_like(blank)])
    total = kinds.sum(axis=0)
    expected = np.maximum(total, 1)[:, None] * share
    wanted = total[:, None] * share
    dealt = np.full(len(together), -1, dtype=np.intp)
    members = np.split(np.argsort(number, kind="stable"), size.cumsum()[:-1])
    for card in cards:
        counts = kinds[members[card]].sum(axis=0)[:, None]
        chi_square = (counts * (counts - 2 * wanted) / expected).sum(axis=0)  # what the card would add to it
        group = np.lexsort((rng.random(len(share)), -wanted[-1], chi_square.round(9)))[0]
        wanted[:, group] -= counts[:, 0]
        dealt[members[card]] = group
    return dealt


def _classes(state: NDArray[np.int8]) -> Mask:
    """Return which item is in which class (label, value), the rarest class first."""
    classes = np.hstack([state > 0, state < 0])
    return classes[:, np.argsort(classes.sum(axis=0), kind="stable")]


def _deal(count: int, wanted: Floats, room: Floats, rng: np.random.Generator) -> Ints:
    """Return the groups of ``count`` cards in a row, spread so that any run of cards gets about its share."""
    wish = np.maximum(wanted, 0.0)
    wish = wish if wish.any() else np.ones_like(wish)
    exact = count * wish / wish.sum()
    sizes = np.floor(exact + 1e-9).astype(np.intp)
    remainder = np.round(exact - sizes, 9)  # so that equal remainders tie in spite of rounding
    neediest = np.lexsort((rng.random(len(wish)), room, remainder))[::-1]
    sizes[neediest[: count - sizes.sum()]] += 1
    groups = np.repeat(np.arange(len(sizes)), sizes)
    positions = np.concatenate([(np.arange(size) + rng.random()) / size for size in sizes])
    return groups[np.argsort(positions, kind="stable")]
