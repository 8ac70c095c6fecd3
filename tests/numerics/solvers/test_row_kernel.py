import numpy as np
import pytest

from halflabel.numerics.solvers import Status, masked_kronecker
from halflabel.numerics.solvers.masked_kronecker import _solve_together, masked_least_squares
from halflabel.numerics.solvers.row_kernel import Group, RowKernel, deform, row_basis


def kernel_of(rng, n_rows, r, n_labels=3, *, coupled=True, alike=False):
    """Return a RowKernel and the dense K that it stands for, labels one after another."""
    W, d = rng.normal(size=(n_rows, r)), rng.random(r)
    q = np.full(n_labels, 0.7) if alike else rng.uniform(0.2, 1.5, n_labels)
    U = np.linalg.qr(rng.normal(size=(n_labels, n_labels)))[0] if coupled else None
    groups = [Group(np.array([j]), q[[j]] / 0.01, row_basis(W, 1 / (1 + q[j] * d))) for j in range(n_labels)]
    if alike:
        groups = [Group(np.arange(n_labels), q / 0.01, groups[0].basis)]
    V = np.eye(n_labels) if U is None else U
    penalties = [np.diag(0.01 / q[j] * (1 + q[j] * d)) for j in range(n_labels)]
    dense = sum(np.kron(np.outer(V[:, j], V[:, j]), W @ np.linalg.inv(penalties[j]) @ W.T) for j in range(n_labels))
    return RowKernel(groups, U, n_rows), W, dense


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (10, 10)])
@pytest.mark.parametrize("coupled", [False, True])
def test_spectral_functions_are_those_of_the_dense_kernel(shape, coupled, rng):
    kernel, W, K = kernel_of(rng, *shape, coupled=coupled)
    Z, n_rows = rng.normal(size=(shape[0], 3)), shape[0]
    flat = Z.T.ravel()
    inverse = np.linalg.solve(K + n_rows * np.eye(len(K)), flat)
    np.testing.assert_allclose(kernel.inverse(Z).T.ravel(), inverse, atol=1e-12)
    np.testing.assert_allclose(
        kernel.spectral(lambda k: k + n_rows, Z).T.ravel(), K @ flat + n_rows * flat, rtol=1e-9, atol=1e-8
    )
    np.testing.assert_allclose((W @ kernel.weights(Z)).T.ravel(), K @ inverse, atol=1e-9)


def test_repeated_rows_leave_the_basis_orthonormal(rng):
    rows = np.repeat(rng.normal(size=(6, 20)), 3, axis=0)
    basis = row_basis(rows, np.ones(20))
    np.testing.assert_allclose((basis.vectors * basis.values) @ basis.vectors.T, rows @ rows.T, atol=1e-10)
    np.testing.assert_allclose(rows @ basis.back, basis.vectors * np.sqrt(basis.values), atol=1e-6)
    assert np.isfinite(basis.back).all()


def test_a_graph_operator_becomes_diagonal(rng):
    C, root = rng.normal(size=(20, 6)), rng.normal(size=(20, 20))
    L = root @ root.T
    V, d = deform(C, L @ C)
    np.testing.assert_allclose((C @ V).T @ L @ (C @ V), np.diag(d), atol=1e-9)
    np.testing.assert_allclose(V @ V.T, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("shape", [(25, 40), (40, 15)])
def test_gaps_together_equal_gaps_label_by_label(shape, rng):
    kernel, _, _ = kernel_of(rng, *shape, coupled=False, alike=True)
    Y, observed = np.sign(rng.normal(size=(shape[0], 3))), rng.random((shape[0], 3)) < 0.5
    observed[:, 2] = observed[:, 1]
    each = masked_least_squares(kernel, Y, observed)
    together = _solve_together(kernel, np.where(observed, Y, 0.0), observed, 1e-12, 2000)
    np.testing.assert_allclose(each.x, together.x, atol=1e-8)


@pytest.mark.parametrize("shape", [(25, 40), (40, 15)])
@pytest.mark.parametrize("alike", [False, True])
def test_the_gradient_vanishes_on_observed_entries(shape, alike, rng):
    kernel, W, K = kernel_of(rng, *shape, alike=alike)
    Y, observed = np.sign(rng.normal(size=(shape[0], 3))), rng.random((shape[0], 3)) < 0.5
    found = masked_least_squares(kernel, Y, observed, tol=1e-12, max_iter=2000)
    seen = observed.T.ravel()
    dual = np.linalg.solve(K[np.ix_(seen, seen)] + shape[0] * np.eye(seen.sum()), Y.T.ravel()[seen])
    np.testing.assert_allclose((W @ found.x).T.ravel(), K[:, seen] @ dual, atol=1e-7)
    assert found.n_iter < 200


def test_what_is_hidden_is_not_read(rng):
    kernel, _, _ = kernel_of(rng, 20, 30)
    Y, observed = rng.normal(size=(20, 3)), rng.random((20, 3)) < 0.5
    other = np.where(observed, Y, np.nan)
    np.testing.assert_array_equal(
        masked_least_squares(kernel, Y, observed).x, masked_least_squares(kernel, other, observed).x
    )


@pytest.mark.parametrize(
    ("coupled", "alike", "max_dense", "direct"),
    [(False, True, 12, True), (False, True, 11, False), (True, True, 12, False), (False, False, 12, False)],
)
def test_independent_labels_with_gaps_have_dense_systems_up_to_a_size(coupled, alike, max_dense, direct, monkeypatch):
    monkeypatch.setattr(masked_kronecker, "MAX_DENSE", max_dense)
    rng = np.random.default_rng(0)
    kernel, _, _ = kernel_of(rng, 12, 30, coupled=coupled, alike=alike)
    Y, observed = np.sign(rng.normal(size=(12, 3))), rng.random((12, 3)) < 0.5
    found = masked_least_squares(kernel, Y, observed)
    assert (found.n_iter == 0) == direct
    whole = masked_least_squares(kernel, Y, np.ones_like(observed))
    assert (whole.n_iter, whole.residual, whole.status) == (0, 0.0, Status.CONVERGED)
    np.testing.assert_array_equal(whole.x, kernel.weights(Y))
