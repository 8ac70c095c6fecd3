"""Positive-only labels: what is measured where no entry is known to be irrelevant."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES

from halflabel import LowRankVVMR, PartialLabels
from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT, compare
from halflabel.evaluation.hiding import HiddenPositives, ranked_pairs
from halflabel.labels.metrics import macro_auc
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("one_member")

QUICK = LowRankVVMR(alpha=1e-2, knee=0.1, width=0.7, n_folds=3)


def missing_positives(rng, n=150, share=0.7):
    """Return features, positive-only labels of two items in three, and the truth."""
    X, _, truth = half_labelled(rng, n=n, n_labels=4)
    known = (truth > 0) & (rng.random(truth.shape) < share)
    table = np.where((np.arange(n) % 3 > 0)[:, None], known, np.nan)
    return X, PartialLabels.from_positives(table), truth > 0


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
    assert evaluate(open_table(X, Y), repeats=2, methods={DEFAULT: BinaryRelevance(), "rate": RATES}).warning == ""
