"""Parts that the endpoints of all pages share: errors as sentences, files and media, and the fields of a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from halflabel.review_page.fields import TableChanged, check_table, parse_body, read_number

#: Maximum number of items of one request.
MAX_ITEMS = 60

#: Maximum length of the name of a page.
MAX_PAGE = 40

#: A number above every row and every column of a table.
LARGEST = 2**31

#: The folders with the files of the page. A map that is written as a page has the scripts of the report, too.
_STATIC = (files("halflabel.review_page") / "static", files("halflabel.report") / "scripts")

#: Types of the files of the page.
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def bind(session: Any, endpoint: Callable[[Any, Request], Awaitable[Response]]) -> Any:
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


async def send_static(_: Any, request: Request) -> Response:
    """Return a file of the page."""
    return read_static(request.path_params["name"])


def read_static(name: str) -> Response:
    """Return a file of the page."""
    known = {file.name: file for folder in _STATIC for file in folder.iterdir()}
    kind = _TYPES.get(name.rsplit(".", 1)[-1])
    if name not in known or kind is None:
        return Response("There is no such file.", status_code=404, media_type="text/plain")
    return Response(known[name].read_bytes(), media_type=kind)


async def send_media(session: Any, request: Request) -> Response:
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


def read_rows(session: Any, request: Request) -> list[int]:
    """Return the rows that a request names."""
    n_items = session.labels.shape[0]
    rows = [read_number(text, n_items) for text in request.query_params.get("rows", "").split(",") if text]
    if None in rows:
        raise ValueError(f"The field 'rows' holds whole numbers from 0 to {n_items - 1}, with commas between them.")
    return [row for row in rows[:MAX_ITEMS] if row is not None]


def read_reviewer(request: Request) -> str:
    """Return the reviewer whose page sends a request, as the guard found it. Empty if the review has only one."""
    return str(request.scope.get("reviewer", ""))


async def read_body(session: Any, request: Request) -> dict[str, Any]:
    """Return the fields of a request that is about the open table."""
    asked = parse_body(await request.body())
    check_table(asked, session.table)
    return asked
