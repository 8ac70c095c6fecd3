"""Several reviewers at the same time: addresses, names in the journal, no question twice, agreement."""

import sys
import threading

import numpy as np
import pytest
from tests.review_page.serving import LABELS, Client, Served, answer, make_session, make_table, read_journal

from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.reviewers import TWICE_EVERY, compare
from halflabel.review_page.session import Asked


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
    """Return the questions of some screens."""
    wanted = {"kind": "uncertain", "view": "item", "page": page, "n": n, **more}
    return [q for screen in client.post("/api/questions", wanted)["screens"] for q in screen]


def find_places(questions):
    return {(q["row"], q["column"]) for q in questions}


def number(question):
    return question["row"] * len(LABELS) + question["column"]


def test_each_reviewer_has_an_address_and_a_name_in_the_journal(two):
    for client, name in zip(two, ("ana", "ben"), strict=True):
        assert client.get("/api/session")["by"] == name
        question = ask(client, name, 1)[0]
        client.post("/api/answers", {"answers": [answer(question, 1, f"k{name}")]})
    assert [record.by for record in read_journal(two[0].session.journal.path)[1]] == ["ana", "ben"]
    assert {each.cookie.split("=")[0] for each in two} == {f"halflabel-{two[0].port}"}
    assert two[0].cookie != two[1].cookie
    assert two[0].post("/api/undo", {"key": "u"})["undo"] is False  # the answer of ben is not hers
    assert two[1].get("/api/progress")["undo"] is True


@pytest.mark.parametrize("view", ["item", "wall"])
def test_two_pages_are_never_asked_the_same_question(two, view):
    asked, waiting = [], {0: [], 1: []}
    for turn in range(8):
        for k, client in enumerate(two):
            held = [number(q) for q in waiting[k]]
            questions = ask(client, str(k), 2, view=view, held=held, exclude=held)
            asked += [(q["row"], q["column"]) for q in questions if q["why"] != "twice"]
            waiting[k] += questions
            if turn % 2:  # every second batch waits while the other reviewer asks
                sent = [answer(q, 1, f"{turn}-{k}-{place}") for place, q in enumerate(waiting[k])]
                client.post("/api/answers", {"answers": sent})
                waiting[k] = []
    assert len(asked) == len(set(asked)) > 0


def test_questions_are_chosen_while_others_answer_and_pages_close(tmp_path, make_fit, monkeypatch):
    session = make_session(tmp_path / "a.jsonl", make_table(600), fit=make_fit, reviewers=("ana", "ben"))
    monkeypatch.setattr(session.journal, "append", lambda records: None)
    problems, is_over, interval = [], threading.Event(), sys.getswitchinterval()

    def read():
        while not is_over.is_set():
            try:
                session.choose(Asked(np.array([], dtype=np.intp), "uncertain", "item", 8, by="ben", page="b"))
                session.describe_panel()
            except Exception as error:
                problems.append(error)
                return

    reading = threading.Thread(target=read)
    sys.setswitchinterval(1e-5)
    try:
        reading.start()
        for n in range(600):
            session.choose(Asked(np.array([], dtype=np.intp), "uncertain", "item", 1, page=f"p{n}"))
            session.answer([answer({"row": n, "column": 0}, n % 2, f"k{n}")], "ana")
            session.leave(f"p{n}")
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        reading.join(20)
        session.close()
    assert problems == []


def test_a_page_that_asks_again_holds_only_what_it_names_and_a_closed_one_nothing(two):
    ana, ben = two
    first = ask(ana, "a", 5)
    numbers = [number(q) for q in first]
    second = ask(ana, "a", 5, held=numbers[:2], exclude=numbers)
    rest = find_places(ask(ben, "b", 50))
    assert not rest & find_places([*first[:2], *second])
    assert find_places(first[2:]) <= rest
    ana.session.leave("b")
    assert find_places(ask(ana, "a", 50)) & rest


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
    assert reviewers["answers"] == [["ana", len(first)], ["ben", len(twice)]]  # an answer of ben takes none of ana away
    doubtful = [q for q in ask(ana, "a", 50, kind="suspects") if q["why"] == "suspects"]
    assert (twice[0]["row"], twice[0]["column"]) in find_places(doubtful)


def make_book(*answers):
    """Return a book of (reviewer, item, value) about two labels in turn."""
    book = AnswerBook("abcdefg", ["sad", "rock"])
    for n, (by, item, value, label) in enumerate(answers, 1):
        book.apply(Record(n, "answer", by, "now", f"k{n}", {"item": item, "label": label, "value": value}))
    return book


ANA = [("ana", item, value, "sad") for item, value in zip("abcdef", (1, 1, 0, 0, 1, None), strict=True)]
BEN = [("ben", item, value, "sad") for item, value in zip("abcdfg", (1, 0, 0, 0, 1, 0), strict=True)]


def test_agreement_is_beyond_chance():
    [row] = compare(make_book(*ANA, *BEN))
    # Four entries are decided by both: three equal; chance is .5 * .25 + .5 * .75 = .5.
    assert row == {"label": "sad", "first": "ana", "second": "ben", "both": 4, "equal": 0.75, "kappa": 0.5}
    assert [each["kappa"] for each in compare(make_book(("a", "a", 1, "sad"), ("b", "a", 1, "sad")))] == [None]
    assert compare(make_book(*ANA)) == []


def test_undone_answers_are_not_compared_and_the_last_one_of_each_counts():
    book = make_book(*ANA, *BEN, ("ben", "b", 1, "sad"))
    assert [row["equal"] for row in compare(book)] == [1]
    book.apply(Record(14, "undo", "ben", "now", "u", {"of": 13}))
    assert [row["equal"] for row in compare(book)] == [0.75]
    book.apply(Record(15, "undo", "ben", "now", "v", {"of": 12}))
    book.apply(Record(16, "undo", "ben", "now", "w", {"of": 11}))
    book.apply(Record(17, "undo", "ben", "now", "x", {"of": 10}))
    assert [row["both"] for row in compare(book)] == [3]


def test_labels_and_pairs_are_in_order():
    given = [("a", "sad"), ("b", "rock"), ("a", "rock"), ("b", "sad"), ("c", "sad")]
    answers = [(by, item, 1, label) for by, label in given for item in "ab"]
    rows = compare(make_book(*answers))
    assert [(row["label"], row["first"], row["second"]) for row in rows] == [
        ("rock", "a", "b"), ("sad", "a", "b"), ("sad", "a", "c"), ("sad", "b", "c"),
    ]  # fmt: skip
