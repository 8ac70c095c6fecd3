"""Bottom eigenvectors: dense decompositions as oracle, multiple eigenvalues, certificate, status."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles

from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.solvers import Status, eigen
from halflabel.numerics.solvers.eigen import bottom_eigenvectors


def deviation(X, k=8, ridge=1.0):
    """I - W of a neighbour graph."""
    W = reconstruction_weights(X, neighbors(X, k)[0], ridge)
    return sparse.csr_array(sparse.eye_array(len(X)) - W)


def dense(A, k):
    values, vectors = np.linalg.eigh((A.T @ A).toarray())
    return values[:k], vectors[:, :k]


@pytest.fixture
def iterated(monkeypatch):
    """No dense decomposition, however small the matrix."""
    monkeypatch.setattr(eigen, "MAX_DENSE", 0)
    monkeypatch.setattr(eigen, "MAX_FALLBACK", 0)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_small_path_equals_the_oracle(k, rng):
    A = deviation(rng.normal(size=(120, 3)))
    solution = bottom_eigenvectors(A, k, rng=rng)
    values, vectors = dense(A, k)
    np.testing.assert_allclose(solution.values, values, atol=1e-12)
    assert subspace_angles(solution.vectors, vectors).max() < 1e-6
    assert (solution.status, solution.n_iter) == (Status.CONVERGED, 0)


@pytest.mark.usefixtures("iterated")
@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_the_large_path_equals_the_oracle(ridge, rng):
    A = deviation(rng.uniform(size=(700, 2)), ridge=ridge)
    solution = bottom_eigenvectors(A, 5, rng=rng)
    values, vectors = dense(A, 5)
    np.testing.assert_allclose(solution.values[1:], values[1:], rtol=1e-8)
    assert subspace_angles(solution.vectors, vectors).max() < 1e-4
    assert solution.status is Status.CONVERGED
    assert solution.n_iter > 0


@pytest.mark.usefixtures("iterated")
def test_guard_vectors_make_it_quick(rng):
    """Two vectors of nearly one eigenvalue: without vectors beyond them the filter cannot see past the second."""
    A = deviation(rng.uniform(size=(700, 2)))
    assert bottom_eigenvectors(A, 2, rng=np.random.default_rng(0)).n_iter < 1500


@pytest.mark.usefixtures("iterated")
def test_no_copy_of_a_multiple_eigenvalue_is_missed(rng):
    """A Krylov space of one vector sees one direction of each eigenspace, and reports small residuals all the same."""
    one = deviation(rng.uniform(size=(150, 2)))
    A = sparse.csr_array(sparse.block_diag([one] * 5))
    solution = bottom_eigenvectors(A, 12, rng=rng)
    values = np.repeat(dense(one, 3)[0], 5)[:12]
    np.testing.assert_allclose(solution.values, values, rtol=1e-6, atol=1e-12)


@pytest.mark.usefixtures("iterated")
def test_two_components_have_two_null_vectors(rng):
    A = sparse.csr_array(sparse.block_diag([deviation(rng.normal(size=(n, 2))) for n in (200, 150)]))
    solution = bottom_eigenvectors(A, 3, rng=rng)
    assert (solution.values[:2] < 1e-12).all()
    assert solution.values[2] > 1e-6
    indicators = np.repeat(np.eye(2), (200, 150), axis=0)
    assert subspace_angles(solution.vectors[:, :2], indicators).max() < 1e-6


@pytest.mark.parametrize("path", [0, 1000])
def test_residuals_are_the_true_ones_and_vectors_orthonormal(path, monkeypatch, rng):
    monkeypatch.setattr(eigen, "MAX_DENSE", path)
    A = deviation(rng.uniform(size=(400, 2)))
    solution = bottom_eigenvectors(A, 4, tol=1e-2, rng=rng)
    V = solution.vectors
    true = np.linalg.norm((A.T @ A) @ V - solution.values * V, axis=0)
    np.testing.assert_allclose(solution.residuals, true, rtol=1e-6, atol=1e-14)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)
    assert (np.diff(solution.values) >= -1e-14).all()
    assert (solution.residuals <= 1e-2 * solution.values[-1]).all()


@pytest.mark.usefixtures("iterated")
def test_the_limit_is_kept_and_reported(rng):
    A = deviation(rng.uniform(size=(700, 2)))
    solution = bottom_eigenvectors(A, 5, max_iter=60, rng=rng)
    assert solution.status is Status.MAX_ITER
    assert solution.n_iter <= 60
    assert solution.residuals.max() > 1e-5 * solution.values[-1]
    assert solution.vectors.shape == (700, 5)


@pytest.mark.usefixtures("iterated")
def test_small_residuals_do_not_pass_for_small_eigenvalues(rng):
    """Eigenvalues of 1e-12 times those of the graph: relative to the norm of M any vector would do."""
    path = deviation(rng.uniform(size=(500, 2)))
    A = sparse.csr_array(sparse.block_diag([1e-6 * path, sparse.eye_array(100)]))
    solution = bottom_eigenvectors(A, 4, max_iter=200, rng=rng)
    wanted = 1e-12 * dense(path, 4)[0]
    right = np.allclose(solution.values[1:], wanted[1:], rtol=1e-3)
    assert solution.residuals.max() < 1e-8
    assert right or solution.status is Status.MAX_ITER


def test_the_dense_path_rescues_a_small_matrix(monkeypatch, rng):
    monkeypatch.setattr(eigen, "MAX_DENSE", 0)
    solution = bottom_eigenvectors(deviation(rng.uniform(size=(700, 2))), 5, max_iter=60, rng=rng)
    assert (solution.status, solution.n_iter) == (Status.CONVERGED, 0)


@pytest.mark.usefixtures("iterated")
def test_the_generator_decides_every_bit_and_signs_are_fixed(rng):
    A = deviation(rng.uniform(size=(300, 2)))
    first, again, other = (bottom_eigenvectors(A, 4, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.vectors, again.vectors)
    np.testing.assert_allclose(first.vectors, other.vectors, atol=1e-4)
    assert (np.take_along_axis(first.vectors, np.abs(first.vectors).argmax(axis=0)[None], axis=0) > 0).all()


@pytest.mark.parametrize("k", [0, 4])
def test_impossible_counts_raise(k, rng):
    with pytest.raises(ValueError, match=f"of 3 rows has between 1 and 3 eigenvectors, not {k}"):
        bottom_eigenvectors(sparse.eye_array(3, format="csr"), k, rng=rng)
