"""The page in a real browser: nothing sticks out, nothing runs, nothing leaves."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.review_page.browsing import CHROMIUM

from halflabel.labels import PartialLabels
from halflabel.report import render_html, summarize

pytestmark = pytest.mark.browser

HOSTILE = [
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "'><svg onload=\"document.title='ran'\">",
    "</title></style><script>document.title='ran'</script>",
    "javascript:document.title='ran'",
    "<img src=http://leak.test/a.png><link rel=stylesheet href=http://leak.test/b.css>",
]

#: Reports to the outer page how wide the content is, and which element sticks out, all folds open. Tables may scroll.
RULER = """<script>
addEventListener("load", () => {
  document.querySelectorAll("details").forEach(e => e.open = true)
  const width = document.documentElement.clientWidth
  const must_fit = e => !e.closest(".scroll *, svg, .map input")
  const outside = [...document.querySelectorAll("body *")].filter(e => must_fit(e)
    && e.getBoundingClientRect().right > width + 1).map(e => e.tagName + "." + e.className)
  const scrolls = [...document.querySelectorAll(".scroll")].some(e => e.scrollWidth > e.clientWidth)
  parent.postMessage([width, document.documentElement.scrollWidth, outside.join(" "), scrolls].join("|"), "*")
})
</script>"""

WIDTHS = (360, 390, 1280)

#: The page in a frame of each width, which takes one browser for all of them.
FRAMES = """<!doctype html><title>ruler</title>
<script>addEventListener("message", e => document.body.append("[" + e.data + "]"))</script>
<body>""" + "".join(
    f'<iframe src="page.html" style="width:{width}px;height:900px;border:0"></iframe>' for width in WIDTHS
)


@pytest.fixture(scope="module")
def browse(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Open an address in headless Chromium and return the document as it stands after loading."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")

    def dump(address: str, *options: str) -> str:
        quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        profile = tmp_path_factory.mktemp("profile")
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *quiet, f"--user-data-dir={profile}"]
        command += ["--virtual-time-budget=2000", "--window-size=1600,1000", *options, "--dump-dom", address]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    return dump


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Stand between the browser and the whole network: (address, what was asked for, what there is)."""
    asked: list[str] = []
    pages: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}", asked, pages
        server.shutdown()
        thread.join()


def without_policy(html: str) -> str:
    """Return the page without its content security policy, so that escaping alone has to hold."""
    start = html.index('<meta http-equiv="Content-Security-Policy"')
    return html[:start] + html[html.index(">", start) + 1 :]


def hostile_page(by_hand: Callable) -> str:
    n = len(HOSTILE)
    y, p = np.resize([1, 0, np.nan, 0, 1], (2 * n, n)), np.full((2 * n, n), 0.3)
    completion = by_hand(
        y, p, tuple(HOSTILE), index=pd.Index([f"{i}{HOSTILE[i % n]}" for i in range(2 * n)]), notes=HOSTILE
    )
    settings = {name: name for name in HOSTILE}
    return render_html(summarize(completion, title=HOSTILE[3], settings=settings))


def wide_page(at_random: Callable) -> str:
    """Long names without a place to break, many labels, images, notes and settings."""
    names = [f"a_rather_long_label_name_{j}_" + "x" * (20 * (j % 4)) for j in range(20)]
    ids = pd.Index([f"https://example.org/songs/{i:0>60}" for i in range(400)])
    completion = at_random(400, 20, names=names, index=ids, notes=("y" * 300, "a note"))
    marks = np.arange(400 * 64).reshape(400, 8, 8)
    return render_html(summarize(completion, title="t" * 80, marks=marks, settings={"z" * 90: "w" * 300}))


def positive_page(at_random: Callable) -> str:
    completion = at_random(200, 6, observed_rate=0.7)
    completion.labels = PartialLabels.from_positives(completion.labels.values())
    return render_html(summarize(completion))


def measure(browse: Callable[..., str], html: str, folder: Path) -> dict[int, str]:
    """Check that a page fits each width; return whether a table in it scrolls ("true" or "false"), by the width."""
    (folder / "page.html").write_text(without_policy(html).replace("</body>", RULER + "</body>"), encoding="utf-8")
    (folder / "frames.html").write_text(FRAMES, encoding="utf-8")
    found = re.findall(r"\[(\d+)\|(\d+)\|([^]]*)\|(\w+)\]", browse((folder / "frames.html").as_uri()))
    inner = sorted(int(width) for width, *_ in found)
    assert len(inner) == len(WIDTHS)
    assert all(low < width <= high for low, width, high in zip((0, *WIDTHS), inner, WIDTHS, strict=False))
    for width, content, outside, _ in found:
        assert int(content) <= int(width)
        assert outside == "", width
    return {min(each for each in WIDTHS if each >= int(width)): scrolls for width, _, _, scrolls in found}


@pytest.mark.parametrize("make", [wide_page, positive_page])
def test_the_page_never_scrolls_sideways(browse, at_random, tmp_path: Path, make):
    scrolls = measure(browse, make(at_random), tmp_path)
    assert scrolls[390] == "true" or make != wide_page


def test_a_page_that_is_too_wide_is_noticed(browse, tmp_path: Path):
    policy = '<meta http-equiv="Content-Security-Policy">'
    with pytest.raises(AssertionError):
        measure(browse, f"{policy}<body><p style='width:1270px'>wide</p></body>", tmp_path)


def test_hostile_names_run_nothing_even_without_the_policy(browse, by_hand, tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text(without_policy(hostile_page(by_hand)), encoding="utf-8")
    assert "<title>ran</title>" not in browse(page.as_uri())
    # The trap works: unescaped, the first name would run.
    page.write_text(f"<title>calm</title>{HOSTILE[0]}", encoding="utf-8")
    assert "<title>ran</title>" in browse(page.as_uri())


def test_the_policy_stops_what_escaping_might_miss(browse, by_hand, tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text(hostile_page(by_hand).replace("</main>", f"{HOSTILE[0]}{HOSTILE[1]}</main>"), encoding="utf-8")
    assert "<title>ran</title>" not in browse(page.as_uri())


def test_no_request_leaves_the_page(browse, by_hand, proxy):
    address, asked, pages = proxy
    pages["http://report.test/page.html"] = without_policy(hostile_page(by_hand))
    pages["http://report.test/leaky.html"] = f"<title>leaky</title>{HOSTILE[5]}"
    assert "drawn at random" in browse("http://report.test/page.html", f"--proxy-server={address}")
    assert [path for path in asked if ".test/" in path] == ["http://report.test/page.html"]
    # The trap works: a page that does load something is noticed.
    browse("http://report.test/leaky.html", f"--proxy-server={address}")
    assert "http://leak.test/a.png" in asked


def test_a_label_is_chosen_without_scripts(browse, at_random, tmp_path: Path):
    """Checking a radio button, as a click on a small map does, shows that label in the large one."""
    ask = """<script>addEventListener("load", () => {
      document.querySelector("label[for=m3]").click()
      const shown = [...document.querySelectorAll("use.layer")].map(e => getComputedStyle(e).display)
      document.title = shown.join(" ")
    })</script></body>"""
    page = tmp_path / "page.html"
    html = without_policy(render_html(summarize(at_random(100, 5))))
    page.write_text(html.replace("</body>", ask), encoding="utf-8")
    assert "<title>none none none inline none</title>" in browse(page.as_uri())
