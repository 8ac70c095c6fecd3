"""The list of entries to check."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.completion.plain import make_evidence

from halflabel import PartialLabels
from halflabel.completion import Completion
from halflabel.completion.evidence import Evidence
from halflabel.evidence.doubts import rank_doubts
from halflabel.labels.calibration import fill_confident
from halflabel.labels.rules import Rule
from halflabel.table import OpenTable, open_table

pytestmark = pytest.mark.usefixtures("one_member")

Y = [[1, 0], [0, None], [None, None], [1, 1], [0, 0], [None, 1]]
P = np.array([[0.9, 0.1], [0.2, 0.06], [0.97, 0.6], [0.05, 0.8], [0.6, 0.3], [0.02, 0.7]])


def open_songs(**columns) -> OpenTable:
    frame = pd.DataFrame({"song": [f"s{i}" for i in range(6)], "tempo": [9.5, 2.0, 1.25, 4.5, 5.5, 8.5]})
    if not columns:
        frame[["rock", "sad"]] = Y
        columns = {"labels": ["rock", "sad"]}
    else:
        frame["tags"] = ["rock", "sad", None, "rock;sad", "", "sad"]
    return open_table(frame, id="song", **columns)


class Exact(Evidence):
    """Evidence with exact probabilities, so that none is lowered."""

    def fill_at(self, precision):
        return fill_confident(np.where(self.labels.observed, np.nan, P), precision)


def complete(opened: OpenTable, **changes) -> Completion:
    """Return a completion with given probabilities."""
    model = SimpleNamespace(
        label_probabilities_=P,
        out_of_fold_scores_=P,
        transduction_=(P >= 0.5).astype(float),
        thresholds_=np.full(2, 0.5),
        resolve_rule=lambda: Rule("probable"),
        decompose=lambda rows, labels: {"score": logit(P[rows])},
        find_carriers=lambda *entry: {},
    )
    return Completion(make_evidence(opened, model, Exact, **changes))


def entries(review: pd.DataFrame) -> list[tuple[str, str, str]]:
    return list(review[["item", "label", "reason"]].itertuples(index=False, name=None))


class TestReview:
    def test_doubtful_entries_and_uncertain_values_by_the_use_of_an_answer(self):
        review = complete(open_songs()).review()
        assert entries(review) == [
            ("s2", "sad", "uncertain value: answer helps"),  # filled as relevant, wrong with 0.4
        ]
        assert review["given"].tolist() == [pd.NA]
        assert review["suggested"].tolist() == [1]
        assert review["probability"].tolist() == [0.6]
        assert review["answer"].isna().all()

    def test_entries_that_stay_empty_are_undecided(self):
        review = complete(open_songs(), min_precision=0.99).review()
        undecided = review[review["reason"] == "undecided"]
        assert undecided[["item", "label"]].to_numpy().tolist()[0] == ["s2", "sad"]
        assert undecided["suggested"].iloc[0] == 1
        assert "uncertain value: answer helps" not in set(review["reason"])

    def test_positive_only_entries_are_kept_apart(self):
        opened = open_songs(tags="tags", absent="unknown", empty="none")
        annotated = np.array([True] * 5 + [False])
        opened = replace(opened, labels=replace(opened.labels, annotated=annotated))
        filled = complete(opened)
        reasons = {(item, label): reason for item, label, reason in entries(filled.review())}
        assert reasons[("s2", "sad")] == "probably a missing positive"
        assert set(reasons.values()) <= {"probably a missing positive", "undecided", "not annotated"}
        assert ("s0", "rock") not in reasons  # assigned labels are taken to be right

    def test_one_reason_alone(self):
        review = complete(open_songs(), min_precision=0.99).review(reason="undecided")
        assert set(review["reason"]) == {"undecided"}
        assert complete(open_songs()).review(reason="undecided").empty

    def test_rows_are_bounded_and_columns_are_shown(self):
        review = complete(open_songs()).review(1, show=["tempo"])
        assert review["tempo"].tolist() == [1.25]


GAP = np.nan


def list_ranked(labels, p, state, learned=None) -> list[tuple[int, int, int, str, float]]:
    """Return (position, column, suggested, reason, gain) of the entries to check."""
    ranked = rank_doubts(labels, np.array(state), np.asarray(p), np.asarray(p if learned is None else learned))
    assert ranked.columns.tolist() == ["position", "column", "suggested", "reason", "gain"]
    return [(*row[:4], round(row[4], 9)) for row in ranked.itertuples(index=False, name=None)]


class TestRanking:
    def test_filled_values_that_may_be_wrong_and_undecided_entries(self):
        labels = PartialLabels.from_table([[GAP] * 4, [GAP] * 4, [1, GAP, GAP, GAP]])
        p = np.array([[0.95, 0.1, 0.85, 0.05], [0.6, 0.02, 0.5, 0.09], [0.99, 0.3, 0.65, 0.01]])
        state = [[1, -1, 1, -1], [0, 0, 0, -1], [1, 1, -1, -1]]
        assert list_ranked(labels, p, state) == [
            (2, 1, 1, "uncertain value: answer helps", 0.7),  # a threshold below its probability
            (2, 2, -1, "uncertain value: answer helps", 0.65),
            (1, 2, 1, "undecided", 0.5),
            (1, 0, 1, "undecided", 0.4),
            (0, 2, 1, "uncertain value: answer helps", 0.15),
            (0, 1, -1, "uncertain value: answer helps", 0.1),  # as probable as an entry must be
            (1, 1, -1, "undecided", 0.02),
        ]

    def test_a_given_value_is_listed_if_it_is_more_probably_wrong_than_right(self):
        labels = PartialLabels.from_table([[1.0], [0.0], [1.0], [0.0], [1.0], [0.0]] * 4)
        p = np.array([[0.9], [0.1], [0.4], [0.4], [0.9], [0.1]] * 4)
        p[:2] = [[0.01], [0.99]]
        listed = [row[:4] for row in list_ranked(labels, p, labels.state)]
        assert sorted(listed) == [(0, 0, -1, "given value is doubtful"), (1, 0, 1, "given value is doubtful")]

    def test_missing_positives_are_sorted_by_the_probability_of_being_assigned(self):
        """Probabilities of being relevant are cut at a maximum, and equal there."""
        labels = PartialLabels.from_positives([[1, 0, 0, 0, 0], [GAP] * 5])
        p = np.array([[0.9, 0.99, 0.99, 0.3, 0.55], [0.95, 0.9, 0.6, 0.91, 0.1]])
        learned = np.array([[0.9, 0.7, 0.8, 0.2, 0.3], [0.8, 0.7, 0.5, 0.75, 0.05]])
        state = [[1, 1, 1, -1, 0], [1, 1, 1, 1, 0]]
        assert list_ranked(labels, p, state, learned) == [
            (0, 2, 1, "probably a missing positive", 0.99),
            (0, 1, 1, "probably a missing positive", 0.99),
            (0, 4, 1, "undecided", 0.45),
            (1, 2, 1, "not annotated", 0.4),
            (1, 4, -1, "undecided", 0.1),
        ]

    @pytest.mark.parametrize(("p", "listed"), [(0.1, True), (0.09, False)])
    def test_an_item_that_is_not_annotated_is_listed_where_it_is_uncertain(self, p, listed):
        labels = PartialLabels.from_positives([[1], [GAP]])
        assert bool(list_ranked(labels, np.array([[0.9], [p]]), [[1], [-1]])) == listed
