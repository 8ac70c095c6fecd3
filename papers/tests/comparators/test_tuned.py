"""The best of several settings, by its out-of-fold scores."""

from __future__ import annotations

import numpy as np
from papers.tests.positives_models import make
from sklearn.base import clone

from halflabel.labels import PartialLabels
from halflabel_papers.comparators import EPR
from halflabel_papers.comparators.tuned import Tuned


def test_the_chosen_setting_is_the_one_that_held_out_items_prefer():
    """A weight that shrinks all weights to nothing loses, wherever it stands in the grid, and the model is the best."""
    data = make(np.random.default_rng(0))
    labels = PartialLabels.from_positives(data.Y.values())
    for weights in ([1.0, 1e-9], [1e-9, 1.0]):
        tuned = Tuned(EPR(n_folds=2), {"C": weights}).fit(data.X, labels)
        assert tuned.setting_ == {"C": 1.0}
        alone = EPR(n_folds=2, C=1.0).fit(data.X, labels)
        np.testing.assert_array_equal(tuned.label_scores_, alone.label_scores_)
        np.testing.assert_array_equal(tuned.predict(data.X[:5]), alone.predict(data.X[:5]))
    assert not hasattr(clone(tuned), "transduction_")
