"""MaskedTargets: every target is fitted on the items where it is known, and shared where one copy takes several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import halflabel as hl


@pytest.fixture
def half(rng):
    X = rng.normal(size=(90, 4))
    truth = (X[:, :3] + 0.2 * rng.normal(size=(90, 3)) > 0).astype(float)
    return X, np.where(rng.random(truth.shape) < 0.4, np.nan, truth), truth


class Boosted(ClassifierMixin, BaseEstimator):
    """Stands for a classifier of another library: one label, and probabilities of shape (n_items, 2)."""

    def fit(self, X, y, sample_weight=None):
        assert np.isfinite(y).all()
        assert y.ndim == 1
        self.weight_, self.mean_, self.classes_ = sample_weight, y.mean(), np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.mean_, self.mean_], (len(X), 1))


@pytest.mark.parametrize(
    "classifier", [LogisticRegression(), KNeighborsClassifier(3), RandomForestClassifier(5, random_state=0)]
)
def test_a_target_with_gaps_is_a_fit_to_its_known_items(half, classifier):
    X, Y, _ = half
    p = hl.MaskedTargets(classifier).fit(X, Y).predict_proba(X)
    for j, column in enumerate(Y.T):
        known = ~np.isnan(column)
        alone = type(classifier)(**classifier.get_params()).fit(X[known], column[known].astype(int))
        np.testing.assert_array_equal(p[:, j], alone.predict_proba(X)[:, 1])


def test_targets_that_are_known_for_the_same_items_share_a_copy_if_it_takes_several(half):
    X, _, truth = half
    Y = truth.copy()
    Y[:30, :2] = np.nan
    network = MLPClassifier(max_iter=5, random_state=0)
    with pytest.warns(UserWarning, match="converge"):
        model = hl.MaskedTargets(network).fit(X, Y)
    assert sorted(columns.tolist() for columns, _ in model.estimators_) == [[0, 1], [2]]
    with pytest.warns(UserWarning, match="converge"):
        joint = MLPClassifier(max_iter=5, random_state=0).fit(X[30:], truth[30:, :2].astype(int))
    np.testing.assert_array_equal(model.predict_proba(X)[:, :2], joint.predict_proba(X))
    assert len(hl.MaskedTargets(LogisticRegression()).fit(X, Y).estimators_) == 3


@pytest.mark.parametrize("regressor", [LinearRegression(), RandomForestRegressor(5, random_state=0)])
def test_targets_of_a_regressor_are_numbers(half, regressor):
    X, Y, _ = half
    numbers = np.where(np.isnan(Y), np.nan, 10 * X[:, :3])
    model = hl.MaskedTargets(regressor).fit(X, numbers)
    assert not hasattr(model, "predict_proba")
    assert np.abs(model.predict(X) - 10 * X[:, :3]).mean() < (1e-9 if isinstance(regressor, LinearRegression) else 3)


def test_an_estimator_of_another_library_gets_plain_targets_and_its_weights(half):
    X, Y, _ = half
    model = hl.MaskedTargets(Boosted()).fit(X, Y, sample_weight=np.arange(90))
    np.testing.assert_allclose(model.predict_proba(X)[0], np.nanmean(Y, axis=0))
    for (column,), copy in model.estimators_:
        np.testing.assert_array_equal(copy.weight_, np.flatnonzero(~np.isnan(Y[:, column])))


def test_a_target_with_one_value_has_no_probability(half):
    X, Y, _ = half
    Y[:, 1] = np.where(np.arange(90) < 20, 1, np.nan)
    Y[:, 2] = np.nan
    model = hl.MaskedTargets(SVC()).fit(X, Y)
    assert np.isnan(model.decision_function(X)[:, 1:]).all()
    assert model.predict(X)[:, 1:].tolist() == [[1, 0]] * 90


def test_it_is_an_estimator_of_scikit_learn(half):
    X, Y, truth = half
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    model = hl.MaskedTargets(make_pipeline(StandardScaler(), LogisticRegression())).fit(pd.DataFrame(X), frame)
    assert model.target_names_ == ("a", "b", "c")
    flat = hl.MaskedTargets(LogisticRegression()).fit(X, Y[:, 0])
    assert flat.predict(X).shape == (90,)
    np.testing.assert_allclose(flat.predict_proba(X).sum(axis=1), 1)
    grid = {"estimator__C": [0.001, 1.0]}
    search = GridSearchCV(hl.MaskedTargets(LogisticRegression()), grid, scoring=hl.metrics.make_scorer("brier"), cv=3)
    assert search.fit(X, Y).best_params_ == {"estimator__C": 1.0}
    with pytest.raises(ValueError, match=r"holds 2"):
        hl.MaskedTargets(LogisticRegression()).fit(X, truth + 1)


@pytest.mark.parametrize("estimator", [LogisticRegression, None, 3])
def test_an_estimator_is_an_object_with_fit(half, estimator):
    with pytest.raises(TypeError, match=r"estimator is an object with fit, such as LogisticRegression\(\), not"):
        hl.MaskedTargets(estimator).fit(*half[:2])
