"""Kernels and graphs of vector-valued regression against dense definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph
from tests.oracles.propagation import nearest, weights_of_row

from halflabel.methods.canonical_order import order_columns
from halflabel.methods.vvmr.problem import graph_operator, output_kernel


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

    @pytest.mark.parametrize(("n_labels", "weight"), [(1, 0.5), (4, 0.0)])
    def test_without_a_graph_it_is_the_identity(self, n_labels, weight):
        kernel = output_kernel(np.ones((3, n_labels)), weight, normalize=True)
        assert kernel.vectors is None
        np.testing.assert_array_equal(kernel.matrix(), np.eye(n_labels))
