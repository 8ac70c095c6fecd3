"""The endpoints of a review, from the first question to the outputs; fits are made up."""

import http.client

import numpy as np
import pandas as pd
import pytest
from tests.review_page.serving import LABELS, Served, answer, make_session, make_table

from halflabel.evidence.answer_plan import PROPOSED
from halflabel.evidence.certificate import Certificate, verify
from halflabel.review_page.encoding import ANSWERED_YES, GIVEN_NO, GIVEN_YES
from halflabel.review_page.explaining import Explained
from halflabel.review_page.journal import read_journal
from halflabel.review_page.outputs import Targets, list_answers, summarize_review
from halflabel.review_page.review import UPDATE_ANSWERS


@pytest.fixture
def client(tmp_path, make_fit):
    targets = Targets(*(tmp_path / name for name in ("done.csv", "answers.csv", "report.html", "certificate.json")))
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit, targets=targets)) as client:
        client.path = tmp_path / "a.jsonl"
        yield client


def ask(client, n=10, **given):
    screens = client.post("/api/questions", {"kind": "uncertain", "view": "item", "n": n, **given})["screens"]
    return [question for screen in screens for question in screen][:n]


def test_an_answer_is_in_the_journal_when_it_is_acknowledged(client):
    [question, *_] = ask(client)
    result = client.post("/api/answers", {"answers": [answer(question, 1, "k1", ms=420, shown=False)]})
    assert (result["results"], result["answers"]) == ([{"key": "k1", "saved": True}], 1)
    [record] = read_journal(client.path)[1]
    body = record.body
    fit = client.session.fit
    assert (body["item"], body["label"]) == (f"s{question['row']}", LABELS[question["column"]])
    assert (body["value"], body["why"], body["ms"], body["was"]) == (1, "uncertain", 420, None)
    assert body["filled"] == int(fit.state[question["row"], question["column"]] > 0)
    assert body["p"] == pytest.approx(float(fit.p[question["row"], question["column"]]), abs=1e-4)


def test_an_answer_that_is_sent_twice_is_written_once(client):
    [question, *_] = ask(client)
    sent = {"answers": [answer(question, 1, "k1")]}
    assert client.post("/api/answers", sent)["answers"] == client.post("/api/answers", sent)["answers"] == 1
    assert len(read_journal(client.path)[1]) == 1


def test_a_restart_goes_on_where_the_review_stopped(client, tmp_path, make_fit):
    questions = ask(client)
    client.post("/api/answers", {"answers": [answer(q, 1, f"k{i}") for i, q in enumerate(questions)]})
    client.post("/api/undo", {"key": "u1"})
    client.server.stop()
    client.session.close()
    again = make_session(tmp_path / "a.jsonl", fit=make_fit)
    assert len(again.book) == len(questions) - 1
    assert again.notes == []
    again.close()
    changed = make_session(tmp_path / "a.jsonl", make_table(n=30))
    assert changed.notes[0].startswith("The table has changed")
    changed.close()


def test_undo_names_the_entry(client):
    [question, *_] = ask(client)
    client.post("/api/answers", {"answers": [answer(question, 0, "k1")]})
    undone = client.post("/api/undo", {"key": "u1"})
    place = {"row": question["row"], "column": question["column"]}
    assert undone["entries"] == [{**place, "value": 0, "why": "uncertain", "screen": ""}]
    assert (undone["answers"], undone["undo"]) == (0, False)
    assert client.post("/api/undo", {"key": "u2"})["entries"] == []


def test_items_and_labels_on_the_wire(client):
    state = client.session.labels.state
    [item] = client.get("/api/items?rows=1")["items"]
    assert (item["item"], item["states"], len(item["p"])) == ("s1", [GIVEN_YES] * 3, 3)
    assert item["cells"][0]["column"] == "tempo"
    row, column = map(int, np.argwhere(state == 0)[0])
    client.post("/api/answers", {"answers": [answer({"row": row, "column": column, "why": ""}, 1, "k")]})
    _, content = client.request("GET", f"/api/label/{column}.bin")
    cells = np.frombuffer(content, dtype=np.uint8).reshape(-1, 2)
    assert cells[row, 0] == ANSWERED_YES
    assert (cells[state[:, column] < 0, 0] == GIVEN_NO).all()
    assert np.abs(cells[:, 1] / 255 - client.session.fit.p[:, column]).max() < 0.003
    assert client.request("GET", "/api/points.bin") == (204, b"")
    client.session.receive("map", np.array([[0.0, 0.0], [4.0, 2.0]] * 20))
    _, content = client.request("GET", "/api/points.bin")
    points = np.frombuffer(content, dtype="<u2").reshape(-1, 2)
    assert points[:2].tolist() == [[0, 16384], [65535, 49151]]


def test_the_fit_is_updated_after_some_answers_and_made_again_after_more(client, monkeypatch):
    monkeypatch.setattr("halflabel.review_page.review.REFIT_ANSWERS", 2 * UPDATE_ANSWERS)
    jobs = client.session.worker.jobs
    questions = ask(client, n=2 * UPDATE_ANSWERS)
    given = [answer(q, 1, f"k{i}") for i, q in enumerate(questions)]
    client.post("/api/answers", {"answers": given[1:UPDATE_ANSWERS]})
    assert not client.session.refit_if_due()
    client.post("/api/answers", {"answers": [answer(questions[0], None, "k0")]})
    assert client.session.refit_if_due()
    assert jobs[-1].kind == "fit"
    assert len(jobs[-1].given["answers"]) == UPDATE_ANSWERS - 1  # "not sure" is no answer
    assert jobs[-1].given["is_update"]
    assert not client.session.refit_if_due()
    client.post("/api/answers", {"answers": given[UPDATE_ANSWERS:]})
    assert client.session.refit_if_due()
    assert not jobs[-1].given["is_update"]
    assert not client.session.refit_if_due()
    client.post("/api/fit", {})
    assert (jobs[-1].given["effort"], jobs[-1].given["is_update"]) == ("default", False)


def test_a_pause_makes_an_update_and_a_long_one_a_fit(client, monkeypatch):
    [question] = ask(client, n=1)
    client.post("/api/answers", {"answers": [answer(question, 1, "k")]})
    kinds = []
    for seconds in (5, 15, 30, 90, 120):
        monkeypatch.setattr("time.monotonic", lambda now=client.session._last_answer + seconds: now)
        kinds.append(client.session.worker.jobs[-1].given["is_update"] if client.session.refit_if_due() else None)
    assert kinds == [None, True, None, False, None]


def test_fits_and_outputs_receive_the_reason_of_each_question(client):
    jobs = client.session.worker.jobs
    [first, second, *_] = ask(client)
    given = [answer(first, 1, "k1"), answer({**second, "why": "suspects"}, 1, "k2")]
    client.post("/api/answers", {"answers": given})
    client.post("/api/fit", {})
    sent = jobs[-1].given["answers"]
    free = dict(
        zip(zip(sent.rows.tolist(), sent.columns.tolist(), strict=True), sent.independent.tolist(), strict=True)
    )
    assert free == {(first["row"], first["column"]): True, (second["row"], second["column"]): False}
    client.post("/api/write", {})
    assert jobs[-1].given["outputs"].rows["why"].tolist() == ["uncertain", "suspects"]


def test_the_list_has_the_items_of_the_map(client):
    state, fit = client.session.labels.state, client.session.fit
    every = client.post("/api/list", {"column": 1})
    assert [row["item"] for row in every["rows"]] == [f"s{i}" for i in range(40)]
    assert every["rows"][0] == {"row": 0, "item": "s0", "state": GIVEN_NO}
    given = client.post("/api/list", {"column": 1, "states": [GIVEN_NO, GIVEN_YES]})["rows"]
    assert sorted(row["row"] for row in given) == np.flatnonzero(state[:, 1]).tolist()
    assert np.all(np.diff(fit.p[[row["row"] for row in given], 1]) <= 0)  # the most probable first
    assert [row["row"] for row in client.post("/api/list", {"column": 0, "text": " S3 "})["rows"]] == [
        3,
        *range(30, 40),
    ]
    last = client.post("/api/list", {"column": 0, "start": 38})
    assert (last["total"], [row["row"] for row in last["rows"]]) == (40, [38, 39])
    assert client.post("/api/list", {"column": 3})[0] == 400


def test_the_panel_has_queues_and_advice(client):
    panel = client.get("/api/panel")
    assert panel["queues"]["random"] == int((client.session.labels.state == 0).sum())
    assert "filled values are wrong" in panel["advice"]["sentence"]
    assert panel["reviewers"] is None


def test_from_an_audit_to_the_certificate(client):
    plan = client.post("/api/audit", {"op": "plan"})
    assert plan["entries"] == int((client.session.labels.state == 0).sum())
    assert [each["n"] for each in plan["plans"]] == [n for n in PROPOSED if n < plan["entries"]]
    progress = client.post("/api/audit", {"op": "begin", "n": 10, "key": "a1"})
    stated = {"n": 10, "answered": 0, "entries": plan["entries"], "level": 0.95}
    assert progress["audit"] == {**stated, "precision": None}
    questions = ask(client)
    assert [q["why"] for q in questions] == ["audit"] * 10
    [item] = client.get(f"/api/items?rows={questions[0]['row']}")["items"]
    assert item["p"] is None  # neither probabilities nor filled values
    assert item["states"][questions[0]["column"]] == 0
    assert not progress["undo"]
    assert client.post("/api/fit", {})[0] == 400
    status, error = client.post("/api/audit", {"op": "finish", "key": "early"})
    assert (status, "needs an answer to the first question" in error["error"]) == (400, True)
    fit = client.session.fit
    for i, q in enumerate(questions[:6]):
        right = int(fit.state[q["row"], q["column"]] > 0)
        sent = {"answers": [answer(q, 1 - right if i == 0 else right, f"k{i}")]}
        progress = client.post("/api/answers", sent)
        assert progress["audit"]["precision"] == 1 - client.session.audit.proof.bound
    assert len(ask(client)) == 4
    certificate = client.post("/api/audit", {"op": "finish", "key": "a2"})["certificate"]
    assert (certificate["audited"], certificate["errors"], certificate["is_current"]) == (6, 1, True)
    assert "6 random entries, 1 was wrong" in certificate["sentence"]
    again = client.get("/api/progress")
    assert not client.session.refit_if_due()  # after which the certificate would not be current
    assert again["audit"] is None
    assert not again["undo"]


def deliver(session):
    """Return the table that is written: answers, given entries, and the values of the fit."""
    now = session.situation
    decided = np.where(np.abs(now.current) == 1, now.current, now.given)
    return np.where(decided != 0, decided, session.fit.state).astype(np.int8)


def test_certificates_of_a_journal_share_alpha_and_are_proved_again(client, rng):
    session, before = client.session, []
    for audit in range(3):
        client.post("/api/audit", {"op": "begin", "n": 20, "key": f"b{audit}"})
        for i, q in enumerate(ask(client)[: 8 + audit]):
            value = [0, 1, None][rng.choice(3, p=[0.2, 0.7, 0.1])]
            client.post("/api/answers", {"answers": [answer(q, value, f"{audit}-{i}")]})
        if audit == 1:
            client.post("/api/audit", {"op": "cancel", "key": "c"})
            continue
        made = client.post("/api/audit", {"op": "finish", "key": f"f{audit}"})["certificate"]
        assert made["attempts"] == audit
        assert made["alpha"] == pytest.approx(0.04 * 0.2**audit)
        before.append(made["alpha"])
        ids = [f"s{i}" for i in range(len(session.labels))]
        assert verify(Certificate(made), ids, LABELS, deliver(session)) == made["sentence"]


def test_no_audit_begins_while_a_fit_would_change_its_table(client):
    client.session.worker.is_fitting = True
    for op in ("plan", "begin"):
        state = client.post("/api/audit", {"op": op, "n": 10, "key": "a"})
        assert "when the running fit has ended" in state["wait"]
    assert client.session.audit is None
    client.session.worker.is_fitting = False
    assert client.post("/api/audit", {"op": "begin", "n": 10, "key": "a"})["audit"]["n"] == 10


def test_an_audit_of_another_table_shows_no_bound_and_can_be_cancelled(client, tmp_path):
    client.post("/api/audit", {"op": "begin", "n": 5, "key": "a1"})
    client.post("/api/answers", {"answers": [answer(ask(client)[0], 1, "k1")]})
    client.server.stop()
    client.session.close()
    turned = make_session(tmp_path / "a.jsonl", make_table()[::-1])
    assert turned.describe_progress()["audit"]["precision"] is None
    with pytest.raises(ValueError, match="the table has changed since the audit began: cancel it"):
        turned.end_audit("f", cancel=False)
    turned.end_audit("c", cancel=True)
    assert turned.audit is None
    turned.close()


def ask_why(client, question, **changes):
    return client.post("/api/explain", {"item": f"s{question['row']}", "label": LABELS[question["column"]], **changes})


def test_an_explanation_comes_after_the_answer_and_lasts_until_the_next_fit(client):
    [question, other, *_] = ask(client)
    status, error = ask_why(client, question)
    assert (status, "after the answer" in error["error"]) == (400, True)
    sent = {"answers": [answer(each, 1, f"k{i}") for i, each in enumerate([question, other])]}
    client.post("/api/answers", sent)
    assert ask_why(client, question) == {"explanation": None}
    place = {"row": question["row"], "column": question["column"]}
    [job] = client.session.worker.jobs
    assert (job.kind, job.given) == ("explain", {**place, "label": LABELS[question["column"]]})
    client.session.receive("explained", Explained(**place, facts={"probability": 0.5}))
    assert ask_why(client, question) == {"explanation": {"probability": 0.5}}
    assert ask_why(client, other) == {"explanation": None}  # another entry is another question
    client.session.receive("fit", client.session.fit)
    assert ask_why(client, question) == {"explanation": None}
    client.post("/api/undo", {"key": "u1"})
    client.post("/api/undo", {"key": "u2"})
    assert ask_why(client, question)[0] == 400  # the answer was taken back


def test_an_audit_shows_no_explanation(client):
    [before, *_] = ask(client)
    client.post("/api/answers", {"answers": [answer(before, 1, "k0")]})
    client.session.receive("explained", Explained(before["row"], before["column"], {"probability": 0.5}))
    client.post("/api/audit", {"op": "begin", "n": 5, "key": "a1"})
    entry, *_ = ask(client)
    client.post("/api/answers", {"answers": [answer(entry, 1, "k1")]})
    for question in (before, entry):
        status, error = ask_why(client, question)
        assert (status, error["error"]) == (400, "an audit is running: finish or cancel it.")
    assert client.session.worker.jobs == []


def test_an_explanation_names_an_entry_of_the_table_and_needs_a_fit(tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        status, error = client.post("/api/explain", {"item": "s99", "label": "rock"})
        assert (status, "no entry of the item 's99'" in error["error"]) == (409, True)
        [question, *_] = ask(client)
        client.post("/api/answers", {"answers": [answer(question, 0, "k1")]})
        status, error = ask_why(client, question)
        assert (status, error["error"]) == (400, "An explanation needs a fit: wait for the first one.")


def test_entries_that_were_not_decided_are_part_of_an_audit(client):
    [question, *_] = ask(client)
    before = client.post("/api/audit", {"op": "plan"})["entries"]
    client.post("/api/answers", {"answers": [answer(question, None, "k1")]})
    assert client.post("/api/audit", {"op": "plan"})["entries"] == before
    client.post("/api/answers", {"answers": [answer(question, 1, "k2")]})
    assert client.post("/api/audit", {"op": "plan"})["entries"] == before - 1
    client.post("/api/audit", {"op": "begin", "n": before - 1, "key": "a1"})  # all of them
    asked = {(q["row"], q["column"]) for q in ask(client, n=200)}
    assert len(asked) == before - 1
    assert (question["row"], question["column"]) not in asked


def test_an_audit_can_be_cancelled_and_survives_a_restart(client, tmp_path):
    client.post("/api/audit", {"op": "begin", "n": 5, "key": "a1"})
    first = ask(client)[0]
    client.post("/api/answers", {"answers": [answer(first, 1, "k1")]})
    client.server.stop()
    client.session.close()
    again = make_session(tmp_path / "a.jsonl")  # before its first fit
    assert again.describe_progress()["audit"]["answered"] == 1
    again.end_audit("c1", cancel=True)
    assert again.describe_progress()["audit"] is None
    assert again.describe_certificate() is None
    assert len(again.book) == 1
    again.close()


def test_outputs_are_asked_of_the_worker(client):
    [question, *_] = ask(client)
    client.post("/api/answers", {"answers": [answer(question, None, "k1", ms=1500)]})
    client.post("/api/write", {})
    job = client.session.worker.jobs[-1]
    rows = job.given["outputs"].rows
    assert job.kind == "write"
    assert rows.iloc[0][["item", "label", "by", "why", "seconds"]].tolist() == [
        f"s{question['row']}", LABELS[question["column"]], "ana", question["why"], 1.5,
    ]  # fmt: skip
    assert pd.isna(rows.loc[0, "answer"])
    facts = dict(job.given["outputs"].reviewed["facts"])
    assert (facts["Answers"], facts["of these not sure"], facts["Reviewers"]) == ("1", "1", "ana")


def test_a_full_disk_is_named_and_changes_nothing(client, monkeypatch):
    [question, *_] = ask(client)
    monkeypatch.setattr("os.fdatasync", lambda file: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    status, error = client.post("/api/answers", {"answers": [answer(question, 1, "k1")]})
    assert status == 507
    assert "not on the disk" in error["error"]
    monkeypatch.undo()
    assert client.get("/api/progress")["answers"] == 0
    assert client.post("/api/answers", {"answers": [answer(question, 1, "k1")]})["answers"] == 1


def test_an_open_stream_of_events_ends_with_the_server(client):
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    connection.request("GET", "/api/events", headers={"Cookie": client.cookie})
    response = connection.getresponse()
    assert response.readline() == b": open\n"
    client.session.receive("fit", client.session.fit)
    lines = [response.readline() for _ in range(2)]
    assert b'data: {"kind": "fit", "content": null}\n' in lines
    client.server.stop()
    assert response.read().strip() == b""
    connection.close()


def test_comments_are_in_the_journal_the_item_the_answers_and_the_report(client):
    [question] = ask(client, n=1)
    item = f"s{question['row']}"
    client.post("/api/answers", {"answers": [answer(question, 1, "k1")]})
    client.post("/api/comment", {"item": item, "text": " two songs in one \n", "key": "c1"})
    client.post("/api/comment", {"item": item, "text": "again", "key": "c1"})  # the key was used
    [shown] = client.get(f"/api/items?rows={question['row']}")["items"]
    assert shown["comments"] == [{"by": "ana", "text": "two songs in one"}]
    book = client.session.book
    assert list_answers(book, client.session.opened.index)["comment"].tolist() == ["two songs in one"]
    reviewed = summarize_review(book, client.session.describe_panel()["advice"], None, "")
    assert f"ana on {item}: two songs in one" in reviewed["sentences"]
    assert client.post("/api/comment", {"item": "none", "text": "x"})[0] == 409
    assert client.post("/api/comment", {"item": item, "text": "x" * 2001})[0] == 400
    client.post("/api/comment", {"item": item, "text": "", "key": "c2"})
    assert client.get(f"/api/items?rows={question['row']}")["items"][0]["comments"] == []
    assert client.post("/api/undo", {"key": "u"})["answers"] == 0  # the answer; a comment is no answer


def test_the_history_has_the_answers_that_stand_the_newest_first(client):
    questions = ask(client, n=3)
    for key, (question, value) in enumerate(zip(questions, (1, 0, None), strict=True)):
        client.post("/api/answers", {"answers": [answer(question, value, f"k{key}")]})
    client.post("/api/undo", {"key": "u"})
    history = client.get("/api/history")["answers"]
    assert [(each["row"], each["value"], each["by"]) for each in history] == [
        (question["row"], value, "ana") for question, value in zip(questions[1::-1], (0, 1), strict=True)
    ]
