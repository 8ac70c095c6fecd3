"""Items in a real browser: words, pictures, a phone, and answers of a tab that was closed."""

import base64

import numpy as np
import pytest
from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import make_table, read_journal

from halflabel.review_page.explaining import Explained
from halflabel.table.pictures import encode_png

pytestmark = MARKS
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

#: Everything on the screen that a finger can press and that is smaller than 44 pixels. A label is larger than its box.
SMALL = """() => [...document.querySelectorAll(
    "button, a, select, input:not([type=radio]), textarea, summary, label:has(input)")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width && (width < 44 || height < 44)).map(([name]) => name)"""


def show_item(page, row):
    page.evaluate(
        """async (row) => {
            const { items: [item] } = await (await fetch(`/api/items?rows=${row}`)).json();
            (await import("/static/item.js")).showItem(document.getElementById("item"), item, [], new Set());
        }""",
        row,
    )


def test_the_words_that_count_are_marked_in_a_long_text(serve, open_page):
    story = "Soup, and more soups: " + "they came home in the rain. " * 4 + "The <b>drum</b> was SOUP."
    with serve(make_table(30).assign(story=story), text="story") as client:
        page = open_page(client.server.guard.make_address())
        while page.get_attribute("body", "data-view") != "single":
            press(page, " ")
        row, column = map(int, page.get_attribute("body", "data-question").split()[1:])
        press(page, "j")
        words = [{"name": f"story:{word}", "word": word, "log_odds": z} for word, z in (("soup", 0.8), ("drum", -0.3))]
        facts = {
            "item": f"s{row}",
            "label": "x",
            "probability": 0.7,
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
    with serve(has_fit=False) as client:
        page = open_page(client.server.guard.make_address())
        written = []

        def lose(route):  # the first answer is written, but the page does not learn it
            if not written:
                written.append(route.fetch())
            route.abort()

        page.route("**/api/answers", lose)
        press(page, "j")
        while not written:
            page.wait_for_timeout(20)
        assert read_journal(tmp_path / "a.jsonl")[1]
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


#: The number of cells of the item, and of those that are on the screen as a whole.
CELLS = """() => {
    const box = document.querySelector("#item").getBoundingClientRect();
    const cells = [...document.querySelectorAll("#item .cells > div")].map((each) => each.getBoundingClientRect());
    return [cells.length, cells.filter(({ top, bottom }) => top >= box.top && bottom <= box.bottom + 1).length];
}"""


@pytest.mark.parametrize("view", ["single", "chips"])
def test_a_phone_shows_question_item_and_keys_without_scrolling(serve, open_page, view):
    columns = {f"a_rather_long_name_{j}": np.arange(60) / 7 for j in range(8)}
    with serve(make_table(60, **columns), has_fit=view == "chips") as client:
        page = open_page(client.server.guard.make_address(), **PHONE)
        while page.get_attribute("body", "data-view") != view:
            press(page, " ")
        assert page.evaluate(SMALL) == []
        total, shown = page.evaluate(CELLS)
        assert total == 10
        assert shown == 10 if view == "single" else shown >= 6
        assert page.locator("header").bounding_box()["height"] <= 48
        for element in ("#yes", "#no", "#unsure") if view == "single" else ("#accept",):
            place = page.locator(element).bounding_box()
            assert place["y"] > 2 * 844 / 3  # where a thumb is
            assert place["y"] + place["height"] <= 844
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.tap("#yes" if view == "single" else "#accept")
        page.wait_for_selector('#saved:text-matches("^[1-9]")', timeout=WAIT)
        page.tap("#more")
        page.locator("#search-part summary").tap()
        page.wait_for_selector("#list-rows button", timeout=WAIT)
        assert page.evaluate(SMALL) == []


def test_a_picture_is_as_large_as_the_screen(serve, open_page, tmp_path):
    for name, shape in (("tall", (900, 300)), ("wide", (200, 1200)), ("tiny", (12, 12))):
        picture = encode_png(np.zeros(shape, dtype=np.uint8))
        (tmp_path / f"{name}.png").write_bytes(base64.b64decode(picture.split(",")[1]))
    names = ["tall.png", "wide.png", "tiny.png"]
    table = make_table(30).assign(photo=[names[i % 3] for i in range(30)])
    with serve(table, has_fit=False, media_root=tmp_path, show=["photo"]) as client:
        page = open_page(client.server.guard.make_address())
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            for row in range(3):
                show_item(page, row)
                page.wait_for_function(SHOWN, timeout=WAIT)
                box, shown = (page.locator(each).bounding_box() for each in ("#item", "#item .picture"))
                assert page.locator("#yes").bounding_box()["y"] >= shown["y"] + shown["height"], (width, row)
                assert shown["width"] >= box["width"] - 40
                assert shown["height"] >= box["height"] - 150
        assert page.get_attribute("#item a", "href") == page.get_attribute("#item img", "src")
        assert page.is_visible("#view")  # a wall is offered for pictures
        assert page.problems == []


#: Whether the picture is there, and its size is the final one: that of a small picture is chosen when it is loaded.
SHOWN = """() => {
    const { naturalWidth, naturalHeight, classList } = document.querySelector("#item .picture");
    return naturalWidth && classList.contains("small") === (naturalWidth < 160 && naturalHeight < 160);
}"""
