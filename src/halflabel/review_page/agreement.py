"""Several reviewers: agreement per label, and the entries about which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from halflabel._arrays import Mask
from halflabel.review_page.answers import AnswerBook, Record


def compare(reviewers: Sequence[tuple[str, Sequence[Record]]]) -> list[dict[str, Any]]:
    """Return the agreement of each pair of reviewers about each label, from the name and the records of each.

    Keys: label, first, second, both (number of entries that both decided), equal, kappa (Cohen's; None where it is not
    defined).
    """
    rows: list[dict[str, Any]] = []
    for (first, one), (second, other) in combinations([(name, _fold(records)) for name, records in reviewers], 2):
        both: dict[str, list[tuple[int, int]]] = {}
        for (item, label), value in one.items():
            if (item, label) in other:
                both.setdefault(label, []).append((value, other[item, label]))
        for label, pairs in both.items():
            equal = sum(a == b for a, b in pairs) / len(pairs)
            shares = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
            facts = {"both": len(pairs), "equal": round(equal, 3), "kappa": _kappa(equal, *shares)}
            rows.append({"label": label, "first": first, "second": second, **facts})
    return sorted(rows, key=lambda row: row["label"])


def _fold(records: Sequence[Record]) -> dict[tuple[str, str], int]:
    """Return the current answers of a reviewer by item and label, 1 or 0."""
    bodies = [record.body for record in records if record.op == "answer"]
    ids, names = ([*dict.fromkeys(body[part] for body in bodies)] for part in ("item", "label"))
    book = AnswerBook(ids, names)
    for record in records:
        book.apply(record)
    active = ((ids[row], names[column], record.body["value"]) for row, column, record in book.list_active())
    return {(item, label): value for item, label, value in active if value is not None}


def find_contested(book: AnswerBook, others: Sequence[Sequence[Record]]) -> Mask:
    """Return the entries with different answers of two reviewers, one of whom may be the reviewer of ``book``."""
    seen = {1: book.current == 1, 0: book.current == -1}
    for records in others:
        for entry, value in _fold(records).items():
            if (place := book.find_entry(*entry)) is not None:
                seen[value][place] = True
    contested: Mask = seen[1] & seen[0]
    return contested


def _kappa(equal: float, first: float, second: float) -> float | None:
    """Return Cohen's kappa, agreement beyond chance, from the shares of equal answers and of "yes"."""
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else round((equal - chance) / (1 - chance), 3)
