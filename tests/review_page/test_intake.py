"""Batches of answers: each one is judged by itself, and none is lost without a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.review_page.serving import Served, answer, make_session, read_journal

WRONG = {
    "value": [5, 1.0, True, "1", [1], "missing"],
    "item": ["gone", 5, None, ["s1"]],
    "label": ["gone", 0, None],
    "key": [5, "x" * 1000, "\ud800", ["k"]],
}
FAULTS = [(name, value) for name, values in WRONG.items() for value in values]


@pytest.fixture(scope="module")
def session(tmp_path_factory, make_fit):
    session = make_session(tmp_path_factory.mktemp("intake") / "a.jsonl", fit=make_fit)
    yield session
    session.close()


def read_keys(session):
    return [record.key for record in read_journal(session.journal.path)[1]]


@given(st.lists(st.none() | st.sampled_from(FAULTS) | st.sampled_from([5, None, "answer", []]).map(lambda x: ("", x)),
                min_size=1, max_size=50))  # fmt: skip
def test_a_wrong_answer_costs_no_other(session, faults):
    before, sent = read_keys(session), []
    for i, fault in enumerate(faults):
        right = answer({"row": i % 40, "column": i % 3}, i % 2, f"k{len(before)}-{i}")
        sent.append(right if fault is None else fault[1] if fault[0] == "" else {**right, fault[0]: fault[1]})
    outcomes = session.answer(sent)
    assert [not outcome.error for outcome in outcomes] == [fault is None for fault in faults]
    assert all(outcome.error.endswith(".") for outcome in outcomes if outcome.error)
    kept = [each["key"] for each, fault in zip(sent, faults, strict=True) if fault is None]
    assert read_keys(session) == before + kept
    assert [outcome.key for outcome in outcomes if not outcome.error] == kept


@given(st.lists(st.sampled_from(["absent", None, ""]), min_size=2, max_size=6))
def test_answers_without_a_key_are_all_kept(session, keys):
    before = read_keys(session)
    sent = [{**answer({"row": i, "column": 0}, 1, key)} for i, key in enumerate(keys)]
    for each in sent:
        if each["key"] == "absent":
            del each["key"]
    outcomes = session.answer(sent)
    made = read_keys(session)[len(before) :]
    assert made == [outcome.key for outcome in outcomes]
    assert len(set(made)) == len(keys)


def test_a_key_is_that_of_one_record(tmp_path, make_fit):
    session = make_session(tmp_path / "a.jsonl", fit=make_fit)
    first, other = answer({"row": 1, "column": 0}, 1, "k"), answer({"row": 2, "column": 0}, 1, "k")
    assert [outcome.error == "" for outcome in session.answer([first, first, other])] == [True, True, False]
    assert [outcome.error == "" for outcome in session.answer([first, other])] == [True, False]
    with pytest.raises(ValueError, match="key was used for another record"):
        session.undo("k")
    assert len(session.book.records) == 1
    session.close()


def test_two_steps_back_without_a_key_are_two(tmp_path, make_fit):
    session = make_session(tmp_path / "a.jsonl", fit=make_fit)
    session.answer([answer({"row": i, "column": 0}, 1, f"k{i}") for i in range(3)])
    with Served(session) as client:
        assert [client.post("/api/undo", {})["answers"] for _ in range(3)] == [2, 1, 0]


def test_a_batch_has_an_outcome_for_each_answer(tmp_path, make_fit):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as client:
        sent = [answer({"row": i, "column": 0}, 5 if i == 25 else 1, f"k{i}") for i in range(30)]
        reply = client.post("/api/answers", {"answers": sent})
        assert [each["saved"] for each in reply["results"]] == [i != 25 for i in range(30)]
        assert reply["results"][25] == {
            "key": "k25",
            "saved": False,
            "error": "The value of an answer is 1, 0 or null.",
        }
        assert reply["answers"] == 29
