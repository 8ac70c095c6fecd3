"""The command with a page, and a reader in a real browser. The fixtures of the browser are in conftest.py."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARKS = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="playwright is not installed"),
]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"]
WAIT = 120_000  # milliseconds; the machine may be busy


#: Whether no key waits for an undo, and each answer is on the disk. The number of answers on the page may be older.
SENT = """() => document.querySelector("#undo").ariaBusy !== "true"
    && !Object.keys(localStorage).some((name) => name.startsWith("halflabel "))"""


def wait_until_sent(page):
    page.wait_for_function(SENT, timeout=WAIT)


def press(page, *keys):
    """Press keys, and wait for another question or screen."""
    before = page.get_attribute("body", "data-question")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function("before => document.body.dataset.question !== before", arg=before, timeout=WAIT)
    page.wait_for_selector("body[data-question]", timeout=WAIT)


class Command:
    """``halflabel review``, or another command with a page, in a process of its own."""

    def __init__(self, path, *options, name="review", by="ana"):
        program = "import sys; from halflabel.cli import main; sys.argv[0] = 'halflabel'; main()"
        by = ["--by", by] if name == "review" else []
        command = [sys.executable, "-c", program, name, str(path), *options, "--no-browser", *by]
        number = len(list(path.parent.glob("*.log")))  # two commands may run at the same time
        self.output, self.opened = path.with_suffix(f".{number}.log"), 0
        with self.output.open("w") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def address(self):
        """The next address that the command prints: each one works once."""
        self.opened += 1
        return self._wait_for_lines(r"\b[Oo]pen (http\S+)$", self.opened)[-1]

    def find_address(self, reviewer):
        """The first address of one of several reviewers."""
        return self._wait_for_lines(rf"^{reviewer}: open (http\S+)$", 1)[0]

    @property
    def port(self):
        return self._wait_for_lines(r"^Open http://127.0.0.1:(\d+)/", 1)[0]

    def _wait_for_lines(self, pattern, number):
        """Return a part of the first lines of the output that are like a pattern, once there are as many."""
        end = time.monotonic() + WAIT / 1000
        while len(found := re.findall(pattern, self.output.read_text(), re.MULTILINE)) < number:
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() < end, f"no line {pattern!r} in: {self.output.read_text()}"
            time.sleep(0.1)
        return found[:number]

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            if how == signal.SIGKILL:
                os.killpg(self.process.pid, how)  # also the process that fits
            else:
                self.process.send_signal(how)
        return self.process.wait(120)


def wait_for_fit(page):
    page.wait_for_selector(
        '#verdict:text-matches("Filled values|It is enough|not known|contradict")', state="attached", timeout=WAIT
    )


READ = """() => {
    const { view, question } = document.body.dataset;
    if (!question) return null;
    const asked = document.querySelector("#asked").innerText, item = document.querySelector("#item .id")?.innerText;
    const read = (each) => [each.querySelector("b").innerText, each.dataset.value];
    const chips = [...document.querySelectorAll("#chips:not([hidden]) .choice")].map(read);
    return { view, question, item, label: asked.replace(/[?]$/, ""), chips };
}"""


def read(page):
    """Return the screen, as soon as there is one."""
    return page.wait_for_function(READ, timeout=WAIT).json_value()


#: The key of a value, and the values that a chip goes through, by the one that is proposed.
KEYS = {True: "j", False: "f"}
ORDER = {"yes": ["yes", "no"], "no": ["no", "yes"], "": ["", "yes", "no"]}


class Reader:
    """Answers with the truth by keys, or by taps on a phone, and counts them."""

    def __init__(self, page, truth, *, taps=False):
        self.page, self.truth, self.taps, self.pressed, self.used = page, truth, taps, 0, []
        self.since = time.perf_counter()

    def act(self, key, element):
        """Press a key, or tap the element that does the same."""
        self.pressed += 1
        if self.taps:
            self.page.locator(element).tap()
        else:
            self.page.keyboard.press(key)

    def change(self, places):
        """Change the values on a screen. ``places`` are (number, times)."""
        for place, times in places:
            for _ in range(times):
                self.act(str(place + 1), f":is(#chips, #wall):not([hidden]) li:nth-child({place + 1}) button")

    def answer(self, number):
        """Answer screens until at least a number of values has an answer, and return the number."""
        done = 0
        while done < number:
            done += self.answer_screen()
        return done

    def answer_screen(self, shown=None):
        """Answer one screen, and return the number of its values."""
        shown = shown or read(self.page)
        if shown["view"] == "single":
            value = self.truth[shown["item"], shown["label"]]
            self.act(KEYS[value], "#yes" if value else "#no")
            n = 1
        elif shown["view"] == "chips":
            wanted = ["yes" if self.truth[shown["item"], label] else "no" for label, _ in shown["chips"]]
            steps = [ORDER[value].index(right) for (_, value), right in zip(shown["chips"], wanted, strict=True)]
            self.change([(place, n) for place, n in enumerate(steps) if n])
            self.act("Enter", "#accept")
            n = len(wanted)
        else:
            tiles = [(each.locator(".name").inner_text(), each.get_attribute("data-value"))
                     for each in self.page.locator(".tile").all()]  # fmt: skip
            wrong = [k for k, (item, value) in enumerate(tiles) if (value == "yes") != self.truth[item, shown["label"]]]
            for place in wrong:
                self.pressed += 1
                tile = self.page.locator(".tile").nth(place)
                tile.tap() if self.taps else tile.click()
            self.act("Enter", "#accept")
            n = len(tiles)
        self.page.wait_for_function(
            "before => document.body.dataset.question !== before", arg=shown["question"], timeout=WAIT
        )
        self.used.append({"single": "question", "chips": "item with labels", "wall": "wall"}[shown["view"]])
        return n


def answer(page, truth, number):
    """Answer screens by key until at least a number of values has an answer, and return the number."""
    return Reader(page, truth).answer(number)


def wait_for_saved(page, number):
    page.wait_for_selector(f'#saved:text-matches("^{number} answers?, saved")', timeout=WAIT)


def count_answers(page):
    return int(page.inner_text("#saved").split()[0].replace(",", ""))
