"""A new tag that is taken back through an old archive."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.completion.test_mixed import make_archive

import halflabel as hl
from halflabel.completion.new_tag import NewTag

LABELS = ["bill", "paid", "tax"]


def open_archive(**options):
    table, true, given = make_archive(n=500, n_given=15)
    return hl.open_table(table, labels=LABELS, positive_only="tax", **options), true, given


def fit(task, opened):
    task.take_fit(hl.complete(opened, answers=task.answers, effort="fast"))


def answer(task, true, n=20):
    questions = task.next(n)
    rows = task.opened.index.get_indexer(questions["item"])
    task.answer(questions.assign(answer=true[rows].astype(int)))
    return questions


def test_the_tag_is_taken_back_and_proven():
    opened, true, given = open_archive()
    task = NewTag(opened, "tax", seed=1)
    fit(task, opened)
    assert not (task.tagged & ~given).any()
    assert task.frequency is None
    assert task.candidates["probability"].isna().all()
    assert not task.done
    answer(task, true)
    fit(task, opened)
    new = task.tagged & ~given
    assert new.sum() > 30
    assert true[new].mean() >= 0.9
    assert task.frequency.low <= 15 / true.sum() <= task.frequency.high
    for _ in range(6):
        if task.done:
            break
        answer(task, true)
        fit(task, opened)
    assert task.done
    assert not len(task.next())
    assert true[task.tagged].mean() >= 0.95
    assert task.certify()["max_errors"] <= 0.05 * (task.tagged & ~given).sum()
    table = task.completion.table
    assert table[["bill", "paid"]].astype(int).equals(opened.frame[["bill", "paid"]].astype(int))
    assert (table["tax"] == 1).sum() == task.tagged.sum()
    rejected = task.candidates.set_index("item")["tagged"] == "rejected"
    assert (table.loc[rejected[rejected].index, "tax"] == 0).all()


def test_without_a_signal_few_items_get_it():
    opened, _, _ = open_archive()
    noise = np.random.default_rng(3).random(500) < 0.1
    task = NewTag(opened, "tax", seed=1)
    fit(task, opened)
    for _ in range(2):
        answer(task, noise)
        fit(task, opened)
    assert task.tagged.sum() - 15 <= 0.1 * 500


def test_other_labels_raise():
    opened, _, _ = open_archive()
    for tag in ("bill", "unknown"):
        with pytest.raises(ValueError, match="is not a positive-only label"):
            NewTag(opened, tag)


@pytest.mark.parametrize(("value", "sentence"), [(np.nan, "no item has the tag"), (1.0, "every item has the tag")])
def test_a_tag_of_no_item_or_of_all_raises(value, sentence):
    table, _, _ = make_archive(n=60, n_given=5)
    with pytest.raises(ValueError, match=sentence):
        NewTag(hl.open_table(table.assign(tax=value), labels=LABELS, positive_only="tax"), "tax")


def test_the_command_goes_from_pairs_to_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, true, _given = make_archive(n=300, n_given=15)
    pd.DataFrame(table[["a", "b", "c", "d"]]).rename_axis("doc").reset_index().to_csv("docs.csv", index=False)
    pairs = table[LABELS].rename_axis("doc").reset_index().melt("doc", var_name="tag").query("value == 1")
    pairs[["doc", "tag"]].to_csv("pairs.csv", index=False)
    command = ["new-tag", "docs.csv", "--id", "doc", "--set", "pairs=pairs.csv", "--set", "on=doc",
               "--absent", "irrelevant", "--set", "empty=none", "--tag", "tax", "--effort", "fast"]  # fmt: skip
    result = run(*command)
    assert "15 items have it" in result.output
    questions = pd.read_csv("docs.questions.csv")
    assert len(questions) == 20
    assert len(pd.read_csv("docs.candidates.csv")) == 285
    assert not {"probability", "suggested"} & set(questions)  # they would bias the answer
    truth = pd.Series(true.astype(int), table.index)
    questions.assign(answer=questions["item"].map(truth)).to_csv("answers.csv", index=False)
    run(*command, "--answers", "answers.csv")
    candidates = pd.read_csv("docs.candidates.csv")
    assert {"confirmed", "rejected", "chosen"} <= set(candidates["tagged"].dropna())
    assert json.loads((tmp_path / "docs.certificate.json").read_text())["population"] == "relevant"


def test_a_broken_answer_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, _, _ = make_archive(n=120, n_given=15)
    table.rename_axis("doc").reset_index().to_csv("docs.csv", index=False)
    command = ["new-tag", "docs.csv", "--id", "doc", "--labels", ",".join(LABELS), "--tag", "tax", "--effort", "fast"]
    assert "so that no question was asked" in run(*command, "--answers", "docs.csv").output
    run(*command)
    questions = pd.read_csv("docs.questions.csv").assign(answer="maybe")
    questions.to_csv("answers.csv", index=False)
    assert "write 1 or yes, 0 or no" in run(*command, "--answers", "answers.csv").output
    assert "tx" in run(*command[:-3], "tx").output


def test_the_label_frequency_is_asked_for():
    table, true, given = make_archive(n=250, n_given=40)
    options = {"labels": LABELS, "positive_only": "tax", "observed_rate": "ask", "effort": "fast"}
    truth, answers = pd.Series(true.astype(int), table.index), None
    for _ in range(3):
        filled = hl.complete(table, **options, answers=answers)
        questions = filled.ask_frequency(20)
        assert questions["chance"].between(0, 1, inclusive="right").all()
        assert not set(questions["item"]) & set(table.index[given])
        answered = questions.assign(answer=questions["item"].map(truth))
        answers = answered if answers is None else pd.concat([answers, answered])
        assert not answers["item"].duplicated().any()
    assert (filled.state[:, 2] != 0).all()  # filled in by the estimate of 40 answers
    filled = hl.complete(table, **options, answers=answers)
    row = filled.evidence.asked_frequency.table.iloc[0]
    assert (row["assigned"], row["answers"]) == (40, 60)
    assert row["low"] <= 40 / true.sum() <= row["high"]
    assert "60 answers" in filled.notes[0]
    found = (filled.state[:, 2] > 0) & ~given
    assert true[found].mean() > 0.7


def test_without_answers_nothing_is_filled():
    table, _, given = make_archive()
    filled = hl.complete(table, labels=LABELS, positive_only="tax", observed_rate="ask", effort="fast")
    assert not (filled.state[~given, 2] != 0).any()
    assert "there are 0" in filled.notes[0]


def test_assigned_tags_of_a_whole_table_are_asked_together():
    table, _, _ = make_archive(n=300, n_given=40)
    assigned = table.drop(columns="tax")
    rng = np.random.default_rng(0)
    true = assigned[["bill", "paid"]].copy()
    assigned[["bill", "paid"]] = true.where(rng.random(true.shape) < 0.6, 0)
    answers = None
    for _ in range(3):
        filled = hl.complete(assigned, labels=["bill", "paid"], absent="unknown", empty="none", observed_rate="ask",
                             effort="fast", answers=answers)  # fmt: skip
        questions = filled.ask_frequency(20)
        given = [int(true.loc[item, label]) for item, label in zip(questions["item"], questions["label"], strict=True)]
        answers = pd.concat([*([] if answers is None else [answers]), questions.assign(answer=given)])
    shares = filled.evidence.asked_frequency.table
    assert shares["label"].tolist() == ["bill", "paid", "(all labels)"]
    assert shares.iloc[2]["low"] <= 0.6 <= shares.iloc[2]["high"]


def test_ask_is_for_complete_only():
    with pytest.raises(ValueError, match="observed_rate"):
        hl.AutoLabeler(observed_rate="ask").fit(np.eye(4), hl.PartialLabels.from_positives(np.eye(4)[:, :1]))
    table, _, _ = make_archive()
    with pytest.raises(ValueError, match="was not asked for"):
        hl.complete(table, labels=LABELS, positive_only="tax", effort="fast").ask_frequency()
