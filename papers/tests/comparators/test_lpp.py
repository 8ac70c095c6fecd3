"""LPP against the generalised eigenproblem with matrices of items by items."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles.projection import heat_graph, lpp
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from halflabel_papers.comparators import LPP


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([LPP(n_neighbors=3)])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def X(rng):
    return rng.normal(size=(50, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(50, 6)) + 2


def same_up_to_sign(W, expected):
    np.testing.assert_allclose(W * np.sign((W * expected).sum(axis=0)), expected, atol=1e-8)


@pytest.mark.parametrize("bandwidth", [None, 0.8, np.inf])
def test_directions_equal_the_oracle(bandwidth, X):
    model = LPP(4, n_neighbors=5, bandwidth=bandwidth).fit(X)
    values, W = lpp(X, 5, 4, bandwidth)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    same_up_to_sign(model.components_.T, W)


def test_directions_meet_the_constraint_and_the_objective(X):
    model = LPP(4, n_neighbors=5).fit(X)
    S = heat_graph(X, 5, None)
    V, degree = model.transform(X), S.sum(axis=1)
    V = V - np.average(V, axis=0, weights=degree)
    np.testing.assert_allclose(V.T @ (degree[:, None] * V), np.eye(4), atol=1e-9)
    torn = [0.5 * (S * (v[:, None] - v) ** 2).sum() for v in V.T]
    np.testing.assert_allclose(model.eigenvalues_, torn, rtol=1e-9)
    assert (np.diff(model.eigenvalues_) >= 0).all()


def test_features_that_repeat_or_stand_still_change_nothing(X):
    """Without the PCA step such directions have no objective at all, and would come first."""
    wide = np.column_stack([X, np.full(50, 3.0), np.zeros(50)])
    plain, padded = LPP(3, n_neighbors=5).fit(X), LPP(3, n_neighbors=5).fit(wide)
    np.testing.assert_allclose(padded.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(padded.components_, np.pad(plain.components_, [(0, 0), (0, 2)]), atol=1e-8)
    twice = LPP(3, n_neighbors=5, bandwidth=np.inf).fit(np.hstack([X, X]))
    once = LPP(3, n_neighbors=5, bandwidth=np.inf).fit(X)
    np.testing.assert_allclose(twice.components_[:, :6], once.components_ / 2, atol=1e-8)


def test_more_features_than_items_have_as_many_directions_as_items_vary_in(rng):
    X = rng.normal(size=(12, 30))
    assert np.isfinite(LPP(11, n_neighbors=3).fit_transform(X)).all()
    with pytest.raises(ValueError, match="between 1 and 11, the number of directions"):
        LPP(12, n_neighbors=3).fit(X)


@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_sparse_features_equal_dense_ones(shift, X):
    X = np.where(np.abs(X) < 1, 0, X + shift)
    dense, thin = (LPP(3, n_neighbors=5).fit(features) for features in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(thin.components_, dense.components_, atol=1e-9)
    np.testing.assert_allclose(thin.transform(sparse.csr_array(X)), dense.transform(X), atol=1e-9)


def test_an_item_without_edges_has_no_effect(X):
    """Its heat-kernel weights are 0 in floating point, so that its row of D is 0."""
    far = np.vstack([X, np.full((1, 6), 1e4)])
    plain, more = (LPP(3, n_neighbors=5, bandwidth=1.0).fit(features) for features in (X, far))
    np.testing.assert_allclose(more.components_, plain.components_, atol=1e-6)


def test_permuting_items_and_shifting_features_change_nothing(X, rng):
    base = LPP(3, n_neighbors=5).fit(X)
    for other in (X[rng.permutation(50)], X + 100):
        np.testing.assert_allclose(LPP(3, n_neighbors=5).fit(other).components_, base.components_, atol=1e-8)


def test_the_first_direction_separates_two_groups(rng):
    X = rng.normal(size=(60, 5))
    group = np.arange(60) % 2
    X[:, 3] += 30 * group
    first = LPP(1, n_neighbors=6, bandwidth=np.inf).fit_transform(X).ravel()
    assert first[group == 0].max() < first[group == 1].min()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bandwidth": 0.0}, r"bandwidth must be positive or None, not 0\.0"),
        ({"n_components": 7}, r"between 1 and 6, .* \(n_features=6\), not 7"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, X):
    with pytest.raises(ValueError, match=sentence):
        LPP(**settings).fit(X)


def test_items_that_are_all_alike_have_no_direction():
    with pytest.raises(ValueError, match="between 1 and 0"):
        LPP(1).fit(np.ones((5, 3)))
