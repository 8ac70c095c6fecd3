"""The order of keys, of answers, and of states that arrive late, in a real browser; fits are made up."""

import json

import numpy as np
from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import LABELS, Served, make_setting, make_table

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


def test_screens_that_arrive_late_ask_nothing_twice(serve, open_page, tmp_path):
    with serve() as client:
        page, held = open_page(client.server.guard.make_address()), []
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
        page.route("**/api/screens", lambda route: held.append(route))
        while not held:
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


def hold(page, path):
    """Hold the responses of a path; return a list of them as (route, response), and a function that lets them go."""
    held = []
    page.route(f"**/api/{path}", lambda route: held.append((route, route.fetch())))

    def release():
        for route, response in held:
            route.fulfill(response=response)
        page.unroute(f"**/api/{path}")

    return held, release


def wait_until(page, held):
    while not held:
        page.wait_for_timeout(20)


def read_answers(folder):
    """Return item, label and value of each answer of the journal."""
    records = read_journal(folder / "a.jsonl")[1]
    return [tuple(each.body[name] for name in ("item", "label", "value")) for each in records if each.op == "answer"]


def name_entry(number):
    """Return item and label of the number of a question."""
    row, column = divmod(int(number), len(LABELS))
    return f"s{row}", LABELS[column]


def is_open(session, page):
    """Return whether the question on the screen has no answer."""
    return bool(session.situation.open_entries.ravel()[int(read_number(page))])


def test_each_key_is_about_the_question_that_was_on_the_screen(serve, open_page, tmp_path):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        held, release = hold(page, "answers")
        first = read_number(page)
        page.keyboard.press("j")
        second = read_number(page)
        assert second != first  # at once, although the answer is on its way
        page.keyboard.press("f")
        wait_until(page, held)
        release()
        page.wait_for_selector('#saved:text-matches("^2 answers, saved")', timeout=WAIT)
        assert read_answers(tmp_path) == [(*name_entry(first), 1), (*name_entry(second), 0)]
        assert page.problems == []


def test_an_answer_that_is_not_accepted_is_asked_again(serve, open_page, tmp_path):
    def spoil(route):
        body = json.loads(route.request.post_data)
        body["answers"][0]["value"] = 7
        route.continue_(post_data=json.dumps(body))

    with serve() as client:
        page = open_page(client.server.guard.make_address())
        first = read_number(page)
        page.route("**/api/answers", spoil, times=1)
        press(page, "j")
        page.wait_for_selector('.notice.error:text-matches("The value of an answer")', timeout=WAIT)
        second = read_number(page)
        press(page, "f")
        assert read_number(page) == first
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^2 answers, saved")', timeout=WAIT)
        assert read_answers(tmp_path) == [(*name_entry(second), 0), (*name_entry(first), 1)]


def test_a_key_that_waits_for_an_undo_does_not_answer_the_question_that_comes_back(serve, open_page, tmp_path):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        first = read_number(page)
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        held, release = hold(page, "undo")
        page.keyboard.press("u")
        wait_until(page, held)
        page.keyboard.press("f")
        release()
        page.wait_for_selector('.notice:text-matches("Press it again")', timeout=WAIT)
        assert read_number(page) == first
        press(page, "f")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        assert [value for *_, value in read_answers(tmp_path)] == [1, 0]
        assert page.problems == []


def test_a_state_that_is_older_than_the_one_on_the_screen_is_not_shown(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        held, release = hold(page, "comment")
        page.keyboard.press("b")
        wait_until(page, held)
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        release()
        page.wait_for_selector('.notice:text-matches("^Flagged")', timeout=WAIT)
        assert page.inner_text("#saved") == "1 answer, saved"
        assert page.locator("#item .comments").count() == 0  # another item is on the screen
        assert page.problems == []


def test_no_key_answers_a_question_that_a_screen_hides(serve, open_page, tmp_path):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
        page.keyboard.press("j")
        number = page.locator(".choice").count()
        press(page, "0", "Enter")
        page.wait_for_selector(f'#saved:text-matches("^{number} answers?, saved")', timeout=WAIT)
        assert all(record.body["screen"] for record in read_journal(tmp_path / "a.jsonl")[1])


def test_a_screen_is_left_when_its_item_was_answered_as_a_whole(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
        while page.locator(".choice").count() == len(LABELS):  # the opened item has all labels
            press(page, " ")
        _, row, column = read_number(page).split()
        page.keyboard.press("e")
        page.wait_for_function(f"() => document.querySelectorAll('.choice').length === {len(LABELS)}", timeout=WAIT)
        page.keyboard.press("Enter")
        page.wait_for_selector('#saved:text-matches("^[1-9].*, saved")', timeout=WAIT)
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        assert not client.session.situation.open_entries[int(row), int(column)]
        assert read_number(page).split()[1] != row


def test_screens_that_arrive_after_the_view_has_changed_change_no_question(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="item"]', timeout=WAIT)
        page.keyboard.press("v")
        page.wait_for_selector('body[data-question^="wall"]', timeout=WAIT)
        held, release = hold(page, "screens")
        page.select_option("#wall-size", "48")
        wait_until(page, held)
        page.keyboard.press("v")
        page.wait_for_selector("#yes:enabled:visible", timeout=WAIT)
        before = read_number(page)
        release()
        page.wait_for_timeout(300)
        assert read_number(page) == before
        assert page.problems == []


def test_a_queue_asks_again_about_answers_of_this_page(serve, open_page, make_fit):
    with serve() as client:
        page, session = open_page(client.server.guard.make_address()), client.session
        first = read_number(page)
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        given = session.labels.state.copy()
        given.ravel()[int(first)] = 1
        p = np.where(given > 0, 0.9, 0.1)
        p.ravel()[int(first)] = 0.05  # the fit doubts the answer
        session.receive("fit", make_fit(given, p, 1))
        page.wait_for_selector('#kind option:text-matches("^disagreement .1.")', state="attached", timeout=WAIT)
        page.select_option("#kind", "disagreement")
        page.wait_for_selector(f'body[data-question="{first}"]', timeout=WAIT)
        assert page.problems == []


def test_one_request_at_a_time_asks_for_more_questions(serve, open_page):
    """A second one would return the questions of the first to other pages."""
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        held, release = hold(page, "queue")
        while not held:
            press(page, "f")
        for _ in range(5):
            press(page, "f")
        assert len(held) == 1
        release()
        page.wait_for_selector('#saved:text-matches(", saved")', timeout=WAIT)
        assert is_open(client.session, page)
        assert page.problems == []


def test_the_finish_page_counts_an_undo_and_keeps_keys_and_questions_together(open_page, tmp_path):
    setting = make_setting(make_table(70))
    given = setting.opened.labels.state
    targets = FinishTargets(*(tmp_path / name for name in ("done.csv", "certificate.json", "page.html")))
    session = open_finish(setting, tmp_path / "a.jsonl", targets, max_error=0.02, seed=3)
    session.take_values(np.where(given != 0, given, 1).astype(np.int8), np.random.default_rng(0).random(given.shape))
    with Served(session, endpoints=FINISH_ENDPOINTS) as client:
        page = open_page(client.server.guard.make_address())
        first = read_number(page)
        page.keyboard.press("j")
        assert read_number(page) != first  # at once
        page.wait_for_selector('#saved:text-matches("^1 answer, saved")', timeout=WAIT)
        held, release = hold(page, "undo")
        page.keyboard.press("u")
        wait_until(page, held)
        page.keyboard.press("f")
        release()
        page.wait_for_selector('.notice:text-matches("Press it again")', timeout=WAIT)
        page.wait_for_selector('#saved:text-matches("^0 answers, saved")', timeout=WAIT)
        page.wait_for_selector(f"body[data-question='{first}']", timeout=WAIT)
        assert sum(each["op"] == "answer" for each in session.state.journal.records) == 1
        assert page.problems == []
