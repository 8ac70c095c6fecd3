"""Several reviewers: agreement, contested entries, the merged table."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.journal import open_journal
from halflabel.review_page.merging import find_contested, merge


def make_records(by, values, label="sad"):
    return [
        Record(n, "answer", by, "now", f"{by}{n}", {"item": item, "label": label, "value": value})
        for n, (item, value) in enumerate(values.items(), 1)
    ]


ANA = make_records("ana", {"a": 1, "b": 1, "c": 0, "d": 0, "e": 1, "f": None})
BEN = make_records("ben", {"a": 1, "b": 0, "c": 0, "d": 0, "f": 1, "g": 0})


def test_contested_entries_stay_open_and_agreement_is_beyond_chance():
    merged = merge([("ana", ANA), ("ben", BEN)])
    table = merged.answers.set_index("item")
    assert table.loc[["a", "c", "d", "e", "f", "g"], "answer"].tolist() == [1, 0, 0, 1, 1, 0]
    assert pd.isna(table.loc["b", "answer"])
    assert table["state"].value_counts().to_dict() == {"agreed": 3, "one reviewer": 3, "contested": 1}
    [row] = merged.agreement.to_dict("records")
    # Four entries are decided by both: three equal; chance is .5 * .25 + .5 * .75 = .5.
    assert (row["both"], row["equal"]) == (4, 0.75)
    assert row["kappa"] == pytest.approx(0.5)


def test_undone_answers_are_not_merged():
    undo = Record(7, "undo", "ana", "now", "u", {"of": 6})
    back = Record(8, "undo", "ana", "now", "v", {"of": 5})
    assert "e" not in set(merge([("ana", [*ANA, undo, back]), ("ben", BEN)]).answers["item"])


def test_the_same_reviewer_twice():
    with pytest.raises(ValueError, match="same reviewer"):
        merge([("ana", ANA), ("ana", ANA)])


def test_contested_entries_of_a_table():
    book = AnswerBook(["a", "b", "c"], ["sad", "rock"])
    assert np.argwhere(find_contested(book, [ANA, BEN])).tolist() == [[1, 0]]
    assert not find_contested(book, [ANA]).any()
    for record in make_records("me", {"a": 0}):
        book.apply(record)
    assert np.argwhere(find_contested(book, [ANA])).tolist() == [[0, 0]]


def test_the_command(tmp_path):
    paths = []
    for name, records in (("ana", ANA), ("ben", BEN)):
        paths.append(tmp_path / f"{name}.jsonl")
        with open_journal(paths[-1], {"by": name, "table": "t"}, AnswerBook([], []).apply) as journal:
            journal.append(record.to_dict() for record in records)
    output = tmp_path / "merged.csv"
    result = run("review", "merge", *paths, "-o", output)
    assert result.exit_code == 0, result.output
    assert "7 entries: 3 agreed, 1 contested, 3 one reviewer" in result.output
    assert list(pd.read_csv(output)) == ["item", "label", "answer", "state", "ana", "ben", "why"]
    assert run("review", "merge", paths[0]).exit_code == 2
    result = run("review", "merge", paths[0], paths[1], "-o", paths[0])
    assert result.exit_code == 1


def test_a_merged_table_keeps_the_reasons_of_the_questions():
    ana = [Record(r.n, r.op, r.by, r.at, r.key, {**r.body, "why": "uncertain"}) for r in ANA]
    ben = [Record(r.n, r.op, r.by, r.at, r.key, {**r.body, "why": "disagreement"}) for r in BEN]
    table = merge([("ana", ana), ("ben", ben)]).answers.set_index("item")
    assert table.loc[["a", "e", "g"], "why"].tolist() == ["disagreement", "uncertain", "disagreement"]
