"""Spectral embedding: the paper's constraint, planted geometry, several components, what is reported."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import procrustes

from halflabel.numerics.graph.embedding import spectral_embedding
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.solvers import Status


def weights(X, k=8):
    return reconstruction_weights(X, neighbors(X, k)[0])


def embed(W, d=2, seed=0, **settings):
    return spectral_embedding(W, d, rng=np.random.default_rng(seed), **settings)


def grid(rows, columns):
    """A jittered grid; longer than wide, so that the leading eigenvectors are its two axes."""
    jitter = np.random.default_rng(0).uniform(-0.1, 0.1, size=(rows * columns, 2))
    return np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2) + jitter


@pytest.fixture
def islands(rng):
    """Three components of 80, 50 and 12 items, scattered over the rows."""
    X = np.vstack([rng.normal(size=(n, 3)) + 100 * i for i, n in enumerate((80, 50, 12))])
    order = rng.permutation(len(X))
    return weights(X[order]), np.repeat([0, 1, 2], (80, 50, 12))[order]


def test_coordinates_meet_the_constraint_and_the_oracle(rng):
    W = weights(rng.normal(size=(150, 3)))
    found = embed(W, 3)
    np.testing.assert_allclose(found.coordinates.T @ found.coordinates, 150 * np.eye(3), atol=1e-8)
    np.testing.assert_allclose(found.coordinates.mean(axis=0), 0, atol=1e-8)
    M = (np.eye(150) - W.toarray()).T @ (np.eye(150) - W.toarray())
    values, vectors = np.linalg.eigh(M)
    np.testing.assert_allclose(np.abs(vectors[:, 1:4].T @ found.coordinates), np.sqrt(150) * np.eye(3), atol=1e-6)
    np.testing.assert_allclose(found.eigenvalues, values[1:4])
    assert found.residuals.max() < 1e-12
    assert found.status is Status.CONVERGED


def test_eigenvalues_are_the_reconstruction_error_per_item(islands):
    W, _ = islands
    found = embed(W, 2)
    error = ((found.coordinates - W @ found.coordinates) ** 2).mean(axis=0)  # the shift does not change it
    np.testing.assert_allclose(found.eigenvalues, error)


def test_planted_geometry_is_recovered():
    X = grid(16, 13)
    found = embed(weights(X)).coordinates
    _, _, disparity = procrustes(X, found)
    assert np.sqrt(1 - disparity) > 0.95


def test_components_are_embedded_by_themselves_and_lie_side_by_side(islands):
    W, island = islands
    found = embed(W, 2)
    assert found.component.max() + 1 == found.n_closed_groups == 3
    intervals = []
    for i in range(3):
        rows = island == i
        assert len(set(found.component[rows])) == 1
        own = found.coordinates[rows]
        np.testing.assert_allclose(np.cov(own.T, bias=True), np.eye(2), atol=1e-8)
        np.testing.assert_allclose(own - own.mean(axis=0), embed(W[rows][:, rows], 2).coordinates, atol=1e-6)
        intervals.append((own[:, 0].min(), own[:, 0].max()))
    intervals.sort()
    assert all(right - left == pytest.approx(1) for (_, left), (right, _) in pairwise(intervals))
    np.testing.assert_allclose(found.coordinates.mean(axis=0), 0, atol=1e-8)


def test_a_component_lacks_the_coordinates_it_has_no_items_for(islands):
    W, island = islands
    found = embed(W, 15)
    assert (found.coordinates[island == 2][:, 11:] == 0).all()
    assert (found.coordinates[island == 2][:, 10] != 0).any()
    error = ((found.coordinates - W @ found.coordinates) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.eigenvalues, error)


def test_no_coordinate_only_separates_closed_groups(rng):
    """Duplicates are each other's neighbours: edges lead to them from the others, but none leads away."""
    X = np.vstack([rng.normal(size=(150, 2)), np.full((12, 2), 0.1), np.full((12, 2), -0.3)])
    W = weights(X)
    found = embed(W, 2)
    assert found.component.max() == 0
    assert found.n_closed_groups == 2
    assert found.eigenvalues.min() > 1e-6
    np.testing.assert_allclose(found.coordinates.T @ found.coordinates, len(X) * np.eye(2), atol=1e-8)
    assert np.linalg.matrix_rank(np.eye(len(X)) - W.toarray(), tol=1e-10) == len(X) - 2


def test_a_weight_of_zero_is_no_edge(rng):
    W = sparse.csr_array(sparse.block_diag([weights(rng.normal(size=(n, 2))) for n in (30, 40)]))
    zero = sparse.coo_array(([0.0, 0.5], ([0, 0], [50, 50])), shape=(70, 70))
    explicit = sparse.csr_array(W + zero)
    explicit[0, 50] = 0.0
    assert explicit.nnz == W.nnz + 1
    assert embed(explicit).component.max() == 1
    assert explicit.nnz == W.nnz + 1  # the input is not touched


def test_localisation_by_hand():
    """Two pairs that name each other: every coordinate is +-1."""
    pairs = sparse.csr_array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
    assert embed(pairs, 1).localisation == pytest.approx([1.0])


def test_localisation_of_a_lone_item_is_the_number_of_items():
    """One item has neighbours but is the neighbour of none: its vector alone has a small eigenvalue."""
    n = 60
    W = np.full((n, n), 1 / (n - 2))
    W[:, -1] = 0
    np.fill_diagonal(W, 0)
    W[-1] = [1 / (n - 1)] * (n - 1) + [0]
    found = embed(sparse.csr_array(W), 1)
    v = found.coordinates[:, 0] / np.linalg.norm(found.coordinates)
    assert found.localisation[0] == pytest.approx(n * (v**4).sum())
    assert found.localisation[0] > 0.9 * n


def test_an_unfinished_solve_is_reported(rng):
    W = weights(rng.uniform(size=(4100, 2)))
    assert embed(W, 2, max_iter=24).status is Status.MAX_ITER


def test_weights_that_do_not_sum_to_one_raise():
    with pytest.raises(ValueError, match="rows of W must sum to 1"):
        embed(sparse.eye_array(4, format="csr") * 2.0)


@pytest.mark.parametrize("d", [0, 20])
def test_impossible_dimensions_raise(d, rng):
    with pytest.raises(ValueError, match=f"between 1 and 19 dimensions, not {d}"):
        embed(weights(rng.normal(size=(20, 2))), d)
