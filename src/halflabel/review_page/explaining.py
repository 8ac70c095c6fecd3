"""Why an answered entry has its probability. The process that fits makes the explanation when the page asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halflabel.completion import Completion


@dataclass(frozen=True)
class Explained:
    """The explanation of an entry by one fit."""

    #: The place of the entry.
    row: int
    column: int
    facts: dict[str, Any]  #: :meth:`halflabel.completion.Explanation.to_dict`.


def explain_place(completion: Completion, row: int, column: int, label: str) -> Explained:
    """Return why an entry has its probability, or the reason why there is none.

    The number of the column counts the labels of the table; a fit may have fewer labels.
    """
    named: dict[str, Any] = {
        "item": str(completion.index[row]),
        "label": label,
        "probability": None,
        "contributions": [],
    }
    if label not in completion.labels.names:
        note = f"The last fit did not learn {label!r}: with the answers, all known entries of this label are the same."
        return Explained(row, column, {**named, "note": note})
    try:
        facts = completion.explain(completion.index[row], label).to_dict()
    except KeyError as error:  # several items have the id
        return Explained(row, column, {**named, "note": f"No explanation: {error.args[0]}"})
    return Explained(row, column, facts)
