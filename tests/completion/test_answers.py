"""Answers of a person to a review table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from tests.completion.test_review_list import complete, entries, open_songs

import halflabel as hl
from halflabel.completion.answers import apply_answers, read_answers, select_calibrating
from halflabel.methods.baselines import BinaryRelevance

pytestmark = pytest.mark.usefixtures("one_member")

RATES = BinaryRelevance(DummyClassifier(strategy="prior"))


def answer(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "label", "answer"])


class TestAnswers:
    def test_they_replace_given_entries_and_fill_gaps(self):
        opened = open_songs()
        answers = read_answers(answer(["s3", "rock", "no"], ["s2", "sad", 1], ["s1", "sad", None]), opened)
        changed = apply_answers(opened, answers)
        assert changed.labels.state[3, 0] == -1
        assert changed.labels.state[2, 1] == 1
        assert changed.labels.annotated[2]
        assert (changed.labels.state != opened.labels.state).sum() == len(answers) == 2
        table = complete(changed).table
        assert table.loc[3, "rock"] == 0

    def test_a_tag_answered_with_no_leaves_its_cell(self):
        opened = open_songs(tags="tags", absent="irrelevant", empty="none")
        changed = apply_answers(opened, read_answers(answer(["s3", "rock", "0"], ["s0", "sad", "yes"]), opened))
        assert complete(changed).table["tags"].tolist()[:4] == ["rock;sad", "sad", "", "sad"]

    def test_positive_only_labels_stay_positive_only(self):
        opened = open_songs(tags="tags", absent="unknown", empty="none")
        changed = apply_answers(opened, read_answers(answer(["s3", "rock", 0], ["s2", "rock", 0]), opened))
        assert changed.labels.positive_only
        assert complete(opened).state[2, 0] == 1
        filled = complete(changed)
        assert filled.state[3, 0] == filled.state[2, 0] == -1
        assert ("s2", "rock") not in {row[:2] for row in entries(filled.review())}

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (["s9", "rock", 1], "item ids that are not in the table: 's9'"),
            (["s1", "rokc", 1], "labels that are not in the table: 'rokc'"),
            (["s1", "rock", "maybe"], "'maybe': write 1 or yes, 0 or no"),
        ],
    )
    def test_what_does_not_fit_is_named(self, row, message):
        with pytest.raises(ValueError, match=message):
            read_answers(answer(row), open_songs())

    def test_two_answers_about_one_entry(self):
        with pytest.raises(ValueError, match="answers yes and no about item 's1' and label 'rock'"):
            read_answers(answer(["s1", "rock", 1], ["s1", "rock", 0]), open_songs())

    def test_items_with_equal_ids(self):
        opened = replace(open_songs(), index=pd.Index(["same"] * 6))
        with pytest.raises(ValueError, match="distinct item ids, but 'same'"):
            read_answers(answer(["same", "rock", 1]), opened)

    def test_a_table_of_another_kind(self):
        with pytest.raises(ValueError, match="columns item, label and answer"):
            read_answers(pd.DataFrame({"item": [1]}), open_songs())


class TestCalibration:
    """Answers have the reason for their question; the first of the four entries is a given one."""

    def select(self, *reasons, column="why"):
        entries = (("s0", "rock"), ("s2", "rock"), ("s5", "rock"), ("s1", "sad"))
        table = answer(*([*entry, 1] for entry in entries)).assign(**{column: reasons})
        opened = open_songs()
        return select_calibrating(read_answers(table, opened), opened.labels)

    def test_entries_that_were_chosen_because_of_a_value_are_left_out(self):
        mask = self.select("wall", "wall", "uncertain", "random")
        assert np.argwhere(~mask).tolist() == [[2, 0]]  # the first one is observed whatever the reason is

    def test_reasons_of_a_review_table(self):
        mask = self.select("given value is doubtful", "undecided", None, "of my own", column="reason")
        assert np.argwhere(~mask).tolist() == [[1, 1], [5, 0]]

    def test_without_reasons_all_entries_calibrate(self):
        assert self.select("wall", "wall", "wall", "wall", column="because") is None
        assert self.select("random", "random", "random", "random") is None
        assert select_calibrating(None, open_songs().labels) is None

    def test_the_mask_of_the_user_counts_too(self):
        opened = open_songs()
        table = answer(["s2", "rock", 1], ["s5", "rock", 0]).assign(why=["wall", "random"])
        asked = np.ones(opened.labels.shape, dtype=bool)
        asked[0] = False
        filled = hl.complete(opened, answers=table, calibrate_on=asked, effort="fast")
        assert np.argwhere(~filled.evidence.fit.calibrate_on)[:, 0].tolist() == [0, 0, 2]
        assert hl.complete(opened, answers=table, method=RATES).evidence.fit.calibrate_on is None  # no calibration


class TestAnswersInPython:
    @pytest.mark.parametrize("kind", [pd.DataFrame, "path", "records"])
    def test_a_review_table_is_an_argument(self, kind, tmp_path):
        table = answer(["s3", "rock", 0], ["s2", "sad", "yes"], ["s5", "rock", None])
        given = table
        if kind == "path":
            given = tmp_path / "review.csv"
            table.to_csv(given, index=False)
        if kind == "records":
            given = table.to_dict("records")
        filled = hl.complete(open_songs(), answers=given, method=RATES)
        assert filled.labels.state[3, 0] == -1
        assert filled.labels.state[2, 1] == 1
        assert filled.labels.state[5, 0] == 0
        assert "2 answers of the review table used." in filled.notes

    def test_a_missing_positive_that_was_answered_with_no_stays_out(self):
        opened = open_songs(tags="tags", absent="unknown")
        filled = hl.complete(opened, answers=answer(["s1", "rock", 0]), effort="fast")
        assert filled.state[1, 0] == -1
        assert (filled.labels.state < 0).sum() == 1
        assert filled.model.transduction_[1, 0] == 0
        assert not filled.model.assume(0.5).filled[1, 0]
