"""No method depends on the order of the items: samples, groups, priors, positive-only labels and transformers.

For the methods without any of these see ``test_estimators.py``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import half_labelled

from halflabel import MDDM, SSDRMC, AutoLabeler, LowRankVVMR, PartialLabels, SoftImputer
from halflabel.methods.auto import EFFORTS, CalibratedPrior

pytestmark = pytest.mark.usefixtures("small_forests")

gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


@pytest.fixture
def small_samples(monkeypatch):
    """Make every sample of AutoLabeler smaller than a test's data."""
    small = {"n_landmarks": 30, "max_nodes": 60, "max_tree_items": 40}
    monkeypatch.setitem(EFFORTS, "default", replace(EFFORTS["default"], n_trees=10, **small))
    monkeypatch.setattr("halflabel.methods.auto.boosting.MIXTURES", 3)
    monkeypatch.setattr("halflabel.methods.auto.trees.MIXTURES", 3)
    monkeypatch.setattr("halflabel.methods.auto.targets.MAX_ITEMS", 40)


@gaps
def test_samples_of_items_and_labels(small_samples, entries, rng):
    X, Y, _ = half_labelled(rng, n=150, n_labels=5, entries=entries)
    items, labels = rng.permutation(150), rng.permutation(5)
    a, b = AutoLabeler(n_folds=3).fit(X, Y), AutoLabeler(n_folds=3).fit(X[items], Y[items][:, labels])
    np.testing.assert_allclose(b.label_probabilities_, a.label_probabilities_[items][:, labels], rtol=1e-6)
    np.testing.assert_allclose(b.predict_proba(X), a.predict_proba(X)[:, labels], rtol=1e-6)
    np.testing.assert_allclose(b.weights_.toarray(), a.weights_.toarray()[np.ix_(items, items)], rtol=1e-9)


@gaps
@pytest.mark.parametrize(
    "model", [AutoLabeler("fast", n_folds=3), CalibratedPrior(n_folds=3)], ids=lambda m: repr(m)[:4]
)
def test_groups_and_prior(model, entries, rng):
    X, Y, complete = half_labelled(rng, entries=entries)
    X[::4] = X[1::4]
    groups, prior = rng.integers(25, size=60), np.clip(0.2 + 0.6 * complete + rng.normal(size=Y.shape) / 5, 0.01, 0.99)
    items, renamed = rng.permutation(60), np.array(list("zyxwvutsrqponmlkjihgfedcb"))
    a = clone(model).fit(X, Y, groups=groups, prior=prior)
    b = clone(model).fit(X[items], Y[items], groups=renamed[groups][items], prior=prior[items])
    np.testing.assert_array_equal(b.label_probabilities_, a.label_probabilities_[items])
    np.testing.assert_array_equal(b.transduction_, a.transduction_[items])


@pytest.mark.parametrize(
    "model",
    [
        AutoLabeler("fast", n_folds=2, observed_rate=0.7),
        LowRankVVMR(alpha=1e-2, knee=0.1, width=0.7, n_folds=2),
    ],
    ids=lambda m: repr(m)[:8],
)
def test_positive_only_labels(model, rng):
    X, Y, _ = half_labelled(rng)
    labels, items = PartialLabels.from_positives(Y), rng.permutation(60)
    a, b = clone(model).fit(X, labels), clone(model).fit(X[items], labels[items])
    for name in ("label_probabilities_", "assigned_probabilities_", "transduction_", "recovered_"):
        if hasattr(a, name):
            np.testing.assert_array_equal(getattr(b, name), getattr(a, name)[items], err_msg=name)
    if hasattr(a, "assume"):
        np.testing.assert_array_equal(b.assume(0.5).probabilities, a.assume(0.5).probabilities[items])


def test_a_graph_and_an_embedding(rng):
    X, Y, _ = half_labelled(rng)
    items, model = rng.permutation(60), SSDRMC(n_neighbors=6, n_components=2)
    a, b = clone(model).fit(X, Y), clone(model).fit(X[items], Y[items])
    np.testing.assert_array_equal(b.weights_.toarray(), a.weights_.toarray()[np.ix_(items, items)])
    np.testing.assert_array_equal(items[b.neighbors_], a.neighbors_[items])
    np.testing.assert_array_equal(b.embedding_.coordinates, a.embedding_.coordinates[items])
    np.testing.assert_array_equal(b.embedding_.component, a.embedding_.component[items])
    np.testing.assert_array_equal(b.transform(X), a.transform(X))
    rows = np.flatnonzero(a.weights_[[5]].toarray())
    assert set(rows) == set(a.neighbors_[5])


def test_an_imputer(rng):
    model = SoftImputer()
    X, _, _ = half_labelled(rng)
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    items = rng.permutation(60)
    a, b = clone(model).fit(X), clone(model).fit(X[items])
    np.testing.assert_allclose(b.transform(X), a.transform(X), rtol=1e-6)


def test_a_projection(rng):
    model = MDDM(1, kernel="rbf", max_landmarks=20)
    X, _, complete = half_labelled(rng)
    X, items = X.round(), rng.permutation(60)
    a, b = clone(model).fit(X, complete), clone(model).fit(X[items], complete[items])
    np.testing.assert_allclose(b.transform(X), a.transform(X), rtol=1e-6, atol=1e-9)


@gaps
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_order_of_the_features_changes_no_bit(convert, entries, rng):
    X, Y, _ = half_labelled(rng, n=150, n_labels=5, entries=entries)
    X = np.hstack([X, (rng.random((150, 30)) < 0.2) * 1.0])
    items, features = rng.permutation(150), rng.permutation(X.shape[1])
    a, b = AutoLabeler().fit(convert(X), Y), AutoLabeler().fit(convert(X[items][:, features]), Y[items])
    np.testing.assert_array_equal(b.label_probabilities_, a.label_probabilities_[items])
    np.testing.assert_array_equal(b.predict_proba(convert(X[:, features])), a.predict_proba(convert(X)))
    known = PartialLabels.from_table(Y[:1])
    rows = (a, X, 0), (b, X[:, features], int(np.flatnonzero(items == 0)[0]))
    pieces, moved = (m.find_carriers(convert(Z[:1]), known, 0, row) for m, Z, row in rows)
    assert moved.keys() == pieces.keys()
    for name in (name for name in pieces if pieces[name].features is not None):
        np.testing.assert_array_equal(moved[name].features, pieces[name].features[features])
