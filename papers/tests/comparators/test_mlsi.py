"""MLSI against the eigenvectors of the items-by-items matrix, and against its own objective."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.oracles.projection import mlsi, mlsi_error
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from tests.conftest import half_labelled
from tests.contracts.scikit_learn import each_check, run_check

from halflabel_papers.comparators import MLSI, ToolboxMLSI


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(MLSI())
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


@pytest.fixture
def data(rng):
    X, _, Y = half_labelled(rng, n=40)
    return X, Y


def same_up_to_sign(V, expected):
    np.testing.assert_allclose(V * np.sign((V * expected).sum(axis=0)), expected, atol=1e-8)


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.5, 1.0])
def test_latent_variables_equal_the_oracle(beta, data):
    X, Y = data
    model = MLSI(3, beta, ridge=0).fit(X, Y)
    values, V = mlsi(X, Y, beta, 3)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-10)
    same_up_to_sign(model.transform(X), V)


def test_more_features_than_items(rng):
    X, Y = rng.normal(size=(12, 30)), (rng.random((12, 4)) < 0.5).astype(float)
    model = MLSI(5, ridge=0).fit(X, Y)
    values, V = mlsi(X, Y, 0.5, 5)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    same_up_to_sign(model.transform(X), V)


def test_the_ridge_is_in_the_constraint_and_in_the_eigenproblem(data):
    X, Y = data
    model = MLSI(3, ridge=0.2).fit(X, Y)
    W, G = model.components_.T, X.T @ X
    B = G + 0.2 * np.trace(G) / 5 * np.eye(5)
    np.testing.assert_allclose(W.T @ B @ W, np.eye(3), atol=1e-10)
    A = X.T @ (0.5 * X @ X.T + 0.5 * Y @ Y.T) @ X
    np.testing.assert_allclose(A @ W, B @ W * model.eigenvalues_, atol=1e-8 * np.abs(A).max())


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_no_other_linear_latent_variables_rebuild_better(seed, beta):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(20, 5)), (rng.random((20, 3)) < 0.4).astype(float)
    found = mlsi_error(X, Y, beta, MLSI(2, beta, ridge=0).fit(X, Y).transform(X))
    others = [mlsi_error(X, Y, beta, X @ rng.normal(size=(5, 2))) for _ in range(10)]
    assert found <= min(others) * (1 + 1e-9)


def test_without_labels_it_is_latent_semantic_indexing(data):
    X, Y = data
    model = MLSI(3, beta=0, ridge=0).fit(X, Y)
    svd = TruncatedSVD(3, algorithm="arpack", random_state=0).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, svd.singular_values_**2)
    same_up_to_sign(model.transform(X), svd.transform(X) / svd.singular_values_)


def test_sparse_features_equal_dense_ones(data):
    X, Y = data
    X = np.where(np.abs(X) < 0.7, 0, X)
    dense, thin = MLSI(3).fit(X, Y), MLSI(3).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.components_, dense.components_, atol=1e-12)
    np.testing.assert_allclose(thin.transform(sparse.csr_array(X)), dense.transform(X), atol=1e-12)


def test_permuting_items_or_labels_changes_nothing(data, rng):
    X, Y = data
    items, labels = rng.permutation(len(X)), rng.permutation(Y.shape[1])
    moved = MLSI(3).fit(X[items], Y[items][:, labels])
    np.testing.assert_allclose(moved.components_, MLSI(3).fit(X, Y).components_, atol=1e-10)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"beta": 1.1}, "beta must lie between 0 and 1, not 1.1"),
        ({"beta": np.nan}, "beta must lie between 0 and 1, not nan"),
        ({"ridge": -1.0}, r"ridge must be at least 0, not -1\.0"),
        ({"n_components": 6}, r"between 1 and 5, .* \(n_features=5\), not 6"),
        ({"n_components": 4, "beta": 1.0}, "between 1 and 3"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, data):
    with pytest.raises(ValueError, match=sentence):
        MLSI(**settings).fit(*data)


def test_the_toolbox_centres_and_has_a_ridge_of_1(data):
    """Its program, line by line: eigenvectors of (X'X + I)^-1 X'KX with centred X and Y, each of length 1."""
    X, Y = data
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    K = 0.5 * Xc @ Xc.T + 0.5 * Yc @ Yc.T
    values, W = np.linalg.eig(np.linalg.solve(Xc.T @ Xc + np.eye(X.shape[1]), Xc.T @ K @ Xc))
    W = W[:, np.argsort(-values.real)[:3]].real
    model = ToolboxMLSI(3).fit(X, Y)
    same_up_to_sign(model.components_.T, W / np.linalg.norm(W, axis=0))
