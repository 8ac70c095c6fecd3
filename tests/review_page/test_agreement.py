"""Several reviewers: agreement and contested entries."""

import numpy as np

from halflabel.review_page.agreement import compare, find_contested
from halflabel.review_page.answers import AnswerBook, Record


def make_records(by, values, label="sad"):
    return [
        Record(n, "answer", by, "now", f"{by}{n}", {"item": item, "label": label, "value": value})
        for n, (item, value) in enumerate(values.items(), 1)
    ]


ANA = make_records("ana", {"a": 1, "b": 1, "c": 0, "d": 0, "e": 1, "f": None})
BEN = make_records("ben", {"a": 1, "b": 0, "c": 0, "d": 0, "f": 1, "g": 0})


def test_agreement_is_beyond_chance():
    [row] = compare([("ana", ANA), ("ben", BEN)])
    # Four entries are decided by both: three equal; chance is .5 * .25 + .5 * .75 = .5.
    assert row == {"label": "sad", "first": "ana", "second": "ben", "both": 4, "equal": 0.75, "kappa": 0.5}
    same = make_records("me", {"a": 1})
    assert [each["kappa"] for each in compare([("me", same), ("you", same)])] == [None]
    assert compare([("me", same), ("you", [])]) == []


def test_undone_answers_are_not_compared():
    undo = [Record(7, "undo", "ana", "now", "u", {"of": 6}), Record(8, "undo", "ana", "now", "v", {"of": 5})]
    back = [*undo, *(Record(n, "undo", "ana", "now", f"w{n}", {"of": 13 - n}) for n in (9, 10))]
    assert [row["both"] for row in compare([("ana", [*ANA, *back]), ("ben", BEN)])] == [2]


def test_labels_and_pairs_are_in_order():
    one, two, three = (make_records(by, {"a": 1, "b": 0}, "sad") for by in "abc")
    more = [Record(record.n + 2, "answer", record.by, "now", f"m{record.key}", {**record.body, "label": "rock"})
            for record in one]  # fmt: skip
    rows = compare([("a", [*one, *more]), ("b", [*two, *more]), ("c", three)])
    assert [(row["label"], row["first"], row["second"]) for row in rows] == [
        ("rock", "a", "b"), ("sad", "a", "b"), ("sad", "a", "c"), ("sad", "b", "c"),
    ]  # fmt: skip


def test_contested_entries_of_a_table():
    book = AnswerBook(["a", "b", "c"], ["sad", "rock"])
    assert np.argwhere(find_contested(book, [ANA, BEN])).tolist() == [[1, 0]]
    assert not find_contested(book, [ANA]).any()
    for record in make_records("me", {"a": 0}):
        book.apply(record)
    assert np.argwhere(find_contested(book, [ANA])).tolist() == [[0, 0]]
