"""Completion.update(): the table, the notes and the checks after some answers."""

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.completion.updating import NOTE


@pytest.fixture(scope="module")
def filled():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    songs = pd.DataFrame(X, columns=["a", "b", "c"]).assign(id=[f"s{i}" for i in range(60)])
    for name, values in zip(("rock", "sad"), X.T, strict=False):
        songs[name] = np.where(np.arange(60) < 30, values > 0, np.nan)
    return hl.complete(songs, labels=["rock", "sad"], id="id", effort="fast")


def answers(**entries):
    rows = [(item, label, value) for label, given in entries.items() for item, value in given.items()]
    return pd.DataFrame(rows, columns=["item", "label", "answer"])


def test_answers_are_in_the_table_and_the_old_completion_is_as_it_was(filled):
    before, p = filled.table.copy(), filled.probabilities.copy()
    wrong = 1 - before.loc[[40, 50], "rock"].to_numpy()
    updated = filled.update(answers(rock={"s40": wrong[0], "s50": wrong[1]}))
    assert updated.table.loc[[40, 50], "rock"].tolist() == wrong.tolist()
    pd.testing.assert_frame_equal(filled.table, before)
    pd.testing.assert_frame_equal(filled.probabilities, p)
    assert not updated.probabilities["rock"].equals(p["rock"])
    assert updated.probabilities["sad"].equals(p["sad"])
    assert set(updated.suspects["item"]) >= {"s40", "s50"}
    assert updated.expected_errors.shape == filled.expected_errors.shape


def test_updates_add_up_and_one_note_counts_all_entries(filled):
    one, two = answers(rock={"s40": 1}), answers(rock={"s41": 0}, sad={"s40": 1})
    twice, once = filled.update(one).update(two), filled.update(pd.concat([one, two]))
    np.testing.assert_array_equal(twice.probabilities, once.probabilities)
    assert [note for note in twice.notes if note.endswith(NOTE)] == [f"3 entries {NOTE}"]
    assert filled.update(one.head(0)).probabilities.equals(filled.probabilities)


def test_answers_that_depend_on_the_value_do_not_calibrate(filled):
    asked = answers(rock={"s40": 1, "s41": 0}).assign(why=["suspects", "uncertain"])
    calibrates = filled.update(asked).update(answers(sad={"s40": 1})).evidence.fit.calibrate_on
    assert np.argwhere(~calibrates).tolist() == [[40, 0]]


def test_answers_that_only_a_new_fit_can_learn_name_the_way_on(filled):
    X, Y = np.arange(24.0)[:, None], np.where(np.arange(24) % 3 == 1, np.nan, np.arange(24) > 11)
    answer = pd.DataFrame({"item": [1], "label": ["late"], "answer": [1]})
    frame = pd.DataFrame(X, columns=["hour"]).assign(late=Y)
    prior = frame[["hour"]].assign(late=0.5)
    with pytest.raises(ValueError, match=r"the fit has a prior, .* complete\(\.\.\., answers=answers"):
        hl.complete(frame, labels=["late"], effort="fast", prior=prior[["late"]]).update(answer)
    never = filled.evidence.opened.frame.assign(live=np.where(np.arange(60) < 30, 0, np.nan))
    known = hl.complete(never, labels=["rock", "live"], id="id", effort="fast")
    with pytest.raises(ValueError, match=r"label 'live' is not in the last fit, .* complete\(\.\.\., answers=answers"):
        known.update(answers(live={"s40": 1}))


def test_a_method_without_an_update_names_the_way_on():
    X = np.arange(12.0)[:, None]
    y = np.where(np.arange(12) % 3 == 1, np.nan, X[:, 0] > 5)
    filled = hl.complete(X, y, method=hl.VVMR())
    with pytest.raises(ValueError, match=r"VVMR has no update: .* complete\(\.\.\., answers=answers\)"):
        filled.update(pd.DataFrame({"item": [1], "label": filled.labels.names[0], "answer": [1]}))
