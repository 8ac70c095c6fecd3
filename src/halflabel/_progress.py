"""Progress of long work, reported to a callback. By default nothing is reported."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Stages are logged when they begin, steps in detail.
LOG = logging.getLogger("halflabel")
LOG.addHandler(logging.NullHandler())

Callback = Callable[[str, int, int], None]

_callback: ContextVar[Callback | None] = ContextVar("halflabel_progress", default=None)


@contextmanager
def report_progress(callback: Callback) -> Iterator[None]:
    """Call ``callback(stage, done, total)`` for every step that is reported inside the block.

    The logger ``halflabel`` has the same: the beginning of a stage as info, its steps for debugging.

    Parameters
    ----------
    callback : callable (str, int, int) -> object

    Yields
    ------
    None

    Examples
    --------
    >>> with report_progress(lambda stage, done, total: print(stage, done, total)):
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
    LOG.log(logging.DEBUG if done else logging.INFO, "%s: %d of %d", stage, done, total)
    callback = _callback.get()
    if callback is not None:
        callback(stage, done, total)
