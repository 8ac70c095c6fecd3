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


# -- the parts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "k", "dense"), [(1000, 1, True), (1001, 1, False), (1100, 118, False), (1100, 119, True)]
)
def test_small_matrices_and_wide_spaces_are_decomposed_densely(n, k, dense, rng, monkeypatch):
    """Up to 1000 rows; and where nine blocks of k + 4 vectors have more columns than the matrix."""
    done = eigen.EigenSolution(np.empty((n, k)), np.empty(k), np.empty(k), Status.CONVERGED, 7)
    monkeypatch.setattr(eigen, "_decompose_densely", lambda *_: "dense")
    monkeypatch.setattr(eigen, "_iterate_filter", lambda *_: done)
    assert bottom_eigenvectors(sparse.eye_array(n, format="csr"), k, rng=rng) is (done if not dense else "dense")


@pytest.mark.parametrize(("n", "dense"), [(4000, True), (4001, False)])
def test_a_matrix_of_at_most_4000_rows_is_rescued(n, dense, rng, monkeypatch):
    stuck = eigen.EigenSolution(np.empty((n, 1)), np.empty(1), np.empty(1), Status.MAX_ITER, 7)
    monkeypatch.setattr(eigen, "_decompose_densely", lambda *_: "dense")
    monkeypatch.setattr(eigen, "_iterate_filter", lambda *_: stuck)
    assert bottom_eigenvectors(sparse.eye_array(n, format="csr"), 1, rng=rng) is (stuck if not dense else "dense")


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_the_filter_is_a_chebyshev_polynomial(degree, rng):
    a, X = rng.uniform(0, 2, 30), rng.normal(size=(30, 2))
    A = sparse.diags_array(a).tocsr()
    span = eigen._span_krylov(A, A.T.tocsr(), X, 0.5, 4.2, degree)
    p = np.polynomial.chebyshev.chebval((2.35 - a**2) / 1.85, [0] * degree + [1])
    assert span.shape == (30, 2 * 9)
    np.testing.assert_array_equal(span[:, :2], X)
    for j in range(1, 9):
        block = p[:, None] ** j * X
        np.testing.assert_allclose(span[:, 2 * j : 2 * j + 2], block / np.linalg.norm(block, axis=0), atol=1e-9)


def test_the_bound_is_a_little_above_the_largest_eigenvalue(rng):
    A = sparse.csr_array(rng.normal(size=(60, 60)))
    largest = np.linalg.svd(A.toarray(), compute_uv=False)[0] ** 2
    assert 1.0 <= eigen._bound_largest(A, A.T.tocsr(), rng.normal(size=60)) / largest <= 1.0501


def test_ritz_vectors_are_the_best_of_their_span(rng):
    A, span = sparse.csr_array(rng.normal(size=(20, 20))), rng.normal(size=(20, 6))
    values, V = eigen._project_ritz(A, span.copy(), 3)
    Q = np.linalg.qr(span)[0]
    np.testing.assert_allclose(values, np.linalg.eigvalsh(Q.T @ (A.T @ A).toarray() @ Q)[:3])
    np.testing.assert_allclose(np.diag(V.T @ (A.T @ A) @ V), values)
    np.testing.assert_allclose(Q @ (Q.T @ V), V)


def test_the_certificate_by_hand():
    """M = diag(1, 4, 9); the vector (3, 4, 0) / 5 has the value 73 / 25 and the residual 36 / 25."""
    A = sparse.diags_array([1.0, 2.0, 3.0]).tocsr()
    vectors = np.array([[0.0, -3.0], [0.0, -4.0], [-2.0, 0.0]])
    found = eigen._certify(A, A, vectors, 0.0, 1.0, 5)
    np.testing.assert_allclose(found.vectors, [[0, 0.6], [0, 0.8], [1, 0]])
    np.testing.assert_allclose(found.values, [9, 73 / 25])
    np.testing.assert_allclose(found.residuals, [0, 36 / 25], atol=1e-14)
    assert (found.status, found.n_iter) == (Status.MAX_ITER, 5)
    limit = found.residuals.max() / 9  # of the largest value
    rounding = found.residuals.max() / (100 * np.finfo(float).eps)
    for tol, norm, status in (
        (1.001 * limit, 1.0, Status.CONVERGED),
        (0.999 * limit, 1.0, Status.MAX_ITER),
        (0.0, 1.001 * rounding, Status.CONVERGED),
        (0.0, 0.999 * rounding, Status.MAX_ITER),
    ):
        assert eigen._certify(A, A, vectors, tol, norm, 5).status is status
    exact = eigen._certify(A, A, np.eye(3)[:, :1], 0.0, 0.0, 0)  # a residual of 0 is no more than 0
    assert exact.status is Status.CONVERGED
