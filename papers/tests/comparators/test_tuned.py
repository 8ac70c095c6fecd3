"""The best of several settings, by its out-of-fold scores."""

from __future__ import annotations

import numpy as np
from papers.tests.positives_models import make
from sklearn.base import BaseEstimator, clone

from halflabel.labels import PartialLabels
from halflabel_papers.comparators import EPR, LEML
from halflabel_papers.comparators.tuned import Tuned


def test_the_chosen_setting_is_the_one_that_held_out_items_prefer():
    """A weight that shrinks all weights to nothing loses, wherever it stands in the grid, and the model is the best."""
    data = make(np.random.default_rng(0))
    labels = PartialLabels.from_positives(data.Y.values())
    for weights in ([1.0, 1e-9], [1e-9, 1.0]):
        tuned = Tuned(EPR(n_folds=2), {"C": weights}, zero=0.5).fit(data.X, labels)
        assert tuned.setting_ == {"C": 1.0}
        alone = EPR(n_folds=2, C=1.0).fit(data.X, labels)
        np.testing.assert_array_equal(tuned.label_scores_, alone.label_scores_)
        np.testing.assert_array_equal(tuned.predict(data.X[:5]), alone.decision_function(data.X[:5]) >= 0.5)
    assert not hasattr(clone(tuned), "transduction_")


def test_each_threshold_has_its_own_choice_and_both_are_of_one_loss():
    """The signs of one model are all wrong and its ranks are perfect; those of the other are nearly right."""
    data = make(np.random.default_rng(1))

    class Shifted(BaseEstimator):
        def __init__(self, shift=0.0):
            self.shift = shift

        def fit(self, X, y):
            signs = np.where(y.relevant, 1.0, -1.0)
            noise = np.random.default_rng(0).normal(0, 0.0 if self.shift else 2.0, signs.shape)
            self.out_of_fold_scores_ = signs + noise + self.shift
            return self

        def decision_function(self, X):
            return np.full((len(X), 5), float(self.shift))

        def predict(self, X):
            return self.decision_function(X) >= 0

    tuned = Tuned(Shifted(), {"shift": [0.0, -5.0]}).fit(data.X, data.Y)
    assert (tuned.signed_.shift, tuned.best_.shift) == (0.0, -5.0)
    assert tuned.predict(data.X[:3]).all()
    assert (tuned.decision_function(data.X[:3]) == -5).all()


def test_an_estimator_that_chooses_by_itself_does_so_by_the_same_loss():
    """F1 prefers the rates of the labels, whose macro-AUC is one half; the sum prefers the right order of the items."""
    state = np.ones((20, 2), dtype=int)
    state[:2, 0] = state[2:, 1] = -1
    labels = PartialLabels.from_table(state > 0)
    held_out = [np.tile([1.0, 0.0], (20, 1)), state * 0.1 + [0.0, 1.0]]
    model = Tuned(LEML(n_folds=2)).fit(*make_problem()).best_
    assert model._choose(labels, held_out, [{"alpha": 0.0}, {"alpha": 1.0}]) == 1
    assert LEML()._choose(labels, held_out, [{"alpha": 0.0}, {"alpha": 1.0}]) == 0


def make_problem():
    data = make(np.random.default_rng(0))
    return data.X, data.Y
