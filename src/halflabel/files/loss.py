"""The losses of writing: each format declares its losses, and they are counted for the records that are written."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from halflabel._wording import Notes, listed, plural
from halflabel.files.records import Records


class Loss(Enum):
    """A loss when records are written. The value is the sentence of the documentation."""

    IRRELEVANT = "Irrelevant and unknown entries look the same: only the labels that an item has are listed"
    SUGGESTED = "Suggested values look like given ones"
    BOTH = "Where an entry has an answer and a suggestion, only one is kept: the suggestion if they differ"
    PROBABILITIES = "Probabilities are left out"
    SCORES = "Probabilities are left out, but for the smallest of each item"
    GIVEN_PROBABILITIES = "Probabilities of answered entries are left out"
    UNDECIDED = "Probabilities of undecided entries are left out"
    UNSURE = "The answer that a person is unsure becomes unknown"
    PEOPLE = "Who answered and when is left out, and different answers to one entry become unknown"
    WHO = "Who answered and when is left out"
    MODEL = "Which model made a suggestion, and when, is left out"
    FIELDS = "Fields of the items are left out"
    ITEMS = "Items without any entry are left out"
    LABELS = "Labels without any entry are left out"
    ANNOTATED = "Items that were annotated without any label look unlabelled"


def sentences(records: Records, losses: Sequence[Loss], fields: Sequence[str]) -> Notes:
    """Return one sentence for each declared loss that these records suffer.

    Parameters
    ----------
    records : Records
        The records that are written.
    losses : sequence of Loss
        The losses that the format declares.
    fields : sequence of str
        The names of the fields that the format carries.
    """
    suffered, counts = [], _count(records)
    for loss in losses:
        if loss is Loss.FIELDS:
            missing = [str(name) for name in records.items.columns if name not in fields]
            shown = listed(missing) if missing else ""
        else:
            number = counts[loss]
            shown = plural(number, *_NOUNS.get(loss, ("entry", "entries"))) if number else ""
        if shown:
            suffered.append(f"{loss.value} ({shown}).")
    return tuple(suffered)


def _count(records: Records) -> dict[Loss, int]:
    """Return the number of entries, items or labels that each loss is about."""
    cells, is_suggestion = records.cells, records.is_suggestion
    answers, made = cells[~is_suggestion], cells[is_suggestion]
    suggested, labels = records.suggestions.to_numpy(), records.labels.to_numpy()
    has_p, is_open = cells["probability"].notna(), cells["value"].isna()
    signed = answers["by"].notna() | answers["at"].notna()
    counts: dict[Loss, Any] = {
        Loss.IRRELEVANT: (records.final.to_numpy() == 0).sum(),
        Loss.SUGGESTED: (~np.isnan(suggested) & (suggested != labels)).sum(),
        Loss.BOTH: (~np.isnan(labels))[made["item"], made["label"]].sum(),
        Loss.PROBABILITIES: has_p.sum(),
        Loss.SCORES: has_p.sum(),
        Loss.GIVEN_PROBABILITIES: (has_p & ~is_suggestion).sum(),
        Loss.UNDECIDED: (is_open & is_suggestion).sum(),
        Loss.UNSURE: (is_open & ~is_suggestion).sum(),
        Loss.PEOPLE: (signed | answers.duplicated(["item", "label"])).sum(),
        Loss.WHO: signed.sum(),
        Loss.MODEL: (made["by"].notna() | made["at"].notna()).sum(),
        Loss.ITEMS: len(records.items) - cells["item"].nunique(),
        Loss.LABELS: len(records.names) - cells.loc[cells["value"] != 0, "label"].nunique(),
        Loss.ANNOTATED: np.delete(records.annotated, answers["item"].unique()).sum(),
    }
    return {loss: int(number) for loss, number in counts.items()}


_NOUNS: dict[Loss, tuple[str, ...]] = {
    Loss.ITEMS: ("item",),
    Loss.ANNOTATED: ("item",),
    Loss.LABELS: ("label",),
}
