"""What the page can ask for: each endpoint reads a request, calls the session once, and answers in JSON or bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

import numpy as np
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from halflabel._arrays import Ints
from halflabel.review.bulk import bound_share
from halflabel.review.listing import Filter
from halflabel.review.session import Session
from halflabel.review.setting import is_whole
from halflabel.review.wire import STATES, unpack_rows

#: Maximum number of items of one request.
MAX_ITEMS = 60

#: Types of the files of the page.
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

Endpoint = Callable[[Session, Request], Awaitable[Response]]


def bind(session: Session, endpoint: Endpoint) -> Any:
    """Return an endpoint whose errors are sentences."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(session, request)
        except (ValueError, KeyError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        except ClientDisconnect:
            return JSONResponse({"error": "the request is too large."}, status_code=413)
        except OSError as error:
            return JSONResponse({"error": f"The answer is not on the disk: {error}"}, status_code=507)

    return answer


async def show_page(_: Session, request: Request) -> Response:
    """Return the page."""
    return _read_static("index.html")


async def send_static(_: Session, request: Request) -> Response:
    """Return a file of the page."""
    return _read_static(request.path_params["name"])


def _read_static(name: str) -> Response:
    folder = files("halflabel.review") / "static"
    known = {entry.name for entry in folder.iterdir()}
    kind = _TYPES.get(name.rsplit(".", 1)[-1])
    if name not in known or kind is None:
        return Response("There is no such file.", status_code=404, media_type="text/plain")
    return Response((folder / name).read_bytes(), media_type=kind)


async def send_media(session: Session, request: Request) -> Response:
    """Return an image or a sound of an item."""
    found = session.setting.views.media.find(request.path_params["row"], request.path_params["column"])
    if found is None:
        return Response("There is no image or sound here.", status_code=404, media_type="text/plain")
    headers = {"Cache-Control": "private, max-age=3600"}
    if found.kind == "image/svg+xml":  # opened by itself, it runs nothing
        headers["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    if found.path is not None:
        return FileResponse(found.path, media_type=found.kind, headers=headers)
    return Response(found.content, media_type=found.kind, headers=headers)


async def get_session(session: Session, _: Request) -> Response:
    """Return names, counts and settings."""
    return JSONResponse(session.describe())


async def get_progress(session: Session, _: Request) -> Response:
    """Return what answers and fits have changed."""
    return JSONResponse(session.describe_progress())


async def get_panel(session: Session, _: Request) -> Response:
    """Return queues and advice."""
    return JSONResponse(await asyncio.to_thread(session.describe_panel))


async def get_changes(session: Session, _: Request) -> Response:
    """Return what the last fit changed."""
    return JSONResponse(await asyncio.to_thread(session.describe_changes))


async def get_points(session: Session, _: Request) -> Response:
    """Return the coordinates of the map; nothing while there is none."""
    if session.points is None:
        return Response(status_code=204)
    return Response(session.points, media_type="application/octet-stream")


async def get_label(session: Session, request: Request) -> Response:
    """Return state and probability of every item for one label."""
    column = request.path_params["column"]
    if column >= session.labels.shape[1]:
        raise ValueError(f"there are {session.labels.shape[1]} labels.")
    return Response(session.pack_label(column), media_type="application/octet-stream")


async def get_items(session: Session, request: Request) -> Response:
    """Return descriptions of items."""
    rows = _read_rows(session, [int(text) for text in request.query_params.get("rows", "").split(",") if text])
    return JSONResponse({"items": [session.describe_item(int(row)) for row in rows[:MAX_ITEMS]]})


async def post_list(session: Session, request: Request) -> Response:
    """Return a page of the list of items."""
    asked = await _read_body(request)
    column = int(_read_numbers([asked.get("column")], session.labels.shape[1])[0])
    states = _read_numbers(asked.get("states", []), len(STATES)).tolist()
    chosen = Filter(str(asked.get("text", "")), states, str(asked.get("order", "table")))
    start, with_bits = max(int(asked.get("start", 0)), 0), bool(asked.get("bits"))
    return JSONResponse(await asyncio.to_thread(session.list_items, column, chosen, start, with_bits=with_bits))


async def post_queue(session: Session, request: Request) -> Response:
    """Return a batch of questions."""
    asked = await _read_body(request)
    label, rows = asked.get("label"), asked.get("rows")
    questions = await asyncio.to_thread(
        session.choose,
        str(asked.get("kind", "uncertain")),
        int(asked.get("n", 50)),
        None if label is None else int(label),
        None if rows is None else _read_rows(session, rows),
        _read_numbers(asked.get("exclude", []), session.labels.state.size),
    )
    return JSONResponse({"questions": [vars(question) for question in questions]})


async def post_answers(session: Session, request: Request) -> Response:
    """Write answers; the response comes when they are on the disk."""
    sent = (await _read_body(request)).get("answers")
    if not isinstance(sent, list) or not all(isinstance(each, dict) for each in sent):
        raise ValueError("answers are a list of objects.")
    records = session.answer(sent)
    return JSONResponse({"saved": [record.key for record in records], **session.describe_progress()})


async def post_undo(session: Session, request: Request) -> Response:
    """Undo the last answer or group, or repeat it."""
    asked = await _read_body(request)
    op = "redo" if asked.get("redo") else "undo"
    record = session.reverse(op, str(asked.get("key", "")))
    entries = []
    if record is not None:
        of = next(each for each in session.book.records if each.n == record.body["of"])
        items = of.body["items"][:1] if of.op == "bulk" else [of.body["item"]]
        place = session.book.find_entry(items[0], of.body["label"])
        facts = {"op": of.op, "why": str(of.body.get("why", ""))}
        entries = [] if place is None else [{"row": place[0], "column": place[1], **facts}]
    return JSONResponse({"entries": entries, **session.describe_progress()})


async def post_fit(session: Session, request: Request) -> Response:
    """Make a fit with all answers."""
    asked = await _read_body(request)
    if session.audit is not None:
        raise ValueError("an audit is about the values of the last fit: finish or cancel it before the next one.")
    session.refit(session.setting.effort if asked.get("thorough") else "fast")
    return JSONResponse(session.describe_progress())


async def post_write(session: Session, _: Request) -> Response:
    """Write the completed table, the answers and the report."""
    session.write_outputs()
    return JSONResponse(session.describe_progress())


async def post_audit(session: Session, request: Request) -> Response:
    """Plan, begin, finish or cancel an audit."""
    asked = await _read_body(request)
    op, key, population = asked.get("op"), str(asked.get("key", "")), str(asked.get("population", "all"))
    if op == "plan":
        target = asked.get("target")
        if target is not None and not (isinstance(target, float | int) and 0.5 <= target < 1):
            raise ValueError("the precision of an audit lies between 0.5 and 1.")
        return JSONResponse(await asyncio.to_thread(session.plan_audit, population, target))
    if op == "begin":
        session.begin_audit(int(asked.get("n", 59)), population, key)
    elif op in ("finish", "cancel"):
        session.end_audit(key, cancel=op == "cancel")
    else:
        raise ValueError("an audit is planned, begun, finished or cancelled.")
    return JSONResponse(session.describe_progress())


async def post_selection(session: Session, request: Request) -> Response:
    """Draw random members of a selection, bound a share, or answer all members."""
    asked = await _read_body(request)
    rows = unpack_rows(str(asked.get("rows", "")), session.labels.shape[0])
    column = int(_read_numbers([asked.get("column")], session.labels.shape[1])[0])
    op, min_p = asked.get("op"), asked.get("min_p")
    if op == "sample":
        return JSONResponse(session.sample_selection(rows, column))
    if op == "bound":
        return JSONResponse(bound_share(int(asked["members"]), int(asked["yes"]), int(asked["no"])))
    least = None if min_p is None else float(min_p)
    value = asked.get("value")
    if not is_whole(value):
        raise ValueError("a selection is answered with 1 or 0.")
    number = session.answer_selection(rows, column, value, least, str(asked.get("key", "")))
    return JSONResponse({"changed": number, **session.describe_progress()})


async def _read_body(request: Request) -> dict[str, Any]:
    body = await request.json()
    if not isinstance(body, dict):
        raise ValueError("a request is a JSON object.")
    return body


def _read_rows(session: Session, rows: Any) -> Ints:
    return _read_numbers(rows, session.labels.shape[0])


def _read_numbers(values: Any, end: int) -> Ints:
    if not isinstance(values, list) or not all(is_whole(value) and 0 <= value < end for value in values):
        raise ValueError(f"rows and entries are whole numbers from 0 to {end - 1}.")
    return np.array(values, dtype=np.intp)


ENDPOINTS: list[tuple[str, str, Endpoint]] = [
    ("GET", "/", show_page),
    ("GET", "/static/{name}", send_static),
    ("GET", "/media/{row:int}/{column:int}", send_media),
    ("GET", "/api/session", get_session),
    ("GET", "/api/progress", get_progress),
    ("GET", "/api/panel", get_panel),
    ("GET", "/api/changes", get_changes),
    ("GET", "/api/points.bin", get_points),
    ("GET", "/api/label/{column:int}.bin", get_label),
    ("GET", "/api/items", get_items),
    ("POST", "/api/list", post_list),
    ("POST", "/api/queue", post_queue),
    ("POST", "/api/answers", post_answers),
    ("POST", "/api/undo", post_undo),
    ("POST", "/api/fit", post_fit),
    ("POST", "/api/audit", post_audit),
    ("POST", "/api/selection", post_selection),
    ("POST", "/api/write", post_write),
]
