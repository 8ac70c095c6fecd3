"""Weights, components: against loops, and on awkward data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.propagation import mixed_weights, weights_of_row

from halflabel.numerics.graph import weights
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import (
    affinity,
    components,
    laplacian,
    normalise_alpha,
    reachable,
    reconstruction_weights,
    supported,
)


@pytest.mark.parametrize("ridge", [1e-3, 1.0])
def test_weights_equal_the_oracle(ridge, rng):
    X = rng.normal(size=(300, 4))  # more than one block
    indices, _ = neighbors(X, 6)
    W = reconstruction_weights(X, indices, ridge).toarray()
    for i in range(0, 300, 17):
        np.testing.assert_allclose(W[i, indices[i]], weights_of_row(X[i], X[indices[i]], ridge), atol=1e-9)
    np.testing.assert_allclose(W.sum(axis=1), 1)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9, 1.0])
def test_weights_of_features_and_scores_equal_the_oracle(alpha, rng):
    X, F = rng.normal(size=(70, 4)), rng.random((70, 3))  # more than one block
    indices, _ = neighbors(X, 5)
    W = reconstruction_weights(X, indices, 0.5, scores=F, alpha=alpha).toarray()
    own = np.take_along_axis(W, indices, axis=1)
    np.testing.assert_allclose(own, mixed_weights(X, F, indices, 0.5, alpha), atol=1e-9)


@pytest.mark.parametrize("alpha", [0.1, 0.6])
def test_a_share_in_raw_units_has_one_in_units_of_mean_traces(alpha, rng):
    X, F = 5 * rng.normal(size=(40, 4)), rng.random((40, 3))
    indices, _ = neighbors(X, 5)
    share = normalise_alpha(X, F, indices, alpha)
    raw = reconstruction_weights(X, indices, 0.5, scores=F, alpha=alpha, raw_units=True)
    normalised = reconstruction_weights(X, indices, 0.5, scores=F, alpha=share)
    np.testing.assert_allclose(raw.toarray(), normalised.toarray(), atol=1e-9)


@pytest.mark.parametrize("columns", [2**22, 24, 1])
def test_sparse_weights_equal_dense_ones(columns, monkeypatch, rng):
    monkeypatch.setattr(weights, "MAX_COLUMNS", columns)  # batches of 128 rows, of 3, and of a single one
    X = rng.normal(size=(150, 8)) * (rng.random((150, 8)) < 0.5)
    indices, _ = neighbors(X, 6)
    S = sparse.csr_array(X)
    np.testing.assert_allclose(
        reconstruction_weights(S, indices).toarray(), reconstruction_weights(X, indices).toarray(), atol=1e-9
    )
    F = rng.random((150, 3))
    np.testing.assert_allclose(
        reconstruction_weights(S, indices, scores=F, alpha=0.3).toarray(),
        reconstruction_weights(X, indices, scores=F, alpha=0.3).toarray(),
        atol=1e-9,
    )
    new = rng.normal(size=(7, 8))
    found, _ = neighbors(X, 6, query=new)
    np.testing.assert_allclose(
        reconstruction_weights(S, found, query=sparse.csr_array(new)).toarray(),
        reconstruction_weights(X, found, query=new).toarray(),
        atol=1e-9,
    )


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 1.0])
def test_coinciding_neighbours_share_the_weight(ridge):
    X = np.ones((8, 3))
    indices, _ = neighbors(X, 4)
    W = reconstruction_weights(X, indices, ridge)
    np.testing.assert_allclose(W.data, 0.25)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_weights_do_not_see_shift_turn_or_unit(seed, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    indices, _ = neighbors(X, k)
    W = reconstruction_weights(X, indices)
    moved = reconstruction_weights(3.7 * X @ turn + rng.normal(size=3), indices)
    np.testing.assert_allclose(moved.toarray(), W.toarray(), atol=1e-8)


def test_negative_mass_vanishes_with_the_ridge(rng):
    X = rng.normal(size=(200, 8))
    indices, _ = neighbors(X, 15)  # k > m: the local Gram matrices are singular
    masses = []
    for ridge in (1e-3, 1e-1, 1.0):
        weights = reconstruction_weights(X, indices, ridge).data
        masses.append(-weights[weights < 0].sum() / 200)
    assert masses[0] > masses[1] > masses[2]
    assert masses[2] < masses[0] / 10


def test_laplacian_by_hand():
    W = sparse.csr_array(np.array([[0, 2.0, 0], [2, 0, 0], [0, 0, 0]]))
    np.testing.assert_array_equal(laplacian(W).toarray(), [[2, -2, 0], [-2, 2, 0], [0, 0, 0]])
    np.testing.assert_allclose(laplacian(W, normalized=True).toarray(), [[1, -1, 0], [-1, 1, 0], [0, 0, 0]])


def test_affinity_is_symmetric_and_at_most_one(rng):
    indices, distances = neighbors(rng.normal(size=(30, 3)), 4)
    W = affinity(indices, distances)
    assert abs(W - W.T).max() == 0
    assert 0 < W.data.min() <= W.data.max() <= 1
    i, j = 0, indices[0, 0]
    assert W[i, j] == pytest.approx(np.exp(-(distances[0, 0] ** 2) / (2 * distances[:, -1].mean() ** 2)))


def test_a_component_without_observed_entries_has_no_support():
    X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    indices, _ = neighbors(X, 2)
    component = components(reconstruction_weights(X, indices))
    assert component.tolist() == [0, 0, 0, 1, 1, 1]
    observed = np.zeros((6, 2), bool)
    observed[0, 0] = observed[4, :] = True
    assert supported(component, observed).tolist() == [[True, False]] * 3 + [[True, True]] * 3


def test_what_a_path_along_the_rows_reaches():
    """Item 0 is rebuilt from 1, 1 from 2, 2 from 1; 3 from 4 with a weight of 0 and from 0; 4 from itself alone."""
    W = sparse.csr_array(([1.0, -0.5, 1.0, 0.0, 2.0, 1.0], [1, 2, 1, 4, 0, 4], [0, 1, 2, 3, 5, 6]), shape=(5, 5))
    observed = np.zeros((5, 3), dtype=bool)
    observed[2, 0] = observed[4, 1] = observed[0, 2] = True
    expected = [[True, False, True], [True, False, False], [True, False, False], [True, False, True]]
    assert reachable(W, observed).tolist() == [*expected, [False, True, False]]
    assert observed.sum() == 3


def test_the_width_of_the_heat_kernel_may_be_given(rng):
    indices, distances = neighbors(rng.normal(size=(30, 3)), 4)
    W = affinity(indices, distances, 0.7)
    assert W[0, indices[0, 2]] == pytest.approx(np.exp(-(distances[0, 2] ** 2) / (2 * 0.7**2)))


def test_one_neighbour_has_all_of_the_weight(rng):
    X = rng.normal(size=(5, 2))
    indices = neighbors(X, 1)[0]
    W = reconstruction_weights(X, indices, 0.1)
    assert W.indptr.tolist() == list(range(6))
    np.testing.assert_array_equal(W.toarray(), np.eye(5)[indices[:, 0]])
