"""The endpoints of the page. Each one reads a request, calls the session once, and answers in JSON or bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from halflabel.labels.names import POPULATIONS
from halflabel.review_page.changes import describe_changes
from halflabel.review_page.choosing import MAX_QUESTIONS, MAX_SCREENS, choose_next, choose_screens
from halflabel.review_page.describing import (
    describe_item,
    describe_panel,
    describe_progress,
    describe_session,
    explain_answer,
    list_items,
    pack_values,
)
from halflabel.review_page.encoding import STATES
from halflabel.review_page.fields import (
    read_choice,
    read_key,
    read_number,
    read_text,
    read_whole,
    read_wholes,
)
from halflabel.review_page.listing import ORDERS, Filter
from halflabel.review_page.queues import KINDS
from halflabel.review_page.remarks import find_marked, list_history, write_comment
from halflabel.review_page.requests import (
    MAX_PAGE,
    read_body,
    read_reviewer,
    read_rows,
    read_static,
    send_media,
    send_static,
)
from halflabel.review_page.reviewers import Asker
from halflabel.review_page.screens import WALLS
from halflabel.review_page.session import WAIT_FOR_FIT, Session

Endpoint = Callable[[Session, Request], Awaitable[Response]]


async def show_page(_: Session, request: Request) -> Response:
    """Return the page."""
    return read_static("index.html")


async def get_session(session: Session, request: Request) -> Response:
    """Return names, counts and settings."""
    return JSONResponse(describe_session(session, read_reviewer(request)))


async def get_progress(session: Session, request: Request) -> Response:
    """Return the state that changes with answers and fits."""
    return JSONResponse(describe_progress(session, read_reviewer(request)))


async def get_panel(session: Session, _: Request) -> Response:
    """Return queues and advice."""
    return JSONResponse(await asyncio.to_thread(describe_panel, session))


async def get_changes(session: Session, _: Request) -> Response:
    """Return the changes by the last fit."""
    now, names = session.situation, session.labels.names
    return JSONResponse(await asyncio.to_thread(describe_changes, now, session.opened.index, names))


async def get_history(session: Session, _: Request) -> Response:
    """Return the last answers."""
    return JSONResponse({"answers": list_history(session.book, session.opened.index)})


async def get_points(session: Session, _: Request) -> Response:
    """Return the coordinates of the map, or an empty response before there is a map."""
    if session.points is None:
        return Response(status_code=204)
    return Response(session.points, media_type="application/octet-stream")


async def get_label(session: Session, request: Request) -> Response:
    """Return state and probability of every item for one label."""
    column = read_number(request.path_params["column"], session.labels.shape[1])
    if column is None:
        raise ValueError(f"There are {session.labels.shape[1]} labels, and none of this number.")
    return Response(pack_values(session, column), media_type="application/octet-stream")


async def get_items(session: Session, request: Request) -> Response:
    """Return descriptions of items."""
    return JSONResponse({"items": [describe_item(session, row) for row in read_rows(session, request)]})


async def get_cells(session: Session, request: Request) -> Response:
    """Return the columns that an item is not shown with."""
    row = read_number(request.path_params["row"], session.labels.shape[0])
    if row is None:
        raise ValueError(f"There are {session.labels.shape[0]} items, and none of this number.")
    return JSONResponse({"cells": session.config.views.describe_others(row)})


async def post_list(session: Session, request: Request) -> Response:
    """Return a page of the list of items."""
    asked = await read_body(session, request)
    n_items, n_labels = session.labels.shape
    column, states = read_whole(asked, "column", n_labels), read_wholes(asked, "states", len(STATES)).tolist()
    order, by_column = read_choice(asked, "order", ORDERS, "table"), read_text(asked, "sort")
    kind = read_choice(asked, "marked", ("", "comment", "flag"), "")
    marked = find_marked(session.book, kind) if kind else None
    chosen = Filter(read_text(asked, "text"), states, order, by_column, bool(asked.get("descending")), marked)
    start, with_bits = read_whole(asked, "start", n_items + 1, 0), bool(asked.get("bits"))
    return JSONResponse(await asyncio.to_thread(list_items, session, column, chosen, start, with_bits=with_bits))


def _read_asker(session: Session, request: Request, asked: dict[str, Any]) -> Asker:
    held = read_wholes(asked, "held", session.labels.state.size)
    return Asker(read_reviewer(request), read_text(asked, "page")[:MAX_PAGE], frozenset(held.tolist()))


async def post_queue(session: Session, request: Request) -> Response:
    """Return a batch of questions."""
    asked = await read_body(session, request)
    n_items, n_labels = session.labels.shape
    questions = await asyncio.to_thread(
        choose_next,
        session,
        read_choice(asked, "kind", list(KINDS), "uncertain"),
        read_whole(asked, "n", MAX_QUESTIONS + 1, 50),
        None if asked.get("label") is None else read_whole(asked, "label", n_labels),
        None if asked.get("rows") is None else read_wholes(asked, "rows", n_items),
        read_wholes(asked, "exclude", session.labels.state.size),
        _read_asker(session, request, asked),
    )
    return JSONResponse({"questions": [vars(question) for question in questions]})


async def post_screens(session: Session, request: Request) -> Response:
    """Return the questions of some screens."""
    asked = await read_body(session, request)
    n_items, n_labels = session.labels.shape
    chosen = await asyncio.to_thread(
        choose_screens,
        session,
        read_choice(asked, "view", ("item", "wall")),
        read_choice(asked, "kind", list(KINDS), "uncertain"),
        read_whole(asked, "n", MAX_SCREENS + 1, 8),
        read_whole(asked, "size", WALLS[-1] + 1, WALLS[1]),
        None if asked.get("label") is None else read_whole(asked, "label", n_labels),
        None if asked.get("rows") is None else read_wholes(asked, "rows", n_items),
        read_wholes(asked, "exclude", session.labels.state.size),
        _read_asker(session, request, asked),
    )
    return JSONResponse({"screens": [[vars(question) for question in screen] for screen in chosen]})


async def post_answers(session: Session, request: Request) -> Response:
    """Write answers, and respond with the outcome of each answer as soon as all are on the disk."""
    sent, by = (await read_body(session, request)).get("answers"), read_reviewer(request)
    if not isinstance(sent, list):
        raise ValueError("The field 'answers' is a list of objects.")
    outcomes = session.answer(sent, by)
    result = {"results": [each.to_dict() for each in outcomes], **describe_progress(session, by)}
    if any(not each.error for each in outcomes) or not outcomes:
        return JSONResponse(result)
    status = min(each.status for each in outcomes)  # 409 if every answer names another entry
    return JSONResponse({"error": outcomes[0].error, **result}, status_code=status)


async def post_undo(session: Session, request: Request) -> Response:
    """Undo the last answer or screen, or repeat it."""
    asked = await read_body(session, request)
    entries, by = [], read_reviewer(request)
    for record in session.reverse("redo" if asked.get("redo") else "undo", read_key(asked), by):
        place = session.book.find_entry(record.body["item"], record.body["label"])
        named = {name: str(record.body.get(name, "")) for name in ("why", "screen")}
        facts = {"value": record.body["value"], **named}
        entries += [] if place is None else [{"row": place[0], "column": place[1], **facts}]
    return JSONResponse({"entries": entries, **describe_progress(session, by)})


async def post_fit(session: Session, request: Request) -> Response:
    """Make a fit with all answers."""
    asked = await read_body(session, request)
    if session.audit is not None:
        raise ValueError("An audit is about the values of the last fit: finish or cancel it before the next one.")
    session.refit(session.config.effort if asked.get("thorough") else "fast")
    return JSONResponse(describe_progress(session, read_reviewer(request)))


async def post_explain(session: Session, request: Request) -> Response:
    """Return why an answered entry has its probability, or null until the event "explained"."""
    asked = await read_body(session, request)
    return JSONResponse({"explanation": explain_answer(session, read_text(asked, "item"), read_text(asked, "label"))})


async def post_write(session: Session, request: Request) -> Response:
    """Write the completed table, the answers and the report."""
    await read_body(session, request)
    session.write_outputs()
    return JSONResponse(describe_progress(session, read_reviewer(request)))


async def post_audit(session: Session, request: Request) -> Response:
    """Plan, begin, finish or cancel an audit."""
    asked = await read_body(session, request)
    op, key = read_choice(asked, "op", ("plan", "begin", "finish", "cancel")), read_key(asked)
    population, by = read_choice(asked, "population", list(POPULATIONS), "all"), read_reviewer(request)
    n = read_whole(asked, "n", session.labels.state.size + 1, 60)
    if op in ("plan", "begin") and session.waits_for_fit:
        return JSONResponse({"wait": WAIT_FOR_FIT})
    if op == "plan":
        return JSONResponse(await asyncio.to_thread(session.plan_audit, population))
    if op == "begin":
        session.begin_audit(n, population, key, by)
    else:
        session.end_audit(key, cancel=op == "cancel", by=by)
    return JSONResponse(describe_progress(session, by))


async def post_comment(session: Session, request: Request) -> Response:
    """Write a comment on an item, and respond when it is on the disk."""
    asked, by = await read_body(session, request), read_reviewer(request)
    write_comment(session, read_text(asked, "item"), read_text(asked, "text"), read_key(asked), by)
    return JSONResponse(describe_progress(session, by))


ENDPOINTS: list[tuple[str, str, Endpoint]] = [
    ("GET", "/", show_page),
    ("GET", "/static/{name}", send_static),
    ("GET", "/media/{row}/{column}", send_media),
    ("GET", "/api/session", get_session),
    ("GET", "/api/progress", get_progress),
    ("GET", "/api/panel", get_panel),
    ("GET", "/api/changes", get_changes),
    ("GET", "/api/history", get_history),
    ("GET", "/api/points.bin", get_points),
    ("GET", "/api/label/{column}.bin", get_label),
    ("GET", "/api/items", get_items),
    ("GET", "/api/cells/{row}", get_cells),
    ("POST", "/api/list", post_list),
    ("POST", "/api/queue", post_queue),
    ("POST", "/api/screens", post_screens),
    ("POST", "/api/answers", post_answers),
    ("POST", "/api/undo", post_undo),
    ("POST", "/api/fit", post_fit),
    ("POST", "/api/audit", post_audit),
    ("POST", "/api/comment", post_comment),
    ("POST", "/api/explain", post_explain),
    ("POST", "/api/write", post_write),
]
