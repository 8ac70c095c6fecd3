"""The server of the page: Starlette behind the guard, and uvicorn on the loopback address."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from halflabel.review_page.endpoints import ENDPOINTS, MAX_PAGE, bind
from halflabel.review_page.guard import Guard
from halflabel.review_page.session import Session

#: Seconds between two checks whether a fit is due or the server ends, and between two signs of life of the events.
TICK, ALIVE = 0.25, 15.0


class Server:
    """A review, or a finish, that a browser can open.

    ``announce_address`` is called with the next address and its reviewer when an address was used. ``addresses`` has
    the address of each reviewer. It lets one browser in, and is then replaced by a new address.
    """

    def __init__(
        self,
        session: Session,
        port: int = 0,
        announce_address: Callable[[str, str], None] = lambda *_: None,
    ) -> None:
        self.session, self.announce_address = session, announce_address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # closed connections keep the port for a minute. On Windows the option would share it
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind(("127.0.0.1", port))
            self.socket.listen()  # a browser that comes before the server runs waits
        except OSError as error:
            self.socket.close()
            why = (error.strerror or "it is taken").lower()
            raise OSError(f"port {port} cannot be used ({why}): name another one, or none for any free port.") from None
        self.events = Events(session.leave)
        session.announce = self.events.announce
        self.guard = Guard(self._build(), self.socket.getsockname()[1], session.config.reviewers)
        config = uvicorn.Config(
            self.guard, log_level="warning", access_log=False, timeout_graceful_shutdown=5, server_header=False,
            ws="none", lifespan="on",
        )  # fmt: skip
        self.uvicorn = _PatientServer(config)
        self.addresses = {name: self._make_address(name) for name in self.guard.secrets}

    @property
    def address(self) -> str:
        """The address of the first reviewer."""
        return next(iter(self.addresses.values()))

    def run(self, serving: Callable[[], None] = lambda: None) -> None:
        """Serve until the process is asked to end. ``serving`` is called once the page can be opened."""
        self.uvicorn.serving = serving
        self.uvicorn.run(sockets=[self.socket])

    def stop(self) -> None:
        """Ask the server to end. Any thread may call it."""
        self.uvicorn.should_exit = True

    def _make_address(self, reviewer: str) -> str:
        return self.guard.make_address(lambda: self._renew_address(reviewer), reviewer)

    def _renew_address(self, reviewer: str) -> None:
        self.addresses[reviewer] = self._make_address(reviewer)
        self.announce_address(self.addresses[reviewer], reviewer)

    def _build(self) -> Starlette:
        routes = [
            Route("/api/events", self.events.stream),
            *(Route(path, bind(self.session, endpoint), methods=[method]) for method, path, endpoint in ENDPOINTS),
        ]

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self.events.loop = asyncio.get_running_loop()
            ticking = asyncio.create_task(self._tick())
            yield
            ticking.cancel()

        return Starlette(routes=routes, lifespan=lifespan)

    async def _tick(self) -> None:
        """Make a fit whenever one is due, and end the streams of events when the server ends."""
        while not self.uvicorn.should_exit:
            await asyncio.sleep(TICK)
            if self.session.refit_if_due():
                self.events.announce("begun", None)
        self.events.end()


class _PatientServer(uvicorn.Server):
    """A server that ends in order after a second Ctrl-C, too: the streams of events close within a second."""

    serving: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Call ``serving`` when requests are answered."""
        await super().startup(sockets)
        self.serving()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take the first signal only."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


class Events:
    """Messages to every open page, as server-sent events.

    ``leave`` is called with the name of a page that ends its messages, and holds no questions any more.
    """

    def __init__(self, leave: Callable[[str], None]) -> None:
        self.leave = leave
        self.loop: asyncio.AbstractEventLoop | None = None
        self._queues: set[asyncio.Queue[str | None]] = set()

    def announce(self, kind: str, content: Any) -> None:
        """Send a message. Any thread may call it."""
        if self.loop is None or self.loop.is_closed():
            return
        plain = list(content) if kind == "progress" else None
        self.loop.call_soon_threadsafe(self._put, f"data: {json.dumps({'kind': kind, 'content': plain})}\n\n")

    def end(self) -> None:
        """End all streams. Only the loop of the server may call it."""
        self._put(None)

    def _put(self, text: str | None) -> None:
        for queue in self._queues:
            queue.put_nowait(text)

    async def stream(self, request: Request) -> Response:
        """Return the stream of messages."""
        page = request.query_params.get("page", "")[:MAX_PAGE]

        async def read() -> AsyncIterator[str]:
            queue: asyncio.Queue[str | None] = asyncio.Queue()
            self._queues.add(queue)
            try:
                yield ": open\n\n"
                while (text := await _wait(queue)) is not None:
                    yield text
            finally:
                self._queues.discard(queue)
                self.leave(page)

        return StreamingResponse(read(), media_type="text/event-stream")


async def _wait(queue: asyncio.Queue[str | None]) -> str | None:
    """Return the next message, or a sign of life after some seconds."""
    try:
        return await asyncio.wait_for(queue.get(), ALIVE)
    except TimeoutError:
        return ": alive\n\n"
