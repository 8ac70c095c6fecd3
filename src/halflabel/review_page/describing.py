"""Everything that the page reads: names, counts, queues, items and values, without fills while an audit runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._wording import clipped
from halflabel.review_page import screens
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import NONE
from halflabel.review_page.encoding import find_states, pack_label
from halflabel.review_page.fields import TableChanged
from halflabel.review_page.listing import Filter
from halflabel.review_page.queues import KINDS, count_queues
from halflabel.review_page.reviewers import describe_reviewers
from halflabel.review_page.worker import Job

if TYPE_CHECKING:
    from halflabel.review_page.session import Session

#: The last fit learns the answers after this number of new ones.
UPDATE_ANSWERS = 5


def describe_item(session: Session, row: int) -> dict[str, Any]:
    """Return an item with the state and the probability of each of its entries, without fills during an audit."""
    fit = None if session.audit is not None else session.fit
    filled = None if fit is None else fit.state[row]
    states = find_states(session.labels.state[row], session.book.current[row], filled).tolist()
    p = None if fit is None else [None if np.isnan(p) else round(float(p), 3) for p in fit.shown_p[row]]
    comments = session.book.comments.get(str(session.opened.index[row]), {})
    listed = [{"by": by, "text": text} for by, text in comments.items()]
    return {**session.config.views.describe(row), "states": states, "p": p, "comments": listed}


def pack_values(session: Session, column: int) -> bytes:
    """Return state and probability of every item for one label."""
    fit = None if session.audit is not None else session.fit
    return pack_label(session.labels.state, session.book.current, fit, column)


def list_items(session: Session, column: int, chosen: Filter, start: int, *, with_bits: bool) -> dict[str, Any]:
    """Return a page of the list of items for one label, or all of its rows, without fills during an audit."""
    fit = None if session.audit is not None else session.fit
    filled, p = (None, None) if fit is None else (fit.state[:, column], fit.p[:, column])
    states = find_states(session.labels.state[:, column], session.book.current[:, column], filled)
    show_p = fit is not None and not fit.contradiction
    return session.list.describe(chosen, states, p, start, with_bits=with_bits, show_p=show_p)


def describe_session(session: Session, by: str = "") -> dict[str, Any]:
    """Return names, counts and settings: the first thing that the page asks for."""
    n_items, n_labels = session.labels.shape
    return {
        "title": session.config.title,
        "by": by or session.config.by,
        "items": n_items,
        "labels": list(session.labels.names),
        "n_labels": n_labels,
        "positive_only": session.labels.positive_only,
        "show_p": session.config.show_p,
        "notes": [*session.notes, f"Threshold rule: {session.config.rule}.", *session.opened.notes][:20],
        "kinds": list(KINDS),
        "columns": [str(name) for name in session.list.searcher.frame.columns],
        "has_points": session.points is not None,
        **describe_progress(session, by),
    }


def describe_progress(session: Session, by: str = "") -> dict[str, Any]:
    """Return the state that changes with answers and fits: counts, fit, undo."""
    at = time.monotonic()  # before the state is read: responses can arrive in another order
    now, fit, answered = session.situation, session.fit, session.book.current != NONE
    return {
        "at": at,
        "table": session.table,
        "answers": int(answered.sum()),
        "given": int((session.labels.state != 0).sum()),
        "open": int(now.open_entries.sum()),
        "per_label": answered.sum(axis=0).tolist(),
        "fit": None if fit is None else {"name": fit.name, "effort": fit.effort, "seconds": round(fit.seconds, 1)},
        "new_answers": session.count_new_answers(),
        "refit_after": UPDATE_ANSWERS,
        "undo": bool(session.book.list_undoable(by or None)),
        "redo": bool(session.book.list_redoable(by or None)),
        "audit": None if session.audit is None else session.audit.describe(),
        "certificate": session.describe_certificate(),
        "failure": session.failure,
        "map_note": session.map_note,
        "written": session.written,
    }  # fmt: skip


def describe_panel(session: Session) -> dict[str, Any]:
    """Return queues and advice, which need all entries."""
    now = session.situation
    doubtful = int(screens.is_doubtful(now).sum()) if now.fit is not None and now.fit.has_precision else None
    names = session.config.reviewers
    reviewers = describe_reviewers(session.book, names) if names else None
    queues = count_queues(now)
    return {"queues": queues, "doubtful": doubtful, "advice": advise(now, session.book), "reviewers": reviewers}


def explain_answer(session: Session, item: str, label: str) -> dict[str, Any] | None:
    """Return why an answered entry has its probability, or None until the process that fits has the explanation."""
    session.require_no_audit()
    place = session.book.find_entry(item, label)
    if place is None:
        raise TableChanged(f"The table has no entry of the item {clipped(item)!r} and the label {clipped(label)!r}.")
    if session.book.current[place] == NONE:
        raise ValueError("An explanation comes after the answer: answer the question first.")
    if session.fit is None or session.worker is None:
        raise ValueError("An explanation needs a fit: wait for the first one.")
    known = session.explained
    if known is not None and (known.row, known.column) == place:
        return known.facts
    session.worker.ask(Job("explain", {"row": place[0], "column": place[1], "label": label}))
    return None
