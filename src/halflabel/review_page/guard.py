"""Access to the server: only the page that this command opened, in one browser.

Other pages in the same browser can send requests to any address of the machine, and a host name of another page can
resolve to it. Each request therefore needs our address in ``Host`` and, if it is there, in ``Origin``. It also needs a
cookie that is exchanged for the token of an address. To change something, it needs a header that no form of another
page can send. A token works once: who reads an address later, in a list of processes or in a log, cannot use it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

#: The header of requests that change something, and its value.
HEADER, VALUE = b"x-halflabel", b"review"

#: Maximum number of bytes of a body.
MAX_BODY = 4_000_000

#: The answer to a browser without the cookie.
_CLOSED = (
    b"This page needs an address with a token, and each address works once. The command prints another address after "
    b"each use."
)

#: A page that leads to the real page. It is not a redirect, because a browser would not send a strict cookie after
#: a redirect. A used address leads there, too: the browser that has used it has the cookie.
_ENTRY = b"""<!doctype html><meta charset=utf-8><meta http-equiv=refresh content="0;url=/">
<link rel=icon href=data:,><title>halflabel review</title><p><a href="/">Open the review</a></p>"""
_HTML = b"text/html; charset=utf-8"

#: The headers of each response.
HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        b"media-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """ASGI middleware that rejects every request that does not come from our own page. Each reviewer has an address."""

    def __init__(self, app: Any, port: int, reviewers: tuple[str, ...] = ()) -> None:
        self.app, self.port = app, port
        self.secrets = {name: secrets.token_urlsafe(32) for name in reviewers or ("",)}  # the values of the cookie
        self._unused: dict[str, tuple[str, Callable[[], None]]] = {}  # tokens: reviewer, and the call on first use
        self.cookie = f"halflabel-{port}"
        self.hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost", "[::1]")}
        self.origins = {b"http://" + host for host in self.hosts}

    def make_address(self, used: Callable[[], None] = lambda: None, reviewer: str | None = None) -> str:
        """Return an address that lets one browser in, of the first reviewer by default. ``used`` is called then."""
        token = secrets.token_urlsafe(32)
        self._unused[token] = (next(iter(self.secrets)) if reviewer is None else reviewer, used)
        return f"http://127.0.0.1:{self.port}/?token={token}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in HEADERS if name not in own]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        headers = dict(scope["headers"])
        token = _read_token(scope)
        problem = self._find_problem(scope, headers, is_entry=token is not None)
        if problem is not None:
            await _respond(send_guarded, problem[0], problem[1].encode())
        elif token is not None and (entering := self._use(token)) is not None:
            cookie = f"{self.cookie}={self.secrets[entering]}; HttpOnly; SameSite=Strict; Path=/"
            await _respond(send_guarded, 200, _ENTRY, (b"set-cookie", cookie.encode()), kind=_HTML)
        elif (reviewer := self._find_reviewer(headers)) is not None:
            await self.app({**scope, "reviewer": reviewer}, _limit_body(receive), send_guarded)
        elif token is not None:
            await _respond(send_guarded, 403, _ENTRY, kind=_HTML)
        else:
            await _respond(send_guarded, 403, _CLOSED)

    def _find_problem(self, scope: Any, headers: dict[bytes, bytes], *, is_entry: bool) -> tuple[int, str] | None:
        """Return a status and a sentence if the request does not come from our own page."""
        if sum(name == b"host" for name, _ in scope["headers"]) != 1 or headers.get(b"host", b"") not in self.hosts:
            return 421, "This server answers to its own address only."
        if (origin := headers.get(b"origin")) is not None and origin not in self.origins:
            return 403, "This server does not accept requests of other pages."
        if headers.get(b"sec-fetch-site", b"none") == b"cross-site" and not is_entry:
            return 403, "This server does not accept requests of other pages."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "This server answers GET and POST only."
        if scope["method"] == "POST":
            return _check_write(headers)
        return None

    def _use(self, token: str) -> str | None:
        """Take an unused token out, and return its reviewer. Return None for any other token."""
        given = token.encode()
        found = [each for each in self._unused if secrets.compare_digest(given, each.encode())]
        for each in found:
            reviewer, used = self._unused.pop(each)
            used()
            return reviewer
        return None

    def _find_reviewer(self, headers: dict[bytes, bytes]) -> str | None:
        """Return the reviewer whose cookie a request has, or None if it has none."""
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return None
        given = (cookies[self.cookie].value if self.cookie in cookies else "").encode("latin-1", "replace")
        found = [name for name, each in self.secrets.items() if secrets.compare_digest(given, each.encode())]
        return found[0] if found else None


def _read_token(scope: Any) -> str | None:
    """Return the token of an address that leads to the page, or None if the request has none."""
    if scope["path"] != "/" or scope["method"] != "GET":
        return None
    query: str = scope["query_string"].decode("latin-1")
    given = parse_qs(query).get("token", [])
    return given[0] if given else None


def _check_write(headers: dict[bytes, bytes]) -> tuple[int, str] | None:
    if headers.get(HEADER) != VALUE:
        return 403, "A request that changes something needs the header of the page."
    if headers.get(b"content-type", b"").split(b";")[0].strip() != b"application/json":
        return 415, "This server accepts JSON only."
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 9 or int(length) > MAX_BODY:
        return 413, f"The request is larger than {MAX_BODY} bytes."
    return None


def _limit_body(receive: Any) -> Any:
    """Return a function that ends a body that is larger than its header stated."""
    size = 0

    async def receive_limited() -> Any:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        return {"type": "http.disconnect"} if size > MAX_BODY else message

    return receive_limited


async def _respond(
    send: Any, status: int, body: bytes, *headers: tuple[bytes, bytes], kind: bytes = b"text/plain"
) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send(
        {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), length, *headers]}
    )
    await send({"type": "http.response.body", "body": body})
