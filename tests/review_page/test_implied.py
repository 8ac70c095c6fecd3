"""Answers on the page, and the entries that follow from them by the rules between labels."""

import threading
from dataclasses import replace

import numpy as np
from tests.review_page.serving import LABELS, make_session

from halflabel.labels.label_rules import LabelRules
from halflabel.review_page.review import Review


def make(tmp_path, make_fit):
    session = make_session(tmp_path / "a.jsonl", fit=make_fit)
    session.close()
    rules = LabelRules.read([f"{LABELS[0]} -> {LABELS[1]}"], LABELS)
    config = replace(session.config, opened=replace(session.config.opened, rules=rules))
    again = Review(config, tmp_path / "b.jsonl")
    again.fit = session._fit
    return again


def find_row(session):
    """Return an item with both labels open, the second one filled as irrelevant."""
    open_ = session.situation.open_entries[:, :2].all(axis=1) & (session.fit.state[:, 1] < 0)
    return int(np.flatnonzero(open_)[0])


def give(session, row, value, key):
    item = str(session.opened.index[row])
    return session.answer([{"key": key, "item": item, "label": LABELS[0], "value": value, "why": "uncertain"}])


def test_an_answer_sets_the_entries_that_follow_and_an_undo_takes_them_back(tmp_path, make_fit):
    session = make(tmp_path, make_fit)
    row = find_row(session)
    assert not give(session, row, 1, "k")[0].error
    assert session.fit.state[row, 1] == 1
    assert session.fit.p[row, 1] == 1
    assert not session.situation.open_entries[row, 1]
    assert session.book.current[row, 1] == 0  # it is no answer
    session.undo("u")
    assert session.fit.state[row, 1] == -1
    assert session.situation.open_entries[row, 1]
    session.close()


def test_a_restart_derives_the_same_entries(tmp_path, make_fit):
    session = make(tmp_path, make_fit)
    row = find_row(session)
    give(session, row, 1, "k")
    session.close()
    again = Review(session.config, tmp_path / "b.jsonl")
    assert (again.implied.states == session.implied.states).all()
    assert again.implied.states[row, 1] == 1
    again.close()


def test_nothing_follows_from_a_no_and_from_answers_that_break_a_rule(tmp_path, make_fit):
    session = make(tmp_path, make_fit)
    row = find_row(session)
    give(session, row, 0, "k")
    assert not session.implied.states.any()
    item = str(session.opened.index[row])
    session.answer([{"key": "n", "item": item, "label": LABELS[1], "value": 0, "why": "uncertain"}])
    give(session, row, 1, "k2")
    assert not session.implied.states.any()
    session.close()


def test_a_fit_that_arrives_while_an_answer_is_written_is_kept(tmp_path, make_fit, monkeypatch):
    session = make(tmp_path, make_fit)
    complete, newer = session.implied.complete, replace(session._fit, name="newer")
    arriving = threading.Thread(target=session.receive, args=("fit", newer))

    def wait_and_complete(fit):
        monkeypatch.setattr(session.implied, "complete", complete)
        arriving.start()
        arriving.join(0.2)
        return complete(fit)

    monkeypatch.setattr(session.implied, "complete", wait_and_complete)
    row = find_row(session)
    give(session, row, 1, "k")
    arriving.join(20)
    assert session.fit.name == "newer"
    assert session.fit.state[row, 1] == 1
    session.close()


def test_values_that_follow_change_at_one_moment(tmp_path, make_fit):
    session = make(tmp_path, make_fit)
    row = find_row(session)
    give(session, row, 1, "k")
    before = session.situation
    session.undo("u")
    assert before.implied[row, 1] == 1  # another thread may still choose questions by it
    session.close()
