"""LinearSVM: C by cross-validation, whatever the classes hold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.parameters import check_parameters

from halflabel.methods.baselines import LinearSVM


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


def test_one_class_raises(rng):
    with pytest.raises(ValueError, match="only one class"):
        LinearSVM().fit(rng.normal(size=(5, 2)), np.ones(5))


def test_parameters_are_those_of_the_docstring():
    check_parameters(LinearSVM())
