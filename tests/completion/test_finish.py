"""finish(): questions, answers, a journal that can be resumed, the delivered table, and each wrong input."""

import json

import numpy as np
import pandas as pd
import pytest

from halflabel._ledger import Ledger
from halflabel.completion import complete
from halflabel.completion.finish import Task
from halflabel.completion.finish_journal import check_records, list_answers
from halflabel.evidence.certificate import verify
from halflabel.methods.auto import AutoLabeler

LABELS = ["rock", "sad", "live"]


@pytest.fixture(scope="module")
def case():
    """Return a half-labelled table, its truth, and its completion."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    truth = (X @ rng.normal(size=(4, 3)) + 0.4 * rng.normal(size=(120, 3)) > 0).astype(int)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(song=[f"s{i}" for i in range(120)])
    frame[LABELS] = np.where(np.arange(120)[:, None] < 50, truth, np.nan)
    filled = complete(frame, labels=LABELS, id="song", method=AutoLabeler("fast", members=("kernel",)))
    return frame, pd.DataFrame(truth, index=frame["song"], columns=LABELS), filled


def respond(questions, truth):
    return questions.assign(
        answer=[truth.loc[i, j] for i, j in zip(questions["item"], questions["label"], strict=True)]
    )


def finish(task, truth, n=15):
    """Answer until the task is done."""
    while not task.done:
        task.answer(respond(task.next(n), truth))
    return task


@pytest.mark.parametrize("population", ["all", "relevant"])
def test_a_task_ends_with_a_table_that_keeps_the_bound(case, population):
    frame, truth, filled = case
    task = finish(filled.finish(0.1, seed=1, population=population), truth)
    assert task.left == 0
    table = task.table.set_index("song")[LABELS]
    assert task.table.columns.equals(frame.columns)
    assert table[:50].equals(truth[:50])
    chosen = (table[50:] == 1) | (population == "all")
    wrong = ((table[50:] != truth[50:]) & chosen).to_numpy().sum()
    assert wrong <= task.bound * chosen.to_numpy().sum() <= 0.1 * chosen.to_numpy().sum()
    state = np.where(table == 1, 1, -1).astype(np.int8)
    assert verify(task.certificate, list(table.index), tuple(LABELS), state) == str(task.certificate)
    answers = task.answers.set_index(["item", "label"])["answer"]
    assert all(table.loc[entry] == value for entry, value in answers.items())


def test_a_random_question_shows_no_suggestion_and_an_uncertain_one_does(case):
    task = case[2].finish(0.1, seed=1)
    chosen = task.next(5)
    assert list(chosen.columns) == ["item", "label", "suggested", "probability", "why", "answer"]
    assert set(chosen["why"]) == {"most uncertain"}
    assert chosen[["suggested", "probability"]].notna().all(axis=None)
    assert task.next(5).equals(chosen)  # open questions come first
    task.draw(4)
    drawn = task.questions.query("why == 'random'")
    assert len(drawn) == 4
    assert drawn[["suggested", "probability", "answer"]].isna().all(axis=None)


def test_a_journal_goes_on_where_it_ended_in_each_state(case, tmp_path):
    frame, truth, filled = case
    path = tmp_path / "songs.jsonl"
    refit = complete(frame, labels=LABELS, id="song", method=AutoLabeler("fast", members=("kernel",), random_state=5))
    steps = [
        lambda task: task.next(6),
        lambda task: task.answer(respond(task.questions[:4], truth)),
        lambda task: task.answer(respond(task.questions, truth).assign(answer=lambda q: [None, *q["answer"][1:]])),
        lambda task: task.improve(refit),
        lambda task: task.draw(9),
        lambda task: task.answer(respond(task.questions, truth)),
        lambda task: task.certify(),
    ]
    for step in steps:
        task = filled.finish(0.1, journal=path)
        step(task)
        state = (task.bound, task.answered, task.certificate, task.questions.to_csv(), task.table.to_csv())
        task.close()
        again = Task(filled, max_error=0.1, journal=path)
        assert (again.bound, again.answered, again.certificate, again.questions.to_csv(), again.table.to_csv()) == state
        again.close()
    assert again.certificate["seed_from"] == "secrets"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record.get("op") for record in records][:3] == [None, "begin", "ask"]  # the seed is before the question
    assert len(list_answers(path)) == again.answered - 1  # without "not sure"


def test_a_fit_that_includes_the_answers_resumes_the_same_task(case, tmp_path):
    frame, truth, filled = case
    with_journal = {"journal": tmp_path / "j.jsonl"}
    task = filled.finish(0.1, **with_journal)
    task.answer(respond(task.next(12), truth))
    bound = task.bound
    task.close()
    method = AutoLabeler("fast", members=("kernel",))
    again = complete(frame, labels=LABELS, id="song", method=method, answers=task.answers).finish(0.1, **with_journal)
    assert (again.bound, again.answered) == (bound, 12)
    again.improve(again.filled)
    assert again.certificate["alpha"] == pytest.approx(0.05)
    again.close()


def test_an_answer_that_is_taken_back_is_in_the_journal_and_in_no_fit(case, tmp_path):
    _, truth, filled = case
    task = filled.finish(0.1, seed=2, journal=tmp_path / "j.jsonl")
    asked = task.next(6)
    task.answer(respond(asked, truth))
    task._state.take_back(task._state.entries.find(*asked.loc[2, ["item", "label"]]))
    state = (task.answered, len(task.answers), task.bound, task.next(1)["item"].tolist())
    assert state[:2] == (5, 5)
    assert state[3] == [asked.loc[2, "item"]]
    task.close()
    again = filled.finish(0.1, journal=tmp_path / "j.jsonl")
    assert (again.answered, len(again.answers), again.bound, again.next(1)["item"].tolist()) == state
    again.answer(respond(again.next(1), 1 - truth))  # another answer than before
    assert (again.answered, again.certificate["taken_back"], again.certificate["not_sure"]) == (6, 1, 0)
    again.close()


def test_not_sure_counts_as_wrong_until_it_is_answered(case):
    _, truth, filled = case
    task = filled.finish(0.1, seed=2)
    task.draw(30)
    right = respond(task.questions, truth)
    for empty in (None, np.nan, "?", ""):
        other = filled.finish(0.1, seed=2)
        other.draw(30)
        other.answer(right.astype(object).assign(answer=[empty, *right["answer"][1:]]))
        assert other.certificate["not_sure"] == 1
        before = other.bound
        other.answer(right)
        task.answer(right)
        assert other.bound == task.bound < before
        assert other.certificate["not_sure"] == 0


@pytest.mark.parametrize("n_unsure", [1, 4, 70])
def test_too_many_answers_of_not_sure_are_named_until_as_many_are_answered(case, n_unsure):
    """No further answer helps then, so that the number to go is never 0 before the task is done."""
    _, truth, filled = case
    task = filled.finish(0.0, seed=2, labels=["rock"])
    task.draw(70)
    right = respond(task.questions, truth)
    task.answer(right.astype(object).assign(answer=[*[None] * n_unsure, *right["answer"][n_unsure:]]))
    assert (task.done, task.left) == (False, n_unsure)
    assert repr(task).endswith(f'"Not sure" counts as wrong: answer {n_unsure} of {n_unsure} with yes or no.')
    task.answer(right[1:])
    assert (task.done, task.left) == (False, 1)
    task.answer(right)
    entry = task._state.entries.find(*right.loc[0, ["item", "label"]])
    task._state.take_back(entry)
    assert (task.done, task.left, "ot sure" in repr(task)) == (False, 1, False)
    task.answer(right[:1])
    assert (task.done, task.left, "ot sure" in repr(task)) == (True, 0, False)


def change(column, value):
    return lambda answers: answers.astype(object).assign(**{column: [value, *answers[column][1:]]})


#: Wrong answers, and the sentence about each.
WRONG = {
    "an entry that was not asked": (lambda a: a.assign(item=["s119", *a["item"][1:]], label="sad"), "were not asked"),
    "an item that does not exist": (change("item", "s999"), "no entry of the item 's999'"),
    "a label that does not exist": (change("label", "loud"), "label 'loud'"),
    "another word": (change("answer", "maybe"), "is 'maybe': write 1 or yes, 0 or no"),
    "a number": (change("answer", 2), "is 2: write 1 or yes"),
    "twice and different": (lambda a: pd.concat([a, a.assign(answer=1 - a["answer"])]), "two different answers"),
    "no column": (lambda a: a.drop(columns="answer"), "no column 'answer'"),
}


@pytest.mark.parametrize(("make", "sentence"), WRONG.values(), ids=WRONG)
def test_wrong_answers_are_one_sentence_and_nothing_is_lost(case, tmp_path, make, sentence):
    _, truth, filled = case
    task = filled.finish(0.1, seed=1, journal=tmp_path / "j.jsonl")
    asked = task.next(6)
    task.answer(respond(asked[:2], truth))
    before, bound = (tmp_path / "j.jsonl").read_bytes(), task.bound
    with pytest.raises(ValueError, match=sentence) as caught:
        task.answer(make(respond(asked[2:], truth)))
    assert str(caught.value).count("\n") == 0
    assert ((tmp_path / "j.jsonl").read_bytes(), task.bound, task.answered) == (before, bound, 2)
    with pytest.raises(ValueError, match=r"were answered with .* before: that answer stands"):
        task.answer(respond(asked[:2], 1 - truth))
    task.answer(respond(asked, truth))
    assert task.answered == 6
    task.close()


#: Damaged journals, and the sentence about each.
DAMAGED = {
    "another file": (lambda text: "item,label\n", "is not the journal of a finish"),
    "another answer": (lambda text: text.replace('"answers":[[', '"answers":[["0","x",1],['), "line 4: its digest"),
}


@pytest.mark.parametrize(("make", "sentence"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_journal_is_named_and_kept(case, tmp_path, make, sentence):
    _, truth, filled = case
    path = tmp_path / "j.jsonl"
    task = filled.finish(0.1, seed=1, journal=path)
    task.answer(respond(task.next(3), truth))
    task.close()
    path.write_text(make(path.read_text()))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=sentence):
        filled.finish(0.1, journal=path)
    assert path.read_bytes() == before


def test_a_journal_with_another_confidence_or_another_record_is_named(case, tmp_path):
    _, _, filled = case
    path = tmp_path / "j.jsonl"
    filled.finish(0.1, seed=1, journal=path).close()
    with pytest.raises(ValueError, match=r"about confidence 0\.95, not 0\.9"):
        filled.finish(0.1, confidence=0.9, journal=path)
    with Ledger(path, "finish") as ledger:
        ledger.append([{"op": "erase"}])
    with pytest.raises(ValueError, match="line 3: it is not a record"):
        filled.finish(0.1, journal=path)


@pytest.mark.parametrize(
    "answers", ["s1", {"s1": 1}, [["s1", "rock"]], ["s1"], [["s1", "rock", 2]], [["s1", 5, 1]], [["s1", "rock", 1, 1]]]
)
def test_damaged_answers_of_a_journal_are_named(answers):
    with pytest.raises(ValueError, match=r"j\.jsonl, line 2: it is not a record of a finish"):
        check_records([{"op": "answer", "answers": answers}], "j.jsonl")


def test_a_journal_that_was_cut_is_whole_up_to_its_last_line(case, tmp_path):
    _, truth, filled = case
    path = tmp_path / "j.jsonl"
    task = filled.finish(0.1, seed=1, journal=path)
    task.answer(respond(task.next(3), truth))
    task.close()
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (len(whole) - 1, len(whole) - len(lines[-1]) + 1, len(whole) - len(lines[-1]) - 1):
        path.write_bytes(whole[:cut])
        again = filled.finish(0.1, journal=path)
        assert any("cut off by a crash" in note for note in again.notes)
        assert again.answered == 0
        again.close()


def test_another_table_or_another_fit_is_named(case, tmp_path):
    frame, _, filled = case
    path = tmp_path / "j.jsonl"
    task = filled.finish(0.1, journal=path)
    task.draw(3)
    with pytest.raises(ValueError, match="is open in another finish"):
        filled.finish(0.1, journal=path)
    task.close()
    changed = frame.copy()
    changed.loc[3, "rock"] = 1 - changed.loc[3, "rock"]
    method = AutoLabeler("fast", members=("kernel",))
    other = complete(changed, labels=LABELS, id="song", method=method)
    with pytest.raises(ValueError, match="given labels of the table have changed"):
        other.finish(0.1, journal=path)
    with pytest.raises(ValueError, match="another table than the task"):
        filled.finish(0.1).improve(other)
    short = complete(frame[5:], labels=LABELS, id="song", method=method)
    with pytest.raises(ValueError, match=r"no entry of the item|have changed"):
        short.finish(0.1, journal=path)


def test_the_order_of_the_items_changes_nothing(case, tmp_path):
    frame, truth, filled = case
    path = tmp_path / "j.jsonl"
    task = filled.finish(0.1, journal=path)
    task.draw(30)
    task.answer(respond(task.questions, truth))
    task.close()
    method = AutoLabeler("fast", members=("kernel",))
    turned = complete(frame[::-1], labels=LABELS, id="song", method=method).finish(0.1, journal=path)
    assert turned.bound == task.bound
    assert turned.table.set_index("song").loc[frame["song"]].equals(task.table.set_index("song"))
    turned.close()


def test_a_changed_model_delivers_the_frozen_values_and_is_named(case, tmp_path):
    frame, _, filled = case
    first = filled.finish(0.1, journal=tmp_path / "j.jsonl")
    frozen = first.table
    first.close()
    other = complete(frame, labels=LABELS, id="song", method=AutoLabeler("fast", members=("kernel",)), rule="micro_f1")
    assert not other.table.equals(frozen)
    again = other.finish(0.1, journal=tmp_path / "j.jsonl")
    assert again.table.equals(frozen)
    assert "differ from the values that the journal has frozen" in again.notes[0]
    again.close()


@pytest.mark.parametrize("wrong", [{"max_error": 1.5}, {"max_error": -0.1}, {"confidence": 0.4}, {"confidence": 1}])
def test_a_share_outside_its_bounds_is_named(case, wrong):
    with pytest.raises(ValueError, match=r"from 0 to 1|between 0\.5 and 1"):
        case[2].finish(**wrong)
