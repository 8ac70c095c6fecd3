"""Selections of the page: random members, items like another one, and one answer for all members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._arrays import Ints
from halflabel._wording import plural
from halflabel.review_page import group_answers
from halflabel.review_page.encoding import pack_rows

if TYPE_CHECKING:
    from halflabel.review_page.session import Session


def sample_selection(session: Session, rows: Ints, column: int) -> dict[str, Any]:
    """Return the number of open members of a selection, random members, and how many members p would select."""
    session.require_no_audit()
    return group_answers.describe_sample(session.situation, rows, column, session.book.next_number)


def find_similar(session: Session, row: int, column: int) -> str:
    """Return the items like an item, for a selection."""
    session.require_no_audit()
    if session.points is None:
        raise ValueError("Items like this one are its neighbours on the map: wait for the map.")
    points = np.frombuffer(session.points, dtype="<u2").reshape(-1, 2)
    return pack_rows(group_answers.find_near(session.situation, points, row, column), len(points))


def answer_selection(
    session: Session,
    rows: Ints,
    column: int,
    value: int,
    min_p: float | None,
    key: str,
    by: str = "",
    number: int | None = None,
) -> int:
    """Give all members of a selection the same answer, as one record, and return the number of members.

    A ``number`` that a page has shown is compared: a fit, or another page, may have changed the members since then.
    """
    if (again := session.book.find_repeated("bulk", key)) is not None:
        return len(again.body["items"])
    session.require_no_audit()
    members = group_answers.find_members(session.situation, rows, column, min_p)
    if not len(members):
        raise ValueError("no entry of the selection is open.")
    if number not in (None, len(members)):
        now = plural(len(members), "open entry", "open entries")
        raise ValueError(f"the selection has {now} now, not {number}, after a fit or answers: look at it again.")
    items = [str(session.opened.index[row]) for row in members]
    body = {"items": items, "label": session.labels.names[column], "value": value, "why": "bulk", "min_p": min_p}
    session.write([("bulk", key, body)], by)
    return len(items)
