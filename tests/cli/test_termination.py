"""A request to terminate ends a command with its clean-up."""

from __future__ import annotations

import os
import signal
import sys
import time
import weakref
from contextlib import suppress

import pytest

from halflabel.cli import termination
from halflabel.cli.console import report_errors


def test_a_request_to_terminate_counts_even_if_another_error_replaces_it(capfd):
    """As in a callback of compiled code."""

    @report_errors()
    def work():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            raise OSError("callback failed") from None

    with pytest.raises(SystemExit, match="143"):
        work()
    assert capfd.readouterr().err == "Terminated.\n"


def test_a_request_to_terminate_that_compiled_code_loses_is_repeated(monkeypatch, capfd):
    monkeypatch.setattr(termination, "PATIENCE", 0.05)
    done = []

    @report_errors()
    def work():
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        try:
            time.sleep(20)
        finally:
            time.sleep(0.2)  # what cleans up is not interrupted
            done.append("clean-up")

    with pytest.raises(SystemExit, match="143"):
        work()
    assert (done, capfd.readouterr().err) == (["clean-up"], "Terminated.\n")
    before = signal.signal(signal.SIGTERM, lambda *_: done.append("late"))
    time.sleep(0.2)
    signal.signal(signal.SIGTERM, before)
    assert done == ["clean-up"]


def test_a_request_to_terminate_that_the_garbage_collector_loses_is_not_reported(monkeypatch, capfd):
    """As in a callback that removes the lock of an imported module. Other lost exceptions are reported."""
    monkeypatch.setattr(termination, "PATIENCE", 0.05)
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: reported.append(str(lost.exc_value)))

    def lose(error):
        class Item: ...

        item = Item()
        weakref.finalize(item, error)  # its callback runs inside the garbage collector
        del item

    def fail():
        raise OSError("lost")

    @report_errors()
    def work():
        lose(fail)
        lose(lambda: os.kill(os.getpid(), signal.SIGTERM))
        time.sleep(20)

    with pytest.raises(SystemExit, match="143"):
        work()
    assert capfd.readouterr().err == "Terminated.\n"
    assert reported == ["lost"]
