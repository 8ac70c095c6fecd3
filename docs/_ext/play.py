"""A review that runs in the documentation: the page of the package, with a script and a stored fit for its server.

When the pages are built with their outputs, ``play/digits.html``, the report and the map of the same fit
are written. Each is one file, and makes no request.
"""

from __future__ import annotations

import base64
import json
import re
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from docutils import nodes
from docutils.parsers.rst import Directive
from threadpoolctl import threadpool_limits

import halflabel as hl
from halflabel.completion import Completion
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_items
from halflabel.review_page.config import Config
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.items import ItemViews
from halflabel.review_page.queues import KINDS
from halflabel.review_page.review import Review
from halflabel.review_page.session import Asked

#: Number of digits, and share of them that lose their tags; the tags that are asked about.
DIGITS, HIDDEN = 600, 0.9
TAGS = ("closed_loop", "even", "straight_strokes")

#: Number of screens of each queue that are stored.
SCREENS = 100

#: The page inside another page.
FRAME = """<div class="play"><iframe class="report" src="play/digits.html" title="A review of scanned digits"
loading="lazy"></iframe></div>
<p><a href="play/digits.html">The review as a page of its own</a>; <a href="play/digits-report.html">the report</a> and
<a href="play/digits-map.html">the map</a> of the same fit.</p>"""

#: What needs a server is not shown.
WITHOUT_SERVER = "#write { display: none; }"

#: Shown in "More".
NOTE = "One stored fit: on your machine, the page fits again after five answers. Nothing is sent."


class Play(Directive):
    """``{play}``: the page inside another page, or a sentence if the pages are built without their outputs."""

    def run(self) -> list[nodes.Node]:
        """Return the frame."""
        if not self.state.document.settings.env.config.run_snippets:
            return [nodes.paragraph(text="These pages were built without outputs, so that the review is missing here.")]
        return [nodes.raw("", FRAME, format="html")]


def complete_digits() -> Completion:
    """Return scanned digits, of which a tenth has tags, with their gaps filled in."""
    digits = load_digits_tags()
    known = hide_items(digits.Y[:DIGITS], HIDDEN, np.random.default_rng(1))
    tags = pd.DataFrame(known.values(), columns=digits.label_names)[list(TAGS)]
    frame = pd.DataFrame(digits.X[:DIGITS]).add_prefix("pixel").join(tags)
    frame.insert(0, "scan", [f"scan {i}" for i in range(DIGITS)])
    opened = hl.open_table(frame, id="scan", labels=list(TAGS), features="pixel*", thumbnails=(8, 8))
    with threadpool_limits(1):
        return hl.complete(opened, effort="fast")


def record_review(filled: Completion, title: str) -> dict[str, Any]:
    """Return the answers of a server to all requests for one fit, before the first answer."""
    opened = filled.opened
    with tempfile.TemporaryDirectory() as folder:
        session = Review(Config(opened, ItemViews(opened), title=title, by="you"), Path(folder) / "review.jsonl")
        session.receive("fit", summarize_fit(filled))
        none = np.empty(0, dtype=np.intp)
        asked = {f"{kind} {view}": Asked(none, kind, view, SCREENS) for kind in KINDS for view in ("item", "wall")}
        screens = {name: session.choose(each) for name, each in asked.items()}
        record = {
            "session": {**session.describe(), "notes": [NOTE]},
            "panel": session.describe_panel(),
            "items": [session.describe_item(row) for row in range(len(opened.labels))],
            "screens": {name: [list(map(vars, screen)) for screen in chosen] for name, chosen in screens.items()},
        }
        session.close()
    return record


def make_page(record: dict[str, Any]) -> str:
    """Return the review page as one file: its styles, its modules by an import map, and the script with the record."""
    static = files("halflabel.review_page") / "static"
    html = (static / "index.html").read_text(encoding="utf-8")
    modules = {file.name: file.read_text(encoding="utf-8") for file in static.iterdir() if file.name.endswith(".js")}
    named = {f"halflabel/{name}": _as_url(code) for name, code in modules.items()}
    css = (static / "review.css").read_text(encoding="utf-8")
    script = (Path(__file__).parent / "play.js").read_text(encoding="utf-8")
    stored = json.dumps(record, separators=(",", ":")).replace("<", "\\u003c")
    parts = (
        f"<style>{css}\n{WITHOUT_SERVER}</style>",
        f'<script type="importmap">{json.dumps({"imports": named})}</script>',
        f"<script>const RECORD = {stored};\n{script}</script>",
        '<script type="module">import "halflabel/app.js";</script>',
    )
    html = re.sub(r'<(?:link rel="(?:stylesheet|modulepreload)"|script type="module")[^>]*>(?:</script>)?\n', "", html)
    return html.replace("</head>", "\n".join(parts) + "\n</head>")


def _as_url(code: str) -> str:
    """Return a module as an address. A module of that kind finds others by name only."""
    code = re.sub(r'"/static/([\w-]+\.js)"', r'"halflabel/\1"', code)
    return f"data:text/javascript;base64,{base64.b64encode(code.encode()).decode()}"


def write_pages(app: Any, error: Exception | None) -> None:
    """Write the page and the report, if the pages are built with their outputs."""
    if error is None and app.config.run_snippets and app.builder.format == "html":
        folder = Path(app.outdir) / "play"
        folder.mkdir(exist_ok=True)
        filled = complete_digits()
        page = make_page(record_review(filled, "scanned digits"))
        (folder / "digits.html").write_text(page, encoding="utf-8")
        filled.report(folder / "digits-report.html", title="scanned digits")
        filled.write_map(folder / "digits-map.html", title="scanned digits")


def setup(app: Any) -> dict[str, bool]:
    """Register the directive, and write the pages after all others."""
    app.add_directive("play", Play)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True}
