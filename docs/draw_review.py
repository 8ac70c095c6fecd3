"""Draw the report of the demo, and the review of scanned digits, answered by their truth, in headless Chromium.

    python docs/draw_review.py

It needs playwright and Chromium and takes two minutes. It writes PNG files to ``docs/_static/review``. With the word
``report`` it draws the report only.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from PIL import Image

from halflabel.cli import main
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_entries, hide_items
from halflabel.review_page.config import Config
from halflabel.review_page.items import ItemViews
from halflabel.review_page.review import Review
from halflabel.review_page.server import Server
from halflabel.table import open_table

FOLDER = Path(__file__).parent / "_static" / "review"
LABELS = ("even", "prime", "closed_loop", "straight_strokes")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
WAIT = 300_000


def find_chromium() -> str | None:
    """Return the path of Chromium, or None where it or playwright is not installed."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return None
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def draw(program: str) -> None:
    """Review the digits and write one file per screen."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        session, truth = open_digits(Path(folder))
        session.start()
        server = Server(session)
        threading.Thread(target=server.run, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=QUIET)
            draw_screens(browser, server, truth)
            browser.close()
        server.stop()
        session.close()


def draw_report(program: str) -> None:
    """Write the first screen of the report of the demo in both themes."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        CliRunner().invoke(main, ["demo", "-o", f"{folder}/demo"], catch_exceptions=False)
        text = (Path(folder) / "demo/report.html").read_text(encoding="utf-8")
        path = Path(folder) / "report.html"
        path.write_text(text.replace(f"{folder}/demo", "halflabel-demo"), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        write_both_themes(page, "report")
        browser.close()


def open_digits(folder: Path) -> tuple[Review, dict[tuple[str, str], bool]]:
    """Return a review of digits of which one in ten kept some tags, and the truth."""
    digits, rng = load_digits_tags(), np.random.default_rng(0)
    labels = digits.Y.select([digits.label_names.index(name) for name in LABELS])
    half = hide_entries(hide_items(labels, 0.9, rng), 0.5, rng)
    frame = pd.DataFrame(np.asarray(digits.X).astype(int), columns=list(digits.feature_names))
    frame.insert(0, "scan", [f"digit-{i:04d}" for i in range(len(frame))])
    opened = open_table(frame.join(half.to_frame()), id="scan", labels=LABELS, thumbnails=(8, 8))
    views = ItemViews(opened)
    session = Review(Config(opened, views, title="digits.csv", by="ana"), folder / "digits.review.jsonl")
    values = labels.state > 0
    table = {(item, name): bool(values[i, j]) for i, item in enumerate(frame["scan"]) for j, name in enumerate(LABELS)}
    return session, table


def draw_screens(browser: Any, server: Server, truth: dict[tuple[str, str], bool]) -> None:
    """Answer questions and write each screen."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(server.address)
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    page.wait_for_selector('#verdict:text-matches("Filled values")', timeout=WAIT)
    answer(page, truth, 24)
    page.wait_for_timeout(6500)  # notices have gone
    write_both_themes(page, "question")
    small = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    small.goto(server.address)  # another one: each works once
    small.wait_for_selector("body[data-question]", timeout=WAIT)
    small.wait_for_timeout(800)
    write_screen(small, "phone")


def write_both_themes(page: Any, name: str) -> None:
    """Write one screen in the light and in the dark theme."""
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(500)
        write_screen(page, f"{name}-{theme}")


def write_screen(page: Any, name: str) -> None:
    """Write a screen as a PNG with 128 colours, a third of its size with all of them."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )


def answer(page: Any, truth: dict[tuple[str, str], bool], number: int) -> None:
    """Answer screens by key, until a number of values has an answer."""
    while number > 0:
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        before, item = page.get_attribute("body", "data-question"), page.inner_text("#item .id")
        if page.get_attribute("body", "data-view") == "single":
            page.keyboard.press("j" if truth[item, page.inner_text("#asked").removesuffix("?")] else "f")
            number -= 1
        else:
            for place, chip in enumerate(page.locator(".choice").all(), 1):
                label, value = chip.locator("b").inner_text(), chip.get_attribute("data-value")
                order = {"yes": ["yes", "no"], "no": ["no", "yes"], "": ["", "yes", "no"]}[value]
                for _ in range(order.index("yes" if truth[item, label] else "no")):
                    page.keyboard.press(str(place))
                number -= 1
            page.keyboard.press("Enter")
        page.wait_for_selector(f'body:not([data-question="{before}"])', timeout=WAIT)


if __name__ == "__main__":
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("playwright and Chromium are needed.")
    draw_report(chromium)
    if sys.argv[1:] != ["report"]:
        draw(chromium)
