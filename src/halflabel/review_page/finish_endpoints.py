"""The endpoints of the page in finish mode."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from halflabel.review_page.fields import read_key
from halflabel.review_page.finish_mode import FinishSession
from halflabel.review_page.requests import read_body, read_rows, read_static, send_media, send_static


async def show_page(_: FinishSession, request: Request) -> Response:
    """Return the page."""
    return read_static("finish.html")


async def get_session(session: FinishSession, _: Request) -> Response:
    """Return names, limits and the state."""
    return JSONResponse(session.describe())


async def get_progress(session: FinishSession, _: Request) -> Response:
    """Return the state that changes with answers and fits."""
    return JSONResponse(session.describe_progress())


async def get_items(session: FinishSession, request: Request) -> Response:
    """Return descriptions of items."""
    return JSONResponse({"items": [session.describe_item(row) for row in read_rows(session, request)]})


async def post_answers(session: FinishSession, request: Request) -> Response:
    """Write answers, and respond with the outcome of each answer as soon as all are on the disk."""
    sent = (await read_body(session, request)).get("answers")
    if not isinstance(sent, list):
        raise ValueError("The field 'answers' is a list of objects.")
    outcomes = session.answer(sent)
    return JSONResponse({"results": [each.to_dict() for each in outcomes], **session.describe_progress()})


async def post_undo(session: FinishSession, request: Request) -> Response:
    """Take the last answer back."""
    session.undo(read_key(await read_body(session, request)))
    return JSONResponse(session.describe_progress())


async def post_write(session: FinishSession, request: Request) -> Response:
    """Write the delivered table and its certificate."""
    await read_body(session, request)
    return JSONResponse({"written": session.write_outputs(), **session.describe_progress()})


FINISH_ENDPOINTS: list[tuple[str, str, Any]] = [
    ("GET", "/", show_page),
    ("GET", "/static/{name}", send_static),
    ("GET", "/media/{row}/{column}", send_media),
    ("GET", "/api/session", get_session),
    ("GET", "/api/progress", get_progress),
    ("GET", "/api/items", get_items),
    ("POST", "/api/answers", post_answers),
    ("POST", "/api/undo", post_undo),
    ("POST", "/api/write", post_write),
]
