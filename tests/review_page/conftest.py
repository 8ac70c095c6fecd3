"""Fits that are made without fitting: values and probabilities as a test needs them; and a real browser."""

import re
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from tests.review_page.browsing import CHROMIUM, QUIET, WAIT, Command
from tests.review_page.serving import Served, make_session, make_table

from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Situation


@pytest.fixture(scope="session")
def make_fit():
    def build(given, p, **fields):
        state = np.where(given != 0, given, np.where(p >= 0.5, 1, -1)).astype(np.int8)
        wrong_value = np.where(given > 0, p < 0.5, p >= 0.5)
        flipped = np.where((given != 0) & wrong_value, np.abs(p - 0.5) + 0.5, 0)
        values = {
            "state": state,
            "p": p.astype(np.float32),
            "given": given,
            "flipped": flipped.astype(np.float32),
            "shown_p": p.astype(np.float32),
            "verdict": "",
            "band": (0.0, 2.0),
        }
        return Fit(**{**values, **fields})

    return build


@pytest.fixture
def situation(rng, make_fit):
    """Return 40 items with 5 labels, a third of the entries given."""
    given = rng.choice([0, 0, 0, 0, 1, -1], size=(40, 5)).astype(np.int8)
    return Situation(given, np.zeros_like(given), make_fit(given, rng.random((40, 5))))


@pytest.fixture(scope="module")
def chromium():
    with pytest.importorskip("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a page; it collects errors, and requests to any other host."""
    contexts = []

    def open_one(address, **options):
        context = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        own = re.match(r"http://[^/]+/", address)[0]
        page.on("request", lambda r: r.url.startswith((own, "data:", "blob:")) or page.problems.append(r.url))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda line: line.type == "error" and page.problems.append(line.text))
        page.goto(address)
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        return page

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture
def serve(tmp_path, make_fit):
    """Return a context that serves a review of made-up items."""

    @contextmanager
    def begin(frame=None, has_fit=True, **options):
        table = make_table(200) if frame is None else frame
        session = make_session(tmp_path / "a.jsonl", table, fit=make_fit if has_fit else None, **options)
        with Served(session) as client:
            yield client

    return begin


@pytest.fixture
def review():
    commands = []

    def begin(path, *options, **facts):
        commands.append(Command(path, *options, **facts))
        return commands[-1]

    yield begin
    for command in commands:
        command.end(signal.SIGKILL)
