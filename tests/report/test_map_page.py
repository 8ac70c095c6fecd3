"""The map as a page: every item, its own script only, and what a person does with it in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from tests.review_page.browsing import CHROMIUM

from halflabel.report import map_page
from halflabel.report.pictures import draw_picture

HOSTILE = "</script><script>document.title='ran'</script>"

#: The place of an item in the window.
PLACE = """row => {
  const { width, height } = document.getElementById("map").getBoundingClientRect();
  const data = JSON.parse(document.getElementById("data").textContent);
  const points = new Uint16Array(Uint8Array.from(atob(data.points), (byte) => byte.charCodeAt(0)).buffer);
  const factor = Math.min((width - 24) / data.size[0], (height - 24) / data.size[1]);
  return [0, 1].map((k) => [width, height][k] / 2 + (points[2 * row + k] - data.size[k] / 2) * factor);
}"""

#: A digest of what is drawn.
DRAWN = "() => document.getElementById('map').toDataURL().length + document.getElementById('map').toDataURL()"


def read_data(page):
    return json.loads(re.search(r'id="data">(.*)</script>', page)[1])


def test_the_page_has_every_item_and_the_label_that_was_asked_for(at_random):
    completion = at_random(2500, 2)
    page = draw_picture(completion, completion.map(), ".html", label="label 1").decode()
    data = read_data(page)
    points = np.frombuffer(base64.b64decode(data["points"]), dtype="<u2").reshape(-1, 2)
    assert len(points) == len(data["titles"]) == len(data["ids"]) == len(data["labels"][0]["codes"]) == 2500
    assert (points <= data["size"]).all()
    assert [label["name"] for label in data["labels"]] == ["label 1", "label 0"]


def test_more_items_than_the_page_can_hold_are_sampled(at_random, monkeypatch):
    monkeypatch.setattr(map_page, "MAX_ITEMS", 300)
    completion = at_random(400, 6)
    page = draw_picture(completion, completion.map(), ".html").decode()
    data, most = read_data(page), int(completion.labels.relevant.sum(axis=0).argmax())
    assert len(data["titles"]) == 300
    assert data["labels"][0]["name"] == f"label {most}"
    assert "300 of 400 items are drawn" in " ".join(page.split())


def test_only_the_script_of_the_page_may_run(by_hand):
    completion = by_hand(names=(HOSTILE, "sad"))
    page = draw_picture(completion, completion.map(), ".html", title=HOSTILE).decode()
    script = re.search(r'<script type="module">(.*)</script>', page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in page
    assert page.count("</script>") == 2
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert read_data(page)["labels"][0]["name"] == HOSTILE


@pytest.fixture
def opened(at_random, tmp_path):
    """A page of 400 items in a browser, in which nothing may fail and nothing may be requested."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    completion = at_random(400, 2)
    path = tmp_path / "map.html"
    path.write_bytes(draw_picture(completion, completion.map(), ".html", title=HOSTILE))
    requests, errors = [], []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(has_touch=True, viewport={"width": 1280, "height": 900}).new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.goto(path.as_uri())
        page.wait_for_function("() => document.querySelectorAll('#legend li').length > 1")
        page.wait_for_function("() => performance.getEntriesByName('map painted').length")  # now items are found
        yield page
        assert page.title() != "ran"
        browser.close()
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []


def changes(page, act):
    """Act, and wait until something else is drawn."""
    before = page.evaluate(DRAWN)
    act()
    page.wait_for_function(f"before => ({DRAWN})() !== before", arg=before)


@pytest.mark.slow
@pytest.mark.browser
def test_items_are_found_by_pointer_words_and_lasso(opened):
    page, box = opened, opened.locator("#map").bounding_box()
    x, y = page.evaluate(PLACE, 7)
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.wait_for_function("() => !document.getElementById('tip').hidden")
    page.fill("#search", "39")
    page.wait_for_function("() => document.querySelectorAll('#found li').length > 0")
    found = page.locator("#found li").all_text_contents()
    assert [int(text.split(" ·")[0]) for text in found] == [39, 139, 239, 339, *range(390, 400)]
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.path().read_text().splitlines()[:3] == ["item", '"39"', '"139"']
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.getElementById('selection').hidden")
    page.click("#lasso")
    right, low = box["width"] - 2, box["height"] - 2
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    for x, y in ((right, 2), (right, low), (2, low)):
        page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.up()
    page.wait_for_function("() => document.getElementById('number').textContent.startsWith('400 of 400 items')")


@pytest.mark.slow
@pytest.mark.browser
def test_the_map_follows_wheel_keys_pointer_and_fingers(opened):
    page, box = opened, opened.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    changes(page, lambda: page.select_option("#label", "1"))
    page.mouse.move(x, y)
    changes(page, lambda: page.mouse.wheel(0, -400))
    page.mouse.down()
    changes(page, lambda: page.mouse.move(x + 60, y))
    page.mouse.up()
    page.focus("#map")
    changes(page, lambda: page.keyboard.press("ArrowUp"))
    changes(page, lambda: page.click("#whole"))
    touch = page.context.new_cdp_session(page)

    def send(kind, *places):
        fingers = [{"x": place, "y": y, "id": i} for i, place in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    send("touchStart", x - 20, x + 20)
    changes(page, lambda: send("touchMove", x - 90, x + 90))
    send("touchEnd")
