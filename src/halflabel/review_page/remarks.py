"""Lists next to the questions: the last answers, and the items that have a comment or a flag."""

from __future__ import annotations

from typing import Any

import numpy as np

from halflabel._arrays import Mask
from halflabel._wording import clipped
from halflabel.review_page.answers import AnswerBook

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
