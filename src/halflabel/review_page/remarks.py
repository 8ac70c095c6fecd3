"""Texts and lists next to the questions: comments, flags, and the last answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._arrays import Mask
from halflabel._wording import clipped
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.fields import TableChanged

if TYPE_CHECKING:
    from halflabel.review_page.session import Session

#: The first character of the comment on an item that is flagged.
FLAG = "\u2691"

#: Number of answers of the history.
LAST = 100

#: Maximum length of a comment.
MAX_COMMENT = 2000


def write_comment(session: Session, item: str, text: str, key: str, by: str = "") -> None:
    """Write a comment on an item. An empty one removes the reviewer's comment."""
    if item not in session.book.row_of:
        raise TableChanged(f"The table has no item {clipped(item)!r}.")
    if len(text) > MAX_COMMENT:
        raise ValueError(f"A comment has at most {MAX_COMMENT} characters.")
    session.write([("comment", key, {"item": item, "text": text.strip()})], by)


def list_history(book: AnswerBook, ids: Any) -> list[dict[str, Any]]:
    """Return the last answers, the newest first."""
    active = {record.n: (row, column, record) for row, column, record in book.list_active()}
    names = list(book.column_of)
    return [
        {
            "row": row,
            "item": clipped(ids[row], 80),
            "label": names[column],
            "value": record.body["value"],
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
