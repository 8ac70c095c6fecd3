"""Kernels and graphs of vector-valued regression against dense definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph
from tests.oracles.propagation import nearest, weights_of_row
from tests.oracles.vvmr import equation_7

from halflabel.methods.canonical_order import order_columns
from halflabel.methods.vvmr.problem import InputKernel, Problem, graph_operator, output_kernel


def adjacency(X, k):
    """0/1, an edge where either end is a neighbour of the other."""
    W = kneighbors_graph(X, k).toarray()
    return np.maximum(W, W.T)


class TestGraphOperator:
    def test_the_plain_laplacian(self, rng):
        X = rng.normal(size=(30, 3))
        W = adjacency(X, 4)
        np.testing.assert_allclose(graph_operator(X, "laplacian", 4).toarray(), np.diag(W.sum(axis=1)) - W)

    def test_the_normalised_laplacian(self, rng):
        X = rng.normal(size=(30, 3))
        W = adjacency(X, 4)
        root = np.diag(W.sum(axis=1) ** -0.5)
        np.testing.assert_allclose(graph_operator(X, "normalized", 4).toarray(), np.eye(30) - root @ W @ root)

    def test_the_reconstruction_error(self, rng):
        X = rng.normal(size=(30, 3))
        W = np.zeros((30, 30))
        for i, neighbors in enumerate(nearest(X, 4)):
            W[i, neighbors] = weights_of_row(X[i], X[neighbors], 1.0)
        A = np.eye(30) - W
        np.testing.assert_allclose(graph_operator(X, "reconstruction", 4).toarray(), A.T @ A, atol=1e-10)


class TestOutputKernel:
    @pytest.mark.parametrize("normalize", [True, False])
    def test_two_labels_are_joined_by_the_graph(self, normalize):
        """Two labels are each other's neighbour: L = [[1, -1], [-1, 1]], its pseudo-inverse is L / 4."""
        L = np.array([[1.0, -1.0], [-1.0, 1.0]])
        inverse = L / 4 / (0.25 if normalize else 1.0)  # eigenvalues 0 and 1/2, mean 1/4
        Q = output_kernel(np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), 0.3, normalize=normalize).matrix()
        np.testing.assert_allclose(Q, 0.3 * inverse + 0.7 * np.eye(2), atol=1e-12)

    def test_many_labels(self, rng):
        Y = np.sign(rng.normal(size=(25, 7)))
        Y = Y[:, order_columns(Y)]  # of labels at equal distance the first are neighbours
        W = adjacency(Y.T, 2)  # 0.3 * 7 = 2.1
        inverse = np.linalg.pinv(np.diag(W.sum(axis=1)) - W)
        expected = 0.4 * inverse / (np.trace(inverse) / 7) + 0.6 * np.eye(7)
        np.testing.assert_allclose(output_kernel(Y, 0.4, normalize=True).matrix(), expected, atol=1e-10)

    def test_two_pairs_of_labels_are_joined_each_by_its_own_edge(self):
        """Of four labels each has one neighbour, 0.3 * 4 = 1.2: L has two eigenvalues of 0."""
        Y = np.repeat([[1.0, -1.0, -1.0], [1.0, 1.0, 1.0]], 2, axis=0).T
        Y[0, 0] = Y[0, 3] = -1
        L = np.kron(np.eye(2), [[1.0, -1.0], [-1.0, 1.0]])
        Q = output_kernel(Y, 0.5, normalize=False).matrix()
        np.testing.assert_allclose(Q, 0.5 * L / 4 + 0.5 * np.eye(4), atol=1e-12)

    @pytest.mark.parametrize(("n_labels", "weight"), [(1, 0.5), (4, 0.0)])
    def test_without_a_graph_it_is_the_identity(self, n_labels, weight):
        kernel = output_kernel(np.ones((3, n_labels)), weight, normalize=True)
        assert kernel.vectors is None
        np.testing.assert_array_equal(kernel.matrix(), np.eye(n_labels))


@pytest.mark.parametrize("graph_weight", [0.0, 0.5])
@pytest.mark.parametrize("with_graph", [False, True])
@pytest.mark.parametrize("max_landmarks", [12, 40])
def test_the_kernel_between_fitted_items_gives_equation_7(graph_weight, with_graph, max_landmarks, rng):
    """Of 16 items nine are annotated, and the functions are fitted to seven of these."""
    X, rows = rng.normal(size=(16, 3)), np.array([0, 2, 3, 5, 6, 9, 11, 12, 15])
    Y, fitted = np.sign(rng.normal(size=(7, 4))), np.array([0, 1, 3, 4, 6, 7, 8])
    L = graph_operator(X, "laplacian", 3) if with_graph else None
    kernel = InputKernel.learn(X, rows, L, 1.5, max_landmarks, np.random.default_rng(0))
    output = output_kernel(Y, graph_weight, normalize=True)
    problem = Problem(kernel, output, fitted, Y, np.ones(Y.shape, bool), np.zeros(Y.shape, bool))
    features = kernel.features(X)[:, :-1]
    G, dense = features @ features.T, np.zeros((16, 16)) if L is None else L.toarray()
    for alpha, manifold in ((0.1, 0.3), (0.2, 0.6), (0.1, 0.05)):  # two of one ratio
        weights = problem.at(alpha, manifold).weights(Y)
        A = equation_7(G, dense, output.matrix(), Y, rows[fitted], alpha, manifold)
        np.testing.assert_allclose(kernel.model(weights).predict(X), G @ A @ output.matrix(), atol=1e-8)
    assert len(kernel.features.landmarks) == min(max_landmarks, len(X) if with_graph else len(rows))
    assert np.isnan(kernel.model(weights).alpha).all()


def test_a_ratio_is_decomposed_once(rng, monkeypatch):
    X, Y = rng.normal(size=(8, 2)), np.sign(rng.normal(size=(8, 2)))
    kernel = InputKernel.learn(X, np.arange(8), graph_operator(X, "laplacian", 3), 1.0, 8, rng)
    output = output_kernel(Y, 0.5, normalize=True)
    problem = Problem(kernel, output, np.arange(8), Y, np.ones(Y.shape, bool), np.zeros(Y.shape, bool))
    ratios = []
    monkeypatch.setattr(problem, "_decompose", lambda ratio: ratios.append(ratio) or [])
    for alpha, manifold in ((0.5, 1.0), (0.25, 0.5), (0.5, 0.5)):
        problem.at(alpha, manifold)
    assert ratios == [2.0, 1.0]
