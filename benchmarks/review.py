"""Figures of the review page in headless Chromium: map, lasso, keys, fits, and the size of its libraries.

    python benchmarks/review.py

Maps of 100 000 and 1 000 000 random points are painted, moved and selected from. Then 60 questions about 2 400 items
with 14 labels are answered by key, without and during a fit, and fits are timed from the request to their arrival,
with 2 400 items of 100 features and 14 labels, and with 20 000 items and 20 labels. Chromium and playwright are needed.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser
from playwright.sync_api import sync_playwright

from halflabel.review.fits import Fit
from halflabel.review.items import ItemViews
from halflabel.review.server import Server
from halflabel.review.session import Session
from halflabel.review.setting import Setting
from halflabel.table import Columns, open_table

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LIBRARIES = ("starlette", "uvicorn", "anyio", "h11", "idna")


def main():
    """Measure and print one line per figure."""
    parser = make_parser(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="some of the figures")
    args = parser.parse_args()
    print("| figure | value |\n|---|--:|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        for part in args.only:
            for name, value in PARTS[part](browser):
                print(f"| {name} | {value} |", flush=True)
        browser.close()


def make_items(n, n_features, n_labels, seed=0):
    """Return items whose labels depend on the features; one entry in ten is given."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    Y = (X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n, n_labels)) > 0).astype(float)
    Y[rng.random(Y.shape) < 0.9] = np.nan
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(n_features)])
    frame.insert(0, "item", np.char.add("i", np.arange(n).astype(str)))
    return pd.concat([frame, pd.DataFrame(Y, columns=[f"label{j}" for j in range(n_labels)])], axis=1)


def open_session(frame, folder, coordinates=None):
    """Return a session over a table, without a fit."""
    labels = [name for name in frame if name.startswith("label")]
    opened = open_table(frame, columns=Columns(id="item", labels=labels))
    setting = Setting(opened, ItemViews(opened), title="items", by="benchmark", coordinates=coordinates)
    return Session(setting, Path(folder) / "journal.jsonl")


class Serving:
    """Serves a session from a thread."""

    def __init__(self, session):
        self.server = Server(session)
        self.thread = threading.Thread(target=self.server.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self.server.address

    def __exit__(self, *_):
        self.server.stop()
        self.thread.join(10)


def measure_map(browser):
    """Yield the time to paint a map, of a frame while it moves, and of a lasso, for two numbers of points."""
    for n in (100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            rng = np.random.default_rng(0)
            frame = pd.DataFrame({"item": np.arange(n).astype(str), "x": rng.normal(size=n)})
            frame["label0"] = np.where(rng.random(n) < 0.1, rng.random(n) < 0.3, np.nan)
            session = open_session(frame, folder, coordinates=rng.normal(size=(n, 2)))
            p = rng.random((n, 1)).astype(np.float32)
            state = np.where(p > 0.5, 1, -1).astype(np.int8)
            total = {"expected": 1.0, "low": 0.0, "high": 2.0}
            given = session.labels.state
            session.fit = Fit("made", 0, "fast", state, p, given, 0 * p, np.array([0.5]), [total], "being relevant")
            with Serving(session) as address:
                yield from measure_page(browser, address, n)
            session.close()


def measure_page(browser, address, n):
    """Yield the figures of one map."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(address)
    painted = []
    for _ in range(5):
        page.goto(re.match(r"http://[^/]+/", address)[0])
        wait_for_mark(page)
        painted.append(page.evaluate("performance.getEntriesByName('map painted')[0].startTime"))
    yield f"map of {n:,} points painted after navigation, median of 5", f"{np.median(painted) / 1000:.2f} s"
    page.wait_for_timeout(1500)
    page.evaluate("performance.clearMeasures()")
    box = page.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 2 * step, y + step)
        page.wait_for_timeout(30)
    page.mouse.up()
    frames = read_measures(page, "frame")
    yield (
        f"frame while {n:,} points move, median (maximum) of {len(frames)}",
        f"{np.median(frames):.1f} ({max(frames):.1f}) ms",
    )
    lassos = []
    for _ in range(5):
        page.evaluate("performance.clearMeasures()")
        page.keyboard.press("l")
        page.mouse.move(x - 150, y - 150)
        page.mouse.down()
        for dx, dy in ((150, -150), (150, 150), (-150, 150)):
            page.mouse.move(x + dx, y + dy, steps=5)
        page.wait_for_timeout(200)
        page.evaluate("performance.clearMeasures()")
        page.mouse.up()
        page.wait_for_timeout(600)
        lassos.append(read_measures(page, "lasso")[0] + read_measures(page, "frame")[0])
        page.keyboard.press("Escape")
    yield f"lasso of {n:,} points until they are highlighted, median of 5", f"{np.median(lassos):.0f} ms"
    page.close()


def wait_for_mark(page):
    """Wait until the map has been painted."""
    while not page.evaluate("performance.getEntriesByName('map painted').length"):
        page.wait_for_timeout(20)


def read_measures(page, name):
    """Return the durations of a measure of the page, in milliseconds."""
    return page.evaluate(
        f"performance.getEntriesByType('measure').filter(m => m.name === '{name}').map(m => m.duration)"
    )


def measure_keys(browser):
    """Yield the time from a key to the next question, whose answer is then on the disk; without and during a fit."""
    with tempfile.TemporaryDirectory() as folder:
        session = open_session(make_items(2400, 100, 14), folder)
        session.start()
        with Serving(session) as address:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(address)
            while session.fit is None or not session.worker.is_idle:
                page.wait_for_timeout(200)
            session.refit_if_due = lambda: False
            page.wait_for_selector("body[data-question]")
            page.wait_for_timeout(2000)
            for name in ("no fit runs", "a fit runs"):
                if name == "a fit runs":
                    session.refit("default")
                page.evaluate("performance.clearMeasures()")
                for i in range(60):
                    page.keyboard.press("jf"[i % 2])
                    page.wait_for_timeout(100)
                times = read_measures(page, "answer")
                busy = "" if name == "no fit runs" or not session.worker.is_idle else " (the fit ended earlier)"
                value = f"{np.median(times):.0f}, {np.quantile(times, 0.95):.0f} ms{busy}"
                yield f"key to next question while {name}, median and 95th percentile of {len(times)}", value
        session.close()


def measure_fits(_):
    """Yield the time from a request to the arrival of a fit, for two sizes."""
    for n, n_labels in ((2400, 14), (20_000, 20)):
        with tempfile.TemporaryDirectory() as folder:
            session = open_session(make_items(n, 100, n_labels), folder)
            arrived = threading.Event()
            session.announce = lambda kind, _, arrived=arrived: kind == "fit" and arrived.set()
            start = time.monotonic()
            session.start()
            arrived.wait()
            yield f"first fit of {n:,} x {n_labels}, process started", f"{time.monotonic() - start:.1f} s"
            while not session.worker.is_idle:
                time.sleep(0.2)
            arrived.clear()
            start = time.monotonic()
            session.refit("fast")
            arrived.wait()
            wall = time.monotonic() - start
            yield (
                f"fit of {n:,} x {n_labels}, from request to arrival",
                f"{wall:.1f} s (of these {session.fit.seconds:.1f} s fit)",
            )
            session.close()


def measure_size(_):
    """Yield the size of the libraries that came with the review."""
    total = 0
    for name in LIBRARIES:
        files = importlib.metadata.files(name) or []
        total += sum(file.locate().stat().st_size for file in files if file.suffix != ".pyc" and file.locate().exists())
    yield f"libraries for the review ({', '.join(LIBRARIES)})", f"{total / 1e6:.1f} MB"


PARTS = {"map": measure_map, "keys": measure_keys, "fits": measure_fits, "size": measure_size}


if __name__ == "__main__":
    main()
