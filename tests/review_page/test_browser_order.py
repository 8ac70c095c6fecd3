"""The order of keys, of answers, and of states that arrive late, in a real browser; fits are made up."""

import json

import numpy as np
import pytest
from tests.review_page.browsing import MARKS, WAIT, press, wait_for_saved, wait_until_sent
from tests.review_page.serving import LABELS, Served, make_setting, make_table, read_journal

from halflabel.review_page.finishing import open_finish

pytestmark = MARKS


def find_entry(page):
    """Return row and column of the first question on the screen."""
    return tuple(map(int, page.get_attribute("body", "data-question").split()[1:]))


def number(page):
    row, column = find_entry(page)
    return row * len(LABELS) + column


def name_entry(place):
    return f"s{place[0]}", LABELS[place[1]]


def hold(page, path):
    """Hold the responses of a path; return a list of them as (route, response), and a function that lets them go."""
    held, is_over = [], False

    def handle(route):
        response = route.fetch()
        if is_over:  # also for a request that is on its way while others are released
            route.fulfill(response=response)
        else:
            held.append((route, response))

    def release():
        nonlocal is_over
        is_over = True
        for route, response in held:
            route.fulfill(response=response)

    page.route(f"**/api/{path}", handle)
    return held, release


def wait_until(page, held):
    while not held:
        page.wait_for_timeout(20)


def read_answers(folder):
    """Return item, label and value of each answer of the journal."""
    records = read_journal(folder / "a.jsonl")[1]
    return [tuple(each.body[name] for name in ("item", "label", "value")) for each in records if each.op == "answer"]


def serve_finish(folder):
    setting = make_setting(make_table(70))
    given = setting.opened.labels.state
    targets = tuple(folder / name for name in ("done.csv", "certificate.json", "page.html"))
    session = open_finish(setting, folder / "a.jsonl", targets, max_error=0.02, seed=3)
    session.take_values(np.where(given != 0, given, 1).astype(np.int8), np.random.default_rng(0).random(given.shape))
    return Served(session)


@pytest.fixture
def single(serve, open_page):
    """Open a review without a fit, whose questions come one by one."""
    with serve(has_fit=False) as client:
        page = open_page(client.server.guard.make_address())
        page.client = client
        yield page
        assert page.problems == []


@pytest.fixture
def chips(serve, open_page):
    """Open a review with a fit, most of whose screens have several labels, at one of them."""
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        while page.get_attribute("body", "data-view") != "chips":
            press(page, " ")
        page.client = client
        yield page
        assert page.problems == []


def test_a_skip_is_about_the_question_after_the_answer_before_it(single):
    """While the answer is on its way to the disk, its question is still on the screen."""
    first = number(single)
    single.route("**/api/answers", lambda route: (single.wait_for_timeout(100), route.continue_()), times=1)
    single.keyboard.press("j")
    second = number(single)
    single.keyboard.press(" ")
    wait_for_saved(single, 1)
    with single.expect_request("**/api/questions") as request:
        single.evaluate("document.activeElement.blur()")
        single.keyboard.press("m")
        single.select_option("#kind", "random")
    excluded = json.loads(request.value.post_data)["exclude"]
    assert second in excluded
    assert first not in excluded  # the server has its answer


def test_screens_that_arrive_late_ask_nothing_twice(chips, tmp_path):
    held = []
    chips.route("**/api/questions", lambda route: held.append(route))
    while not held:
        press(chips, "j", "Enter")
    chips.unroute("**/api/questions")  # which lets them go
    for _ in range(12):
        press(chips, "j", "Enter")
    wait_until_sent(chips)
    entries = [entry[:2] for entry in read_answers(tmp_path)]
    assert len(entries) == len(set(entries)) > 12


def test_each_key_is_about_the_question_that_was_on_the_screen(single, tmp_path):
    held, release = hold(single, "answers")
    first = find_entry(single)
    single.keyboard.press("j")
    second = find_entry(single)
    assert second != first  # at once, although the answer is on its way
    single.keyboard.press("f")
    wait_until(single, held)
    release()
    wait_for_saved(single, 2)
    assert read_answers(tmp_path) == [(*name_entry(first), 1), (*name_entry(second), 0)]


def test_an_answer_that_is_not_accepted_is_asked_again(serve, open_page, tmp_path):
    def spoil(route):
        body = json.loads(route.request.post_data)
        body["answers"][0]["value"] = 7
        route.continue_(post_data=json.dumps(body))

    with serve(has_fit=False) as client:
        page = open_page(client.server.guard.make_address())
        first = find_entry(page)
        page.route("**/api/answers", spoil, times=1)
        press(page, "j")
        page.wait_for_selector('.notice.error:text-matches("The value of an answer")', timeout=WAIT)
        second = find_entry(page)
        press(page, "f")
        assert find_entry(page) == first
        press(page, "j")
        wait_for_saved(page, 2)
        assert read_answers(tmp_path) == [(*name_entry(second), 0), (*name_entry(first), 1)]


@pytest.mark.parametrize("is_finish", [False, True])
def test_a_key_that_waits_for_an_undo_does_not_answer_what_comes_back(serve, open_page, tmp_path, is_finish):
    with serve_finish(tmp_path) if is_finish else serve(has_fit=False) as client:
        page = open_page(client.server.guard.make_address())
        first = page.get_attribute("body", "data-question")
        page.keyboard.press("j")
        assert page.get_attribute("body", "data-question") != first  # at once
        wait_for_saved(page, 1)
        held, release = hold(page, "undo")
        page.keyboard.press("u")
        wait_until(page, held)
        page.keyboard.press("f")
        release()
        page.wait_for_selector('.notice:text-matches("Press it again")', timeout=WAIT)
        page.wait_for_selector(f'body[data-question="{first}"]', timeout=WAIT)
        wait_for_saved(page, 0)
        press(page, "f")
        wait_for_saved(page, 1)
        journal = client.session.state.journal.records if is_finish else read_journal(tmp_path / "a.jsonl")[1]
        assert sum((each["op"] if is_finish else each.op) == "answer" for each in journal) == 2
        assert page.problems == []


def test_a_saved_answer_is_shown_as_saved_although_a_newer_state_has_arrived_before(single):
    held, release = hold(single, "answers")
    single.keyboard.press("j")
    wait_until(single, held)
    with single.expect_response("**/api/progress"):
        single.client.session.announce("fit", None)
    single.wait_for_timeout(200)
    release()
    single.wait_for_selector('#saved:text-is("1 answer, saved.")', timeout=WAIT / 4)


def test_a_random_value_is_answered_before_its_screen_is_accepted(chips, tmp_path):
    while chips.locator('.choice[data-value=""]').count() == 0:
        press(chips, "Enter") if chips.get_attribute("body", "data-view") == "chips" else press(chips, "j")
    before, saved = chips.get_attribute("body", "data-question"), len(read_answers(tmp_path))
    wait_until_sent(chips)
    chips.keyboard.press("Enter")
    chips.wait_for_selector('.notice:text-matches("first")', timeout=WAIT)
    assert chips.get_attribute("body", "data-question") == before
    assert chips.is_disabled("#accept")
    chips.keyboard.press("f")
    assert chips.locator(".choice").first.get_attribute("data-value") == "no"
    press(chips, "Enter")
    wait_until_sent(chips)
    bodies = [record.body for record in read_journal(tmp_path / "a.jsonl")[1]]
    [drawn] = [body for body in bodies if body["why"] == "random" and "screen" in body][-1:]
    assert (drawn["value"], drawn["shown"]) == (0, False)
    assert len(bodies) > saved


def test_no_key_answers_a_question_that_chips_hide(chips, tmp_path):
    chips.keyboard.press("j")
    n = chips.locator(".choice").count()
    press(chips, "Enter")
    wait_for_saved(chips, n)
    assert all(record.body["screen"] for record in read_journal(tmp_path / "a.jsonl")[1])


def test_an_undo_brings_a_screen_back_with_its_labels(chips):
    labels = chips.locator(".choice b").all_inner_texts()
    before = chips.get_attribute("body", "data-question")
    press(chips, "1", "Enter")
    wait_for_saved(chips, len(labels))
    chips.keyboard.press("u")
    chips.wait_for_selector(f'body[data-question="{before}"]', timeout=WAIT)
    wait_for_saved(chips, 0)
    assert chips.locator(".choice b").all_inner_texts() == labels
    assert chips.locator('.choice[aria-pressed="true"]').count() == 0  # as proposed


def open_by_search(page, row):
    page.keyboard.press("m")
    page.click("#search-part summary")
    page.fill("#list-text", f"s{row}")
    page.locator("#list-rows button").get_by_text(f"s{row}", exact=True).click()


def test_an_item_that_was_answered_as_a_whole_is_not_asked_again(chips):
    while chips.locator(".choice").count() in (0, len(LABELS)):  # the opened item is known by all its labels
        press(chips, " ")
    row = find_entry(chips)[0]
    open_by_search(chips, row)
    chips.wait_for_function(f"() => document.querySelectorAll('.choice').length === {len(LABELS)}", timeout=WAIT)
    press(chips, "Enter")
    chips.wait_for_selector('#saved:text-matches("^[1-9].*, saved")', timeout=WAIT)
    assert not chips.client.session.situation.open_entries[row].any()
    assert find_entry(chips)[0] != row


def test_no_key_answers_the_screen_that_an_opened_item_replaces(chips, tmp_path):
    row = (find_entry(chips)[0] + 1) % 200
    held, release = hold(chips, f"items?rows={row}")  # and not those of screens to come
    open_by_search(chips, row)
    wait_until(chips, held)
    chips.keyboard.press("Enter")
    release()
    chips.wait_for_selector('.notice:text-matches("Press it again")', timeout=WAIT)
    assert find_entry(chips)[0] == row
    assert read_answers(tmp_path) == []


def test_screens_that_arrive_after_the_queue_has_changed_change_no_question(chips):
    held = []
    chips.route("**/api/questions", lambda route: held.append((route, route.fetch())), times=1)
    chips.keyboard.press("m")
    chips.select_option("#kind", "suspects")
    wait_until(chips, held)
    chips.select_option("#kind", "random")
    chips.wait_for_selector("body[data-question]", timeout=WAIT)
    before = find_entry(chips)
    [(route, response)] = held
    route.fulfill(response=response)
    chips.wait_for_timeout(300)
    assert find_entry(chips) == before


def test_a_queue_asks_again_about_answers_of_this_page(serve, open_page, make_fit):
    with serve(has_fit=False) as client:
        page, session = open_page(client.server.guard.make_address()), client.session
        first = find_entry(page)
        press(page, "j")
        wait_for_saved(page, 1)
        given = np.where(session.labels.state > 0, 1, session.labels.state)
        given[first] = 1
        p = np.where(given > 0, 0.9, 0.1)
        p[first] = 0.05  # the fit doubts the answer
        session.receive("fit", make_fit(given, p))
        page.keyboard.press("m")
        page.wait_for_selector('#kind option:text-matches("wrong .1.")', state="attached", timeout=WAIT)
        page.select_option("#kind", "suspects")
        page.keyboard.press("Escape")
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        if find_entry(page) != first:  # a random check
            press(page, " ")
        assert find_entry(page) == first
        assert "your answer: yes, in doubt" in page.inner_text("#reason")
        assert page.problems == []


def test_one_request_at_a_time_asks_for_more_questions(single):
    """A second one would return the questions of the first to other pages."""
    held, release = hold(single, "questions")
    while not held:
        press(single, "f")
    for _ in range(5):
        press(single, "f")
    assert len(held) == 1
    release()
    wait_until_sent(single)
    assert single.client.session.situation.open_entries[find_entry(single)]


def test_a_state_of_a_finish_that_arrives_after_a_newer_one_asks_no_question_again(open_page, tmp_path):
    with serve_finish(tmp_path) as client:
        page, held = open_page(client.server.guard.make_address()), []
        page.wait_for_timeout(300)  # the first state of the stream
        page.route("**/api/progress", lambda route: held.append((route, route.fetch())), times=1)
        client.session.announce("fit", None)
        wait_until(page, held)
        first = find_entry(page)
        press(page, "j")
        wait_for_saved(page, 1)
        [(route, response)] = held
        route.fulfill(response=response)
        page.wait_for_timeout(500)
        assert find_entry(page) != first
        assert page.inner_text("#saved") == "1 answer, saved."
        assert page.problems == []


def test_a_finish_asks_again_after_a_response_that_is_older_than_the_last_answer(open_page, tmp_path):
    with serve_finish(tmp_path) as client:
        page, held = open_page(client.server.guard.make_address()), []
        page.route("**/api/questions", lambda route: held.append(route), times=1)  # a method is no handler
        n_answers = 0
        while page.get_attribute("body", "data-question"):
            page.keyboard.press("j")
            n_answers += 1
        wait_for_saved(page, n_answers)
        [route] = held
        route.fulfill(json={"screens": []})  # as it was before the answers reached the server
        page.wait_for_selector("body[data-question]", timeout=WAIT)
        assert page.problems == []
