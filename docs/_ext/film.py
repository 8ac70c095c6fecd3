"""A film of 40 seconds in two themes, made by the build: from a file with gaps to a map, answers, and what is left.

Every picture is of the program: what the command printed, its report, the page of the map, and the review page with a
server that fits. Without Chromium the pages are built without the film.
"""

from __future__ import annotations

import html
import io
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from click.testing import CliRunner
from docutils import nodes
from docutils.parsers.rst import Directive
from draw_review import QUIET, WAIT, find_chromium  # the script in the folder of the pages
from PIL import Image, ImageDraw, ImageFont

from halflabel.cli import main
from halflabel.completion import Completion
from halflabel.datasets import load_digits_tags
from halflabel.review_page.config import Config
from halflabel.review_page.items import ItemViews
from halflabel.review_page.server import Server
from halflabel.review_page.session import Session

#: Size of the window, of the film without the line under it, and the height of this line.
WINDOW, SIZE, LINE = (1200, 750), (960, 600), 52

#: Paper, ink, raised paper and accent of each theme, as in the pages.
THEMES = {"light": ("#fbfaf7", "#22252a", "#f2f0eb", "#0b6477"), "dark": ("#15171b", "#e9e7e2", "#1e2126", "#62c3d3")}

COMMAND = ("complete", "digits.csv", "--id", "scan", "--labels", "closed_loop,even,straight_strokes",
           "--set", "features=pixel*", "--effort", "fast")  # fmt: skip

#: A picture that is made by hand: a table or a terminal.
SHEET = """<meta charset="utf-8"><style>
body {{ margin: 0; padding: 3.2rem 4rem; background: {paper}; color: {ink}; font: 25px/1.6 "DejaVu Sans Mono", monospace; }}
td, th {{ padding: .25rem 1.6rem; border-bottom: 1px solid color-mix(in srgb, {ink} 20%, {paper}); text-align: left; }}
th, b {{ color: {accent}; }}
td:empty {{ background: {raised}; }}
pre {{ font-size: 18px; line-height: 1.55; white-space: pre-wrap; }}
h1 {{ margin: 9rem 0 1rem; font: 600 46px/1.2 Georgia, "DejaVu Serif", serif; }}
</style>{body}"""  # noqa: E501

FILM = """<details class="film"><summary>A film of 40 seconds: from a file with gaps to a map and answers</summary>
<img class="only-light" src="play/film-light.webp" alt="{alt}" loading="lazy">
<img class="only-dark" src="play/film-dark.webp" alt="{alt}" loading="lazy"></details>"""

ALT = (
    "A table of 600 scans, of which 60 have tags. One command fills in the rest and writes a report. The map is "
    "searched, three questions are answered, and the page states how many errors are left."
)

Picture = tuple[float, str, Image.Image]  # seconds, the line under it, the window


class Film(Directive):
    """``{film}``: the film, or nothing if the pages are built without it."""

    def run(self) -> list[nodes.Node]:
        """Return the film, closed: a reader opens it, and closes it to stop it."""
        is_made = self.state.document.settings.env.config.run_snippets and find_chromium()
        return [nodes.raw("", FILM.format(alt=ALT), format="html")] if is_made else []


def write_film(filled: Completion, folder: Path, themes: Sequence[str] = tuple(THEMES)) -> None:
    """Write ``film-light.webp`` and ``film-dark.webp``."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as made, chdir(made):
        filled.opened.frame.to_csv("digits.csv", index=False)
        printed = CliRunner(env={"COLUMNS": "92"}).invoke(main, COMMAND, catch_exceptions=False).stdout
        filled.write_map("map.html", title="digits.csv")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
            for theme in themes:
                page = browser.new_page(viewport={"width": WINDOW[0], "height": WINDOW[1]}, color_scheme=theme)
                page.set_default_timeout(WAIT)
                scenes = [
                    *show_files(page, filled, printed, theme),
                    *show_review(page, filled, theme),
                    show_end(page, theme),
                ]
                first, *rest = (add_line(window, line, THEMES[theme]) for _, line, window in scenes)
                stay = [round(1000 * seconds) for seconds, _, _ in scenes]
                options: dict[str, Any] = {"duration": stay, "loop": 1, "quality": 55, "method": 6}
                first.save(folder / f"film-{theme}.webp", save_all=True, append_images=rest, **options)
            browser.close()


def show_files(page: Any, filled: Completion, printed: str, theme: str) -> Iterator[Picture]:
    """Yield the table, the command with its output, the report and the map."""
    frame, unlabelled = filled.opened.frame, filled.labels.unlabelled
    rows = np.sort(np.concatenate([np.flatnonzero(~unlabelled)[:4], np.flatnonzero(unlabelled)[2:8]]))
    shown = frame[["scan", "pixel20", "pixel21", *filled.labels.names]].iloc[rows]
    known = int((~unlabelled).sum())
    table = shown.map(write_cell).to_html(index=False, border=0, escape=False)
    yield 4, f"digits.csv: {len(frame)} scans. {known} have tags, the rest is empty.", draw_sheet(page, table, theme)
    command = html.escape("$ halflabel " + " ".join(COMMAND))
    yield 2.5, "One command fills in the rest.", draw_sheet(page, f"<pre><b>{command}</b></pre>", theme)
    last = "\n".join([line for line in printed.splitlines() if line.strip()][-13:])
    output = f"<pre><b>{command}</b>\n{html.escape(last)}</pre>"
    yield 4.5, "It prints how many values are probably wrong.", draw_sheet(page, output, theme)
    page.goto(Path("digits.report.html").absolute().as_uri())
    yield 3.5, "The report is one file, without scripts.", shoot(page)
    page.evaluate("document.getElementById('check').scrollIntoView({ behavior: 'instant' })")
    yield 3.5, "It lists what to check first.", shoot(page)
    page.goto(Path("map.html").absolute().as_uri())
    page.wait_for_selector("#legend li")
    yield 3, "The map: similar scans are close together.", shoot(page)
    page.mouse.move(620, 520)
    page.mouse.wheel(0, -160)
    page.fill("#search", "given")
    yield 3, "It can be zoomed and searched: here the scans whose tags are given.", shoot(page)


def show_review(page: Any, filled: Completion, theme: str) -> Iterator[Picture]:
    """Yield three questions, what is left after them, and a wall of one value. The answers are the truth."""
    truth = load_digits_tags().Y
    session = Session(
        Config(filled.opened, ItemViews(filled.opened), title="digits.csv", by="you"), Path(f"{theme}.jsonl")
    )
    session.start()
    server = Server(session)
    threading.Thread(target=server.run, daemon=True).start()
    page.goto(server.address)
    page.wait_for_selector('#fit-text:text-matches("^fitted")')
    page.wait_for_selector("#map-note:empty", state="attached")
    for number in range(5):
        page.wait_for_selector("#yes:enabled")
        before = page.get_attribute("body", "data-question")
        if number < 3:
            words = (
                "The review asks where an answer helps most.",
                "J is yes, F is no.",
                "Each answer is written at once.",
            )
            yield 2, words[number], shoot(page)
        row, name = int(page.inner_text("#item .id").split()[-1]), page.inner_text("#asked").removesuffix("?")
        page.keyboard.press("j" if truth.relevant[row, truth.names.index(name)] else "f")
        page.wait_for_selector(f'body:not([data-question="{before}"])')
    page.wait_for_selector('#changes:text-matches("^The last fit changed")')  # five answers are learned
    yield 4, "After five answers it learns, and states what is left.", shoot(page)
    page.click("#view-wall")
    page.wait_for_selector('body[data-view="wall"]')
    yield 3, "Or a wall: tap the exceptions.", shoot(page)
    page.goto("about:blank")  # an open page keeps the server busy
    server.stop()
    session.close()


def show_end(page: Any, theme: str) -> Picture:
    """Return the last picture."""
    body = "<h1>You labelled some of it.<br>halflabel fills in the rest.</h1><p><b>$ halflabel demo</b></p>"
    return 3, "", draw_sheet(page, body, theme)


def draw_sheet(page: Any, body: str, theme: str) -> Image.Image:
    """Return a table or a terminal."""
    colours = dict(zip(("paper", "ink", "raised", "accent"), THEMES[theme], strict=True))
    page.set_content(SHEET.format(**colours, body=body))
    return shoot(page)


def write_cell(value: Any) -> str:
    """Return a cell as the file has it."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.0f}"
    return str(value)


def shoot(page: Any) -> Image.Image:
    """Return what the window shows."""
    page.wait_for_timeout(500)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)


def add_line(window: Image.Image, line: str, colours: tuple[str, ...]) -> Image.Image:
    """Return a window with a line of text under it."""
    font = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), 22)
    picture = Image.new("RGB", (SIZE[0], SIZE[1] + LINE), colours[2])
    picture.paste(window)
    ImageDraw.Draw(picture).text((20, SIZE[1] + LINE // 2), line, colours[1], font, anchor="lm")
    return picture


def setup(app: Any) -> dict[str, bool]:
    """Register the directive; play.py writes the film after its pages."""
    app.add_directive("film", Film)
    return {"parallel_read_safe": True}
