"""The review in a real browser: the story by keyboard alone, a reload, a crash, hostile texts, small screens."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.review_page.browsing import (
    MARKS,
    READ,
    WAIT,
    Reader,
    answer,
    count_answers,
    press,
    read,
    wait_for_fit,
    wait_for_saved,
)
from tests.review_page.serving import Served, make_session, read_journal

from halflabel.cli import main
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_entries, hide_items
from halflabel.review_page.browser import PAGE, write_private

pytestmark = MARKS

LABELS = ("even", "closed_loop", "straight_strokes")
ENDS = ("certificate.json", "completed.csv")

HOSTILE = [
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "<img src=http://leak.test/a.png><link rel=stylesheet href=http://leak.test/b.css>",
    "javascript:document.title='ran'",
    "http://leak.test/c.png",
]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
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


@pytest.fixture
def digits(drawn, tmp_path):
    """Return the path of a copy, and the truth."""
    return Path(shutil.copy(drawn[0], tmp_path)), drawn[1]


OPTIONS = ("--id", "scan", "--labels", ",".join(LABELS), "--set", "thumbnails=8x8")


def check_outputs(folder, truth):
    """Check that table, answers and report belong together."""
    done = pd.read_csv(folder / "digits.completed.csv").set_index("scan")
    assert not done[list(LABELS)].isna().any(axis=None)
    answers = pd.read_csv(folder / "digits.review.csv").dropna(subset="answer")
    assert len(answers) >= 20
    for item, label, value in answers[["item", "label", "answer"]].itertuples(index=False):
        assert done.loc[item, label] == value == truth[item, label]
    assert "Reviewed by a person" in (folder / "digits.report.html").read_text()


def test_the_digits_from_the_command_to_the_files_by_keyboard_alone(digits, review, open_page, tmp_path):
    path, truth = digits
    before = path.read_bytes()
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    wait_for_fit(page)
    assert page.title().startswith("digits.csv")
    assert page.locator("#item .mark").count() == 1
    done = answer(page, truth, 22)
    wait_for_saved(page, done)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == done
    shown = read(page)
    last = Reader(page, truth).answer_screen(shown)
    wait_for_saved(page, done + last)
    page.keyboard.press("u")
    page.wait_for_selector(f'body[data-question="{shown["question"]}"]', timeout=WAIT)
    wait_for_saved(page, done)
    press(page, " ")
    done += answer(page, truth, 1)
    wait_for_saved(page, done)
    page.keyboard.press("w")
    page.wait_for_selector('.notice:text-matches("^Written")', timeout=WAIT)
    assert page.problems == []
    assert command.end() == 0  # while the page is open
    output = command.output.read_text()
    assert "Traceback" not in output
    assert "The same command goes on where you stopped" in output
    assert path.read_bytes() == before
    check_outputs(tmp_path, truth)


def test_answers_survive_a_reload_and_a_crash(digits, review, open_page, tmp_path):
    path, truth = digits
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    done = answer(page, truth, 7)
    wait_for_saved(page, done)
    page.reload()
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    assert count_answers(page) == done
    done += answer(page, truth, 3)
    wait_for_saved(page, done)
    command.end(signal.SIGKILL)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == done
    again = review(path, *OPTIONS)
    page = open_page(again.address)
    assert count_answers(page) == done


def test_answers_wait_while_the_server_does_not_respond(digits, review, open_page, tmp_path):
    path, truth = digits
    command = review(path, *OPTIONS)
    page = open_page(command.address)
    wait_for_fit(page)
    page.route("**/api/answers", lambda route: route.abort())
    done = answer(page, truth, 2)
    page.wait_for_selector('#saved:text-matches("not yet on the disk")', timeout=WAIT)
    page.unroute("**/api/answers")
    wait_for_saved(page, done)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == done


def test_a_page_of_another_table_ends_and_nothing_of_it_is_kept(digits, review, open_page, tmp_path):
    path, truth = digits
    journal = tmp_path / "digits.review.jsonl"
    command = review(path, *OPTIONS)
    old = open_page(command.address)
    wait_for_fit(old)
    first = answer(old, truth, 2)
    wait_for_saved(old, first)
    command.end(signal.SIGKILL)
    lost = answer(old, truth, 3)
    old.wait_for_selector(f'#saved:text-matches("^{lost} answers not yet on the disk")', timeout=WAIT)
    pd.read_csv(path).iloc[::-1].drop(index=[0, 5]).to_csv(path, index=False)
    again = review(path, *OPTIONS, "--port", command.port)
    new = old.context.new_page()
    new.goto(again.address)  # the browser has the cookie of the new command, and sends it for the old page, too
    new.wait_for_selector("body[data-question]", timeout=WAIT)
    old.wait_for_selector("#table-dialog[open]", timeout=WAIT)
    words = old.inner_text("#table-dialog")
    assert "The table has changed since this page was opened" in words
    assert f"{lost} answers that had not been saved are not kept." in words
    old.keyboard.press("j")
    old.keyboard.press("u")
    done = count_answers(new) + answer(new, truth, 2)
    wait_for_saved(new, done)
    old.click("#table-reload")
    old.wait_for_selector("body[data-question]", timeout=WAIT)
    done += answer(old, truth, 1)
    wait_for_saved(old, done)
    bodies = [record.body for record in read_journal(journal)[1]]
    assert len(bodies) == done
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
    for _ in range(5):
        press(page, "j", "Enter")
    page.keyboard.press("m")
    page.click("#search-part summary")
    item = page.locator("#list-rows button").first
    name = item.text_content()
    item.click()
    opened = "name => document.querySelector('#asked').textContent === `${name}: which labels?`"
    page.wait_for_function(opened, arg=name, timeout=WAIT)
    assert page.title().startswith("posts.csv")
    assert page.locator("#item img, #item script, #more-dialog img").count() == 0
    assert "<script>" in page.locator("#only").inner_html().replace("&lt;", "<").replace("&gt;", ">")
    assert page.problems == []


TILES = """() => [...document.querySelectorAll("#wall .tile .name")].map((name) => name.innerText).sort().join()"""


def test_a_wall_by_keyboard(digits, review, open_page, tmp_path):
    path, truth = digits
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
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
    wait_for_saved(page, tiles)
    records = read_journal(tmp_path / "digits.review.jsonl")[1]
    assert all(record.body["value"] == truth[record.body["item"], record.body["label"]] for record in records)
    page.keyboard.press("u")
    wait_for_saved(page, 0)
    page.wait_for_function(f"names => ({TILES})() === names", arg=names, timeout=WAIT)  # the wall is asked again
    assert page.problems == []


def test_an_answer_is_explained_on_request_and_never_before(digits, review, open_page):
    path, truth = digits
    page = open_page(review(path, *OPTIONS).address)
    wait_for_fit(page)
    page.keyboard.press("x")
    page.wait_for_selector('.notice:text-matches("^Answer a question first")', timeout=WAIT)
    assert page.is_hidden("#why")
    item = read(page)["item"]
    answer(page, truth, 1)
    page.click("#why")
    page.wait_for_selector("#why-dialog[open]", timeout=WAIT)
    assert page.inner_text("#why-text").startswith(f"{item}, ")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.wait_for_selector("#why", state="hidden", timeout=WAIT)
    assert page.problems == []


def test_the_command_ends_in_order_and_explains_what_is_taken(digits, review, open_page, tmp_path):
    path, truth = digits
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
    done = answer(page, truth, 3)
    wait_for_saved(page, done)
    page.keyboard.press("w")
    assert command.end(signal.SIGTERM) == 143  # during a fit
    page.wait_for_selector('#saved:text-matches("does not respond")', timeout=WAIT)
    assert len(read_journal(tmp_path / "digits.review.jsonl")[1]) == done
    again = review(path, *OPTIONS)
    open_page(again.address)
    again.process.send_signal(signal.SIGINT)
    again.process.send_signal(signal.SIGINT)
    assert again.end() == 0
    assert "Traceback" not in again.output.read_text()


def test_the_first_question_does_not_wait_for_a_fit(open_page, tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        page = open_page(client.server.guard.make_address())
        assert "random questions until the first fit" in page.inner_text("#reason")
        press(page, "j")
        wait_for_saved(page, 1)


def test_a_table_is_finished_by_keyboard_alone(digits, review, open_page, tmp_path):
    path, truth = digits
    command = review(path, *OPTIONS, "--max-error", "0.1", name="finish")
    page = open_page(command.address)
    page.wait_for_selector('#verdict:text-matches("^No bound yet")', timeout=WAIT)  # the question can be there before
    question = page.get_attribute("body", "data-question")
    answer(page, truth, 1)
    page.keyboard.press("u")
    page.wait_for_selector(f"body[data-question='{question}']", timeout=WAIT)
    for _ in range(400):
        page.wait_for_selector("body[data-question], body.done", timeout=WAIT)  # perhaps after a fit
        shown = page.evaluate(READ)  # at one moment: the last answer that counts can arrive at any time
        if shown is None:
            if page.locator("body.done").count():
                break
            continue
        Reader(page, truth).answer_screen(shown)
    page.wait_for_selector('.notice:text-matches("^Written")', timeout=WAIT)
    shown = page.inner_text("#verdict")
    width = page.locator("#level").evaluate("bar => parseFloat(bar.style.width)")
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.problems == []
    assert command.end() == 0
    certificate = json.loads((tmp_path / "digits.certificate.json").read_text())
    bound = 1 - certificate["precision"]
    assert shown.startswith(f"At most {np.ceil(1000 * bound - 1e-9) / 10:.1f} % of {certificate['entries']} values are")
    assert width == pytest.approx(100 * bound / 0.4, abs=0.01)
    result = CliRunner().invoke(main, ["verify", *(str(tmp_path / f"digits.{end}") for end in ENDS)])
    assert result.output.startswith("Verified: At least"), result.output
