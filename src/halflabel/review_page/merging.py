"""Several reviewers: agreement per label, and one table of answers in which contested entries stay open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Mask
from halflabel.labels.reasons import is_calibrating
from halflabel.review_page.answers import AnswerBook, Record

#: Words of the merged table.
_AGREED, _CONTESTED, _SINGLE = "agreed", "contested", "one reviewer"

#: The columns that name an entry.
_ENTRY = ["item", "label"]


@dataclass(frozen=True, eq=False)
class Merged:
    """The answers of several reviewers."""

    #: One row per entry that has an answer: item, label, answer (missing where reviewers differ or are not sure),
    #: state ("agreed", "contested" or "one reviewer"), a column per reviewer, and why (the reason of the
    #: question).
    answers: pd.DataFrame
    #: One row per label and pair of reviewers: label, first, second, both (number of entries that both decided),
    #: equal, kappa (Cohen's; missing where it is not defined).
    agreement: pd.DataFrame


def merge(journals: Sequence[tuple[str, Sequence[Record]]]) -> Merged:
    """Merge journals of different reviewers.

    The names of the journals must be distinct.
    """
    names = [name for name, _ in journals]
    if len(set(names)) < len(names):
        raise ValueError(
            f"two journals are of the same reviewer ({', '.join(sorted(set(names)))}): give each review its own --by."
        )
    folded = [fold(records) for _, records in journals]
    merged = _choose_reasons(folded)
    for name, frame in zip(names, folded, strict=True):
        merged = merged.merge(frame.drop(columns="why").rename(columns={"value": name}), on=_ENTRY, how="left")
    merged = merged.sort_values(["label", "item"], kind="stable", ignore_index=True)
    values = merged[names].to_numpy(np.float64, na_value=np.nan)
    number, total = (~np.isnan(values)).sum(axis=1), np.nansum(values, axis=1)
    is_equal = (total == 0) | (total == number)
    answer = pd.array(np.where(is_equal, total > 0, 0).astype(np.int8), dtype="Int8")
    answer[~is_equal | (number == 0)] = pd.NA
    state = np.select([~is_equal, number > 1], [_CONTESTED, _AGREED], _SINGLE)
    merged.insert(2, "answer", pd.Series(answer))
    merged.insert(3, "state", state)
    merged["why"] = merged.pop("why")  # the last column
    return Merged(merged, _compare(merged, names))


def fold(records: Sequence[Record]) -> pd.DataFrame:
    """Return the current answers of a journal: item, label, value (1, 0 or missing), why."""
    bodies = [record.body for record in records if record.op in ("answer", "bulk")]
    items = dict.fromkeys(item for body in bodies for item in body.get("items", [body.get("item")]))
    labels = dict.fromkeys(body["label"] for body in bodies)
    book = AnswerBook(list(items), list(labels))
    for record in records:
        book.apply(record)
    ids, names = list(items), list(labels)
    rows = [
        (ids[row], names[column], record.body["value"], book.find_reason(row, column))
        for row, column, record in book.list_active()
    ]
    return pd.DataFrame(rows, columns=[*_ENTRY, "value", "why"]).astype({"value": "Int8"})


def _choose_reasons(folded: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return (item, label, why) of each entry. Of several reasons, the one that depends on a value counts first."""
    reasons = pd.concat([frame[[*_ENTRY, "why"]] for frame in folded], ignore_index=True)
    order = reasons["why"].map(is_calibrating).sort_values(kind="stable").index
    return reasons.loc[order].drop_duplicates(_ENTRY)


def find_contested(book: AnswerBook, others: Sequence[Sequence[Record]]) -> Mask:
    """Return the entries with different answers of two reviewers, one of whom may be the reviewer of ``book``."""
    seen = {1: book.current == 1, 0: book.current == -1}
    for records in others:
        for item, label, value, _ in fold(records).itertuples(index=False):
            place = book.find_entry(item, label)
            if place is not None and not pd.isna(value):
                seen[int(value)][place] = True
    contested: Mask = seen[1] & seen[0]
    return contested


def _compare(merged: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for label, part in merged.groupby("label", sort=True):
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                both = part[[first, second]].dropna().astype(int)
                if len(both):
                    equal = float((both[first] == both[second]).mean())
                    kappa = _kappa(both[first].to_numpy(), both[second].to_numpy())
                    pair = {"label": label, "first": first, "second": second}
                    rows.append({**pair, "both": len(both), "equal": equal, "kappa": kappa})
    return pd.DataFrame(rows, columns=["label", "first", "second", "both", "equal", "kappa"])


def _kappa(first: Any, second: Any) -> float:
    """Return Cohen's kappa of two rows of 0 and 1: agreement beyond chance."""
    observed = (first == second).mean()
    chance = first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    return float("nan") if chance == 1 else float((observed - chance) / (1 - chance))
