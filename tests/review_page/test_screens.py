"""Screens of several entries: which entries, in which order, and what one key answers and takes back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.review_page.serving import LABELS, Served, answer, make_session

from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import KINDS, Situation
from halflabel.review_page.screens import CHIP, LOOK, MAX_CHIPS, TOGETHER, choose_items, choose_walls


@st.composite
def situations(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    shape = (draw(st.integers(1, 30)), draw(st.integers(1, 14)))
    known = rng.choice([0, 0, 0, 1, -1], size=shape).astype(np.int8)
    current = np.where(rng.random(shape) < 0.1, rng.choice([1, -1, 2], size=shape), 0).astype(np.int8)
    p = rng.random(shape).astype(np.float32)
    state = np.where(known != 0, known, np.where(p >= 0.5, 1, -1)).astype(np.int8)
    flipped = np.where((known != 0) & (rng.random(shape) < 0.2), 0.6, 0).astype(np.float32)
    fit = Fit("f", 0, "fast", state, p, known, flipped, np.full(shape[1], 0.5), [], "being relevant")
    return Situation(known, current, fit)


@given(situations(), st.sampled_from(sorted(KINDS)), st.integers(1, 12), st.data())
@settings(max_examples=60)
def test_screens_hold_entries_of_their_queue_once(now, kind, n, data):
    exclude = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=now.given.size, max_size=now.given.size)))
    allowed = KINDS[kind](now, now.fit)[0] | (kind != "random") & now.filled
    allowed.ravel()[exclude] = False
    for screens in (
        choose_items(now, kind, n, exclude=exclude),
        choose_walls(now, kind, n, 5, exclude=exclude),
    ):
        entries = [(q.row, q.column) for screen in screens for q in screen]
        assert len(entries) == len(set(entries))
        assert len(screens) <= n
        assert all(screens)
        assert all(allowed[entry] for entry in entries)


@given(situations(), st.integers(1, 12))
@settings(max_examples=60)
def test_items_come_in_the_order_of_the_errors_that_a_second_removes(now, n):
    screens = choose_items(now, "uncertain", n)
    doubtful = now.open_entries & (now.fit.wrong >= TOGETHER)
    wrong = np.where(doubtful if doubtful.any() else now.open_entries, now.fit.wrong, 0)
    best = -np.sort(-wrong, axis=1)[:, :MAX_CHIPS]
    gain = best.sum(axis=1) / (LOOK + CHIP * (best > 0).sum(axis=1))
    plain = [screen for screen in screens if screen[0].why == "uncertain"]
    assert all(len({q.row for q in screen}) == 1 and len(screen) <= MAX_CHIPS for screen in screens)
    expected = -np.sort(-gain)[: len(plain)]
    assert np.allclose([gain[screen[0].row] for screen in plain], expected, rtol=1e-5)
    for screen in plain:
        values = [wrong[q.row, q.column] for q in screen]
        assert values == sorted(values, reverse=True)
        assert not doubtful.any() or min(values) >= TOGETHER


@given(situations(), st.integers(1, 8))
@settings(max_examples=60)
def test_a_wall_has_the_most_doubtful_items_of_one_value_of_one_label(now, size):
    for wall in choose_walls(now, "uncertain", 20, size):
        rows, [column] = [q.row for q in wall], {q.column for q in wall}
        [value] = {int(now.fit.state[row, column]) for row in rows}
        others = now.open_entries[:, column] & (now.fit.state[:, column] == value)
        others[rows] = False
        assert len(wall) <= size
        if others.any() and len(wall) == size:
            assert now.fit.wrong[rows, column].min() >= now.fit.wrong[others, column].max() - 1e-6


def test_one_screen_in_eight_begins_with_a_random_entry(situation):
    screens = choose_items(situation, "uncertain", 8)
    random = [screen for screen in screens if screen[0].why == "random"]
    assert (len(screens), len(random)) == (8, 1)
    assert {q.why for screen in screens for q in screen[1:]} == {"uncertain"}


def test_before_a_fit_all_labels_of_random_items_are_asked_and_there_is_no_wall(situation):
    now = Situation(situation.given, situation.current)
    for [first, *rest] in choose_items(now, "uncertain", 5):
        assert [first.column, *(q.column for q in rest)] == np.flatnonzero(now.open_entries[first.row]).tolist()
    assert choose_walls(now, "uncertain", 3, 12) == []


@pytest.fixture
def client(tmp_path, make_fit):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as running:
        yield running


def test_one_undo_takes_a_whole_screen_back_and_one_redo_repeats_it(client):
    [screen, *_] = client.post("/api/screens", {"view": "wall", "size": 6})["screens"]
    sent = [answer(q, k % 2, f"k{k}", screen="wall-1") for k, q in enumerate(screen)]
    assert client.post("/api/answers", {"answers": sent})["answers"] == len(screen) > 1
    client.post("/api/answers", {"answers": [answer({"row": 0, "column": 0}, 1, "own")]})
    assert client.post("/api/undo", {"key": "u"})["answers"] == len(screen)
    undone = client.post("/api/undo", {"key": "v"})
    assert (undone["answers"], undone["undo"]) == (0, False)
    assert {(q["row"], q["column"]) for q in screen} == {(e["row"], e["column"]) for e in undone["entries"]}
    assert {e["screen"] for e in undone["entries"]} == {"wall-1"}
    assert client.post("/api/undo", {"key": "v"})["answers"] == 0  # a request that is sent twice undoes once
    assert client.post("/api/undo", {"key": "r", "redo": True})["answers"] == len(screen)
    assert client.get("/api/session")["labels"] == list(LABELS)
