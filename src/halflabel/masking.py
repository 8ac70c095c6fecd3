"""Ways labels go missing, as pure functions of (labels, share, rng).

Hiding known labels, guessing them and comparing is the only honest way to know how good a
completion is, and it is honest only if what is hidden resembles what is missing. Each function
hides ``share`` of something and returns new labels; which entries it hid is
``labels.observed & ~hidden.observed``.

All of them hide the same share of every label's relevant and irrelevant entries, as far as
whole numbers allow, hide at least one entry, and leave every label one relevant entry
if it has one, unless nothing could be hidden then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halflabel.arrays import Mask
from halflabel.labels import PartialLabels
from halflabel.stratification import deal_entries, deal_items

__all__ = ["hide_entries", "hide_items", "hide_like_gaps", "hide_positives"]


def hide_items(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide all labels of a share of the labelled items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    share : float
        Between 0 and 1, both excluded.
    rng : numpy.random.Generator

    Returns
    -------
    PartialLabels
        The same labels, the chosen items unlabelled and no longer annotated.

    Raises
    ------
    ValueError
        If ``share`` is not between 0 and 1, or fewer than two items are labelled.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> hide_items(labels, 0.5, np.random.default_rng(0)).unlabelled.sum()
    np.int64(2)
    """
    chosen = _choose_items(labels, share, rng)
    return labels.hide(_spare_last_relevant(labels, chosen[:, None] & labels.observed, rng, whole_items=True))


def hide_entries(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide a share of the observed entries, one by one; parameters as in :func:`hide_items`."""
    mask = _choose_entries(labels, share, rng, "observed entries")
    return labels.hide(_spare_last_relevant(labels, mask, rng, whole_items=False))


def hide_positives(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Forget a share of the relevant entries: the result is positive-only, as in Zhao and Guo (2015).

    The irrelevant entries become unknown too. If they stayed, an unknown entry in a row that is complete
    otherwise could only be one that was hidden, and a method could read the answer from the mask. Annotated items stay
    annotated, also without any relevant entry left, so that "unknown in an annotated row" is the paper's -1.
    Parameters are as in :func:`hide_items`.
    """
    positives = replace(labels, state=np.maximum(labels.state, 0))
    mask = _choose_entries(positives, share, rng, "relevant entries")
    mask = _spare_last_relevant(positives, mask, rng, whole_items=False)
    return replace(positives, state=np.where(mask, 0, positives.state).astype(np.int8), positive_only=True)


def hide_like_gaps(labels: PartialLabels, share: float, rng: np.random.Generator) -> PartialLabels:
    """Hide entries of a share of the labelled items in the pattern of the table's own gaps.

    Each chosen item receives the gaps of an item drawn at random from those that have any: if that one is unlabelled,
    all labels of the chosen item are hidden, otherwise those which the other lacks. A label that was never observed
    makes no gap. Whole items are hidden if the table has no gaps, if these would hide nothing, and if the labels are
    positive-only, where a gap of an annotated item cannot be told from what does not apply to it.
    Parameters are as in :func:`hide_items`.
    """
    chosen = _choose_items(labels, share, rng)
    gaps = ~labels.observed & labels.observed.any(axis=0)
    donors = np.flatnonzero(labels.unlabelled if labels.positive_only else gaps.any(axis=1))
    mask = chosen[:, None] & labels.observed
    if len(donors):
        like_gaps = mask & gaps[rng.choice(donors, size=len(labels))]
        mask = like_gaps if like_gaps.any() else mask
    return labels.hide(_spare_last_relevant(labels, mask, rng, whole_items=True))


def _choose_items(labels: PartialLabels, share: float, rng: np.random.Generator) -> Mask:
    """Choose a share of the labelled items, at least one and not all of them."""
    labelled = np.flatnonzero(~labels.unlabelled)
    _check(share, "labelled items", len(labelled))
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[labelled] = _some(deal_items(labels[labelled], (share, 1 - share), rng) == 0, rng)
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


def _spare_last_relevant(labels: PartialLabels, mask: Mask, rng: np.random.Generator, *, whole_items: bool) -> Mask:
    """Give a relevant entry (or its item) back to each label that would lose all, if something else stays hidden."""
    spared = mask.copy()
    for j in np.flatnonzero(labels.relevant.any(axis=0)):
        rows = np.flatnonzero(labels.relevant[:, j])
        if spared[rows, j].all():
            spared[rng.choice(rows), slice(None) if whole_items else j] = False
    return spared if spared.any() else mask
