"""Figures of the review page, each with its goal: map, lasso, keys, first answer, fits, kills, requests, libraries.

    python benchmarks/review.py [--only map keys]

* map: 100 000 and 1 000 000 random points are painted, moved and selected from, in headless Chromium;
* keys: 60 questions about 2 400 items with 14 labels are answered by key, without and during a fit, and then 100 as
  fast as the page shows them;
* newcomer: the command with a table of 2 400 items, from its start to the first answer on the disk;
* fits: from the request to the arrival, with 2 400 items of 100 features and 14 labels, and with 20 000 items and 20;
* kills: a process that answers is killed 200 times at random moments; replay: 100 000 answers are read again;
* hostile: requests that another page or a table could make; size: the libraries that came with the review.

The goals are about two idle cores. The coverage of certificates is measured by
``benchmarks/certificate.py``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser
from _review_server import (
    Serving,
    make_items,
    measure_fits,
    measure_hostile,
    measure_kills,
    measure_replay,
    measure_size,
    open_session,
)
from playwright.sync_api import sync_playwright

from halflabel.review_page.fits import Fit

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def main():
    """Measure and print one line per figure."""
    parser = make_parser(__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="some of the figures")
    args = parser.parse_args()
    print("| figure | value | goal |\n|---|--:|--:|")
    for part in args.only:
        if part in WITHOUT_BROWSER:
            print_figures(WITHOUT_BROWSER[part]())
    in_browser = [part for part in args.only if part in IN_BROWSER]
    if in_browser:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
            for part in in_browser:
                print_figures(IN_BROWSER[part](browser))
            browser.close()


def print_figures(figures):
    """Print each figure as soon as it is measured."""
    for name, value, goal in figures:
        print(f"| {name} | {value} | {goal} |", flush=True)


def measure_map(browser):
    """Yield the time to paint a map, of a frame while it moves, and of a lasso, for two numbers of points."""
    for n, goal in ((100_000, 0.4), (1_000_000, 1.0)):
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
                yield from measure_page(browser, address, n, goal)
            session.close()


def measure_page(browser, address, n, goal):
    """Yield the figures of one map."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(address)
    painted = []
    for _ in range(5):
        page.goto(re.match(r"http://[^/]+/", address)[0])
        wait_for_mark(page)
        painted.append(page.evaluate("performance.getEntriesByName('map painted')[0].startTime"))
    value = f"{np.median(painted) / 1000:.2f} s"
    yield f"map of {n:,} points painted after navigation, median of 5", value, f"<= {goal} s"
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
        "<= 33 ms",
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
    value = f"{np.median(lassos):.0f} ms"
    yield f"lasso of {n:,} points until they are highlighted, median of 5", value, "<= 250 ms"
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
    """Yield the time from a key to the next question, without and during a fit; below 150 ms the answer is saved."""
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
            for name, goal in (("no fit runs", "<= 30, 60 ms"), ("a fit runs", "<= 50, 100 ms")):
                if name == "a fit runs":
                    session.refit("default")
                times = press_keys(page)
                busy = "" if name == "no fit runs" or not session.worker.is_idle else " (the fit ended earlier)"
                value = f"{np.median(times):.0f}, {np.quantile(times, 0.95):.0f} ms{busy}"
                yield f"key to next question while {name}, median and 95th percentile of {len(times)}", value, goal
            yield "answers a minute by a script that waits for each question", f"{answer_fast(page):.0f}", ">= 600"
        session.close()


def press_keys(page):
    """Answer 60 questions, ten in a second, and return the milliseconds from each key to the next question."""
    page.evaluate("performance.clearMeasures()")
    for i in range(60):
        page.keyboard.press("jf"[i % 2])
        page.wait_for_timeout(100)
    return read_measures(page, "answer")


def answer_fast(page, number=100):
    """Answer questions, each as soon as it is shown, and return the number per minute."""
    start = time.monotonic()
    for i in range(number):
        before = page.get_attribute("body", "data-question")
        page.keyboard.press("jf"[i % 2])
        page.wait_for_selector(f'body:not([data-question="{before}"])')
    return 60 * number / (time.monotonic() - start)


def measure_newcomer(browser):
    """Yield the time from the start of the command to the first answer that is on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        make_items(2400, 100, 14).to_csv(path, index=False)
        program = [sys.executable, "-c", "from halflabel.cli import main; main()", "review", str(path)]
        program += ["--id", "item", "--labels", "label*", "--no-browser"]
        start, log = time.monotonic(), path.with_suffix(".log")
        with log.open("w") as output:
            process = subprocess.Popen(program, stdout=output)
        while not (match := re.search(r"^Open (\S+)$", log.read_text(), re.MULTILINE)):
            assert process.poll() is None, "the command has ended"
            time.sleep(0.05)
        page = browser.new_page()
        page.goto(match[1])
        page.wait_for_selector("body[data-question]", timeout=120_000)
        page.keyboard.press("j")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=120_000)
        yield "from the command to the first answer, 2,400 items", f"{time.monotonic() - start:.1f} s", "<= 60 s"
        page.close()
        process.terminate()
        process.wait()


IN_BROWSER = {"map": measure_map, "keys": measure_keys, "newcomer": measure_newcomer}
WITHOUT_BROWSER = {
    "fits": measure_fits,
    "kills": measure_kills,
    "replay": measure_replay,
    "hostile": measure_hostile,
    "size": measure_size,
}
PARTS = [*IN_BROWSER, *WITHOUT_BROWSER]


if __name__ == "__main__":
    main()
