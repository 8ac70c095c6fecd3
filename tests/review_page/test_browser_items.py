"""Items in a real browser: the example of the first minute, sounds with their wave, pictures, and a phone."""

import base64
import io
import struct
import wave

import numpy as np
import pytest
from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import make_table

from halflabel.review_page.explaining import Explained
from halflabel.review_page.journal import read_journal
from halflabel.table.images import encode_png

pytestmark = MARKS
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

#: Everything on the screen that a finger can press and that is smaller than 44 pixels. A label is larger than its box.
SMALL = """() => [...document.querySelectorAll(
    "button, a, select, input:not([type=radio]), textarea, summary, label:has(input)")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width && (width < 44 || height < 44)).map(([name]) => name)"""


def make_sound(seconds=1.0, rate=8000):
    """Return a file whose second half is louder."""
    n = int(seconds * rate)
    loudness = np.where(np.arange(n) < n // 2, 3000, 30000)
    values = (loudness * np.sin(2 * np.pi * 440 * np.arange(n) / rate)).astype("<i2")
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(values.tobytes())
    return target.getvalue()


def test_the_first_minute_has_an_example_that_is_no_answer(serve, open_page, tmp_path):
    table = make_table(60)
    with serve(table) as client:
        page = open_page(client.server.guard.make_address())
        page.wait_for_selector("#example", timeout=WAIT)
        label, item = page.inner_text("#example-label").removesuffix("?"), page.inner_text("#example .name")
        assert table.set_index("song").loc[item, label] == 1
        assert page.inner_text("#example-answer").split() == ["J", "Yes"]
        page.wait_for_timeout(300)
        assert (page.inner_text("#saved"), read_journal(tmp_path / "a.jsonl")[1]) == ("0 answers, saved", [])
        press(page, "j")
        assert page.is_hidden("#example")
        page.keyboard.press("u")
        page.wait_for_selector('#saved:text-matches("^0 answers, saved")', timeout=WAIT)
        page.reload()
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        page.wait_for_selector("#map-note", state="attached", timeout=WAIT)
        assert page.is_hidden("#example")  # closed for good in this browser
        other = open_page(client.server.guard.make_address())
        other.click("#example-close")
        assert other.is_hidden("#example")
        assert page.problems == other.problems == []


def test_the_example_is_a_no_where_no_label_has_a_given_yes(serve, open_page):
    table = make_table(60)
    table[["rock", "sad", "live"]] = table[["rock", "sad", "live"]].replace(1, np.nan)
    table["rock"] = np.nan
    with serve(table) as client:
        page = open_page(client.server.guard.make_address())
        page.wait_for_selector("#example", timeout=WAIT)
        assert (page.inner_text("#example-label"), page.inner_text("#example-answer").split()) == ("sad?", ["F", "No"])


def test_a_sound_has_a_wave_and_keeps_its_player_without_it(serve, open_page, tmp_path):
    (tmp_path / "good.wav").write_bytes(make_sound())
    (tmp_path / "long.wav").write_bytes(make_sound(301))
    (tmp_path / "torn.wav").write_bytes(b"RIFF" + struct.pack("<I", 4) + b"WAVE" + b"no sound")
    table = make_table(30)
    names = ["good.wav", "torn.wav", "long.wav"]
    with serve(table.assign(sound=[names[i % 3] for i in range(30)]), media_root=tmp_path) as client:
        page = open_page(client.server.guard.make_address())
        for row, has_wave in ((0, True), (1, False), (2, False)):
            show_item(page, row)
            path = page.locator("#item .wave path").first
            path.wait_for(state="attached" if has_wave else "detached", timeout=WAIT)
            assert page.locator("#item audio[controls]").count() == 1
            if has_wave:
                page.wait_for_selector("#item .wave path[d]", timeout=WAIT)
                heights = [float(part.split("v")[1].split("h")[0]) for part in path.get_attribute("d").split("M")[1:]]
                half = len(heights) // 2
                assert np.allclose(heights[: half - 1], 0.2, atol=0.04)
                assert np.allclose(heights[half + 1 :], 2, atol=0.1)
                page.click("#item .wave", position={"x": 5, "y": 5})
                page.keyboard.press("p")
                page.wait_for_function('() => document.querySelector("#item audio").currentTime > 0.1', timeout=WAIT)
        page.click("#view-wall")
        page.wait_for_selector('body[data-question^="wall"]', timeout=WAIT)
        tiles = page.locator("#wall li")
        assert tiles.locator("audio").count() == tiles.count() > 3
        for place in range(3):  # one of the three files
            tiles.nth(place).locator(".tile").focus()
            page.keyboard.press("p")
        page.wait_for_function('() => [...document.querySelectorAll("#wall audio")].some((each) => each.played.length)')
        assert page.problems == []


def show_item(page, row):
    page.evaluate(
        """async (row) => {
            const { items: [item] } = await (await fetch(`/api/items?rows=${row}`)).json();
            (await import("/static/item.js")).showItem(document.getElementById("item"), item);
        }""",
        row,
    )


def test_the_words_that_count_are_marked_in_a_long_text(serve, open_page):
    story = "Soup, and more soups: " + "they came home in the rain. " * 4 + "The <b>drum</b> was SOUP."
    with serve(make_table(30).assign(story=story), text="story") as client:
        page = open_page(client.server.guard.make_address())
        row, column = divmod(int(page.get_attribute("body", "data-question")), 3)
        press(page, "j")
        words = [{"name": f"story:{word}", "word": word, "log_odds": z} for word, z in (("soup", 0.8), ("drum", -0.3))]
        facts = {
            "item": f"s{row}",
            "label": "x",
            "probability": 0.7,
            "contributions": [],
            "note": "",
            "features": words,
        }
        client.session.explained = Explained(row, column, facts)
        page.keyboard.press("x")
        page.wait_for_selector("#why-dialog[open]", timeout=WAIT)
        marks = [(each.inner_text(), each.get_attribute("class")) for each in page.locator("#why-marked mark").all()]
        assert marks == [("Soup", "for"), ("drum", "against"), ("SOUP", "for")]
        assert page.inner_text("#why-marked") == story


def test_answers_on_their_way_survive_the_closing_of_a_tab(serve, open_page, tmp_path):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.route(
            "**/api/answers", lambda route: (route.fetch(), route.abort())
        )  # written, but the page does not learn it
        press(page, "j")
        page.wait_for_timeout(300)
        page.unroute("**/api/answers")
        page.route("**/api/answers", lambda route: route.abort())
        press(page, "f")
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^3 answers not yet on the disk")', timeout=WAIT)
        page.close()  # asks nothing
        again = page.context.new_page()
        again.goto(f"http://127.0.0.1:{client.port}/")
        again.wait_for_selector('.notice:text-matches("3 answers of a page that was closed")', timeout=WAIT)
        again.wait_for_selector('#saved:text-matches("^3 answers, saved")', timeout=WAIT)
        bodies = [record.body for record in read_journal(tmp_path / "a.jsonl")[1]]
        assert [body["value"] for body in bodies] == [1, 0, 1]


@pytest.mark.parametrize("view", ["cell", "item", "wall"])
def test_a_finger_reaches_everything_on_a_phone(serve, open_page, view):
    with serve() as client:
        page = open_page(client.server.guard.make_address(), **PHONE)
        assert page.evaluate(SMALL) == []
        press(page, "f")
        if view != "cell":
            page.tap(f"#view-{view}")
            page.wait_for_selector(f'body[data-question^="{view}"]', timeout=WAIT)
        main = page.locator("#yes" if view == "cell" else "#accept").bounding_box()
        assert main["y"] > 844 / 2  # where a thumb is
        assert main["y"] + main["height"] <= 844
        for key in ("", "h", "t", "d", "?", "a", "Escape", "m"):
            if key:
                page.keyboard.press(key)
                page.wait_for_timeout(300)
            assert page.evaluate(SMALL) == [], key
            if page.locator("dialog[open]").count():
                page.keyboard.press("Escape")


def test_a_picture_fills_its_place_and_can_be_enlarged(serve, open_page, tmp_path):
    for name, shape in (("tall", (900, 300)), ("wide", (200, 1200)), ("tiny", (12, 12))):
        picture = encode_png(np.zeros(shape, dtype=np.uint8))
        (tmp_path / f"{name}.png").write_bytes(base64.b64decode(picture.split(",")[1]))
    names = ["tall.png", "wide.png", "tiny.png"]
    with serve(make_table(30).assign(photo=[names[i % 3] for i in range(30)]), media_root=tmp_path) as client:
        page = open_page(client.server.guard.make_address())
        press(page, "j")
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            for row in range(3):
                show_item(page, row)
                page.wait_for_function(SHOWN, timeout=WAIT)
                box, shown = (page.locator(each).bounding_box() for each in ("#item", "#item .picture"))
                scale = page.evaluate(SCALE)
                assert shown["width"] * shown["height"] > 0
                assert page.locator("#yes").bounding_box()["y"] >= shown["y"] + shown["height"], (width, row)
                assert shown["width"] >= box["width"] - 40
                assert scale["x"] > 0.95 or scale["y"] > 0.95
                if width > 1000 and row != 1:
                    assert shown["height"] >= box["height"] - 140
        page.keyboard.press("z")
        page.wait_for_selector("#zoom-dialog[open]", timeout=WAIT)
        page.keyboard.press("+")
        assert "scale(1.5)" in page.get_attribute("#zoom-image", "style")
        assert page.problems == []


#: Whether the picture is there, and its size is the final one: that of a small picture is chosen when it is loaded.
SHOWN = """() => {
    const { naturalWidth, naturalHeight, classList } = document.querySelector("#item .picture");
    return naturalWidth && classList.contains("small") === (naturalWidth < 160 && naturalHeight < 160);
}"""

#: The share of the width, and of the height, of its box that a picture takes.
SCALE = """() => {
    const picture = document.querySelector("#item .picture"), box = picture.getBoundingClientRect();
    const scale = Math.min(box.width / picture.naturalWidth, box.height / picture.naturalHeight);
    return { x: (picture.naturalWidth * scale) / box.width, y: (picture.naturalHeight * scale) / box.height };
}"""
