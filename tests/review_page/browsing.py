"""Constants of the tests in a real browser, and the press of a key. The fixtures of the browser are in conftest.py."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARKS = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="playwright is not installed"),
]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"]
WAIT = 120_000  # milliseconds; the machine may be busy


#: Whether no key waits for an undo, and each answer is on the disk. The number of answers on the page may be older.
SENT = """() => document.querySelector("#undo").ariaBusy !== "true"
    && !Object.keys(localStorage).some((name) => name.startsWith("halflabel "))"""


def wait_until_sent(page):
    page.wait_for_function(SENT, timeout=WAIT)


def press(page, *keys):
    """Press keys, and wait for another question or screen."""
    before = page.get_attribute("body", "data-question")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function("before => document.body.dataset.question !== before", arg=before, timeout=WAIT)
    page.wait_for_selector("body[data-question]", timeout=WAIT)
