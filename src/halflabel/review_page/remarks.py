"""Lists next to the questions: the last answers, items that have a comment or a flag, and the clearest answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Mask
from halflabel._wording import clipped
from halflabel.review_page.answers import NO, UNDECIDED, YES, AnswerBook

#: The first character of the comment on an item that is flagged.
FLAG = "\u2691"

#: Number of answers of the history.
LAST = 100


def list_history(book: AnswerBook, ids: Any) -> list[dict[str, Any]]:
    """Return the last answers, the newest first. An answer for many items is listed once."""
    active = {record.n: (row, column, record) for row, column, record in book.list_active()}
    names = list(book.column_of)
    return [
        {
            "row": row,
            "item": clipped(ids[row], 80),
            "label": names[column],
            "value": record.body["value"],
            "items": len(record.body.get("items", ())) or 1,
            "by": record.by,
            "at": record.at,
        }
        for row, column, record in (active[n] for n in sorted(active, reverse=True)[:LAST])
    ]


def find_marked(book: AnswerBook, kind: str) -> Mask:
    """Return the items with a comment, or for the kind "flag" the items that are flagged."""
    mask = np.zeros(len(book.row_of), dtype=bool)
    for item, of in book.comments.items():
        if item in book.row_of and any(kind != "flag" or text.startswith(FLAG) for text in of.values()):
            mask[book.row_of[item]] = True
    return mask


def find_clearest(book: AnswerBook, column: int, p: NDArray[Any] | None) -> dict[str, int | None]:
    """Return the rows of the clearest yes and no of a label, by the model, and of a "not sure"."""
    rows = {code: np.flatnonzero(book.current[:, column] == code) for code in (YES, NO, UNDECIDED)}
    known = np.zeros(len(book.current)) if p is None else p
    return {
        "yes": int(rows[YES][np.argmax(known[rows[YES]])]) if len(rows[YES]) else None,
        "no": int(rows[NO][np.argmin(known[rows[NO]])]) if len(rows[NO]) else None,
        "not sure": int(rows[UNDECIDED][-1]) if len(rows[UNDECIDED]) else None,
    }
