"""The next questions for a page: entries of its queue that no other page holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halflabel._arrays import Ints
from halflabel.review_page import screens
from halflabel.review_page.queues import Question, choose_questions, mix
from halflabel.review_page.reviewers import SOLE_ASKER, Asker, choose_twice

if TYPE_CHECKING:
    from halflabel.review_page.session import Session

#: Maximum number of questions, and of screens, of one request.
MAX_QUESTIONS, MAX_SCREENS = 200, 20


def choose_next(
    session: Session, kind: str, n: int, label: int | None, rows: Ints | None, exclude: Ints, asker: Asker = SOLE_ASKER
) -> list[Question]:
    """Return a batch of questions that no other page holds. During an audit, these are its entries."""
    n, n_labels = min(max(n, 1), MAX_QUESTIONS), session.labels.shape[1]
    with session.choosing:
        free = _leave_out_held(session, exclude, asker)
        if session.audit is not None:
            held = set(free.tolist())
            chosen = [each for each in session.audit.list_open() if each.row * n_labels + each.column not in held]
        else:
            chosen = choose_questions(session.situation, kind, n, label=label, rows=rows, exclude=free)
            twice = _choose_twice(session, asker, n, free) if rows is None and label is None else []
            chosen = mix(chosen[: n - len(twice)], twice)
        session.leases.hold(asker.page, asker.held, (each.row * n_labels + each.column for each in chosen))
    return chosen


def _choose_twice(session: Session, asker: Asker, n: int, exclude: Ints) -> list[Question]:
    """Return entries that another reviewer has answered. A review with one reviewer has none."""
    return choose_twice(session.book, asker.by, n, exclude) if asker.by else []


def _leave_out_held(session: Session, exclude: Ints, asker: Asker) -> Ints:
    """Return the entries that are not asked, because a page names them or another page holds them."""
    held = session.leases.list_others(asker.page)
    return np.concatenate([exclude, np.fromiter(held, dtype=np.intp, count=len(held))]).astype(np.intp)


def choose_screens(
    session: Session,
    view: str,
    kind: str,
    n: int,
    size: int,
    label: int | None,
    rows: Ints | None,
    exclude: Ints,
    asker: Asker = SOLE_ASKER,
) -> list[list[Question]]:
    """Return the questions of some screens: items with their doubtful labels, or walls of items of one label."""
    session.require_no_audit()
    now, n_labels = session.situation, session.labels.shape[1]
    with session.choosing:
        free = _leave_out_held(session, exclude, asker)
        part = {"label": label, "rows": rows, "exclude": free}
        chosen = (
            screens.choose_walls(now, kind, n, size, **part)  # type: ignore[arg-type]
            if view == "wall"
            else screens.choose_items(now, kind, n, **part)  # type: ignore[arg-type]
        )
        if view == "item" and rows is None and label is None:
            chosen = mix(chosen, [[question] for question in _choose_twice(session, asker, n, free)])
        taken = (each.row * n_labels + each.column for screen in chosen for each in screen)
        session.leases.hold(asker.page, asker.held, taken)
    return chosen
