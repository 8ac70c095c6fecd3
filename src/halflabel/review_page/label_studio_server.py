"""The server of the backend of Label Studio: its documented requests, as JSON, from this machine only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from halflabel.review_page.fields import parse_body
from halflabel.review_page.label_studio import Backend

#: The names of this machine. A page of another site can use no other name, and cannot send JSON.
HOSTS = ["127.0.0.1", "localhost", "host.docker.internal"]

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


def make_app(backend: Backend, announce: Callable[[str], None]) -> Starlette:
    """Return the server. ``announce`` takes sentences for the terminal."""
    running: set[asyncio.Task[None]] = set()  # a task that nothing refers to may be dropped

    async def fit() -> None:
        try:
            announce(f"A new version was fitted: {await asyncio.to_thread(backend.fit)}.")
        except (ValueError, OSError) as error:
            announce(f"No new version was fitted: {error}")

    async def describe(_: dict[str, Any]) -> dict[str, Any]:
        return {"status": "UP", "model_class": "halflabel", "model_version": backend.version}

    async def list_versions(_: dict[str, Any]) -> dict[str, Any]:
        return {"versions": list(backend.versions)}

    async def set_up(asked: dict[str, Any]) -> dict[str, Any]:
        backend.predict([], str(asked.get("schema", "")))  # raises for a project with other labels
        return {"model_version": backend.version}

    async def predict(asked: dict[str, Any]) -> dict[str, Any]:
        tasks, config = asked.get("tasks"), str(asked.get("label_config", ""))
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "data" in task for task in tasks):
            raise ValueError("The field 'tasks' is a list of tasks with 'data'.")
        made = await asyncio.to_thread(backend.predict, tasks, config, str(asked.get("model_version") or ""))
        return {"results": made, "model_version": backend.version}

    async def learn(asked: dict[str, Any]) -> dict[str, Any]:
        is_due = backend.learn(asked)
        if is_due:
            running.add(task := asyncio.create_task(fit()))
            task.add_done_callback(running.discard)
        return {"status": "fitting" if is_due else "ok"}

    routes = {"/": describe, "/health": describe, "/versions": list_versions}
    posts = {"/setup": set_up, "/predict": predict, "/webhook": learn, "/versions": list_versions}
    return Starlette(
        routes=[
            *(Route(path, _bind(handler)) for path, handler in routes.items()),
            *(Route(path, _bind(handler), methods=["POST"]) for path, handler in posts.items()),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)],
    )


def _bind(handler: Handler) -> Callable[[Request], Awaitable[JSONResponse]]:
    """Return an endpoint whose errors are sentences."""

    async def answer(request: Request) -> JSONResponse:
        is_json = request.headers.get("content-type", "").startswith("application/json")
        if request.method == "POST" and not is_json:
            return JSONResponse({"error": "A request has the content type application/json."}, status_code=415)
        try:
            asked = parse_body(await request.body()) if request.method == "POST" else {}
            return JSONResponse(await handler(asked))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, status_code=400)

    return answer
