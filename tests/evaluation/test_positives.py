"""Positive-only labels: what is measured where no entry is known to be irrelevant."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.conftest import half_labelled

from halflabel import LowRankVVMR, PartialLabels
from halflabel.completion.hiding import HiddenPositives, count_found, rank_hidden, ranked_pairs, visible_share
from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT, compare
from halflabel.labels.metrics import macro_auc
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("small_forests")

QUICK = LowRankVVMR(alpha=1e-2, knee=0.1, width=0.7, n_folds=3)


def missing_positives(rng, n=150, share=0.7):
    """Return features, positive-only labels of two items in three, and the truth."""
    X, _, truth = half_labelled(rng, n=n, n_labels=4)
    known = (truth > 0) & (rng.random(truth.shape) < share)
    table = np.where((np.arange(n) % 3 > 0)[:, None], known, np.nan)
    return X, PartialLabels.from_positives(table), truth > 0


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


def test_ranks_are_among_the_unknown_labels_of_the_item():
    p = np.array([[0.9, 0.5, 0.2, 0.1], [0.3, 0.3, 0.8, 0.3]])
    unknown = np.array([[False, True, True, True], [True, True, True, True]])
    hidden = np.array([[False, False, True, False], [True, False, False, False]])
    assert rank_hidden(p, unknown, hidden) == {"mean_rank": 2.5, "median_rank": 2.5}  # second; one of 2, 3, 4


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


def test_the_same_rule_decides_for_every_method(rng):
    X, labels, _ = missing_positives(rng)
    hiding = HiddenPositives(labels, 0.2, 0.7)
    split = hiding.hide(rng)
    known, hidden = split.known, split.hidden.relevant
    methods = {DEFAULT: QUICK, "rate": BinaryRelevance(DummyClassifier(strategy="prior"))}
    table = compare(methods, X, split, hiding)
    model = LowRankVVMR(alpha=1e-2, knee=0.1, width=0.7, n_folds=3, observed_rate=0.56).fit(X, known)
    row = table.loc[DEFAULT]
    assert row["recall"] == np.asarray(model.transduction_)[hidden].mean()
    assert row["filled"] == (np.asarray(model.transduction_) > 0)[known.annotated[:, None] & ~known.relevant].sum()
    assert row["above"] == macro_auc(ranked_pairs(known, hidden), model.assigned_probabilities_)
    assert table.loc["rate", "above"] == pytest.approx(0.5, abs=0.1)
    assert table.loc["rate", "recall_at_half"] < row["recall"]


@pytest.mark.parametrize("observed_rate", [None, 0.7])
def test_what_can_be_learned_beats_the_rate(rng, observed_rate):
    X, labels, _ = missing_positives(rng)
    result = evaluate(open_table(X, labels), repeats=3, effort="fast", observed_rate=observed_rate, curve=False)
    assert result.decisive == "above"
    assert result.summary.loc["rate of the label", "low"] > 0
    assert set(result.summary.index) >= {"LowRankVVMR", "logistic regression", "rate of the label"}
    assert result.pattern == "20% of the assigned labels were hidden."
    assert "Precision cannot be observed" in result.warning
    assert "pairs in order" in result.advice


def test_ordinary_labels_have_no_warning(rng):
    X, Y, _ = half_labelled(rng)
    assert evaluate(open_table(X, Y), repeats=2, effort="fast").warning == ""
