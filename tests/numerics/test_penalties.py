import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.matrix_completion import shrink

from halflabel.numerics.penalties import NuclearNorm, nuclear_norm, spectral_norm


@pytest.mark.parametrize("shape", [(30, 400), (400, 30), (79, 593), (7, 7), (1, 5), (5, 1), (60, 50)])
@pytest.mark.parametrize("share", [0.9, 0.1, 2e-3, 1e-5])
def test_shrinking_agrees_with_the_full_svd(shape, share, rng):
    Z = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) + 0.01 * rng.normal(size=shape)
    threshold = share * np.linalg.norm(Z, 2)
    expected = shrink(Z, threshold)
    found = NuclearNorm(2.0).prox(Z, threshold / 2)
    assert np.linalg.norm(found - expected) <= 1e-12 * np.linalg.norm(Z)


@pytest.mark.parametrize("unit", [1e6, 1e-6])
def test_the_unit_of_the_matrix_does_not_matter(unit, rng):
    """A small share of the largest singular value would be lost by squaring, in any unit."""
    Z = unit * rng.normal(size=(9, 3)) @ rng.normal(size=(3, 6)) + 1e-4 * unit * rng.normal(size=(9, 6))
    threshold = 1e-5 * np.linalg.norm(Z, 2)
    found = NuclearNorm(1.0).prox(Z, threshold)
    assert np.linalg.norm(found - shrink(Z, threshold)) <= 1e-14 * np.linalg.norm(Z)


def test_a_threshold_above_all_singular_values_leaves_nothing(rng):
    Z = rng.normal(size=(6, 4))
    np.testing.assert_array_equal(NuclearNorm(1.0).prox(Z, 100.0), 0)


@pytest.mark.parametrize("rank", [3, 20])
def test_one_gram_matrix_serves_every_block_of_rows(rank, rng):
    A = rng.normal(size=(50, rank)) @ rng.normal(size=(rank, 20))
    shrinkage = NuclearNorm(3.0).shrink(A.T @ A, 0.5)
    blocks = np.vstack([shrinkage(A[:20]), shrinkage(A[20:])])
    np.testing.assert_allclose(blocks, shrink(A, 1.5), atol=1e-10)
    np.testing.assert_allclose(shrinkage.values.sum(), nuclear_norm(blocks))


matrices = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**31)).map(
    lambda key: np.random.default_rng(key[2]).normal(size=key[:2])
)


@given(matrices, st.floats(0.01, 5))
def test_moreau_identity(Z, step):
    """What is left over is the projection on the matrices of spectral norm at most the threshold."""
    rest = Z - NuclearNorm(1.0).prox(Z, step)
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    np.testing.assert_allclose(rest, U @ np.diag(np.minimum(s, step)) @ Vt, atol=1e-10)


@given(matrices, st.integers(0, 2**31), st.floats(0.01, 5))
def test_the_proximal_step_is_non_expansive_and_optimal(Z, seed, step):
    other = Z + np.random.default_rng(seed).normal(size=Z.shape)
    penalty = NuclearNorm(0.7)
    a, b = penalty.prox(Z, step), penalty.prox(other, step)
    assert np.linalg.norm(a - b) <= np.linalg.norm(Z - other) * (1 + 1e-9)

    def total(W):
        return 0.5 * np.sum((W - Z) ** 2) + step * penalty.value(W)

    assert total(a) <= min(total(b), total(Z), total(a + 1e-3 * (other - Z))) + 1e-12


def test_spectral_norm(rng):
    A = rng.normal(size=(9, 5))
    assert spectral_norm(A.T @ A) == pytest.approx(np.linalg.norm(A, 2) ** 2)
    assert spectral_norm(np.diag([0.04, 0.25])) == pytest.approx(0.25)
    assert spectral_norm(np.zeros((3, 3))) == 0
