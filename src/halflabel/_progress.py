"""How long work tells whoever listens how far it is; by default nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("halflabel_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener(stage, done, total)`` for every step reported inside the block.

    Examples
    --------
    >>> with listening(lambda stage, done, total: print(stage, done, total)):
    ...     step("solving", 1, 3)
    solving 1 3
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def step(stage: str, done: int, total: int) -> None:
    """Report that ``done`` of ``total`` steps of a stage are over."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)
