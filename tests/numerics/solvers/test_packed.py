"""Many small systems at once against one solve each."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.numerics.solvers.packed import products, solve_packed, start_systems, weighted


@pytest.mark.parametrize("k", [1, 2, 5])
def test_packed_systems(k, rng):
    A = rng.normal(size=(30, k, k + 2))
    full, R = A @ A.transpose(0, 2, 1), rng.normal(size=(30, k))
    packed = np.array([full[:, i, j] for i, j in zip(*np.tril_indices(k), strict=True)])
    expected = np.linalg.solve(full, R[..., None])[..., 0]
    np.testing.assert_allclose(solve_packed(packed, R.T.copy()).T, expected, rtol=1e-7, atol=1e-9)
    b = rng.normal(size=(1, k))
    np.testing.assert_allclose(products(b)[0], (b.T @ b)[np.tril_indices(k)])


def pack(full):
    """Return the lower triangles of matrices, row by row, one column each."""
    return np.array([full[:, i, j] for i, j in zip(*np.tril_indices(full.shape[1]), strict=True)])


@pytest.mark.parametrize("n_systems", [1, 3])
def test_right_hand_sides_share_systems(n_systems, rng):
    A = rng.normal(size=(n_systems, 4, 6))
    full, R = A @ A.transpose(0, 2, 1), rng.normal(size=(7, 4))
    group = None if n_systems == 1 else rng.integers(n_systems, size=7)
    chosen = full[np.zeros(7, dtype=int) if group is None else group]
    expected = np.linalg.solve(chosen, R[..., None])[..., 0]
    np.testing.assert_allclose(solve_packed(pack(full), R.T.copy(), group).T, expected, atol=1e-9)


def test_products_of_several_rows_stand_row_by_row():
    found = products(np.array([[2.0, 3.0, 5.0], [1.0, -1.0, 0.5]]))
    assert found.tolist() == [[4, 6, 9, 10, 15, 25], [1, -1, 1, 0.5, -0.5, 0.25]]


@pytest.mark.parametrize("k", [1, 2, 4])
def test_systems_start_with_the_weight_on_their_diagonals(k):
    np.testing.assert_array_equal(start_systems(0.25, k, 3), pack(np.repeat(0.25 * np.eye(k)[None], 3, axis=0)))


def test_weighted_sums_are_those_of_the_outer_products(rng):
    B, C = rng.normal(size=(5, 3)), rng.random((2, 5))
    expected = np.array([sum(c * np.outer(b, b) for c, b in zip(row, B, strict=True)) for row in C])
    np.testing.assert_allclose(weighted(C, products(B)), pack(expected))
    np.testing.assert_allclose(weighted(0.7, products(B)), 0.7 * pack((B.T @ B)[None]))
