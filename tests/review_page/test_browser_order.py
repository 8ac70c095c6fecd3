"""The order of keys, of answers, and of states that arrive late, in a real browser; fits are made up."""

import json
import re

import numpy as np
from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import LABELS, Served, make_setting, make_table
from tests.review_page.serving import answer as respond

from halflabel.review_page.finish_endpoints import FINISH_ENDPOINTS
from halflabel.review_page.finish_mode import FinishTargets, open_finish
from halflabel.review_page.journal import read_journal

pytestmark = MARKS


def read_number(page):
    """Return the number of the question on the screen."""
    return page.get_attribute("body", "data-question")


def test_an_answer_that_is_repeated_leaves_the_screen(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        first = read_number(page)
        press(page, "j")
        page.keyboard.press("u")
        page.wait_for_selector(f'body[data-question="{first}"]', timeout=WAIT)
        page.keyboard.press("U")
        page.wait_for_selector(f'body[data-question]:not([data-question="{first}"])', timeout=WAIT)
        assert page.inner_text("#saved") == "1 answer, saved"
        assert page.problems == []


def test_a_skip_is_about_the_question_after_the_answer_before_it(serve, open_page):
    """While the answer is on its way to the disk, its question is still on the screen."""
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        item, label = page.locator("#upcoming li").first.inner_text().split("\n")
        number = client.session.opened.index.get_loc(item) * len(LABELS) + LABELS.index(label)
        page.route("**/api/answers", lambda route: (page.wait_for_timeout(100), route.continue_()), times=1)
        page.keyboard.press("j")
        page.keyboard.press(" ")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        with page.expect_request("**/api/queue") as request:
            page.keyboard.press("n")
        assert number in json.loads(request.value.post_data)["exclude"]
        assert page.problems == []


def test_an_audit_asks_about_a_question_that_was_skipped(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        skipped = int(read_number(page))
        press(page, " ")
        page.keyboard.press("a")
        page.wait_for_selector("#audit-begin:enabled", timeout=WAIT)
        with page.expect_request("**/api/queue") as request:
            page.click("#audit-begin")
        assert client.session.audit is not None
        assert skipped not in json.loads(request.value.post_data)["exclude"]
        assert page.problems == []


def test_an_open_sheet_follows_a_fit(serve, open_page, make_fit):
    with serve() as client:
        page, session = open_page(client.server.guard.make_address()), client.session
        page.keyboard.press("m")
        page.click("#list-select")
        page.wait_for_selector("#selection-sample:visible", timeout=WAIT)
        before = page.inner_text("#selection-probable")
        given = session.labels.state
        session.receive("fit", make_fit(given, np.ones(given.shape)))
        session.announce("fit", None)
        page.wait_for_function(
            "before => document.querySelector('#selection-probable').innerText !== before", arg=before
        )
        members = page.inner_text("#selection-text").split(" for ")[1].split()[0]
        assert page.inner_text("#selection-probable").endswith(f": {members}")
        assert page.problems == []


def test_screens_that_arrive_late_ask_nothing_twice(serve, open_page, tmp_path):
    with serve() as client:
        page, held = open_page(client.server.guard.make_address()), []
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
        page.route("**/api/screens", lambda route: held.append(route))
        while len(held) < 2:
            press(page, "0", "Enter")
        page.unroute("**/api/screens")  # which lets them go
        for _ in range(12):
            press(page, "0", "Enter")
        page.wait_for_selector('#saved:text-matches(", saved")', timeout=WAIT)
        bodies = [record.body for record in read_journal(tmp_path / "a.jsonl")[1]]
        assert len(bodies) == len({(body["item"], body["label"]) for body in bodies})
        assert page.problems == []


def test_a_certificate_includes_an_answer_that_is_on_its_way(serve, open_page):
    with serve() as client:
        page, held = open_page(client.server.guard.make_address()), []
        page.keyboard.press("a")
        page.click("#audit-begin")
        page.wait_for_selector('#audit-text:text-matches("0 of")', timeout=WAIT)
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        press(page, "j")
        page.route("**/api/answers", lambda route: held.append(route))
        press(page, "j")
        page.click("#audit-finish")
        page.wait_for_timeout(500)
        page.unroute("**/api/answers")
        page.wait_for_selector('#proof:text-matches("^At least")', timeout=WAIT)
        assert client.get("/api/progress")["certificate"]["audited"] == 2
        assert page.problems == []


def test_a_sheet_answers_only_the_number_that_it_shows(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.keyboard.press("m")
        page.click("#list-select")
        page.click("#selection-sample")
        page.wait_for_selector("#yes:enabled", timeout=WAIT)
        for _ in range(12):
            page.wait_for_selector("#yes:enabled", timeout=WAIT)
            press(page, "j")
        page.wait_for_selector('#selection-bound:text-matches("^12 yes")', timeout=WAIT)
        label = re.search("“(.*)”", page.inner_text("#selection-text"))[1]
        column = client.session.labels.names.index(label)
        row, *others = np.flatnonzero(client.session.situation.open_entries[:, column]).tolist()
        client.post("/api/answers", {"answers": [respond({"row": row, "column": column}, 0, "other")]})
        left = len(others)
        page.click("#selection-all")
        page.wait_for_selector(f'.notice.error:text-matches("has {left} open entries now")', timeout=WAIT)
        page.wait_for_selector(f'#selection-all:text-matches("for all {left}$")', timeout=WAIT)
        page.click("#selection-all")
        page.wait_for_selector(f'.notice:text-matches("^{left} entries answered with yes")', timeout=WAIT)
        assert not client.session.situation.open_entries[:, column].any()
        assert all("400" in problem for problem in page.problems)  # the first request


def test_a_state_that_arrives_after_a_newer_one_asks_no_question_again(open_page, tmp_path):
    setting, held = make_setting(make_table(70)), []
    given = setting.opened.labels.state
    targets = FinishTargets(*(tmp_path / name for name in ("done.csv", "certificate.json", "page.html")))
    session = open_finish(setting, tmp_path / "a.jsonl", targets, max_error=0.02, seed=3)
    session.take_values(np.where(given != 0, given, 1).astype(np.int8), np.random.default_rng(0).random(given.shape))
    with Served(session, endpoints=FINISH_ENDPOINTS) as client:
        page = open_page(client.server.guard.make_address())
        page.wait_for_timeout(300)  # the first state of the stream
        page.route("**/api/progress", lambda route: held.append((route, route.fetch())), times=1)
        session.announce("fit", None)
        while not held:
            page.wait_for_timeout(50)
        first = page.get_attribute("body", "data-question")
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        [(route, response)] = held
        route.fulfill(response=response)
        page.wait_for_timeout(500)
        assert page.get_attribute("body", "data-question") != first
        assert page.inner_text("#saved") == "1 answer, saved"
        assert page.problems == []


def test_an_audit_begins_when_the_running_fit_has_ended(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.keyboard.press("a")
        page.wait_for_selector("#audit-begin:enabled", timeout=WAIT)
        client.session.worker.is_fitting = True
        page.click("#audit-begin")
        page.wait_for_selector('#audit-plan-text:text-matches("when the running fit has ended")', timeout=WAIT)
        client.session.worker.is_fitting = False
        page.wait_for_selector('#audit-text:text-matches("0 of")', timeout=WAIT)
        assert page.is_hidden("#audit-dialog")
        assert page.problems == []
