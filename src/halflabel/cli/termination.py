"""A request to terminate, SIGTERM: it ends a command as an interrupt does, with its clean-up."""

from __future__ import annotations

import signal
import sys
import threading
import time
from _thread import start_new_thread
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds after which a request that had no effect is repeated.
PATIENCE = 1.0


class Terminated(KeyboardInterrupt):
    """The process was asked to end. Code that cleans up after an interrupt also cleans up here."""


@contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """Raise :class:`Terminated` inside the block at SIGTERM. Signals reach the main thread only.

    Compiled code that calls Python may replace the exception by another one, which then ends the block as this one
    would; or it may lose the exception, which is raised again every second until the block ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    main_thread, asked, ended = threading.get_ident(), False, False

    def terminate(*_: Any) -> None:
        nonlocal asked
        if not asked:
            asked = True
            start_new_thread(repeat, ())  # takes no lock that the interrupted code may hold
        if not _is_handled():
            raise Terminated

    def repeat() -> None:
        while True:
            time.sleep(PATIENCE)
            if ended:
                return
            signal.pthread_kill(main_thread, signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        with _unreported():
            yield
    except (Exception, KeyboardInterrupt) as error:
        if asked and not isinstance(error, Terminated):
            raise Terminated from error
        raise
    finally:
        ended = True
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _unreported() -> Iterator[None]:
    """Report no lost :class:`Terminated`: Python loses exceptions that callbacks of its garbage collector raise."""
    report = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if isinstance(lost.exc_value, Terminated) else report(lost)
    try:
        yield
    finally:
        sys.unraisablehook = report


def _is_handled() -> bool:
    """Return whether a request to terminate is being handled. The clean-up is not interrupted a second time."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, Terminated):
        error = error.__context__
    return error is not None
