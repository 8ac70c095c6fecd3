"""Why an answered entry has its probability. The process that fits makes the explanation when the page asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from halflabel.completion import Completion

#: Maximum number of items, and of features, that are shown.
MAX_NEIGHBOURS, MAX_FEATURES = 3, 8


@dataclass(frozen=True)
class Explained:
    """The explanation of an entry by one fit."""

    #: The place of the entry.
    row: int
    column: int
    #: :meth:`halflabel.completion.Explanation.to_dict`, ``neighbours`` (row, item, given, log_odds) and ``features``
    #: (name, word, log_odds): the carriers with the largest shares.
    facts: dict[str, Any]


def explain_place(completion: Completion, row: int, column: int, label: str) -> Explained:
    """Return why an entry has its probability, or the reason why there is none.

    The number of the column counts the labels of the table; a fit may have fewer labels.
    """
    item = str(completion.index[row])
    named: dict[str, Any] = {"item": item, "label": label, "probability": None, "contributions": []}
    if label not in completion.labels.names:
        note = f"The last fit did not learn {label!r}: with the answers, all known entries of this label are the same."
        return Explained(row, column, {**named, "note": note})
    try:
        explanation = completion.explain(completion.index[row], label)
    except KeyError as error:  # several items have the id
        return Explained(row, column, {**named, "note": f"No explanation: {error.args[0]}"})
    largest = list_largest(explanation.carriers, completion.index, completion.opened.roles.text)
    return Explained(row, column, {**explanation.to_dict(), **largest})


def list_largest(carriers: pd.DataFrame, ids: pd.Index[Any], text: str | None) -> dict[str, Any]:
    """Return the items and the features with the largest shares of a probability, over all of its parts.

    A feature that is a word of the text column has this word, so that the page can mark it in the text.
    """
    sums = carriers.groupby(["kind", "name"], sort=False).agg({"log_odds": "sum", "given": "first"}).reset_index()
    sums = sums.iloc[(-sums["log_odds"].abs()).argsort(kind="stable")]
    items = sums[sums["kind"] == "item"].head(MAX_NEIGHBOURS)
    features = sums[sums["kind"] == "feature"].head(MAX_FEATURES)
    row_of, prefix = {item: row for row, item in enumerate(ids)}, f"{text}:"
    neighbours = [
        {"row": row_of[name], "item": str(name), "given": None if given is pd.NA else int(given), "log_odds": z}
        for name, z, given in zip(items["name"], items["log_odds"], items["given"], strict=True)
    ]
    named = [
        {"name": name, "word": name.removeprefix(prefix) if name.startswith(prefix) else "", "log_odds": z}
        for name, z in zip(features["name"].astype(str), features["log_odds"], strict=True)
    ]
    return {"neighbours": neighbours, "features": named}
