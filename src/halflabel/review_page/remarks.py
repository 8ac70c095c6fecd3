"""Texts and lists next to the questions: comments, flags, guidelines, the last answers, and the clearest ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._arrays import Mask
from halflabel._wording import clipped
from halflabel.review_page.answers import NO, UNDECIDED, YES, AnswerBook
from halflabel.review_page.fields import TableChanged

if TYPE_CHECKING:
    from halflabel.review_page.session import Session

#: The first character of the comment on an item that is flagged.
FLAG = "\u2691"

#: Number of answers of the history.
LAST = 100

#: Maximum length of a comment and of a guideline.
MAX_COMMENT = 2000


def write_comment(session: Session, item: str, text: str, key: str, by: str = "") -> None:
    """Write a comment on an item. An empty one removes the reviewer's comment."""
    if item not in session.book.row_of:
        raise TableChanged(f"The table has no item {clipped(item)!r}.")
    _write_text(session, "comment", {"item": item}, text, key, by)


def write_guideline(session: Session, label: str, text: str, key: str, by: str = "") -> None:
    """Write the sentence that states the meaning of a label, for all reviewers."""
    if label not in session.book.column_of:
        raise TableChanged(f"The table has no label {clipped(label)!r}.")
    _write_text(session, "guideline", {"label": label}, text, key, by)


def _write_text(session: Session, op: str, about: dict[str, str], text: str, key: str, by: str) -> None:
    if len(text) > MAX_COMMENT:
        raise ValueError(f"A {op} has at most {MAX_COMMENT} characters.")
    session.write([(op, key, {**about, "text": text.strip()})], by)


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


def find_clearest(session: Session, column: int) -> dict[str, int | None]:
    """Return the rows of the clearest yes and no of a label, by the model, and of a "not sure"."""
    current = session.book.current[:, column]
    rows = {code: np.flatnonzero(current == code) for code in (YES, NO, UNDECIDED)}
    p = np.zeros(len(current)) if session.fit is None or session.audit is not None else session.fit.p[:, column]
    return {
        "yes": int(rows[YES][np.argmax(p[rows[YES]])]) if len(rows[YES]) else None,
        "no": int(rows[NO][np.argmin(p[rows[NO]])]) if len(rows[NO]) else None,
        "not sure": int(rows[UNDECIDED][-1]) if len(rows[UNDECIDED]) else None,
    }
