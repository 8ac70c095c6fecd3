"""No comparator depends on the order of the items: positive-only labels, other labels as features, projections."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel_papers.comparators import LPP, ROLE, FastTag, OtherLabels


@pytest.mark.parametrize("model", [FastTag(alpha=0.1, alpha_enrichment=1.0, n_folds=2), ROLE(n_folds=2)])
def test_positive_only_labels(model, rng):
    X, Y, _ = half_labelled(rng)
    labels, items = PartialLabels.from_positives(Y), rng.permutation(60)
    a, b = clone(model).fit(X, labels), clone(model).fit(X[items], labels[items])
    for name in ("label_scores_", "label_probabilities_", "transduction_"):
        np.testing.assert_array_equal(getattr(b, name), getattr(a, name)[items], err_msg=name)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_labels_as_features_of_other_labels(entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    items = rng.permutation(60)
    a, b = OtherLabels(n_folds=2).fit(X, Y), OtherLabels(n_folds=2).fit(X[items], Y[items])
    np.testing.assert_array_equal(b.label_probabilities_, a.label_probabilities_[items])


def test_a_projection(rng):
    X, _, complete = half_labelled(rng)
    X, items = X.round(), rng.permutation(60)
    a, b = LPP(2).fit(X, complete), LPP(2).fit(X[items], complete[items])
    np.testing.assert_allclose(b.transform(X), a.transform(X), rtol=1e-6, atol=1e-9)
