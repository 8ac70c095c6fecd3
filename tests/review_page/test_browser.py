"""The review in a real browser: the story by keyboard alone, a reload, a crash, hostile texts, small screens."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import Served, make_session

from halflabel.cli import main
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_entries, hide_items
from halflabel.review_page.browser import PAGE, write_private
from halflabel.review_page.journal import read_journal

pytestmark = MARKS

LABELS = ("even", "closed_loop", "straight_strokes")
ENDS = ("certificate.json", "completed.csv")

#: Whether the probabilities of the list decrease.
SORTED = """() => {
    const p = [...document.querySelectorAll("#list-rows td.n")].map((cell) => Number(cell.textContent));
    return p.length > 1 && p.every((value, i) => !i || value <= p[i - 1]);
}"""

#: The names of the items on a wall.
TILES = """() => [...document.querySelectorAll("#wall .tile .name")].map((name) => name.innerText).sort().join()"""

HOSTILE = [
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "<img src=http://leak.test/a.png><link rel=stylesheet href=http://leak.test/b.css>",
    "javascript:document.title='ran'",
    "http://leak.test/c.png",
]


class Command:
    """``halflabel review``, or another command with a page, in a process of its own."""

    def __init__(self, path, *options, name="review"):
        program = "import sys; from halflabel.cli import main; sys.argv[0] = 'halflabel'; main()"
        by = ["--by", "ana"] if name == "review" else []
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
        return self.process.wait(60)


@pytest.fixture
def review():
    commands = []

    def begin(path, *options, **facts):
        commands.append(Command(path, *options, **facts))
        return commands[-1]

    yield begin
    for command in commands:
        command.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Return the path of half-labelled digits, and the truth by item and label."""
    data = load_digits_tags()
    rng = np.random.default_rng(0)
    chosen = rng.permutation(1797)[:300]
    labels = data.Y[chosen].select([data.label_names.index(name) for name in LABELS])
    half = hide_entries(hide_items(labels, 0.7, rng), 0.3, rng)
    frame = pd.DataFrame(np.asarray(data.X)[chosen].astype(int), columns=list(data.feature_names))
    frame.insert(0, "scan", [f"digit-{i}" for i in chosen])
    path = tmp_path_factory.mktemp("digits") / "digits.csv"
    frame.join(half.to_frame()).to_csv(path, index=False)
    truth = labels.state > 0
    table = {(item, name): bool(truth[i, j]) for i, item in enumerate(frame["scan"]) for j, name in enumerate(LABELS)}
    return path, table


OPTIONS = ("--id", "scan", "--labels", ",".join(LABELS), "--set", "thumbnails=8x8")


def wait_for_fit(page, text="^fitted"):
    page.wait_for_selector(f'#fit-text:text-matches("{text}")', timeout=WAIT)


def read_question(page):
    """Return the item and the label of the question on the screen."""
    return page.inner_text("#item .id"), page.inner_text("#asked").removesuffix("?")


def answer(page, truth, number):
    """Answer questions by key, each time after the next one is on the screen. The last answer may be on its way."""
    for _ in range(number):
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        before = page.get_attribute("body", "data-question")
        page.keyboard.press("j" if truth[read_question(page)] else "f")
        page.wait_for_function("before => document.body.dataset.question !== before", arg=before, timeout=WAIT)


def wait_for_saved(page, number):
    page.wait_for_selector(f'#saved:text-matches("^{number} answers?, saved")', timeout=WAIT)


def count_answers(page):
    return int(page.inner_text("#saved").split()[0].replace(",", ""))


def pass_audit(page, truth):
    """Begin an audit, answer all of it, and return the number of its answers."""
    page.keyboard.press("a")
    page.wait_for_selector("#audit-begin:enabled", timeout=WAIT)
    number = int(page.inner_text("#audit-plans label:first-child b").split()[0])
    page.focus("#audit-begin")
    page.keyboard.press("Enter")
    page.wait_for_selector('#audit-text:text-matches("0 of")', timeout=WAIT)
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    assert "probability" not in page.inner_text("#last")
    answer(page, truth, number - 1)
    page.wait_for_selector('#audit-text:text-matches("At least [0-9.]+ % are right")', timeout=WAIT)
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    page.keyboard.press("j" if truth[read_question(page)] else "f")
    page.wait_for_selector('#proof:text-matches("^At least")', timeout=WAIT)
    page.keyboard.press("Enter")
    page.wait_for_selector('#certificate:text-matches("^At least")', timeout=WAIT)
    return number


def check_outputs(folder, truth, number):
    """Check that table, answers, certificate and report belong together."""
    done = pd.read_csv(folder / "digits.completed.csv").set_index("scan")
    assert not done[list(LABELS)].isna().any(axis=None)
    answers = pd.read_csv(folder / "digits.review.csv").dropna(subset="answer")
    assert len(answers) >= 23 + number - 1
    for item, label, value in answers[["item", "label", "answer"]].itertuples(index=False):
        assert done.loc[item, label] == value == truth[item, label]
    certificate = json.loads((folder / "digits.certificate.json").read_text())
    assert certificate["audited"] == number
    result = CliRunner().invoke(main, ["verify", *(str(folder / f"digits.{end}") for end in ENDS)])
    assert result.output.startswith("Verified: At least"), result.output
    report = (folder / "digits.report.html").read_text()
    assert "Reviewed by a person" in report
    assert "Certificate:" in report


def test_the_digits_from_the_command_to_the_certificate_by_keyboard_alone(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    before = path.read_bytes()
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    wait_for_fit(page)
    assert page.inner_text("#title") == "digits.csv"
    assert page.locator("#item .mark").count() == 1
    answer(page, truth, 22)  # a fit begins after 20
    wait_for_saved(page, 22)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == 22
    page.wait_for_selector('#changes:text-matches("^The last fit changed")', timeout=WAIT)
    sentences = "filled entries are wrong|there is no estimate of errors"  # the second one after a contradiction
    page.wait_for_selector(f'#advice:text-matches("{sentences}")', timeout=WAIT)
    question = page.get_attribute("body", "data-question")
    answer(page, truth, 1)
    page.keyboard.press("u")
    page.wait_for_selector(f'body[data-question="{question}"]', timeout=WAIT)
    page.keyboard.press("U")
    page.wait_for_selector('#saved:text-matches("^23 ")', timeout=WAIT)
    page.wait_for_selector(f'body[data-question]:not([data-question="{question}"])', timeout=WAIT)
    press(page, " ")
    press(page, "k")
    page.wait_for_selector('#saved:text-matches("^24 ")', timeout=WAIT)

    number = pass_audit(page, truth)
    page.keyboard.press("w")
    page.wait_for_selector('.notice:text-matches("^Written")', timeout=WAIT)
    assert page.problems == []
    assert command.end() == 0  # while the page is open
    output = command.output.read_text()
    assert "Traceback" not in output
    assert "The same command goes on where you stopped" in output
    assert path.read_bytes() == before
    check_outputs(tmp_path, truth, number)


def test_answers_survive_a_reload_and_a_crash(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    answer(page, truth, 7)
    wait_for_saved(page, 7)
    page.reload()
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    assert count_answers(page) == 7
    answer(page, truth, 3)
    wait_for_saved(page, 10)
    command.end(signal.SIGKILL)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == 10
    again = review(path, *OPTIONS)
    page = open_page(again.address)
    assert count_answers(page) == 10


def test_answers_while_a_fit_arrives_are_written_once(digits, review, open_page, tmp_path):
    source, _ = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    held = []
    page.route("**/api/queue", lambda route: held.append(route))
    page.keyboard.press("r")
    while not held:  # the fit has arrived, and the page asks for other questions
        page.wait_for_timeout(100)
    for _ in range(3):
        press(page, "j")
    page.unroute("**/api/queue")  # which lets them go
    press(page, "j")
    wait_for_saved(page, 4)
    bodies = [record.body for record in read_journal(tmp_path / "digits.review.jsonl")[1]]
    assert len(bodies) == len({(body["item"], body["label"]) for body in bodies}) == 4
    assert page.locator(".notice.error").count() == 0
    assert page.problems == []


def test_answers_wait_while_the_server_does_not_respond(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    wait_for_fit(page)
    page.route("**/api/answers", lambda route: route.abort())
    answer(page, truth, 2)
    page.wait_for_selector('#saved:text-matches("not yet on the disk")', timeout=WAIT)
    page.unroute("**/api/answers")
    page.wait_for_selector('#saved:text-matches("^2 answers, saved")', timeout=WAIT)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == 2


def test_a_page_of_another_table_ends_and_nothing_of_it_is_kept(digits, review, open_page, tmp_path):
    source, truth = digits
    path, journal = tmp_path / "digits.csv", tmp_path / "digits.review.jsonl"
    shutil.copy(source, path)
    command = review(path, *OPTIONS)
    old = open_page(command.address)
    wait_for_fit(old)
    answer(old, truth, 2)
    old.wait_for_selector('#saved:text-matches("^2 answers, saved")', timeout=WAIT)
    command.end(signal.SIGKILL)
    answer(old, truth, 3)
    old.wait_for_selector('#saved:text-matches("^3 answers not yet on the disk")', timeout=WAIT)
    pd.read_csv(path).iloc[::-1].drop(index=[0, 5]).to_csv(path, index=False)
    again = review(path, *OPTIONS, "--port", command.port)
    new = old.context.new_page()
    new.goto(again.address)  # the browser has the cookie of the new command, and sends it for the old page, too
    new.wait_for_selector("body[data-question]", timeout=WAIT)
    old.wait_for_selector("#table-dialog[open]", timeout=WAIT)
    words = old.inner_text("#table-dialog")
    assert "The table has changed since this page was opened" in words
    assert "3 answers that had not been saved are not kept." in words
    old.keyboard.press("j")
    old.keyboard.press("u")
    answer(new, truth, 2)
    wait_for_saved(new, 4)
    old.click("#table-reload")
    old.wait_for_selector("body[data-question]", timeout=WAIT)
    answer(old, truth, 1)
    wait_for_saved(old, 5)
    bodies = [record.body for record in read_journal(journal)[1]]
    assert len(bodies) == 5
    assert all(body["value"] == truth[body["item"], body["label"]] for body in bodies)


def test_the_file_that_opens_the_page_leads_to_it(chromium, tmp_path, make_fit):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as client:
        file = write_private(PAGE.format(address=client.server.guard.make_address()), tmp_path)
        context = chromium.new_context()
        page = context.new_page()
        page.goto(file.as_uri())  # a page of another origin, after which a strict cookie is a matter of care
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        assert page.url == f"http://127.0.0.1:{client.port}/"
        page.close()
        used = context.new_page()
        used.goto(f"http://127.0.0.1:{client.port}/?token=used")
        used.wait_for_selector("body[data-question]", timeout=WAIT)
        context.close()


@pytest.fixture
def hostile(tmp_path):
    rng = np.random.default_rng(0)
    n = 40
    frame = pd.DataFrame({"post": [f"{HOSTILE[i % 5]} {i}" for i in range(n)], "x": rng.normal(size=n)})
    frame["text"] = [f"{HOSTILE[(i + 1) % 5]}\n{'long ' * 40}" for i in range(n)]
    frame["a<b>&\"'"] = np.where(np.arange(n) < 20, frame["x"] > 0, np.nan)
    frame["<script>document.title='ran'</script>"] = np.where(np.arange(n) < 20, frame["x"] < 0.3, np.nan)
    path = tmp_path / "posts.csv"
    frame.to_csv(path, index=False)
    return path, frame.columns[3:]


def test_hostile_names_and_texts_are_text_and_no_request_leaves(hostile, review, open_page):
    path, labels = hostile
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in labels)
    command = review(path, "--id", "post", "--labels", quoted, "--text", "text")
    page = open_page(command.address)
    wait_for_fit(page)
    for key in "jfjkf":
        press(page, key)
    page.keyboard.press("e")
    page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
    assert page.title().startswith("posts.csv")
    assert page.locator("#item img, #item script, #side img").count() == 0
    assert "<script>" in page.inner_text("#only option:nth-child(3)", timeout=WAIT) or "<script>" in page.inner_text(
        "#asked"
    )
    assert page.problems == []


def test_an_item_with_its_labels_and_a_wall_by_keyboard(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    page.keyboard.press("v")
    page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
    item = page.inner_text("#asked")
    number = page.locator(".choice").count()
    for place in range(number):
        choice = page.locator(".choice").nth(place)
        wanted = "yes" if truth[item, choice.locator("b").inner_text()] else "no"
        while choice.get_attribute("data-value") != wanted:
            page.keyboard.press(str(place + 1))
    page.keyboard.press("Enter")
    page.wait_for_selector(f'#saved:text-matches("^{number} answers?, saved")', timeout=WAIT)
    page.keyboard.press("v")
    page.wait_for_selector('body[data-question^="wall"]', timeout=WAIT)
    label = page.inner_text("#asked").removesuffix("?")
    for tile in page.locator(".tile").all():
        wanted = "yes" if truth[tile.locator(".name").inner_text(), label] else "no"
        while tile.get_attribute("data-value") != wanted:
            tile.focus()
            page.keyboard.press(" ")
    tiles, names = page.locator(".tile").count(), page.evaluate(TILES)
    page.keyboard.press("Enter")
    page.wait_for_selector(f'#saved:text-matches("^{number + tiles} answers, saved")', timeout=WAIT)
    records = read_journal(tmp_path / "digits.review.jsonl")[1]
    assert all(record.body["value"] == truth[record.body["item"], record.body["label"]] for record in records)
    page.keyboard.press("u")
    page.wait_for_selector(f'#saved:text-matches("^{number} answers?, saved")', timeout=WAIT)
    page.wait_for_function(f"names => ({TILES})() === names", arg=names, timeout=WAIT)  # the wall is asked again
    assert page.problems == []


def test_small_screens_and_the_lasso(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    command = review(path, *OPTIONS)
    page = open_page(command.address, color_scheme="dark")
    wait_for_fit(page)
    page.wait_for_selector("#map-note:empty", state="attached", timeout=WAIT)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(21, 23, 27)"
    page.keyboard.press("l")
    box = page.locator("#map").bounding_box()
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    page.wait_for_selector('#all-items:text-matches("^Only 300 items")', timeout=WAIT)
    page.wait_for_selector("#yes:enabled", timeout=WAIT)
    answer(page, truth, 1)
    page.keyboard.press("Escape")
    page.wait_for_selector("#all-items", state="hidden", timeout=WAIT)
    wait_for_saved(page, 1)
    assert page.problems == []

    small = open_page(command.address, viewport={"width": 390, "height": 844}, has_touch=True)
    for element in ("#yes", "#no", "#unsure", "#asked"):
        place = small.locator(element).bounding_box()
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= 390
        assert place["y"] + place["height"] <= 844  # in view without scrolling
    assert small.evaluate("document.documentElement.scrollWidth") == 390
    small.tap("#yes")
    small.wait_for_selector('#saved:text-matches("^2 ")', timeout=WAIT)


def test_the_list_is_the_map_for_the_keyboard(digits, review, open_page, tmp_path):
    source, _ = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    page.keyboard.press("m")
    assert page.get_by_role("button", name="List", exact=True).get_attribute("aria-pressed") == "true"
    page.wait_for_selector('#list-count:text-matches("^300 items")', timeout=WAIT)
    assert page.locator("#list-rows tr").count() == 50
    page.focus("#list-more")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list-rows tr:nth-child(100)", timeout=WAIT)
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == page.inner_text("#list-rows tr:nth-child(51) button")
    page.select_option("#list-state", label="filled: yes")
    page.select_option("#list-order", label="highest probability first")
    page.wait_for_selector('#list-rows tr:first-child td:text-matches("^(1.00|0.9)")', timeout=WAIT)
    page.wait_for_function(SORTED, timeout=WAIT)  # the rows of the state alone may begin in the same way
    assert {"filled: yes"} == set(page.locator("#list-rows .state").all_inner_texts())
    number = int(page.inner_text("#list-count").split()[0])
    page.focus("#list-rows tr:first-child button")
    item = page.inner_text("#list-rows tr:first-child button")
    page.keyboard.press("Enter")  # all open labels of this item
    page.wait_for_selector(f'#asked:text-is("{item}")', timeout=WAIT)
    assert page.locator("#chips .choice").count() == len(LABELS)  # all labels of the item
    assert item in page.inner_text("#live")
    page.focus("#list-ask")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'#all-items:text-matches("^Only {number} items?:")', timeout=WAIT)
    page.wait_for_selector("#yes:enabled", timeout=WAIT)
    names = [page.locator(f"#{key}").evaluate("e => e.innerText") for key in ("yes", "no")]
    assert [name.split()[-1] for name in names] == ["Yes", "No"]
    assert page.get_by_role("button", name="Yes", exact=True).count() == 1  # keys are no part of the name
    assert page.problems == []


def read_parts(page):
    """Return the log odds of the parts on the screen, and their sum."""
    cells = page.locator("#why-rows td.n").all_inner_texts()
    *parts, total = [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in cells]
    return parts, total


def test_an_answered_entry_is_explained_on_request_and_never_before(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    page.keyboard.press("x")
    page.wait_for_selector('.notice:text-matches("^Answer a question first")', timeout=WAIT)
    item, label = read_question(page)
    assert page.is_hidden("#why")
    answer(page, truth, 1)
    page.click("#why")
    page.wait_for_selector("#why-dialog[open]", timeout=WAIT)
    words = page.inner_text("#why-text")
    assert words.startswith(f"{item}, {label}: the probability is ")
    page.click("#why-parts summary")
    parts, total = read_parts(page)
    assert len(parts) > 1
    assert sum(parts) == pytest.approx(total, abs=0.005 * (len(parts) + 1))
    p = float(re.search(r"probability is (\d\.\d\d)", words)[1])
    assert 1 / (1 + np.exp(-total)) == pytest.approx(p, abs=0.01)
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.wait_for_selector("#why", state="hidden", timeout=WAIT)
    page.set_viewport_size({"width": 390, "height": 844})
    answer(page, truth, 1)
    page.keyboard.press("x")
    page.wait_for_selector("#why-dialog[open]", timeout=WAIT)
    box = page.locator("#why-dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Enter")  # the button "Close"
    page.set_viewport_size({"width": 1400, "height": 900})
    page.keyboard.press("a")
    page.wait_for_selector("#audit-begin:enabled", timeout=WAIT)
    page.click("#audit-begin")
    page.wait_for_selector('#audit-text:text-matches("0 of")', timeout=WAIT)
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    answer(page, truth, 1)
    assert page.is_hidden("#why")
    assert page.problems == []


def test_an_undone_answer_keeps_its_reason(digits, review, open_page, tmp_path):
    source, _ = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    first = page.get_attribute("body", "data-question")
    press(page, "f")
    page.keyboard.press("u")
    page.wait_for_selector(f'body[data-question="{first}"]', timeout=WAIT)
    press(page, "j")
    wait_for_saved(page, 1)
    records = read_journal(tmp_path / "digits.review.jsonl")[1]
    before, after = (record.body["why"] for record in records if record.op == "answer")
    assert before == after != "answer"
    page.wait_for_selector("#upcoming li:first-child", timeout=WAIT)
    upcoming = [text.split("\n") for text in page.locator("#upcoming li").all_inner_texts()]
    assert list(read_question(page)) not in upcoming  # the question on the screen is no next one


def test_the_command_ends_in_order_and_explains_what_is_taken(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    command = review(path, *OPTIONS)
    port = command.port
    for options, words in (
        ((), "digits.review.jsonl is open in another review"),
        (("--journal", str(tmp_path / "b.jsonl"), "--port", port), f"port {port} cannot be used"),
    ):
        with pytest.raises(AssertionError) as raised:
            _ = review(path, *OPTIONS, *options).port
        output = str(raised.value)
        assert words in output
        assert "goes on where you stopped" not in output
        assert "Traceback" not in output
    page = open_page(command.address)
    wait_for_fit(page)
    answer(page, truth, 3)
    wait_for_saved(page, 3)
    page.keyboard.press("R")
    page.wait_for_selector('#fit-text:text-matches("^fitting")', timeout=WAIT)
    assert command.end(signal.SIGTERM) == 143  # during a fit
    page.wait_for_selector('#saved:text-matches("does not respond")', timeout=WAIT)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == 3
    again = review(path, *OPTIONS)
    open_page(again.address)
    again.process.send_signal(signal.SIGINT)
    again.process.send_signal(signal.SIGINT)
    assert again.end() == 0
    assert "Traceback" not in again.output.read_text()


def test_the_first_question_does_not_wait_for_a_fit(open_page, tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        page = open_page(client.server.guard.make_address())
        assert "random questions until the first fit" in page.inner_text("#block")
        press(page, "j")
        wait_for_saved(page, 1)


def test_a_flag_and_an_answer_that_is_opened_again(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        row = page.get_attribute("body", "data-question")
        page.keyboard.press("b")
        page.wait_for_selector("#item .comments", timeout=WAIT)
        press(page, "j")
        press(page, "f")
        page.keyboard.press("h")
        answers = page.locator("#history-list li")
        answers.first.wait_for(timeout=WAIT)
        assert [text.split(": ")[1][:3].strip() for text in answers.all_text_contents()] == ["no", "yes"]
        answers.nth(1).locator("button").click()
        page.wait_for_selector(
            f'body[data-question^="item {int(row) // len(client.session.labels.names)} "]', timeout=WAIT
        )
        page.keyboard.press("m")
        page.select_option("#list-state", "flag")
        page.wait_for_selector('#list-count:text-matches("^1 item")', timeout=WAIT)
        assert page.problems == []


QUESTION = """() => document.body.classList.contains("done") ? null : {
    question: document.body.dataset.question,
    item: document.querySelector("#item .id").innerText,
    label: document.querySelector("#asked").innerText.replace(/[?]$/, ""),
}"""


def test_a_table_is_finished_by_keyboard_alone(digits, review, open_page, tmp_path):
    source, truth = digits
    path = tmp_path / "digits.csv"
    shutil.copy(source, path)
    command = review(path, *OPTIONS, "--max-error", "0.1", name="finish")
    page = open_page(command.address)
    assert "No bound yet" in page.inner_text("#bound")
    question = page.get_attribute("body", "data-question")
    answer(page, truth, 1)
    page.keyboard.press("u")
    page.wait_for_selector(f"body[data-question='{question}']", timeout=WAIT)
    for _ in range(400):
        page.wait_for_selector("body[data-question], body.done", timeout=WAIT)  # perhaps after a fit
        shown = page.evaluate(QUESTION)  # at one moment: the last answer that counts can arrive at any time
        if shown is None:
            break
        page.keyboard.press("j" if truth[shown["item"], shown["label"]] else "f")
        page.wait_for_function(
            "before => document.body.dataset.question !== before", arg=shown["question"], timeout=WAIT
        )
    page.wait_for_selector('.notice:text-matches("^Written")', timeout=WAIT)
    shown = page.inner_text("#bound")
    width = page.locator("#bar").evaluate("bar => parseFloat(bar.style.width)")
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.problems == []
    assert command.end() == 0
    certificate = json.loads((tmp_path / "digits.certificate.json").read_text())
    bound = 1 - certificate["precision"]
    assert shown == f"At most {np.ceil(1000 * bound - 1e-9) / 10:.1f} % of {certificate['entries']} entries are wrong"
    assert width == pytest.approx(100 * bound / 0.4, abs=0.01)
    result = CliRunner().invoke(main, ["verify", *(str(tmp_path / f"digits.{end}") for end in ENDS)])
    assert result.output.startswith("Verified: At least"), result.output
