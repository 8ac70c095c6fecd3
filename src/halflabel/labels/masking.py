"""Ways to hide labels, as pure functions of (labels, share, rng).

To measure how good a completion is, hide known labels, predict them and compare. The measurement holds for the
table's own gaps only if the hidden entries resemble the missing entries. Each function hides ``share`` of something
and returns new labels. The hidden entries are ``labels.observed & ~hidden.observed``.

All functions hide the same share of every label's relevant and irrelevant entries, as far as whole numbers (and whole
groups of items) allow. They hide at least one entry, and leave every label one relevant entry if it has one, unless
nothing could be hidden then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from halflabel._arrays import Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.folds import split_entries, split_items
from halflabel.labels.groups import number_groups

__all__ = ["hide_entries", "hide_items", "hide_like_gaps", "hide_positives", "read_entry_mask"]


def hide_items(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Any = None) -> PartialLabels:
    """Hide all labels of a share of the labelled items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    share : float
        Between 0 and 1, both excluded.
    rng : numpy.random.Generator
    groups : array-like of shape (n_items,), optional
        Items of equal value (a thread, an author, duplicates) are hidden together. An item whose value is missing is a
        group of its own.

    Returns
    -------
    PartialLabels
        The same labels, the chosen items unlabelled and no longer annotated.

    Raises
    ------
    ValueError
        If ``share`` is not between 0 and 1, or fewer than two items (or groups) are labelled.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> hide_items(labels, 0.5, np.random.default_rng(0)).unlabelled.sum()
    np.int64(2)
    """
    numbers = _number(labels, groups)
    chosen = _choose_items(labels, share, rng, numbers)
    return labels.hide(_spare_last_relevant(labels, chosen[:, None] & labels.observed, rng, numbers))


def hide_entries(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide a share of the observed entries, one by one. The parameters are as in :func:`hide_items`."""
    mask = _choose_entries(labels, share, rng, "observed entries")
    return labels.hide(_spare_last_relevant(labels, mask, rng))


def hide_positives(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide all irrelevant entries and a share of the relevant entries: the setting of Zhao and Guo (2015).

    If the irrelevant entries stayed, an unknown entry in a row that is complete otherwise could only be a hidden one,
    and a method could read the answer from the mask. Annotated items stay annotated, also if no relevant entry is
    left, so that "unknown in an annotated row" is the paper's -1.
    Parameters are as in :func:`hide_items`.
    """
    positives = replace(labels, state=np.maximum(labels.state, 0))
    mask = _choose_entries(positives, share, rng, "relevant entries")
    mask = _spare_last_relevant(positives, mask, rng)
    return replace(positives, state=np.where(mask, 0, positives.state).astype(np.int8), positives=True)


def hide_like_gaps(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Any = None) -> PartialLabels:
    """Hide entries of a share of the labelled items in the pattern of the table's own gaps.

    Each chosen item receives the gaps of a donor: an item chosen at random from the items with gaps. If the donor is
    unlabelled, all labels of the item are hidden, otherwise the labels that are unknown in the donor. A label that was
    never observed makes no gap. Whole items are hidden if the table has no gaps, if its gaps would hide nothing, and
    if the labels are positive-only, where a gap of an annotated item cannot be distinguished from an irrelevant
    entry. The items of a group have one donor, so that no label is hidden in one item and shown in another.
    Parameters are as in :func:`hide_items`.
    """
    numbers = _number(labels, groups)
    chosen = _choose_items(labels, share, rng, numbers)
    gaps = ~labels.observed & labels.observed.any(axis=0)
    donors = np.flatnonzero(labels.unlabelled if labels.positive_only else gaps.any(axis=1))
    mask = chosen[:, None] & labels.observed
    if len(donors):
        like_gaps = mask & gaps[rng.choice(donors, size=len(labels))[numbers]]
        mask = like_gaps if like_gaps.any() else mask
    return labels.hide(_spare_last_relevant(labels, mask, rng, numbers))


def _number(labels: PartialLabels, groups: Any) -> Ints:
    """Return the number of each item's group. Without groups, every item is a group of its own."""
    return np.arange(len(labels)) if groups is None else number_groups(groups, len(labels))


def _choose_items(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Ints) -> Mask:
    """Choose groups that hold a share of the labelled items, at least one group and not all of them."""
    labelled = np.flatnonzero(~labels.unlabelled)
    distinct, first, number = np.unique(groups[labelled], return_index=True, return_inverse=True)
    single = len(distinct) == len(labelled)
    _check(share, "labelled items" if single else "groups with a labelled item", len(distinct))
    chosen = np.zeros(len(labels), dtype=bool)
    first_part = split_items(labels[labelled], (share, 1 - share), rng, groups[labelled]) == 0
    chosen[labelled] = _change_if_trivial(first_part[first], rng)[number]
    return chosen


def _choose_entries(labels: PartialLabels, share: float, rng: np.random.Generator, kind: str) -> Mask:
    """Choose a share of the observed entries, at least one and not all of them."""
    _check(share, kind, int(labels.observed.sum()))
    chosen = np.asarray(split_entries(labels, (share, 1 - share), rng) == 0)
    chosen[labels.observed] = _change_if_trivial(chosen[labels.observed], rng)
    return chosen


def _check(share: float, kind: str, count: int) -> None:
    if not 0 < share < 1:
        raise ValueError(f"the share to hide must lie between 0 and 1, both excluded, but is {share!r}.")
    if count < 2:
        raise ValueError(
            f"to hide a share of the {kind} there must be at least two of them, one to hide and one to learn from, "
            f"but there is {count}: label a few more items."
        )


def _change_if_trivial(chosen: Mask, rng: np.random.Generator) -> Mask:
    """Return the choice, changed in one place if it is empty or complete."""
    if chosen.all() or not chosen.any():
        chosen[rng.integers(len(chosen))] ^= True
    return chosen


def _spare_last_relevant(
    labels: PartialLabels, mask: Mask, rng: np.random.Generator, groups: Ints | None = None
) -> Mask:
    """Keep a relevant entry (or its group) of each label that would lose all, if something else stays hidden."""
    spared = mask.copy()
    for j in np.flatnonzero(labels.relevant.any(axis=0)):
        rows = np.flatnonzero(labels.relevant[:, j])
        if spared[rows, j].all():
            row = rng.choice(rows)
            if groups is None:
                spared[row, j] = False
            else:
                spared[groups == groups[row]] = False
    return spared if spared.any() else mask


def read_entry_mask(mask: Any, labels: PartialLabels, what: str) -> Mask:
    """Return a mask of entries, given per entry or per item, with at least one observed entry.

    Parameters
    ----------
    mask : array-like of bool, shape (n_items, n_labels) or (n_items,)
        If the columns of a table have names, they must be the names of the labels, in their order.
    labels : PartialLabels
    what : str
        The name of the mask in a message.

    Raises
    ------
    ValueError
        For another shape, other names, values that are neither true nor false, and a mask without an observed entry.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [None, 1]])
    >>> read_entry_mask([True, False], labels, "mask").tolist()
    [[True, True], [False, False]]
    """
    if hasattr(mask, "columns") and [str(name) for name in mask.columns] != list(labels.names):
        raise ValueError(f"the columns of {what} must be the labels {list(labels.names)[:5]}, in their order.")
    table = np.asarray(mask)
    if table.dtype != bool:
        raise ValueError(f"{what} must hold True and False only, not {table.dtype} values.")
    table = table[:, None] if table.ndim == 1 else table
    if table.shape not in (labels.shape, (len(labels), 1)):
        raise ValueError(
            f"{what} has shape {table.shape}, the labels {labels.shape}: give one value per entry or item."
        )
    entries = np.broadcast_to(table, labels.shape)
    if not (entries & labels.observed).any():
        raise ValueError(f"{what} holds no observed entry: at least one is needed.")
    return entries
