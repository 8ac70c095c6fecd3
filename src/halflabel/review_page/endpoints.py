"""The endpoints of the page. Each one reads a request, calls the session once, and answers in JSON or bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from halflabel.review_page.answers import STATES
from halflabel.review_page.fields import (
    TableChanged,
    check_table,
    parse_body,
    read_choice,
    read_key,
    read_number,
    read_text,
    read_whole,
    read_wholes,
)
from halflabel.review_page.queues import KINDS, MAX_SCREENS
from halflabel.review_page.session import Asked, Session

#: Maximum number of items of one request, and maximum length of the name of a page.
MAX_ITEMS, MAX_PAGE = 60, 40

#: A number above every row and every column of a table.
LARGEST = 2**31

#: The files of the page.
_STATIC = files("halflabel.review_page") / "static"

#: Types of the files of the page.
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

Endpoint = Callable[[Any, Request], Awaitable[Response]]


def bind(session: Session, endpoint: Endpoint) -> Any:
    """Return an endpoint whose errors are sentences."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(session, request)
        except ValueError as error:
            status = 409 if isinstance(error, TableChanged) else 400
            return JSONResponse({"error": str(error)}, status_code=status)
        except ClientDisconnect:
            return JSONResponse({"error": "the request is too large."}, status_code=413)
        except OSError as error:
            return JSONResponse({"error": f"The answer is not on the disk: {error}"}, status_code=507)

    return answer


def _read_reviewer(request: Request) -> str:
    """Return the reviewer whose page sends a request, as the guard found it. Empty if the review has only one."""
    return str(request.scope.get("reviewer", ""))


async def _read_body(session: Session, request: Request) -> dict[str, Any]:
    """Return the fields of a request that is about the open table."""
    asked = parse_body(await request.body())
    check_table(asked, session.table)
    return asked


def _show_progress(session: Session, request: Request, **more: Any) -> Response:
    return JSONResponse({**more, **session.describe_progress(_read_reviewer(request))})


def _read_file(name: str) -> Response:
    """Return a file of the page."""
    known = {file.name: file for file in _STATIC.iterdir()}
    kind = _TYPES.get(name.rsplit(".", 1)[-1])
    if name not in known or kind is None:
        return Response("There is no such file.", status_code=404, media_type="text/plain")
    return Response(known[name].read_bytes(), media_type=kind)


async def show_page(_: Session, request: Request) -> Response:
    """Return the page."""
    return _read_file("index.html")


async def send_static(_: Session, request: Request) -> Response:
    """Return a file of the page."""
    return _read_file(request.path_params["name"])


async def send_media(session: Session, request: Request) -> Response:
    """Return an image or a sound of an item."""
    row, column = (read_number(request.path_params[name], LARGEST) for name in ("row", "column"))
    found = None if row is None or column is None else session.config.views.media.find(row, column)
    if found is None:
        return Response("There is no image or sound here.", status_code=404, media_type="text/plain")
    headers = {"Cache-Control": "private, max-age=3600"}
    if found.kind == "image/svg+xml":  # opened by itself, it runs nothing
        headers["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    if found.path is not None:
        return FileResponse(found.path, media_type=found.kind, headers=headers)
    return Response(found.content, media_type=found.kind, headers=headers)


async def get_session(session: Session, request: Request) -> Response:
    """Return names, counts and settings."""
    return JSONResponse(session.describe(_read_reviewer(request)))


async def get_progress(session: Session, request: Request) -> Response:
    """Return the state that changes with answers and fits."""
    return _show_progress(session, request)


async def get_panel(session: Session, _: Request) -> Response:
    """Return queues and advice."""
    return JSONResponse(await asyncio.to_thread(session.describe_panel))


async def get_items(session: Session, request: Request) -> Response:
    """Return descriptions of items."""
    n_items = session.labels.shape[0]
    rows = [read_number(text, n_items) for text in request.query_params.get("rows", "").split(",") if text]
    if None in rows:
        raise ValueError(f"The field 'rows' holds whole numbers from 0 to {n_items - 1}, with commas between them.")
    return JSONResponse({"items": [session.describe_item(row) for row in rows[:MAX_ITEMS] if row is not None]})


async def post_list(session: Session, request: Request) -> Response:
    """Return a page of the list of items."""
    asked = await _read_body(session, request)
    column, text = read_whole(asked, "column", session.labels.shape[1]), read_text(asked, "text")
    states, start = (
        read_wholes(asked, "states", len(STATES)),
        read_whole(asked, "start", session.labels.shape[0] + 1, 0),
    )
    return JSONResponse(await asyncio.to_thread(session.list_items, column, text, states, start))


async def post_questions(session: Session, request: Request) -> Response:
    """Return some screens."""
    asked, size = await _read_body(session, request), session.labels.state.size
    wanted = Asked(
        exclude=read_wholes(asked, "exclude", size),
        kind=read_choice(asked, "kind", list(KINDS)),
        view=read_choice(asked, "view", ("item", "wall")),
        n=read_whole(asked, "n", MAX_SCREENS + 1),
        label=None if asked.get("label") is None else read_whole(asked, "label", session.labels.shape[1]),
        by=_read_reviewer(request),
        page=read_text(asked, "page")[:MAX_PAGE],
        held=read_wholes(asked, "held", size).tolist(),
    )
    screens = await asyncio.to_thread(session.choose, wanted) if session.chooses_aside else session.choose(wanted)
    return JSONResponse({"screens": [[vars(question) for question in screen] for screen in screens]})


async def post_answers(session: Session, request: Request) -> Response:
    """Write answers, and respond with the outcome of each answer as soon as all are on the disk."""
    sent, by = (await _read_body(session, request)).get("answers"), _read_reviewer(request)
    if not isinstance(sent, list):
        raise ValueError("The field 'answers' is a list of objects.")
    outcomes = session.answer(sent, by)
    result = {"results": [each.to_dict() for each in outcomes], **session.describe_progress(by)}
    if any(not each.error for each in outcomes) or not outcomes:
        return JSONResponse(result)
    return JSONResponse({"error": outcomes[0].error, **result}, status_code=400)


async def post_undo(session: Session, request: Request) -> Response:
    """Take the last answer or screen back."""
    key = read_key(await _read_body(session, request))
    return _show_progress(session, request, entries=session.undo(key, _read_reviewer(request)))


async def post_write(session: Session, request: Request) -> Response:
    """Write the table with all answers, and its other files."""
    await _read_body(session, request)
    session.write_outputs()
    return _show_progress(session, request)


async def post_explain(session: Session, request: Request) -> Response:
    """Return why an answered entry has its probability, or null until the event "explained"."""
    asked = await _read_body(session, request)
    return JSONResponse({"explanation": session.explain(read_text(asked, "item"), read_text(asked, "label"))})


ENDPOINTS: list[tuple[str, str, Endpoint]] = [
    ("GET", "/", show_page),
    ("GET", "/static/{name}", send_static),
    ("GET", "/media/{row}/{column}", send_media),
    ("GET", "/api/session", get_session),
    ("GET", "/api/progress", get_progress),
    ("GET", "/api/panel", get_panel),
    ("GET", "/api/items", get_items),
    ("POST", "/api/list", post_list),
    ("POST", "/api/questions", post_questions),
    ("POST", "/api/answers", post_answers),
    ("POST", "/api/undo", post_undo),
    ("POST", "/api/explain", post_explain),
    ("POST", "/api/write", post_write),
]
