"""Progress of long work, reported to a callback. By default nothing is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Callback = Callable[[str, int, int], None]

_callback: ContextVar[Callback | None] = ContextVar("halflabel_progress", default=None)


@contextmanager
def report_to(callback: Callback) -> Iterator[None]:
    """Call ``callback(stage, done, total)`` for every step that is reported inside the block.

    Examples
    --------
    >>> with report_to(lambda stage, done, total: print(stage, done, total)):
    ...     step("solving", 1, 3)
    solving 1 3
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def step(stage: str, done: int, total: int) -> None:
    """Report that ``done`` of ``total`` steps of a stage are done."""
    callback = _callback.get()
    if callback is not None:
        callback(stage, done, total)
