"""Several reviewers at the same time: addresses, names in the journal, no question twice, agreement."""

import sys
import threading

import numpy as np
import pytest
from tests.review_page.serving import LABELS, Client, Served, answer, make_session, make_table

from halflabel.review_page.choosing import choose_next
from halflabel.review_page.describing import describe_panel
from halflabel.review_page.journal import read_journal
from halflabel.review_page.leases import Leases
from halflabel.review_page.reviewers import TWICE_EVERY, Asker


@pytest.fixture
def two(tmp_path, make_fit):
    """Return the clients of two reviewers of one server."""
    session = make_session(tmp_path / "a.jsonl", fit=make_fit, reviewers=("ana", "ben"))
    with Served(session) as ana:
        ben = Client(ana.port, ana.server.addresses["ben"].split("token=")[1])
        ben.enter()
        ben.session = session
        yield ana, ben


def ask(client, page, n=10, **more):
    return client.post("/api/queue", {"page": page, "n": n, **more})["questions"]


def find_places(questions):
    return {(q["row"], q["column"]) for q in questions}


def test_each_reviewer_has_an_address_and_a_name_in_the_journal(two):
    for client, name in zip(two, ("ana", "ben"), strict=True):
        assert client.get("/api/session")["by"] == name
        [question] = ask(client, name, 1)
        client.post("/api/answers", {"answers": [answer(question, 1, f"k{name}")]})
    assert [record.by for record in read_journal(two[0].session.journal.path)[1]] == ["ana", "ben"]
    assert {each.cookie.split("=")[0] for each in two} == {f"halflabel-{two[0].port}"}
    assert two[0].cookie != two[1].cookie
    assert two[0].post("/api/undo", {"key": "u"})["undo"] is False  # the answer of ben is not hers
    assert two[1].get("/api/progress")["undo"] is True


@pytest.mark.parametrize("view", ["cell", "item", "wall"])
def test_two_people_are_never_asked_the_same_question(two, view):
    asked, waiting = [], {0: [], 1: []}
    for turn in range(8):
        for k, client in enumerate(two):
            held = [q["row"] * len(LABELS) + q["column"] for q in waiting[k]]
            more = {"page": str(k), "held": held, "exclude": held}
            if view == "cell":
                questions = client.post("/api/queue", {"n": 5, **more})["questions"]
            else:
                screens = client.post("/api/screens", {"view": view, "n": 1, "size": 4, **more})["screens"]
                questions = [question for screen in screens for question in screen]
            asked += [(q["row"], q["column"]) for q in questions if q["why"] != "twice"]
            waiting[k] += questions
            if turn % 2:  # every second batch waits while the other reviewer asks
                sent = [answer(q, 1, f"{turn}-{k}-{number}") for number, q in enumerate(waiting[k])]
                client.post("/api/answers", {"answers": sent})
                waiting[k] = []
    assert len(asked) == len(set(asked)) > 0


def test_an_idle_page_keeps_no_entry_of_an_audit(two):
    ana, ben = two
    assert len(ask(ben, "b", 50)) == 50  # and no answer follows
    ana.post("/api/audit", {"op": "begin", "n": 40, "population": "all", "key": "a"})
    assert len(ask(ana, "a", 50)) == 40


def test_questions_are_chosen_while_others_answer_and_pages_close(tmp_path, make_fit, monkeypatch):
    session = make_session(tmp_path / "a.jsonl", make_table(600), fit=make_fit, reviewers=("ana", "ben"))
    monkeypatch.setattr(session.journal, "append", lambda records: None)
    problems, is_over, interval = [], threading.Event(), sys.getswitchinterval()

    def read():
        while not is_over.is_set():
            try:
                choose_next(session, "uncertain", 5, None, None, np.array([], dtype=np.intp), Asker("ben", "b"))
                describe_panel(session)
            except Exception as error:
                problems.append(error)
                return

    reading = threading.Thread(target=read)
    sys.setswitchinterval(1e-5)
    try:
        reading.start()
        for n in range(600):
            session.leases.enter(f"p{n}")
            session.leases.hold(f"p{n}", [], [n])
            session.answer([answer({"row": n, "column": 0}, n % 2, f"k{n}")], "ana")
            session.leases.leave(f"p{n}")
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        reading.join(20)
        session.close()
    assert problems == []


def test_an_answer_releases_its_entry_and_no_other(tmp_path):
    session = make_session(tmp_path / "a.jsonl")
    n_columns = session.labels.shape[1]
    session.leases.enter("a")
    session.leases.hold("a", [], range(session.labels.shape[0] * n_columns))
    answered = [(2, 1), (5, 0), (5, n_columns - 1)]
    session.answer([answer({"row": i, "column": j}, 1, f"k{i}-{j}") for i, j in answered], "ana")
    freed = set(range(session.labels.shape[0] * n_columns)) - session.leases.list_others("b")
    session.close()
    assert freed == {i * n_columns + j for i, j in answered}


def test_a_page_that_asks_again_holds_only_what_it_names(two):
    ana, ben = two
    first = ask(ana, "a", 5)
    n_labels = 3
    numbers = [q["row"] * n_labels + q["column"] for q in first]
    ask(ana, "a", 5, held=numbers[:2], exclude=numbers)
    rest = find_places(ask(ben, "b", 200))
    assert not rest & find_places(first[:2])
    assert find_places(first[2:]) <= rest


def test_a_closed_page_holds_nothing():
    leases = Leases()
    leases.enter("a")
    leases.hold("a", [], [1, 2])
    assert leases.list_others("b") == {1, 2}
    assert leases.list_others("a") == set()
    leases.leave("a")
    assert leases.list_others("b") == set()


def test_a_page_without_events_holds_questions_for_half_a_minute(monkeypatch):
    leases = Leases()
    leases.hold("a", [], [1])
    assert leases.list_others("b") == {1}
    monkeypatch.setattr("halflabel.review_page.leases.PATIENCE", 0.0)
    assert leases.list_others("b") == set()


def test_a_tenth_is_asked_twice_and_a_difference_is_contested(two):
    ana, ben = two
    first = ask(ana, "a", 30)
    ana.post("/api/answers", {"answers": [answer(q, 1, f"a{k}") for k, q in enumerate(first)]})
    second = ask(ben, "b", 20)
    twice = [question for question in second if question["why"] == "twice"]
    assert len(twice) == 20 // TWICE_EVERY
    assert find_places(twice) <= find_places(first)
    sent = [answer(q, int(k != 0), f"b{k}") for k, q in enumerate(twice)]
    ben.post("/api/answers", {"answers": sent})
    reviewers = ben.get("/api/panel")["reviewers"]
    assert reviewers["contested"] == 1
    assert sum(each["both"] for each in reviewers["agreement"]) == len(twice)
    assert dict(reviewers["answers"])["ben"] == len(twice)
    contested = [(q["row"], q["column"]) for q in ask(ana, "a", 200, kind="disagreement") if q["why"] == "disagreement"]
    assert (twice[0]["row"], twice[0]["column"]) in contested
    assert np.abs(two[0].session.book.current[contested[0]]) != 1 or len(contested) > 1
