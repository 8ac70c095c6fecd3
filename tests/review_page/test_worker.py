"""The process that fits: one real fit with answers, coalesced requests, outputs, and its death."""

import queue
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.review_page.serving import make_session, make_setting, make_table

from halflabel.completion.answers import Answers
from halflabel.review_page.outputs import Targets
from halflabel.review_page.worker import Job, Worker, _Bench

pytestmark = pytest.mark.slow  # a new process imports everything

NOTHING = Answers(np.array([], dtype=int), np.array([], dtype=int), np.array([], dtype=bool))


def make_job(answers=NOTHING, **more):
    return Job("fit", {"answers": answers, "effort": "fast", **more})


@pytest.fixture
def working():
    received = queue.Queue()
    config = make_setting(make_table(60))
    worker = Worker(config.opened, {"random_state": 0}, lambda *message: received.put(message))
    worker.config = config
    yield worker, received
    worker.close()


def wait(received, *kinds):
    while True:
        kind, content = received.get(timeout=120)
        if kind in kinds:
            return content


def test_fits_are_coalesced_and_outputs_hold_the_answers(working, tmp_path):
    worker, received = working
    state = worker.config.opened.labels.state
    rows, columns = np.argwhere(state == 0)[:6].T
    answers = Answers(rows, columns, np.array([True, False] * 3))
    for given in (NOTHING, NOTHING, NOTHING, answers):
        worker.ask(make_job(given))
    fits = [wait(received, "fit") for _ in range(2)]
    assert [int((fit.given[rows, columns] != 0).sum()) for fit in fits] == [0, 6]
    wait(received, "idle")
    assert worker.is_idle
    targets = Targets(*(tmp_path / name for name in ("done.csv", "answers.csv", "report.html")))
    outputs = {"to": targets, "rows": pd.DataFrame({"item": ["s1"]}), "reviewed": [("Answers", "6")]}
    worker.ask(Job("write", {"answers": answers, "effort": "fast", **outputs}))
    assert wait(received, "written", "failed") == [str(targets.table), str(targets.answers), str(targets.report)]
    done = pd.read_csv(targets.table)
    names = worker.config.opened.labels.names
    assert [done[names[j]][i] for i, j in zip(rows, columns, strict=True)] == [1, 0] * 3
    page = targets.report.read_text()
    assert "Reviewed by a person" in page


def test_an_update_learns_answers_and_forgets_those_that_are_taken_back(working):
    worker, received = working
    rows, columns = np.argwhere(worker.config.opened.labels.state == 0)[:6].T
    answers = Answers(rows, columns, np.array([True, False] * 3))
    fits = []
    for given, is_update in ((NOTHING, False), (answers, True), (NOTHING, True)):
        worker.ask(make_job(given, is_update=is_update))
        fits.append(wait(received, "fit"))
        wait(received, "idle")
    assert fits[1].state[rows, columns].tolist() == [1, -1] * 3
    assert (fits[1].p != fits[0].p).any()
    np.testing.assert_array_equal(fits[2].p, fits[0].p)


def test_errors_are_sentences_and_a_dead_process_is_replaced(working):
    worker, received = working
    worker.ask(Job("explain", {"row": 0, "column": 0, "label": "rock"}))
    assert wait(received, "failed") == "there is no fit yet."
    worker._process.kill()
    assert wait(received, "failed").startswith("The process that fits has ended")
    worker.ask(make_job())
    assert wait(received, "fit").state.shape == (60, 3)


def test_a_session_with_a_real_worker(tmp_path):
    received = queue.Queue()
    session = make_session(tmp_path / "a.jsonl", make_table(60))
    session.announce = lambda *message: received.put(message)
    session.start()
    try:
        wait(received, "fit")
        assert session.describe_panel()["advice"]["filled"] > 0
    finally:
        session.close()


def test_answers_that_leave_one_value_of_a_label_do_not_change_the_shape_of_a_fit():
    """All known entries of the first label become 1: it is not learned, and none of its entries is uncertain."""
    opened = make_setting(make_table(60)).opened
    rows = np.flatnonzero(opened.labels.state[:, 0] < 0)
    answers = Answers(rows, np.zeros_like(rows), np.ones(len(rows), dtype=bool))
    bench = _Bench(None, opened, {"random_state": 0})
    bench._report = lambda *_: None
    _, fit = bench.do(make_job(answers))
    assert fit.state.shape == fit.p.shape == opened.labels.shape
    assert set(fit.state[:, 0]) <= {0, 1}
    assert not fit.wrong[:, 0].any()
    assert (fit.state[:, 1:] != 0).all()
    for column, name in enumerate(opened.labels.names):
        kind, explained = bench.do(Job("explain", {"row": 30, "column": column, "label": name}))
        facts = explained.facts
        assert (kind, explained.column, facts["label"]) == ("explained", column, name)
        if column == 0 or facts["probability"] is None:
            assert facts["note"]
        else:
            parts = sum(part["log_odds"] for part in facts["contributions"])
            assert parts == pytest.approx(logit(facts["probability"]), abs=1e-9)


@pytest.mark.parametrize("is_update", [True, False])
def test_answers_that_leave_no_label_to_learn_leave_no_number(tmp_path, is_update):
    """The last fit had the values that answers have denied: nothing that it states holds any more."""
    frame = make_table(60)
    session = make_session(tmp_path / "a.jsonl", frame)
    opened, messages = session.opened, []
    bench = _Bench(SimpleNamespace(send=lambda message: messages.append(message)), opened, {"random_state": 0})
    bench._report = lambda *_: None
    session.receive(*bench.do(make_job()))
    assert session.describe_panel()["advice"]["filled"] > 0
    rows, columns = np.nonzero(opened.labels.state < 0)
    denied = Answers(rows, columns, np.ones(len(rows), dtype=bool))
    with pytest.raises(ValueError, match="Not learned: only 1 is given"):
        bench.do(make_job(denied, is_update=is_update))
    for message in messages:
        session.receive(*message)
    advice = session.describe_panel()["advice"]
    assert (advice["expected"], advice["sentence"]) == (None, "")
    kind, fit = bench.do(make_job(NOTHING, is_update=True))  # the answers are taken back
    assert (kind, fit.state.all()) == ("fit", True)
