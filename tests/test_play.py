"""The review inside the documentation: one file without requests, which asks, takes back and keeps answers."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from tests.review_page.browsing import CHROMIUM

DOCS = Path(__file__).parents[1] / "docs"
sys.path += [str(DOCS / "_ext"), str(DOCS)]
play = importlib.import_module("play")


def test_the_page_needs_no_other_file():
    page = play.make_page({})
    assert '"/static/' not in page
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert '"halflabel/app.js": "data:text/javascript' in page
    assert "</script><" not in play.make_page({"session": "</script><b>"}).split("const RECORD")[1].split("\n")[0]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_answers_are_taken_back_and_kept_without_a_request(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    path = tmp_path / "digits.html"
    path.write_text(play.make_page(play.record_review(play.complete_digits(), "digits")), encoding="utf-8")
    assert path.stat().st_size < 600_000
    requests, errors = [], []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))

        def wait_for(number):
            text = f"{number} answer{'' if number == 1 else 's'}"
            page.wait_for_function("text => document.getElementById('saved').textContent.startsWith(text)", arg=text)

        def choose(kind):
            page.keyboard.press("m")
            page.select_option("#kind", kind)
            page.keyboard.press("Escape")
            page.wait_for_selector("body[data-view=single][data-question]")

        page.goto(path.as_uri())
        page.wait_for_selector("body[data-question]")
        choose("random")  # which asks about one entry at a time
        for number, key in enumerate("jfk", 1):
            page.keyboard.press(key)
            wait_for(number)
        page.keyboard.press("u")
        wait_for(2)
        page.reload()
        page.wait_for_selector("body[data-question]")
        wait_for(2)
        page.keyboard.press("m")
        page.click("#search-part summary")
        page.wait_for_function("document.getElementById('list-count').textContent.includes('600 items')")
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="wall"]')
        tiles = page.locator(".tile").count()
        assert tiles > 1
        page.keyboard.press("Enter")
        wait_for(2 + tiles)
        page.keyboard.press("u")
        wait_for(2)
        page.keyboard.press("w")
        page.wait_for_function("document.getElementById('notices').textContent.includes('on your machine')")
        browser.close()
    assert not errors
    assert {url.split(":")[0] for url in requests} <= {"file", "data"}
