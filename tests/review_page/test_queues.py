"""Screens: who is asked first, in which mixture, and what is never asked."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.review_page.serving import LABELS, Served, answer, make_session

from halflabel.review_page.answers import NO, UNDECIDED, YES
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import (
    CHIP,
    KINDS,
    LOOK,
    MAX_CHIPS,
    TOGETHER,
    WALL,
    Situation,
    choose_screens,
    choose_walls,
    count_queues,
)


def list_entries(screens):
    return [(question.row, question.column) for screen in screens for question in screen]


@st.composite
def situations(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    shape = (draw(st.integers(1, 30)), draw(st.integers(1, 14)))
    known = rng.choice([0, 0, 0, 1, -1], size=shape).astype(np.int8)
    current = np.where(rng.random(shape) < 0.1, rng.choice([1, -1, 2], size=shape), 0).astype(np.int8)
    p = rng.random(shape).astype(np.float32)
    state = np.where(known != 0, known, np.where(p >= 0.5, 1, -1)).astype(np.int8)
    flipped = np.where((known != 0) & (rng.random(shape) < 0.2), 0.6, 0).astype(np.float32)
    return Situation(known, current, Fit(state, p, known, flipped, p, "", (0.8, 1.5)))


@given(situations(), st.sampled_from(sorted(KINDS)), st.integers(1, 12), st.none() | st.just(0), st.data())
@settings(max_examples=80)
def test_screens_hold_entries_of_their_queue_once(now, kind, n, label, data):
    exclude = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=now.given.size, max_size=now.given.size)))
    allowed = KINDS[kind](now, now.fit)[0] | now.filled
    allowed.ravel()[exclude] = False
    if label is not None:
        allowed[:, 1:] = False
    part = {"label": label, "exclude": exclude}
    for screens in (choose_screens(now, kind, n, **part), choose_walls(now, kind, n, **part)):
        entries = list_entries(screens)
        assert len(entries) == len(set(entries))
        assert len(screens) <= n
        assert all(screens)
        assert all(allowed[entry] for entry in entries)


@given(situations(), st.integers(1, 12))
@settings(max_examples=60)
def test_items_come_in_the_order_of_the_errors_that_a_second_removes(now, n):
    screens = choose_screens(now, "uncertain", n)
    doubtful = now.open_entries & (now.fit.wrong >= TOGETHER)
    wrong = np.where(doubtful if doubtful.any() else now.open_entries, now.fit.wrong, 0)
    best = -np.sort(-wrong, axis=1)[:, :MAX_CHIPS]
    gain = best.sum(axis=1) / (LOOK + CHIP * (best > 0).sum(axis=1))
    plain = [screen for screen in screens if screen[0].why == "uncertain"]
    gain[[screen[0].row for screen in screens if screen[0].why == "random"]] = 0
    assert all(len({q.row for q in screen}) == 1 and len(screen) <= MAX_CHIPS for screen in screens)
    expected = -np.sort(-gain)[: len(plain)]
    assert np.allclose([gain[screen[0].row] for screen in plain], expected, rtol=1e-5)
    for screen in plain:
        values = [wrong[q.row, q.column] for q in screen]
        assert values == sorted(values, reverse=True)
        assert not doubtful.any() or min(values) >= TOGETHER


@given(situations())
@settings(max_examples=60)
def test_a_wall_has_the_most_doubtful_items_of_one_value_of_one_label(now):
    for wall in choose_walls(now, "uncertain", 20):
        rows, [column] = [q.row for q in wall], {q.column for q in wall}
        [value] = {int(now.fit.state[row, column]) for row in rows}
        others = now.open_entries[:, column] & (now.fit.state[:, column] == value)
        others[rows] = False
        assert len(wall) <= WALL
        if others.any() and len(wall) == WALL:
            assert now.fit.wrong[rows, column].min() >= now.fit.wrong[others, column].max() - 1e-6


def test_one_screen_in_eight_begins_with_a_random_entry(situation):
    """The item is read in any case, so that its doubtful labels follow. Alone, it took 1.45 seconds for one answer."""
    screens = choose_screens(situation, "uncertain", 16)
    drawn = [screen for screen in screens if screen[0].why == "random"]
    assert (len(screens), len(drawn)) == (16, 2)
    others = {screen[0].row for screen in screens if screen[0].why != "random"}
    for first, *rest in drawn:
        doubtful = situation.open_entries[first.row] & (situation.fit.wrong[first.row] >= TOGETHER)
        assert {q.column for q in rest} == set(np.flatnonzero(doubtful)) - {first.column}
        assert {(q.row, q.why) for q in rest} <= {(first.row, "uncertain")}
        assert first.row not in others


@pytest.mark.parametrize("read", [1, 2, 16])
def test_random_entries_are_a_sample_of_all_filled_ones_however_early_a_batch_is_replaced(make_fit, read):
    """A page replaces its screens after five answers. The most doubtful items are drawn as often as all others."""
    given = np.zeros((200, 10), dtype=np.int8)
    wrong = np.where(np.arange(200)[:, None] < 40, 0.4, 0.05) + np.zeros(given.shape)
    now, screens = Situation(given, given.copy(), make_fit(given, wrong)), []
    for answers in range(1, 400):
        now.current.ravel()[-answers] = UNDECIDED
        screens += choose_screens(now, "uncertain", 16)[:read]
    drawn = [screen[0] for screen in screens if screen[0].why == "random"]
    assert 0.09 < len(drawn) / len(screens) < 0.16
    assert 0.1 < np.mean([question.row < 40 for question in drawn]) < 0.35


def test_an_entry_that_is_drawn_is_on_no_screen_of_another_draw(make_fit):
    """Two random entries of one item: the second one would be asked with its value first, and be no random check."""
    given = np.zeros((220, 5), dtype=np.int8)  # the 25 draws are of 20 items
    now = Situation(given, given * 0, make_fit(given, np.full(given.shape, 0.5)))
    questions = [(q.row, q.column) for screen in choose_screens(now, "uncertain", 200) for q in screen]
    assert len(questions) == len(set(questions))


@pytest.mark.parametrize("choose", [choose_screens, choose_walls])
def test_a_label_without_doubtful_entries_is_asked_if_it_is_chosen(make_fit, choose):
    """Doubtful entries of other labels do not empty its queue."""
    given = np.zeros((30, 2), dtype=np.int8)
    now = Situation(given, given, make_fit(given, np.column_stack([np.full(30, 0.5), np.linspace(0, 0.02, 30)])))
    assert {q.column for screen in choose(now, "uncertain", 5) for q in screen if q.why != "random"} == {0}
    [first, *_] = choose(now, "uncertain", 5, label=1)
    assert (first[0].row, first[0].column) == (29, 1)


def test_random_entries_of_one_label_are_no_sample_of_the_whole(situation):
    screens = choose_screens(situation, "random", 16, label=2)
    assert {(q.column, q.why) for [q] in screens} == {(2, "random of a part")}
    assert {q.why for screen in choose_screens(situation, "uncertain", 16, label=2) for q in screen} == {"uncertain"}


def test_answered_and_excluded_entries_are_not_asked_again(situation):
    first = list_entries(choose_screens(situation, "uncertain", 10))
    current = situation.current.copy()
    for place, code in zip(first[:5], [YES, NO, UNDECIDED, YES, NO], strict=True):
        current[place] = code
    exclude = np.array([row * 5 + column for row, column in first[5:]])
    second = choose_screens(replace(situation, current=current), "uncertain", 10, exclude=exclude)
    assert not set(first) & set(list_entries(second))


def test_what_may_be_wrong_is_given_answered_or_contested(situation, make_fit):
    given, current = situation.given.copy(), situation.current.copy()
    row, column = np.argwhere(situation.open_entries & (situation.fit.p > 0.8))[0]
    current[row, column], given[row, column] = NO, -1  # the fit learned the answer, and doubts it
    fit = make_fit(given, situation.fit.p)
    contested = np.zeros(given.shape, dtype=bool)
    contested[2, 3] = True
    now = replace(situation, current=current, fit=fit, contested=contested)
    asked = {q for screen in choose_screens(now, "suspects", 50) for q in screen if q.why == "suspects"}
    assert {(row, column), (2, 3)} <= {(q.row, q.column) for q in asked}
    for q in asked:
        assert contested[q.row, q.column] or given[q.row, q.column] * (fit.p[q.row, q.column] - 0.5) < 0


def test_before_the_first_fit_single_entries_are_random_and_there_is_no_wall(situation):
    now = replace(situation, fit=None)
    screens = choose_screens(now, "uncertain", 9)
    assert [q.why for [q] in screens] == ["random"] * 9
    assert choose_walls(now, "uncertain", 3) == []
    assert count_queues(now) == {"uncertain": 0, "suspects": 0, "random": int(now.open_entries.sum())}


def test_probable_missing_positives_come_first_in_positive_only_tables(situation):
    given = np.maximum(situation.given, 0)
    state = np.where(given, given, np.where(situation.fit.p >= 0.5, 1, -1))
    now = Situation(given, np.zeros_like(given), replace(situation.fit, given=given, state=state), positive_only=True)
    screens = choose_screens(now, "uncertain", 8, label=1)
    assert all(now.fit.p[q.row, q.column] > 0.6 for [q] in screens)


def test_counts_and_unknown_kinds(situation):
    assert set(count_queues(situation)) == set(KINDS)
    with pytest.raises(ValueError, match="did you mean 'random'"):
        choose_screens(situation, "rndom", 5)


@pytest.mark.parametrize("view", ["item", "wall"])
def test_one_undo_takes_a_whole_screen_back(tmp_path, make_fit, view):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as client:
        screens = client.post("/api/questions", {"kind": "uncertain", "view": view, "n": 8})["screens"]
        screen = max(screens, key=len)
        sent = [answer(q, k % 2, f"k{k}", screen=f"{view}-1") for k, q in enumerate(screen)]
        assert client.post("/api/answers", {"answers": sent})["answers"] == len(screen) > 1
        client.post("/api/answers", {"answers": [answer({"row": 0, "column": 0}, 1, "own")]})
        assert client.post("/api/undo", {"key": "u"})["answers"] == len(screen)
        undone = client.post("/api/undo", {"key": "v"})
        assert (undone["answers"], undone["undo"]) == (0, False)
        assert {(q["row"], q["column"]) for q in screen} == {(e["row"], e["column"]) for e in undone["entries"]}
        assert {e["screen"] for e in undone["entries"]} == {f"{view}-1"}
        again = client.post("/api/undo", {"key": "v"})  # a request that is sent twice undoes once
        assert (again["answers"], again["entries"]) == (0, undone["entries"])
        assert client.get("/api/session")["labels"] == list(LABELS)
