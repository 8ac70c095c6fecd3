"""Labels that cannot be learned, because at most one value of them was given: they stay as they are, and are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from halflabel._wording import option, quoted
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.table.opened import OpenTable

#: Maximum number of names in a sentence.
MAX_NAMES = 5

#: Labels with relevant entries only, with irrelevant ones only, without any: their description, and the advice.
_ENTRY_WORDS = (
    ("only 1 is given for", "Give a few 0."),
    ("only 0 is given for", "Give a few 1."),
    ("no value is given for", "Give a few 1 and 0, or leave it out of the labels."),
)
_TAG_WORDS = (
    ("every annotated item has", "Annotate a few items without it."),
    ("no annotated item has", "Annotate a few items with it."),
    ("no annotated item is known to have or not to have", "Annotate a few items with it and a few without it."),
)


def leave_unlearned(opened: OpenTable) -> OpenTable:
    """Return the table without the labels of which at most one value was given, and a note for each kind of them.

    Such a label is in no fit, and so in no figure: it is never filled in, and the figures of the other labels do not
    depend on it. A completed table has it as it was given.

    Raises
    ------
    ValueError
        If no label is left.
    """
    labels = mark_unassigned(opened.labels)
    if labels.learnable.all():
        return opened
    sentences = tuple(_describe_kinds(opened, labels))
    if not labels.learnable.any():
        raise ValueError(" ".join(sentences))
    kept = opened.keep_labels([labels.names[j] for j in np.flatnonzero(labels.learnable)])
    return replace(kept, notes=(*sentences, *kept.notes))


def _describe_kinds(opened: OpenTable, labels: PartialLabels) -> Iterator[str]:
    """Yield a sentence for each kind of label that is not learned: the given entries, and the advice."""
    relevant, observed = labels.relevant.any(axis=0), labels.observed.any(axis=0)
    chosen = ~labels.learnable
    words = _TAG_WORDS if opened.roles.tags is not None or opened.labels.positive_only else _ENTRY_WORDS
    masks = (chosen & relevant, chosen & observed & ~relevant, chosen & ~observed)
    for (what, way), mask in zip(words, masks, strict=True):
        if mask.any():
            names = quoted([labels.names[j] for j in np.flatnonzero(mask)], MAX_NAMES)
            left = "this label is" if mask.sum() == 1 else "these labels are"
            first = labels.names[int(np.flatnonzero(mask)[0])]
            blank = _describe_blank(opened, first) if (mask & relevant).any() else ""
            yield f"Not learned: {what} {names}, so that {left} not filled in. {way}{blank}"


def _describe_blank(opened: OpenTable, name: str) -> str:
    """Return how to state the meaning of an empty cell of a label, if the table has such cells and the option helps."""
    if opened.roles.tags is not None:
        stated = opened.description.empty == "none" or opened.description.annotated is not None
        helps = opened.labels.unlabelled.any() and not stated
        return f" If an empty cell means an item without tags, state {option('empty', 'none')}." if helps else ""
    if not opened.has_label_columns or opened.labels.positive_only or opened.labels.observed.all():
        return ""
    no = f" If an empty cell means no in every label column, state {option('no', '')}"
    has_no = (opened.labels.state < 0).any()
    way = option("positive_only", name) if has_no else option("absent", "unknown")
    return f"{no}; if it can be a missing positive{', as for a new tag' if has_no else ''}, {way}."
