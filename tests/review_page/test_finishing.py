"""The page in finish mode: the numbers of the library, wrong requests, and fits that end with the proof."""

import shutil
import time

import numpy as np
import pandas as pd
import pytest
from tests.review_page.serving import LABELS, Served, Workplace, make_setting, make_table

from halflabel.completion.finish_state import FinishState
from halflabel.evidence.certificate import read_certificate, verify
from halflabel.review_page.finishing import BATCH, open_finish
from halflabel.review_page.server import TICK
from halflabel.review_page.session import Asked

LIMITS = {"max_error": 0.1, "seed": 3}


@pytest.fixture
def case(tmp_path):
    """Return the table, the truth of all entries, and made-up probabilities that are right at nine of ten entries."""
    frame, rng = make_table(70), np.random.default_rng(4)
    given = frame[list(LABELS)].to_numpy()
    truth = np.where(np.isnan(given), rng.random(given.shape) < 0.4, given).astype(int)
    sure = rng.uniform(0.02, 0.5, size=truth.shape)
    p = np.where(rng.random(truth.shape) < 0.1, sure, np.where(truth == 1, 1 - sure, sure))
    frame.to_csv(tmp_path / "songs.csv", index=False)
    return frame, truth, p


def begin(case, tmp_path, with_fit=True, **limits):
    frame, _, p = case
    targets = tuple(tmp_path / f"songs.{end}" for end in ("completed.csv", "certificate.json", "page.html"))
    session = open_finish(make_setting(frame), tmp_path / "songs.finish.jsonl", targets, **{**LIMITS, **limits})
    if with_fit:
        session.take_values(fill(case, p), p)
    return session


def fill(case, p):
    given = case[0][list(LABELS)].to_numpy()
    return np.where(np.isnan(given), np.where(p >= 0.5, 1, -1), 2 * given - 1).astype(np.int8)


def list_questions(session, n=BATCH):
    """Return the next questions with their names."""
    screens = session.choose(Asked(np.array([], dtype=np.intp), "uncertain", "item", n))
    return [{**vars(each), "item": f"s{each.row}", "label": LABELS[each.column]} for [each] in screens]


def ask(client):
    screens = client.post("/api/questions", {"kind": "uncertain", "view": "item", "n": BATCH})["screens"]
    return [{**each, "item": f"s{each['row']}", "label": LABELS[each["column"]]} for [each] in screens]


def respond(question, case, key, **other):
    names = {name: question[name] for name in ("item", "label")}
    return {**names, "value": int(case[1][question["row"], question["column"]]), "key": key, **other}


def read_again(case, labels, tmp_path):
    """Return the numbers that the library computes from the journal."""
    path = shutil.copy(tmp_path / "songs.finish.jsonl", tmp_path / "copy.jsonl")
    again = FinishState([f"s{i}" for i in range(70)], labels.names, labels.state, journal=path, **LIMITS)
    again.take_fit(fill(case, case[2]), case[2])
    numbers = again.proof.max_errors, again.proof.entries, again.answered, again.left, again.proof.bound
    again.journal.close()
    return numbers


def test_a_scripted_reviewer_gets_the_numbers_of_the_library_and_a_table_that_is_verified(case, tmp_path):
    labels = make_setting(case[0]).opened.labels
    with Served(begin(case, tmp_path)) as client:
        state, n = client.get("/api/session"), 0
        assert (state["max_error"], state["confidence"], state["title"]) == (0.1, 0.95, "songs.csv")
        assert [each["item"] for each in client.get("/api/items?rows=3,5")["items"]] == ["s3", "s5"]
        while not state["done"]:
            n += 1
            state = client.post("/api/answers", {"answers": [respond(ask(client)[0], case, f"k{n}")]})
            numbers = tuple(state[name] for name in ("max_errors", "values", "answers", "left"))
            *others, bound = read_again(case, labels, tmp_path)
            assert numbers == tuple(others)
            assert state["bound"] in (None, bound)
        assert state["sentence"].startswith(f"At most {np.ceil(1000 * state['bound'] - 1e-9) / 10:.1f} % of")
        assert ask(client) == []
        written = client.post("/api/write", {})["written"]
    table = pd.read_csv(written[0], index_col="song")[list(LABELS)].to_numpy()
    certificate = read_certificate(tmp_path / "songs.certificate.json")
    assert (table != case[1]).sum() <= certificate["max_errors"] == state["max_errors"]
    assert certificate["max_errors"] <= 0.1 * certificate["entries"]
    assert certificate["answered"] == n
    ids = [f"s{i}" for i in range(70)]
    assert verify(certificate, ids, LABELS, (2 * table - 1).astype(np.int8)) == str(certificate)
    assert str(certificate) in (tmp_path / "songs.page.html").read_text()


def test_no_fit_freezes_other_values_while_random_questions_are_chosen(case, tmp_path, make_fit, monkeypatch):
    session = begin(case, tmp_path, seed=None)
    state, fit = session.state, make_fit(session.labels.state, case[2])
    choose = state.proof.choose_random

    def choose_slowly(n):
        chosen = choose(n)
        session.take_fit(fit)
        time.sleep(4 * TICK)  # the server looks for a fit, if it can
        return chosen

    monkeypatch.setattr(state, "choose", lambda n: [])
    monkeypatch.setattr(state.proof, "choose_random", choose_slowly)
    with Served(session) as client:
        answers = [respond(each, case, f"k{n}") for n, each in enumerate(ask(client))]
        client.post("/api/answers", {"answers": answers})
        certificate, delivered = state.certify(), state.proof.delivered
    assert certificate["audited"] == len(answers) == BATCH
    assert verify(certificate, [f"s{i}" for i in range(70)], LABELS, delivered) == str(certificate)


WRONG = {
    "not asked": (lambda asked, free: {**asked, **free}, "were not asked"),
    "another answer": (lambda asked, free: {**asked, "key": "new", "value": 1 - asked["value"]}, "that answer stands"),
    "no such item": (lambda asked, free: {**asked, "key": "new", "item": "s999"}, "no entry of the item 's999'"),
    "no such label": (lambda asked, free: {**asked, "key": "new", "label": "tango"}, "the label 'tango'"),
    "another value": (lambda asked, free: {**asked, "key": "new", "value": 7}, "is 1, 0 or null"),
    "no names": (lambda asked, free: {"value": 1}, "the texts 'item' and 'label'"),
    "a list": (lambda asked, free: [1, 2], "is an object"),
}


@pytest.mark.parametrize(("change", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_answer_is_a_sentence_and_changes_nothing(case, tmp_path, change, sentence):
    with Served(begin(case, tmp_path)) as client:
        first = ask(client)
        asked = respond(first[0], case, "k")
        assert client.post("/api/answers", {"answers": [asked]})["results"] == [{"key": "k", "saved": True}]
        known = {(each["row"], each["column"]) for each in first}
        given = case[0][list(LABELS)].notna().to_numpy()
        row, column = next(place for place in np.argwhere(~given).tolist() if tuple(place) not in known)
        free = {"item": f"s{row}", "label": LABELS[column], "key": "other"}
        before = (tmp_path / "songs.finish.jsonl").read_bytes()
        status, error = client.post("/api/answers", {"answers": [change(asked, free)]})
        assert status == 400
        [result] = error["results"]
        assert not result["saved"]
        assert sentence in result["error"]
        assert (tmp_path / "songs.finish.jsonl").read_bytes() == before
        assert client.post("/api/answers", {"answers": [asked], "table": "other"})[0] == 409
        assert client.post("/api/answers", {"answers": 3})[0] == 400
        assert client.post("/api/answers", {"answers": [asked]})["answers"] == 1  # sent twice, written once
        assert (tmp_path / "songs.finish.jsonl").read_bytes() == before


def test_an_answer_that_is_taken_back_is_asked_next_and_counts_as_wrong_until_then(case, tmp_path):
    session = begin(case, tmp_path)
    session.state.draw(30)
    answers = [respond(each, case, f"k{n}") for n, each in enumerate(list_questions(session))]
    session.answer(answers)
    before = session.state.proof.max_errors
    session.undo("u")
    session.undo("u")
    assert session.state.proof.max_errors > before
    question = list_questions(session)[0]
    assert [question["item"], question["label"]] == [answers[-1]["item"], answers[-1]["label"]]
    session.answer([respond(question, case, "unsure", value=None)])
    assert question not in list_questions(session)
    assert session.state.proof.unsure == 1
    session.undo("v")
    assert list_questions(session)[0] == question
    session.answer([respond(question, case, "again")])
    assert (session.state.proof.max_errors, session.state.proof.unsure) == (before, 0)
    session.close()


def test_random_questions_come_in_the_order_of_the_seed_and_no_question_shows_a_fill(case, tmp_path):
    session = begin(case, tmp_path)
    session.state.draw(9)
    drawn = [entry for entry, is_drawn in session.state.proof.steps if is_drawn]
    questions = list_questions(session)
    assert [each["row"] * 3 + each["column"] for each in questions] == drawn
    assert {each["why"] for each in questions} == {"random"}
    given = case[0][list(LABELS)].to_numpy()
    for row in range(70):
        shown = np.array(session.describe_item(row)["states"])
        assert ((shown == 0) == np.isnan(given[row])).all()
    session.close()


def test_fits_learn_the_answers_until_the_first_random_question(case, tmp_path, make_fit):
    session = begin(case, tmp_path, with_fit=False, max_error=0.04)
    session.worker = work = Workplace()
    assert list_questions(session) == []
    assert not session.answer([{"item": "s0", "label": "rock", "value": 1}])[0].to_dict()["saved"]
    given = session.labels.state

    def fit():
        session.receive("fit", make_fit(given, case[2]))
        session.refit_if_due()

    fit()
    n = 0
    while not any(each["why"] == "random" for each in list_questions(session)):
        for question in list_questions(session):
            n += 1
            session.answer([respond(question, case, f"k{n}")])
            if session.refit_if_due():  # begun while answers go on
                assert len(work.jobs[-1].given["answers"]) == n
                fit()
    assert len(work.jobs[-1].given["answers"]) == n  # nothing is left to learn when the proof begins
    assert len(work.jobs) == -(-n // BATCH)
    seed = session.state.proof.seed
    fit()  # late: the random questions are about the values before
    assert session.state.proof.seed == seed
    session.close()


def test_a_fit_learns_an_answer_that_is_given_again_before_the_first_random_question(case, tmp_path, make_fit):
    session = begin(case, tmp_path, with_fit=False, max_error=0.04)
    session.worker = work = Workplace()
    key = map(str, range(1000))
    while not session._is_ready or session.state.proof.open or session.state.choose(BATCH):
        session.answer([respond(question, case, next(key)) for question in list_questions(session)])
        session.receive("fit", make_fit(session.labels.state, case[2]))
        session.refit_if_due()
    n = len(work.jobs)
    session.undo("u")
    [question] = list_questions(session)
    session.answer([respond(question, case, "again")])
    assert session.describe_progress()["waits"]
    assert session.refit_if_due()
    assert len(work.jobs) == n + 1
    session.close()


def test_a_fit_that_fails_stops_no_question(case, tmp_path, make_fit):
    session = begin(case, tmp_path)
    session.worker = Workplace()
    questions = list_questions(session)
    session.answer([respond(each, case, f"k{n}") for n, each in enumerate(questions)])
    assert session.refit_if_due()
    session.receive("failed", "There was no memory.")
    assert not session.refit_if_due()
    progress = session.describe_progress()
    assert progress["failure"] == "There was no memory."
    assert list_questions(session)
    session.close()


def test_a_restart_delivers_the_frozen_values_and_goes_on(case, tmp_path):
    session = begin(case, tmp_path)
    session.state.draw(5)
    session.answer([respond(each, case, f"k{n}") for n, each in enumerate(list_questions(session)[:3])])
    questions, before = list_questions(session), session.describe_progress()
    delivered, path = session.state.proof.delivered, session.state.journal.path
    session.close()
    again = begin(case, tmp_path, with_fit=False)
    assert again.describe_progress()["answers"] == 3
    again.take_values(-np.abs(fill(case, case[2])), case[2])  # another fit: it only plans
    after = again.describe_progress()
    assert (again.state.proof.delivered == delivered).all()
    assert (after["bound"], after["undo"], list_questions(again)) == (before["bound"], before["undo"], questions)
    assert again.answer([respond(questions[0], case, "k0")])[0].to_dict()["saved"]  # its key was used
    assert again.describe_progress()["answers"] == 3
    again.close()
    path.write_bytes(path.read_bytes().replace(b'"k1"', b'"k7"'))
    with pytest.raises(ValueError, match=r"songs\.finish\.jsonl.*line"):
        begin(case, tmp_path)
