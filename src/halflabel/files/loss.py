"""The losses of writing: each format declares its losses, and they are counted for the records that are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np

from halflabel._wording import listed, plural
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


#: The losses of a format that lists the labels of an item.
OF_LISTS = (
    Loss.IRRELEVANT,
    Loss.SUGGESTED,
    Loss.BOTH,
    Loss.PROBABILITIES,
    Loss.UNSURE,
    Loss.PEOPLE,
    Loss.MODEL,
    Loss.FIELDS,
    Loss.ANNOTATED,
)


def sentences(records: Records, losses: Sequence[Loss], fields: Sequence[str]) -> tuple[str, ...]:
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
    suffered = []
    for loss in losses:
        if loss is Loss.FIELDS:
            missing = [str(name) for name in records.items.columns if name not in fields]
            shown = listed(missing) if missing else ""
        else:
            number = _NUMBERS[loss](records)
            shown = plural(number, *_NOUNS.get(loss, ("entry", "entries"))) if number else ""
        if shown:
            suffered.append(f"{loss.value} ({shown}).")
    return tuple(suffered)


def _irrelevant(records: Records) -> int:
    return int((records.final.to_numpy() == 0).sum())


def _suggested(records: Records) -> int:
    suggested = records.suggestions.to_numpy()
    return int((~np.isnan(suggested) & (suggested != records.labels.to_numpy())).sum())


def _both(records: Records) -> int:
    made = records.cells[records.is_suggestion]
    return int(records.labels.notna().to_numpy()[made["item"], made["label"]].sum())


def _probabilities(records: Records) -> int:
    return int(records.cells["probability"].notna().sum())


def _given_probabilities(records: Records) -> int:
    return int((records.cells["probability"].notna() & ~records.is_suggestion).sum())


def _undecided(records: Records) -> int:
    return int((records.cells["value"].isna() & records.is_suggestion).sum())


def _unsure(records: Records) -> int:
    return int((records.cells["value"].isna() & ~records.is_suggestion).sum())


def _signed(records: Records) -> int:
    answers = records.cells[~records.is_suggestion]
    return int((answers["by"].notna() | answers["at"].notna()).sum())


def _people(records: Records) -> int:
    answers = records.cells[~records.is_suggestion]
    return int((answers["by"].notna() | answers["at"].notna() | answers.duplicated(["item", "label"])).sum())


def _models(records: Records) -> int:
    made = records.cells[records.is_suggestion]
    return int((made["by"].notna() | made["at"].notna()).sum())


def _empty_items(records: Records) -> int:
    return len(records.items) - records.cells["item"].nunique()


def _empty_labels(records: Records) -> int:
    return len(records.names) - records.cells.loc[records.cells["value"] != 0, "label"].nunique()


def _annotated(records: Records) -> int:
    answered = records.cells.loc[~records.is_suggestion, "item"].unique()
    return int(np.delete(records.annotated, answered).sum())


_NUMBERS: dict[Loss, Callable[[Records], int]] = {
    Loss.IRRELEVANT: _irrelevant,
    Loss.SUGGESTED: _suggested,
    Loss.BOTH: _both,
    Loss.PROBABILITIES: _probabilities,
    Loss.SCORES: _probabilities,
    Loss.GIVEN_PROBABILITIES: _given_probabilities,
    Loss.UNDECIDED: _undecided,
    Loss.UNSURE: _unsure,
    Loss.PEOPLE: _people,
    Loss.WHO: _signed,
    Loss.MODEL: _models,
    Loss.ITEMS: _empty_items,
    Loss.LABELS: _empty_labels,
    Loss.ANNOTATED: _annotated,
}

_NOUNS: dict[Loss, tuple[str, ...]] = {
    Loss.ITEMS: ("item",),
    Loss.ANNOTATED: ("item",),
    Loss.LABELS: ("label",),
}
