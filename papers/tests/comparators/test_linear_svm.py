"""LinearSVM: C by cross-validation, whatever the classes hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from halflabel_papers.comparators import LinearSVM, linear_svm


@parametrize_with_checks([LinearSVM(n_folds=2)])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_it_chooses_as_grid_search_does(rng):
    X = rng.normal(size=(80, 6))
    y = X[:, 0] + 2 * rng.normal(size=80) > 0
    ours = LinearSVM().fit(X, y)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(LinearSVC(dual=False), {"C": list(ours.grid)}, cv=folds).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert ours.grid[int(np.argmax(scores))] == ours.C_
    assert np.array_equal(ours.predict(X), search.predict(X))


def test_a_single_item_of_a_class_takes_the_middle_of_the_grid(rng):
    X = rng.normal(size=(9, 2))
    y = np.arange(9) == 4
    assert LinearSVM().fit(X, y).C_ == 0.1


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "n_folds"), [(2, 7, 2), (7, 2, 2), (3, 9, 3), (9, 9, 5), (1, 8, None), (8, 1, None)]
)
def test_there_are_as_many_folds_as_the_smaller_class_has_items(n_positive, n_negative, n_folds, rng, monkeypatch):
    asked, split = [], StratifiedKFold
    monkeypatch.setattr(linear_svm, "StratifiedKFold", lambda n, **options: asked.append(n) or split(n, **options))
    y = np.arange(n_positive + n_negative) < n_positive
    LinearSVM().fit(rng.normal(size=(len(y), 2)), y)
    assert asked == ([] if n_folds is None else [n_folds])


def test_new_rows_have_the_features_of_the_fit_and_a_row_on_the_plane_is_not_relevant(rng):
    X = rng.normal(size=(8, 2))
    fitted = LinearSVM().fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    with pytest.raises(ValueError, match="3 features, but LinearSVM is expecting 2"):
        fitted.decision_function(np.zeros((1, 3)))
    assert fitted.n_features_in_ == 2
    fitted.svm_ = SimpleNamespace(decision_function=lambda X: np.array([-1.0, 0.0, 1e-9]))
    assert fitted.predict(np.zeros((3, 2))).tolist() == ["no", "no", "yes"]


def test_one_class_raises(rng):
    with pytest.raises(ValueError, match="only one class"):
        LinearSVM().fit(rng.normal(size=(5, 2)), np.ones(5))
