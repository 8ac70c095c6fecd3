"""Ways labels go missing, as pure functions of (labels, share, rng).

Hiding known labels, guessing them and comparing is the only honest way to know how good a
completion is, and it is honest only if what is hidden resembles what is missing. Each function
hides ``share`` of something and returns new labels; which entries it hid is
``labels.observed & ~hidden.observed``.

All of them hide the same share of every label's relevant and irrelevant entries, as far as
whole numbers (and whole groups of items) allow, hide at least one entry, and leave every label one relevant entry
if it has one, unless nothing could be hidden then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from halflabel._arrays import Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.folds import deal_entries, deal_items
from halflabel.labels.groups import number_groups

__all__ = ["hide_entries", "hide_items", "hide_like_gaps", "hide_positives"]


def hide_items(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Any = None) -> PartialLabels:
    """Hide all labels of a share of the labelled items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    share : float
        Between 0 and 1, both excluded.
    rng : numpy.random.Generator
    groups : array-like of shape (n_items,), optional
        Items of equal value (a thread, an author, duplicates) are hidden together; an item whose value is missing
        stands for itself.

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
    together = _together(labels, groups)
    chosen = _choose_items(labels, share, rng, together)
    return labels.hide(_spare_last_relevant(labels, chosen[:, None] & labels.observed, rng, together))


def hide_entries(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide a share of the observed entries, one by one; parameters as in :func:`hide_items`."""
    mask = _choose_entries(labels, share, rng, "observed entries")
    return labels.hide(_spare_last_relevant(labels, mask, rng))


def hide_positives(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Forget a share of the relevant entries: the result is positive-only, as in Zhao and Guo (2015).

    The irrelevant entries become unknown too. If they stayed, an unknown entry in a row that is complete
    otherwise could only be one that was hidden, and a method could read the answer from the mask. Annotated items stay
    annotated, also without any relevant entry left, so that "unknown in an annotated row" is the paper's -1.
    Parameters are as in :func:`hide_items`.
    """
    positives = replace(labels, state=np.maximum(labels.state, 0))
    mask = _choose_entries(positives, share, rng, "relevant entries")
    mask = _spare_last_relevant(positives, mask, rng)
    return replace(positives, state=np.where(mask, 0, positives.state).astype(np.int8), positive_only=True)


def hide_like_gaps(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Any = None) -> PartialLabels:
    """Hide entries of a share of the labelled items in the pattern of the table's own gaps.

    Each chosen item receives the gaps of an item drawn at random from those that have any: if that one is unlabelled,
    all labels of the chosen item are hidden, otherwise those which the other lacks. A label that was never observed
    makes no gap. Whole items are hidden if the table has no gaps, if these would hide nothing, and if the labels are
    positive-only, where a gap of an annotated item cannot be told from what does not apply to it.
    The items of a group share one donor, so that no label is hidden of one and shown by another.
    Parameters are as in :func:`hide_items`.
    """
    together = _together(labels, groups)
    chosen = _choose_items(labels, share, rng, together)
    gaps = ~labels.observed & labels.observed.any(axis=0)
    donors = np.flatnonzero(labels.unlabelled if labels.positive_only else gaps.any(axis=1))
    mask = chosen[:, None] & labels.observed
    if len(donors):
        like_gaps = mask & gaps[rng.choice(donors, size=len(labels))[together]]
        mask = like_gaps if like_gaps.any() else mask
    return labels.hide(_spare_last_relevant(labels, mask, rng, together))


def _together(labels: PartialLabels, groups: Any) -> Ints:
    return np.arange(len(labels)) if groups is None else number_groups(groups, len(labels))


def _choose_items(labels: PartialLabels, share: float, rng: np.random.Generator, together: Ints) -> Mask:
    """Choose groups that hold a share of the labelled items, at least one group and not all of them."""
    labelled = np.flatnonzero(~labels.unlabelled)
    some, first, card = np.unique(together[labelled], return_index=True, return_inverse=True)
    alone = len(some) == len(labelled)
    _check(share, "labelled items" if alone else "groups with a labelled item", len(some))
    chosen = np.zeros(len(labels), dtype=bool)
    dealt = deal_items(labels[labelled], (share, 1 - share), rng, together[labelled]) == 0
    chosen[labelled] = _some(dealt[first], rng)[card]
    return chosen


def _choose_entries(labels: PartialLabels, share: float, rng: np.random.Generator, kind: str) -> Mask:
    """Choose a share of the observed entries, at least one and not all of them."""
    _check(share, kind, int(labels.observed.sum()))
    chosen = np.asarray(deal_entries(labels, (share, 1 - share), rng) == 0)
    chosen[labels.observed] = _some(chosen[labels.observed], rng)
    return chosen


def _check(share: float, kind: str, count: int) -> None:
    if not 0 < share < 1:
        raise ValueError(f"the share to hide must lie between 0 and 1, both excluded, but is {share!r}.")
    if count < 2:
        raise ValueError(
            f"to hide a share of the {kind} there must be at least two of them, one to hide and one to learn from, "
            f"but there is {count}: label a few more items."
        )


def _some(chosen: Mask, rng: np.random.Generator) -> Mask:
    """Return the choice, changed in one place if it is nothing or everything."""
    if chosen.all() or not chosen.any():
        chosen[rng.integers(len(chosen))] ^= True
    return chosen


def _spare_last_relevant(
    labels: PartialLabels, mask: Mask, rng: np.random.Generator, together: Ints | None = None
) -> Mask:
    """Give a relevant entry (or its group) back to each label that would lose all, if something else stays hidden."""
    spared = mask.copy()
    for j in np.flatnonzero(labels.relevant.any(axis=0)):
        rows = np.flatnonzero(labels.relevant[:, j])
        if spared[rows, j].all():
            row = rng.choice(rows)
            if together is None:
                spared[row, j] = False
            else:
                spared[together == together[row]] = False
    return spared if spared.any() else mask
