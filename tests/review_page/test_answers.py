"""Answers: the book against a plain dict, undo, records that are invalid."""

import itertools

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from halflabel.review_page.answers import NO, UNDECIDED, YES, AnswerBook, Record

ITEMS, LABELS = ("a", "b", "c", "d"), ("rock", "sad")
ITEM_SETS = st.sets(st.sampled_from(ITEMS), min_size=1)
CODE = {1: YES, 0: NO, None: UNDECIDED}


def make_record(n, op="answer", **body):
    return Record(n, op, "ana", "2026-01-01T00:00:00.000+00:00", f"k{n}", body)


class Review(RuleBasedStateMachine):
    """Answer and undo in any order; the model keeps whole copies of a dict."""

    def __init__(self):
        super().__init__()
        self.book = AnswerBook(ITEMS, LABELS)
        self.number = itertools.count(1)
        self.states = [{}]
        self.records = []

    def write(self, op, **body):
        record = make_record(next(self.number), op, **body)
        self.records.append(record)
        self.book.apply(record)

    @rule(item=st.sampled_from(ITEMS), label=st.sampled_from(LABELS), value=st.sampled_from([1, 0, None]))
    def answer(self, item, label, value):
        self.write("answer", item=item, label=label, value=value, why="uncertain")
        self.states.append({**self.states[-1], (item, label): value})

    @rule(items=ITEM_SETS, label=st.sampled_from(LABELS), value=st.sampled_from([1, 0, None]))
    def screen(self, items, label, value):
        key = f"wall-{len(self.records)}"
        for item in sorted(items):
            self.write("answer", item=item, label=label, value=value, why="uncertain", screen=key)
        self.states.append({**self.states[-1], **{(item, label): value for item in items}})

    @rule()
    def undo(self):
        if len(self.states) == 1:
            assert not self.book.list_undoable()
            return
        for n in self.book.list_undoable():  # all answers of one screen
            self.write("undo", of=n)
        self.states.pop()

    @rule()
    def restart(self):
        again = AnswerBook(ITEMS, LABELS)
        for record in self.records:
            again.apply(Record.from_dict(record.to_dict()))
        self.book = again

    @invariant()
    def agrees(self):
        current = {
            (item, label): int(self.book.current[i, j])
            for i, item in enumerate(ITEMS)
            for j, label in enumerate(LABELS)
            if self.book.current[i, j]
        }
        assert current == {entry: CODE[value] for entry, value in self.states[-1].items()}


TestReview = Review.TestCase


def test_answers_for_the_fit_leave_out_what_is_undecided():
    book = AnswerBook(ITEMS, LABELS)
    for n, (item, value) in enumerate([("a", 1), ("b", 0), ("c", None)], 1):
        book.apply(make_record(n, item=item, label="sad", value=value))
    answers = book.to_answers()
    assert (answers.rows.tolist(), answers.columns.tolist(), answers.relevant.tolist()) == (
        [0, 1],
        [1, 1],
        [True, False],
    )
    assert len(book) == 3


def test_answers_keep_the_reason_of_their_question():
    book = AnswerBook(ITEMS, LABELS)
    book.apply(make_record(1, item="a", label="sad", value=1, why="uncertain"))
    book.apply(make_record(2, item="b", label="sad", value=1, why="suspects"))
    book.apply(make_record(3, item="a", label="rock", value=1, why="suspects"))
    book.apply(make_record(4, item="a", label="rock", value=0, why="random"))  # asked again: it was chosen by its value
    answers = book.to_answers()
    places = zip(answers.rows.tolist(), answers.columns.tolist(), strict=True)
    assert dict(zip(places, answers.independent.tolist(), strict=True)) == {
        (0, 0): False, (0, 1): True, (1, 1): False,
    }  # fmt: skip
    assert [book.find_reason(0, 0), book.find_reason(0, 1)] == ["suspects", "uncertain"]


def test_answers_about_other_items_are_kept_without_effect():
    book = AnswerBook(ITEMS, LABELS)
    book.apply(make_record(1, item="gone", label="sad", value=1))
    book.apply(make_record(2, item="a", label="sad", value=1))
    assert [record.n for record in book.unplaced] == [1]
    book.apply(make_record(3, "undo", of=2))
    book.apply(make_record(4, "undo", of=1))
    assert len(book) == 0


def test_only_the_last_answer_can_be_undone():
    book = AnswerBook(ITEMS, LABELS)
    book.apply(make_record(1, item="a", label="sad", value=1))
    book.apply(make_record(2, item="b", label="sad", value=1))
    with pytest.raises(ValueError, match="record 1 is not the next one to undo"):
        book.apply(make_record(3, "undo", of=1))


def test_each_reviewer_undoes_the_own_answers():
    book = AnswerBook(ITEMS, LABELS)
    for n, (by, item) in enumerate([("ana", "a"), ("ben", "b"), ("ana", "c"), ("ben", "c")], 1):
        body = {"item": item, "label": "sad", "value": int(by == "ana"), "why": "uncertain"}
        book.apply(Record(n, "answer", by, "now", f"k{n}", body))
    assert (book.list_undoable("ana"), book.list_undoable("ben")) == ([3], [4])
    book.apply(Record(5, "undo", "ana", "now", "k5", {"of": 3}))
    assert book.current[:, 1].tolist() == [YES, NO, NO, 0]  # the answer of ben about the same entry stays
    book.apply(Record(6, "answer", "ben", "now", "k6", {"item": "d", "label": "sad", "value": 0}))
    assert (book.list_undoable("ana"), book.list_undoable("ben")) == ([1], [6])


@pytest.mark.parametrize(("first", "second", "code"), [(1, 0, UNDECIDED), (1, 1, YES), (None, 0, UNDECIDED)])
def test_an_entry_that_is_asked_twice_is_undecided_where_reviewers_differ(first, second, code):
    book = AnswerBook(ITEMS, LABELS)
    for n, (by, value, why) in enumerate([("ana", first, "uncertain"), ("ben", second, "twice")], 1):
        book.apply(Record(n, "answer", by, "now", f"k{n}", {"item": "a", "label": "sad", "value": value, "why": why}))
    assert book.current[0, 1] == code
    settled = {"item": "a", "label": "sad", "value": 0, "why": "suspects"}
    book.apply(Record(3, "answer", "ana", "now", "k3", settled))
    assert book.current[0, 1] == NO


def test_ids_are_distinct_as_text():
    with pytest.raises(ValueError, match="distinct item ids"):
        AnswerBook([1, "1"], LABELS)


@pytest.mark.parametrize(
    "body",
    [
        {"item": "a", "label": "sad", "value": 2},
        {"item": "a", "label": "sad", "value": True},
        {"item": "a", "label": "sad", "value": 1.0},
        {"item": "a", "label": "sad"},
        {"item": "a", "label": 3, "value": 1},
        {"item": ["a"], "label": "sad", "value": 1},
        {"op": "undo", "of": "1"},
        {"op": "erase"},
        {"n": "1"},
    ],
)
def test_records_that_are_invalid(body):
    values = {"n": 1, "op": "answer", "by": "ana", "at": "now", "key": "k", **body}
    with pytest.raises(ValueError, match=r"record|answer"):
        Record.from_dict(values)
