"""Queues: who is asked first, in which mixture, and what is never asked."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from halflabel.review_page.answers import NO, UNDECIDED, YES
from halflabel.review_page.queues import KINDS, Situation, choose_questions, count_queues


def entries(questions):
    return [(question.row, question.column) for question in questions]


def test_uncertain_entries_are_asked_first_and_one_in_eight_is_random(situation):
    questions = choose_questions(situation, "uncertain", 16)
    assert len(questions) == len(set(entries(questions))) == 16
    assert Counter(question.why for question in questions) == {"uncertain": 14, "random": 2}
    wrong = situation.fit.wrong
    chosen = [wrong[q.row, q.column] for q in questions if q.why == "uncertain"]
    others = situation.open_entries.copy()
    for q in questions:
        others[q.row, q.column] = False
    assert min(chosen) >= np.sort(wrong[others])[-8]  # but for the limit of three questions per item
    assert all(situation.given[entry] == 0 for entry in entries(questions))


def test_questions_come_label_by_label(situation):
    columns = [question.column for question in choose_questions(situation, "uncertain", 24)]
    assert len([1 for a, b in itertools.pairwise(columns) if a != b]) == len(set(columns)) - 1


def test_no_item_dominates_a_batch(situation):
    p = np.full(situation.given.shape, 0.01)
    p[3] = 0.5  # one item is uncertain in all labels
    fit = replace(situation.fit, p=p.astype(np.float32))
    given = np.zeros_like(situation.given)
    questions = choose_questions(
        Situation(given, given, replace(fit, state=np.where(p >= 0.5, 1, -1))), "uncertain", 16
    )
    assert Counter(q.row for q in questions if q.why == "uncertain")[3] == 3


def test_answered_and_excluded_entries_are_not_asked_again(situation):
    first = choose_questions(situation, "uncertain", 10)
    current = situation.current.copy()
    for question, code in zip(first[:5], [YES, NO, UNDECIDED, YES, NO], strict=True):
        current[question.row, question.column] = code
    exclude = np.array([question.row * 5 + question.column for question in first[5:]])
    second = choose_questions(replace(situation, current=current), "uncertain", 10, exclude=exclude)
    assert not set(entries(first)) & set(entries(second))


def test_random_questions_of_a_part_are_no_sample_of_the_whole(situation):
    for kind, part in (("uncertain", {"label": 2}), ("random", {"label": 2}), ("random", {"rows": np.array([4, 7])})):
        reasons = {question.why for question in choose_questions(situation, kind, 16, **part)}
        assert "random of a part" in reasons
        assert "random" not in reasons


def test_a_label_and_items_limit_the_questions(situation):
    assert {q.column for q in choose_questions(situation, "uncertain", 10, label=2)} == {2}
    rows = np.array([4, 7])
    questions = choose_questions(situation, "uncertain", 50, rows=rows)
    assert sorted(entries(questions)) == sorted(
        (r, j) for r in rows for j in range(5) if situation.given[r, j] == 0
    )  # all open entries of an item, none of them random


def test_suspects_are_given_entries_that_the_fit_doubts(situation):
    questions = [q for q in choose_questions(situation, "suspects", 8) if q.why == "suspects"]
    assert questions
    for q in questions:
        assert situation.given[q.row, q.column] * (situation.fit.p[q.row, q.column] - 0.5) < 0


def test_boundary_follows_the_threshold_of_the_label(situation):
    fit = replace(situation.fit, thresholds=np.full(5, 0.9))
    questions = [q for q in choose_questions(replace(situation, fit=fit), "boundary", 4) if q.why == "boundary"]
    distance = np.where(situation.open_entries, np.abs(fit.p - 0.9), np.inf)
    assert {(q.row, q.column) for q in questions} <= {divmod(int(k), 5) for k in np.argsort(distance.ravel())[:8]}


def test_rare_asks_for_probable_positives_of_labels_without_many(situation):
    given = np.repeat(situation.given, 8, axis=0)  # every label has more than 20 positives
    given[:, 4] = np.where(np.arange(len(given)) < 3, 1, 0)
    p = np.repeat(situation.fit.p, 8, axis=0)
    fit = replace(situation.fit, p=p, state=np.where(given, given, np.where(p >= 0.5, 1, -1)))
    questions = [q for q in choose_questions(Situation(given, np.zeros_like(given), fit), "rare", 8) if q.why == "rare"]
    assert {q.column for q in questions} == {4}
    assert min(fit.p[q.row, 4] for q in questions) > 0.9


def test_changed_asks_what_the_last_fit_flipped(situation):
    assert count_queues(situation)["changed"] == 0
    state = situation.fit.state.copy()
    place = tuple(np.argwhere(situation.open_entries)[7])
    state[place] *= -1
    previous = replace(situation.fit, state=state)
    now = replace(situation, previous=previous)
    assert [(q.row, q.column) for q in choose_questions(now, "changed", 8) if q.why == "changed"] == [place]


def test_disagreement_is_between_answer_and_model_or_between_reviewers(situation, make_fit):
    current = situation.current.copy()
    row, column = np.argwhere(situation.open_entries & (situation.fit.p > 0.8))[0]
    current[row, column] = NO
    given = situation.given.copy()
    given[row, column] = -1  # the next fit learns from the answer
    contested = np.zeros(given.shape, dtype=bool)
    contested[2, 3] = True
    now = replace(situation, current=current, fit=make_fit(given, situation.fit.p), contested=contested)
    asked = {(q.row, q.column) for q in choose_questions(now, "disagreement", 8) if q.why == "disagreement"}
    assert asked == {(row, column), (2, 3)}


def test_before_the_first_fit_questions_are_random(situation):
    questions = choose_questions(replace(situation, fit=None), "uncertain", 9)
    assert {q.why for q in questions} == {"random"}
    assert len(questions) == 9


def test_probable_missing_positives_come_first_in_positive_only_tables(situation):
    given = np.maximum(situation.given, 0)
    now = Situation(given, np.zeros_like(given), replace(situation.fit, given=given), positive_only=True)
    now = replace(now, fit=replace(now.fit, state=np.where(given, given, np.where(now.fit.p >= 0.5, 1, -1))))
    top = [q for q in choose_questions(now, "uncertain", 8) if q.why == "uncertain"]
    assert all(now.fit.p[q.row, q.column] > 0.8 for q in top)


def test_counts_and_unknown_kinds(situation):
    assert set(count_queues(situation)) == set(KINDS)
    assert count_queues(situation)["uncertain"] == situation.open_entries.sum()
    with pytest.raises(ValueError, match="did you mean 'rare'"):
        choose_questions(situation, "rar", 5)
