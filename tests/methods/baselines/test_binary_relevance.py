"""Binary relevance against one classifier per label."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from tests.conftest import half_labelled, in_canonical_order
from tests.methods.parameters import check_parameters

from halflabel import PartialLabels
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.baselines.binary_relevance import fit_each, score_each
from halflabel.methods.model_selection import folds_of_labelled


def test_each_label_has_a_classifier_of_its_observed_items(rng):
    X, Y, _ = half_labelled(rng, n=40, entries=True)
    model = BinaryRelevance(n_folds=2).fit(X, Y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for j in range(3):
        rows = ~np.isnan(Y[:, j])
        alone = LogisticRegression(max_iter=1000).fit(Z[rows], Y[rows, j])
        np.testing.assert_allclose(model.decision_function(X)[:, j], alone.predict_proba(Z)[:, 1], atol=1e-4)


def test_items_of_a_fold_are_scored_by_classifiers_of_the_other_folds(rng):
    X, Y, _ = half_labelled(rng, n=40, entries=True)
    X, Y = in_canonical_order(X, Y)
    labels = PartialLabels.from_table(Y)
    model = BinaryRelevance(RidgeClassifier(), scale=None, n_folds=3, random_state=5).fit(X, Y)
    folds = folds_of_labelled(labels, 3, np.random.default_rng(5))
    expected = np.full(Y.shape, np.nan)
    Z = X - X.mean(axis=0)
    for fold in range(3):
        rest = (folds >= 0) & (folds != fold)
        for j in range(3):
            rows = rest & ~np.isnan(Y[:, j])
            if len(set(Y[rows, j])) == 2:
                alone = RidgeClassifier().fit(Z[rows], Y[rows, j])
                expected[folds == fold, j] = alone.decision_function(Z[folds == fold])
    expected[np.isnan(Y)] = np.nan
    np.testing.assert_allclose(model.out_of_fold_scores_, expected, atol=1e-8)


def test_a_label_with_one_value_has_no_classifier():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    labels = PartialLabels.from_table([[1, 0], [1, 1], [1, 0], [np.nan, 1]])
    fitted = fit_each(RidgeClassifier(), X, labels)
    assert fitted[0] is None
    scores = score_each(fitted, X)
    assert np.isnan(scores[:, 0]).all()
    np.testing.assert_array_equal(scores[:, 1], fitted[1].decision_function(X))


def test_a_probability_is_that_of_being_relevant():
    class Chance:
        def predict_proba(self, X):
            return np.column_stack([np.full(len(X), 0.75), np.full(len(X), 0.25)])

    assert score_each([Chance()], np.zeros((2, 1))).tolist() == [[0.25], [0.25]]


def test_parameters_are_those_of_the_docstring():
    check_parameters(BinaryRelevance())
