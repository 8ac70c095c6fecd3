"""What a filled entry rests on, what to check first, and whether labelled and unlabelled items differ."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halflabel.completion import evidence
from halflabel.labels import PartialLabels


def test_supporting_items_come_by_size_of_their_weight_observed_ones_first():
    weights = np.zeros((6, 6))
    weights[0, [1, 2, 3]] = [0.2, -0.5, 0.4]
    weights[4, 0] = 0.9  # the other direction counts too
    weights[3, 0] = 0.3
    labels = PartialLabels.from_table([[np.nan], [1], [0], [np.nan], [np.nan], [1]])
    table = evidence.find_supporting_items(0, 0, labels, sparse.csr_array(weights), 4)
    assert table["position"].tolist() == [2, 1, 4, 3]
    np.testing.assert_allclose(table["weight"], [-0.5, 0.2, 0.9, 0.7])
    assert table["given"].tolist() == [0, 1, pd.NA, pd.NA]
    assert evidence.find_supporting_items(0, 0, labels, sparse.csr_array(weights), 1)["position"].tolist() == [2]


def test_only_items_with_gaps_are_uncertain_and_the_sum_of_their_bits_decides():
    labels = PartialLabels.from_table([[1, 0], [np.nan, 1], [np.nan, np.nan], [np.nan, np.nan]])
    p = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.9], [0.5, 0.25]])
    table = evidence.rank_uncertain(labels, p)
    assert table["position"].tolist() == [3, 1, 2]
    assert table["unknown"].tolist() == [2, 1, 2]
    entropy = [-(q * np.log2(q) + (1 - q) * np.log2(1 - q)) for q in (0.25, 0.9)]
    np.testing.assert_allclose(table["bits"], [1 + entropy[0], 1, 2 * entropy[1]])


def test_drift_is_the_area_of_a_five_fold_classifier(rng, monkeypatch):
    X, y = rng.normal(size=(120, 3)), np.where(np.arange(120) < 50, 1.0, np.nan)
    X[:50, 0] += 2.0
    calls = []

    def record(model, X, target, cv, method):
        calls.append(list(cv.split(X, target)))
        return cross_val_predict(model, X, target, cv=cv, method=method)

    monkeypatch.setattr(evidence, "cross_val_predict", record)
    area = evidence.measure_drift(X, PartialLabels.from_table(y), rng)
    (folds,) = calls
    assert [len(test) for _, test in folds] == [24] * 5
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced", max_iter=200, tol=1e-3))
    scores, unlabelled = np.empty(120), np.isnan(y)
    for train, test in folds:
        scores[test] = model.fit(X[train], unlabelled[train]).decision_function(X[test])
    assert area == pytest.approx(roc_auc_score(unlabelled, scores))
    assert area > 0.8


@pytest.mark.parametrize(("n_labelled", "known"), [(19, False), (20, True)])
def test_drift_needs_twenty_items_of_each_kind(n_labelled, known, rng):
    y = np.where(np.arange(60) < n_labelled, 1.0, np.nan)
    area = evidence.measure_drift(rng.normal(size=(60, 2)), PartialLabels.from_table(y), rng)
    assert (area is not None) == known
