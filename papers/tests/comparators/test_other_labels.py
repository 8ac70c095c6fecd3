"""OtherLabels: predictions from the other labels of an item; a hidden entry never enters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from tests.conftest import half_labelled

from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_entries
from halflabel.labels.metrics import macro_auc
from halflabel.methods.baselines import BinaryRelevance
from halflabel_papers.comparators import OtherLabels


def nested(rng, n=120):
    """Three labels that follow from each other, and features without information."""
    z = rng.normal(size=n)
    Y = np.column_stack([z > -0.5, z > 0, z > 0.5]).astype(float)
    return rng.normal(size=(n, 3)), PartialLabels.from_table(Y)


def test_labels_that_follow_from_each_other_are_predicted_without_informative_features(rng):
    X, labels = nested(rng)
    known = hide_entries(labels, 0.3, rng)
    hidden = labels.hide(known.observed)
    other = macro_auc(hidden, OtherLabels().fit(X, known).label_probabilities_)
    alone = macro_auc(hidden, BinaryRelevance().fit(X, known).label_probabilities_)
    assert other > alone + 0.2


def test_out_of_fold_answers_never_see_their_own_entry(rng):
    """Turning an observed entry over leaves its own out-of-fold score at the same models' answer: no leak."""
    X, labels = nested(rng)
    model = OtherLabels()
    noise = PartialLabels.from_table(rng.integers(0, 2, labels.shape).astype(float))
    scores = model._out_of_fold(X, noise)
    assert abs(macro_auc(noise, scores) - 0.5) < 0.15
    fitted = model.fit(X, noise)
    assert macro_auc(noise, fitted.label_scores_) > 0.55  # the scores of fitted entries do


def test_one_label_alone_is_binary_relevance(rng):
    X, Y, _ = half_labelled(rng, n_labels=1)
    ours, plain = OtherLabels().fit(X, Y), BinaryRelevance().fit(X, Y)
    assert np.allclose(ours.label_scores_, plain.label_scores_, atol=1e-6)


def test_new_items_come_without_other_labels(rng):
    X, labels = nested(rng)
    model = OtherLabels().fit(X, labels)
    assert model.predict_proba(X[:5]).shape == (5, 3)
    assert np.array_equal(model.predict(X[:5]), model.predict(X[:9])[:5])


@pytest.mark.parametrize("entries", [False, True])
def test_the_hidden_value_of_an_unknown_entry_changes_nothing(rng, entries):
    X, Y, complete = half_labelled(rng, entries=entries)
    observed = ~np.isnan(Y)
    one, other = (PartialLabels.from_observed(np.where(observed, complete, v), observed) for v in (0.0, 1.0))
    one, other = OtherLabels().fit(X, one), OtherLabels().fit(X, other)
    assert np.array_equal(one.label_probabilities_, other.label_probabilities_)


def test_gaps_in_features_are_the_classifiers_affair(rng):
    X, labels = nested(rng, n=60)
    X[3, 1] = np.nan
    assert OtherLabels(HistGradientBoostingClassifier(max_iter=5), n_folds=2).fit(X, labels).label_scores_.shape == (
        60,
        3,
    )
    with pytest.raises(ValueError, match="contains NaN"):
        OtherLabels().fit(X, labels)
