"""The parts of MDDM against dense formulas: centring matrices, full decompositions, examples worked by hand."""

import numpy as np
import pytest
from scipy import linalg, sparse
from tests.oracles import mddm as oracle

from halflabel.methods.mddm import dependence

EPS = np.finfo(float).eps


def orthonormal(rng, n, columns):
    return linalg.qr(rng.normal(size=(n, columns)), mode="economic")[0]


# -- label factors -----------------------------------------------------------------


def test_the_linear_factor_of_complete_labels_gives_the_centred_kernel(rng):
    Y = (rng.random((9, 4)) < 0.4) * 1.0
    C, H = dependence.linear_factor(Y, np.ones((9, 4), dtype=bool)), oracle.centring(9)
    np.testing.assert_allclose(C @ C.T, H @ Y @ Y.T @ H, atol=1e-14)


def test_the_linear_factor_with_gaps_is_that_of_the_docstring():
    """Five rows, the last one without labels: N = 4. The labels have 4, 2, 1 and 0 observed entries."""
    unknown = np.nan
    table = np.array([[1, 1, unknown], [0, unknown, unknown], [1, 0, 1], [1, unknown, unknown], [unknown] * 3])
    table = np.column_stack([table, np.full(5, unknown)])
    C = dependence.linear_factor(np.nan_to_num(table), ~np.isnan(table))
    np.testing.assert_allclose(C[:, 0], [0.25, -0.75, 0.25, 0.25, 0])
    np.testing.assert_allclose(C[:, 1], np.sqrt(3) * np.array([0.5, 0, -0.5, 0, 0]))
    assert (C[:, 2:] == 0).all()


def test_label_sets_are_the_distinct_rows_and_their_members():
    Y = np.array([[1, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    sets, Z = dependence.label_sets(Y)
    np.testing.assert_array_equal(sets, [[0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(Z.toarray(), [[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(Z @ sets, Y)


def test_the_kernels_of_label_sets_by_hand():
    sets = np.array([[1.0, 0, 0, 0], [1, 1, 1, 0]])
    np.testing.assert_array_equal(dependence.label_gram(sets, "quadratic", None), [[4, 4], [4, 16]])
    for gamma, weight in ((None, 0.25), (0.7, 0.7)):
        gram = dependence.label_gram(sets, "rbf", gamma)
        np.testing.assert_allclose(gram, [[1, np.exp(-2 * weight)], [np.exp(-2 * weight), 1]])


@pytest.mark.parametrize("kernel", ["quadratic", "rbf"])
def test_a_factor_of_label_sets_gives_the_centred_kernel(kernel, rng):
    sets, Z = dependence.label_sets(rng.random((12, 3)) < 0.5)
    gram = dependence.label_gram(sets, kernel, None)
    A, H = dependence.label_factor(gram, np.asarray(Z.sum(axis=0))), oracle.centring(12)
    np.testing.assert_allclose(Z @ A @ (Z @ A).T, H @ (Z @ gram @ Z.T) @ H, atol=1e-12)
    assert A.shape == gram.shape


def test_a_singular_kernel_has_a_factor_of_its_rank():
    rows = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 2]])[[0, 1, 0, 2, 1]]
    A = dependence.label_factor(rows @ rows.T, np.ones(5))
    assert A.shape == (5, 3)
    H = oracle.centring(5)
    np.testing.assert_allclose(A @ A.T, H @ rows @ rows.T @ H, atol=1e-14)


# -- covariance --------------------------------------------------------------------


def test_dense_features_are_centred_block_by_block(rng):
    """Three rows more than a block: the factor needs no columns of sum 0 here."""
    n = dependence.BLOCK + 3
    X, C = rng.normal(size=(n, 2)) + 5, rng.normal(size=(n, 3))
    S, size = dependence.cross_covariance(X, C)
    centred = oracle.centring(n) @ X
    np.testing.assert_allclose(S, centred.T @ C, atol=1e-10)
    assert size == pytest.approx(linalg.norm(centred))


def test_sparse_features_are_multiplied_as_they_are(rng):
    X, C = sparse.random_array((8, 5), density=0.5, rng=rng, format="csr"), rng.normal(size=(8, 2))
    S, size = dependence.cross_covariance(X, C)
    np.testing.assert_allclose(S, X.toarray().T @ C)
    assert size == pytest.approx(linalg.norm(X.toarray()))
    both, _ = dependence.cross_covariance(X, sparse.csr_array(C))
    assert sparse.issparse(both)


@pytest.mark.parametrize(("largest", "fits"), [(0.9e140, True), (1.2e140, False), (1e200, False), (np.nan, False)])
def test_the_squares_of_features_must_stay_below_1e280(largest, fits):
    X, C = sparse.csr_array([[largest], [0.0]]), np.ones((2, 1))
    if fits:
        assert dependence.cross_covariance(X, C)[1] == largest
    else:
        with pytest.raises(ValueError, match="too large to be squared: divide them by a constant first"):
            dependence.cross_covariance(X, C)


@pytest.mark.parametrize("case", ["dense features", "many relevant", "gaps", "sparse"])
def test_the_label_covariance_is_that_of_the_dense_factor(case, rng, monkeypatch):
    X = sparse.random_array((40, 6), density=0.3, rng=rng, format="csr")
    observed = np.repeat(rng.random((40, 1)) < 0.7, 20, axis=1)
    Y = np.zeros((40, 20))
    rows = np.flatnonzero(observed[:, 0])
    n_relevant = 200 if case == "many relevant" else 50  # 50 are one in 16 of all entries
    Y[rng.choice(rows, n_relevant), np.arange(n_relevant) % 20] = 1
    Y[rows[: n_relevant // 20], 0] = 1
    if case == "gaps":
        observed[rows[0], 0], Y[rows[0], 0] = False, 0
    dense_factor = dependence.linear_factor
    C, used = dense_factor(Y, observed), []
    monkeypatch.setattr(dependence, "linear_factor", lambda *labels: used.append(1) or dense_factor(*labels))
    S, size = dependence.label_covariance(X.toarray() if case == "dense features" else X, Y, observed)
    assert bool(used) == (case in ("dense features", "gaps"))
    np.testing.assert_allclose(S, X.toarray().T @ C, atol=1e-12)
    features = oracle.centring(40) @ X.toarray() if case == "dense features" else X.toarray()
    assert size == pytest.approx(linalg.norm(features) * linalg.norm(C))


def test_the_product_is_with_sparse_labels_up_to_one_relevant_entry_in_sixteen(monkeypatch):
    X, observed, seen = sparse.csr_array(np.eye(16)), np.ones((16, 2), dtype=bool), []
    monkeypatch.setattr(dependence, "cross_covariance", lambda X, C: seen.append(sparse.issparse(C)) or (X.T @ C, 1.0))
    Y = np.zeros((16, 2))
    Y[[3, 5], [0, 1]] = 1
    few, _ = dependence.label_covariance(X, Y, observed)
    np.testing.assert_allclose(few, Y - 1 / 16)
    Y[7, 1] = 1
    more, _ = dependence.label_covariance(X, Y, observed)
    np.testing.assert_allclose(more, Y - [1 / 16, 2 / 16])
    assert seen == [True, False]


# -- directions --------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(20, 5), (5, 20), (6, 6), (20, 2)])
@pytest.mark.parametrize("smallest", [0.5, 1e-2, 5e-5, 1e-9])
def test_directions_are_those_of_the_singular_value_decomposition(shape, smallest, rng):
    rank = min(shape)
    U, V = orthonormal(rng, shape[0], rank), orthonormal(rng, shape[1], rank)
    expected = np.geomspace(3.0, 3.0 * smallest, rank)
    vectors, values = dependence.directions((U * expected) @ V.T, 1.0)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(np.abs((vectors * U).sum(axis=0)), 1, atol=1e-9)
    exact = 1e-12 if smallest < 1e-3 else 1e-10  # the matrix of inner products squares the ratio
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(rank), atol=exact)


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_singular_values_below_the_rounding_of_the_factors_are_none(size):
    rounding = 10 * EPS * size
    vectors, values = dependence.directions(np.diag([rounding, 1.0, 1.05 * rounding]), size)
    np.testing.assert_allclose(values, [1, 1.05 * rounding])
    np.testing.assert_array_equal(np.abs(vectors), [[0, 0], [1, 0], [0, 1]])
    assert dependence.directions(rounding * np.diag([1.05, 0.95]), size)[0].shape == (2, 1)
    for small, rank in ((0.95, 0), (1.0, 0), (1.05, 2)):  # no ratio shows that these are rounding
        S = small * rounding * np.eye(3, 2)
        assert dependence.directions(S, size)[0].shape == (3, rank)


# -- the journal's constraint ------------------------------------------------------


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [20, 4])
def test_uncorrelated_directions_solve_the_generalised_eigenproblem(mu, n, rng):
    X = 3 * rng.normal(size=(n, 6)) + 2
    X[:, 5] = X[:, 4]  # a direction without variance
    centred = oracle.centring(n) @ X
    S = centred.T @ rng.normal(size=(n, 2))
    P, values = dependence.uncorrelated_directions(S, X, mu)
    metric = mu * centred.T @ centred + (1 - mu) * np.eye(6)
    np.testing.assert_allclose(P.T @ metric @ P, np.eye(2), atol=1e-12)
    # The maximum over the row space: an eigenproblem in an orthonormal basis of it.
    B = linalg.orth(centred.T, rcond=1e-10)
    best = linalg.eigh(B.T @ S @ S.T @ B, B.T @ metric @ B, eigvals_only=True)[::-1][:2]
    np.testing.assert_allclose(values**2, best, rtol=1e-10)
    np.testing.assert_allclose(linalg.norm(P.T @ S, axis=1), values, rtol=1e-10)
    kept = dependence.uncorrelated_directions(S, sparse.csr_array(X), mu)[0]
    np.testing.assert_allclose(np.abs(kept), np.abs(P), atol=1e-12)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_features_does_not_matter_to_the_whole_constraint(unit, rng):
    X, C = rng.normal(size=(20, 4)), rng.normal(size=(20, 2))
    S = X.T @ oracle.centring(20) @ C
    P, values = dependence.uncorrelated_directions(S, X, 1.0)
    scaled, same = dependence.uncorrelated_directions(unit * S, unit * X, 1.0)
    np.testing.assert_allclose(same, values, rtol=1e-10)
    np.testing.assert_allclose(unit * np.abs(scaled), np.abs(P), rtol=1e-8)


@pytest.mark.parametrize(("below", "rank"), [(0.5, 1), (2.0, 2)])
def test_variance_below_rounding_gives_no_direction(below, rank):
    """Features of spread 1 and of ``below`` times the bound: with the whole constraint, the second one is divided."""
    H = linalg.hadamard(4)
    X = H[:, 1:3] * [1.0, below * 4 * EPS]
    P, _ = dependence.uncorrelated_directions(np.eye(2), X, 1.0)
    assert np.count_nonzero(np.abs(P).max(axis=1) > 1e-8) == rank


# -- the null space ----------------------------------------------------------------


@pytest.mark.parametrize("n", [30, 4])
def test_the_complement_has_the_largest_variance_of_what_is_orthogonal(n, rng):
    X = rng.normal(size=(n, 6)) * np.arange(1, 7) + 10
    P = orthonormal(rng, 6, 2)
    rest = dependence.principal_complement(P, X, 3)
    both = np.column_stack([P, rest])
    np.testing.assert_allclose(both.T @ both, np.eye(5), atol=1e-12)
    orthogonal = np.eye(6) - P @ P.T
    expected = linalg.svdvals(oracle.centring(n) @ X @ orthogonal)[:3]
    np.testing.assert_allclose(linalg.norm(oracle.centring(n) @ X @ rest, axis=0), expected, atol=1e-10)
    assert dependence.principal_complement(P, X, 4).shape == (6, 4)


def test_the_largest_entry_of_a_direction_is_positive():
    P = np.array([[1.0, 1.0, -0.5], [-2.0, 2.0, -0.25]])
    np.testing.assert_array_equal(dependence.fixed_signs(P), [[-1, 1, 0.5], [2, 2, 0.25]])


# -- sizes -------------------------------------------------------------------------


def test_dense_steps_raise_above_0_8_gigabytes():
    limit = 100_000_000
    dependence._require_small(limit, "a step")
    sentence = r"a step would take 2.0 GB, more than the 0.8 GB allowed here: .*TruncatedSVD"
    with pytest.raises(ValueError, match=sentence):
        dependence._require_small(250_000_000, "a step")
    with pytest.raises(ValueError, match=r"would take 0\.8 GB, more than the 0\.8 GB"):
        dependence._require_small(limit + 1, "a step")
    wide = sparse.csr_array((1, 20_000))
    with pytest.raises(ValueError, match=r"all directions of the feature space would take 3\.2 GB"):
        dependence.principal_complement(np.ones((20_000, 1)), wide, 1)
    with pytest.raises(ValueError, match=r"dense, centred features would take 1\.6 GB"):
        dependence.uncorrelated_directions(np.ones((2, 1)), sparse.csr_array((100_000_000, 2)), 1.0)
