"""The endpoints of a review, from the first question to the outputs; fits are made up."""

import http.client

import numpy as np
import pandas as pd
import pytest
from tests.review_page.serving import LABELS, Served, answer, make_session, make_table, read_journal

from halflabel.review_page.answers import ANSWERED_YES, GIVEN_NO, GIVEN_YES
from halflabel.review_page.explaining import Explained
from halflabel.review_page.outputs import Targets
from halflabel.review_page.review import UPDATE_ANSWERS


@pytest.fixture
def client(tmp_path, make_fit):
    targets = Targets(*(tmp_path / name for name in ("done.csv", "answers.csv", "report.html")))
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
    assert (body["value"], body["why"], body["ms"], body["was"]) == (1, question["why"], 420, None)
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
    assert undone["entries"] == [{**place, "value": 0, "why": question["why"], "screen": ""}]
    assert (undone["answers"], undone["undo"]) == (0, False)
    assert client.post("/api/undo", {"key": "u2"})["entries"] == []


def test_items_and_labels_on_the_wire(client):
    state = client.session.labels.state
    [item] = client.get("/api/items?rows=1")["items"]
    assert (item["item"], item["states"], len(item["p"])) == ("s1", [GIVEN_YES] * 3, 3)
    assert item["cells"][0]["column"] == "tempo"
    row, column = map(int, np.argwhere(state == 0)[0])
    client.post("/api/answers", {"answers": [answer({"row": row, "column": column, "why": ""}, 1, "k")]})
    [item] = client.get(f"/api/items?rows={row}")["items"]
    assert item["states"][column] == ANSWERED_YES
    np.testing.assert_allclose(item["p"], client.session.fit.p[row], atol=0.001)


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
    client.session.refit("fast")
    sent = jobs[-1].given["answers"]
    free = dict(
        zip(zip(sent.rows.tolist(), sent.columns.tolist(), strict=True), sent.independent.tolist(), strict=True)
    )
    assert free == {(first["row"], first["column"]): True, (second["row"], second["column"]): False}
    client.post("/api/write", {})
    assert jobs[-1].given["rows"]["why"].tolist() == [first["why"], "suspects"]


def test_the_list_has_the_items_with_words_and_states(client):
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
    assert panel["advice"]["sentence"].startswith("Filled values: about ")
    assert panel["reviewers"] is None


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


def test_an_explanation_names_an_entry_of_the_table_and_needs_a_fit(tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        status, error = client.post("/api/explain", {"item": "s99", "label": "rock"})
        assert (status, "no entry of the item 's99'" in error["error"]) == (400, True)
        [question, *_] = ask(client)
        client.post("/api/answers", {"answers": [answer(question, 0, "k1")]})
        status, error = ask_why(client, question)
        assert (status, error["error"]) == (400, "An explanation needs a fit: wait for the first one.")


def test_outputs_are_asked_of_the_worker(client):
    [question, *_] = ask(client)
    client.post("/api/answers", {"answers": [answer(question, None, "k1", ms=1500)]})
    client.post("/api/write", {})
    job = client.session.worker.jobs[-1]
    rows = job.given["rows"]
    assert job.kind == "write"
    assert rows.iloc[0][["item", "label", "by", "why", "seconds"]].tolist() == [
        f"s{question['row']}", LABELS[question["column"]], "ana", question["why"], 1.5,
    ]  # fmt: skip
    assert pd.isna(rows.loc[0, "answer"])
    facts = dict(job.given["reviewed"])
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
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=120)
    connection.request("GET", "/api/events", headers={"Cookie": client.cookie})
    response = connection.getresponse()
    assert response.readline() == b": open\n"
    client.session.receive("fit", client.session.fit)
    lines = [response.readline() for _ in range(2)]
    assert b'data: {"kind": "fit", "content": null}\n' in lines
    client.server.stop()
    assert response.read().strip() == b""
    connection.close()
