"""What is hidden of a user's own labels, and what a method is scored by on it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from halflabel import PartialLabels
from halflabel.evaluation.hiding import (
    HiddenEntries,
    HiddenPositives,
    Split,
    compare_f1,
    count_found,
    expected_f1,
    ranked_pairs,
    visible_share,
)
from halflabel.labels.metrics import METRICS, macro_auc, micro_f1
from halflabel.labels.positive_only import mark_unassigned

GAP = np.nan
Y = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1], [GAP, GAP, GAP]])
LABELS = PartialLabels.from_table(Y)


class TestEntries:
    def test_known_and_hidden_entries_make_up_the_labels(self, rng):
        split = HiddenEntries(LABELS, 0.5).hide(rng)
        assert not (split.known.observed & split.hidden.observed).any()
        np.testing.assert_array_equal(split.known.state + split.hidden.state, LABELS.state)
        assert split.hidden.observed.any(axis=1).sum() == 2
        assert HiddenEntries(LABELS).training_labels(None, split.known) is split.known

    def test_items_of_a_group_lose_their_labels_together(self, rng):
        groups = np.array([0, 0, 1, 1, 2])
        hidden = HiddenEntries(LABELS, 0.5, groups).hide(rng).hidden.observed.any(axis=1)
        assert hidden[0] == hidden[1] != hidden[2] == hidden[3]

    def test_the_scores_are_those_of_hidden_entries(self):
        known = LABELS.hide(np.arange(5)[:, None] >= 2)
        split = Split(known, LABELS.hide(known.observed))
        p, answer = np.full((5, 3), 0.4), np.array([[0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]])
        model = SimpleNamespace(label_probabilities_=p, transduction_=answer)
        values = HiddenEntries(LABELS).score(model, split)
        assert values["micro_f1"] == pytest.approx(2 * 2 / (3 + 3))
        assert values["expected_f1"] == pytest.approx(2 * 0.4 * 3 / (3 + 6 * 0.4))
        assert values["brier"] == METRICS["brier"].function(split.hidden, p)

    @pytest.mark.parametrize(
        ("labels", "groups", "sentence"),
        [
            (Y, None, "30% of the labelled items lost all their labels"),
            (Y, np.arange(5), "30% of the labelled items lost all their labels, groups as a whole"),
            (np.where(np.eye(5, 3) > 0, GAP, Y), None,
             "30% of the labelled items lost the entries that are missing in another item, chosen at random"),
        ],
    )  # fmt: skip
    def test_what_was_hidden_is_described(self, labels, groups, sentence):
        assert HiddenEntries(PartialLabels.from_table(labels), 0.3, groups).describe() == sentence

    def test_a_single_label_is_decided_by_the_ranking_of_items(self):
        assert HiddenEntries(LABELS).curve_metrics == ("average_precision", "micro_f1")
        assert HiddenEntries(PartialLabels.from_table(Y[:, :2])).decisive == "average_precision"
        assert HiddenEntries(PartialLabels.from_table(Y[:, 0])).curve_metrics == ("macro_auc", "micro_f1")

    def test_expected_and_measured_f1_are_means_over_the_repeats(self):
        records = pd.DataFrame({"expected_f1": [0.61, 0.59, 0.6], "micro_f1": [0.5, 0.52, 0.51]})
        found = HiddenEntries(LABELS).check_probabilities(records)
        assert "0.600 expected from its probabilities, 0.510 measured" in found
        assert "overconfident" in found
        assert "underconfident" in HiddenEntries(LABELS).check_probabilities(
            records.assign(expected_f1=[0.4, 0.42, 0.41])
        )

    def test_a_fifth_is_hidden_by_default(self):
        assert HiddenEntries(LABELS).share == HiddenPositives(LABELS).share == 0.2


class TestExpectation:
    def test_by_hand(self):
        hidden = PartialLabels.from_table([[1, 0, np.nan]])
        p = np.array([[0.8, 0.4, 0.9]])
        assert expected_f1(hidden, np.array([[1, 0, 1]]), p) == pytest.approx(2 * 0.8 / (1 + 1.2))

    def test_an_item_that_was_not_hidden_does_not_count(self):
        hidden = PartialLabels.from_table([[1], [GAP]])
        assert expected_f1(hidden, np.array([[0], [1]]), np.array([[0.7], [0.9]])) == 0

    def test_it_is_right_on_average_if_the_probabilities_are(self, rng):
        p = rng.random((20_000, 3)) ** 2
        truth = PartialLabels.from_table((rng.random(p.shape) < p).astype(float))
        answer = (p >= 0.4).astype(int)
        assert expected_f1(truth, answer, p) == pytest.approx(micro_f1(truth, answer), abs=0.01)
        too_sure = expit(2 * logit(p))
        assert expected_f1(truth, answer, too_sure) > micro_f1(truth, answer) + 0.05

    @pytest.mark.parametrize(
        ("difference", "low", "high", "sentence"),
        [
            (0.01, 0.005, 0.015, "The two agree"),
            (0.0299, 0.005, 0.055, "The two agree"),
            (0.0301, 0.005, 0.055, "overconfident"),
            (0.1, 0.0, 0.2, "may be due to chance"),
            (-0.1, -0.2, 0.0, "may be due to chance"),
            (0.1, 0.05, 0.15, "overconfident"),
            (-0.1, -0.15, -0.05, "underconfident"),
            (0.1, -0.1, 0.3, "may be due to chance"),
        ],
    )
    def test_its_sentence(self, difference, low, high, sentence):
        found = compare_f1(0.6 + difference, 0.6, low, high)
        assert sentence in found
        assert sum(other in found for other in ("agree", "overconfident", "underconfident", "chance")) == 1


def test_the_visible_share_is_that_of_a_count(rng):
    relevant = rng.random(400_000)
    assigned = relevant < 0.6
    hidden = assigned & (rng.random(len(relevant)) < 0.25)
    assert visible_share(0.6, 0.25) == pytest.approx(hidden.sum() / (hidden | ~assigned).sum(), rel=0.01)


def test_pu_f1_is_f1_on_average(rng):
    """With c known, hidden entries stand for all that are relevant and unknown."""
    truth = rng.random((3000, 20)) < 0.3
    filled = rng.random(truth.shape) < np.where(truth, 0.6, 0.1)
    assigned = truth & (rng.random(truth.shape) < 0.7)
    hidden = assigned & (rng.random(truth.shape) < 0.2)
    unknown = ~(assigned & ~hidden)
    found = count_found(unknown, hidden, visible_share(0.7, 0.2), filled)
    wanted, given = truth & unknown, filled & unknown
    assert found["pu_f1"] == pytest.approx(2 * (wanted & given).sum() / (wanted.sum() + given.sum()), rel=0.02)
    assert found["recall"] == pytest.approx(0.6, abs=0.02)
    lower = count_found(unknown, hidden, visible_share(None, 0.2), filled)["pu_f1"]
    assert lower < found["pu_f1"]


def test_pairs_leave_out_given_entries_and_unannotated_items():
    labels = PartialLabels.from_positives([[1, 1], [1, 0], [0, 0], [np.nan, np.nan], [0, 1]])
    known = labels.hide(np.array([[True, False], *[[False, False]] * 4]))
    assert ranked_pairs(known, labels.hide(known.observed).relevant).state.tolist() == [
        [1, 0],
        [0, -1],
        [-1, -1],
        [0, 0],
        [-1, 0],
    ]


class TestPositives:
    labels = PartialLabels.from_positives([[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [GAP] * 4])
    known = labels.hide(np.array([[True, False, False, False], [False, True, False, False]] + [[False] * 4] * 2))
    split = Split(known, labels.hide(known.observed))
    p = np.array([[0.5, 0.2, 0.6, 0.9], [0.1, 0.3, 0.8, 0.2], [0.7, 0.6, 0.4, 0.1], [0.9, 0.1, 0.9, 0.1]])

    def score(self, observed_rate=None, filled=None):
        """Score a method for positive-only labels, which fills the entries of a table."""
        assumed = SimpleNamespace(probabilities=self.p, filled=self.p >= 0.5 if filled is None else filled)
        rates = []
        model = SimpleNamespace(observed_rate=None, assume=lambda c: rates.append(c) or assumed)
        values = HiddenPositives(self.labels, 0.2, observed_rate).score(model, self.split)
        return values, rates

    def test_known_and_hidden_entries_make_up_the_labels(self, rng):
        split = HiddenPositives(self.labels, 0.5).hide(rng)
        np.testing.assert_array_equal(split.known.relevant ^ split.hidden.relevant, self.labels.relevant)
        assert 0 < split.hidden.relevant.sum() < 6

    def test_scores_by_hand(self):
        values, rates = self.score()
        assert rates == [None, None]
        assert values["above"] == macro_auc(ranked_pairs(self.known, self.split.hidden.relevant), self.p)
        assert values["recall"] == 0.5  # .5 was filled in, .3 was not
        assert values["filled"] == 2  # of annotated items and not assigned: .5 and .6 of the first
        assert values["pu_f1"] == pytest.approx(2 * 1 / (2 + 2))
        assert values["mean_rank"] == 1.5  # second of .5, .2, .6; first of .1, .3, .2
        none, _ = self.score(filled=np.zeros((4, 4), dtype=bool))
        assert (none["recall"], none["filled"]) == (0.0, 0)

    def test_the_label_frequency_falls_by_what_is_hidden(self):
        values, rates = self.score(0.5)
        assert rates[1] == pytest.approx(0.4)
        assert values["pu_f1"] == pytest.approx(2 * 1 / (visible_share(0.5, 0.2) * 2 + 2))

    def test_other_methods_learn_from_unassigned_entries_as_irrelevant(self):
        model = SimpleNamespace(label_probabilities_=np.clip(self.p, 0.01, 0.99))
        hiding = HiddenPositives(self.labels, 0.2, 0.5)
        learned = hiding.training_labels(model, self.known)
        np.testing.assert_array_equal(learned.state, mark_unassigned(self.known).state)
        assert not learned.positive_only
        values = hiding.score(model, self.split)
        assert values["above"] == macro_auc(ranked_pairs(self.known, self.split.hidden.relevant), self.p)

    def test_the_sentences(self):
        hiding = HiddenPositives(self.labels, 0.3)
        assert hiding.describe() == "30% of the assigned labels were hidden"
        assert hiding.check_probabilities(pd.DataFrame()) == ""
        assert "lower bound of F1" in hiding.warning
        assert "if 70% of them were assigned" in HiddenPositives(self.labels, 0.3, 0.7).warning
        assert hiding.curve_metrics == ()
