"""The kernel between labels against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from halflabel.numerics.column_order import order_columns
from halflabel.numerics.graph.output_kernel import output_kernel


@pytest.mark.parametrize("normalize", [True, False])
def test_two_labels_are_joined_by_the_graph(normalize):
    """Two labels are each other's neighbour: L = [[1, -1], [-1, 1]], its pseudo-inverse is L / 4."""
    L = np.array([[1.0, -1.0], [-1.0, 1.0]])
    inverse = L / 4 / (0.25 if normalize else 1.0)  # eigenvalues 0 and 1/2, mean 1/4
    Q = output_kernel(np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), 0.3, normalize=normalize).matrix()
    np.testing.assert_allclose(Q, 0.3 * inverse + 0.7 * np.eye(2), atol=1e-12)


def test_many_labels(rng):
    Y = np.sign(rng.normal(size=(25, 7)))
    Y = Y[:, order_columns(Y)]  # of labels at equal distance the first are neighbours
    near = kneighbors_graph(Y.T, 2).toarray()  # 0.3 * 7 = 2.1
    W = np.maximum(near, near.T)
    inverse = np.linalg.pinv(np.diag(W.sum(axis=1)) - W)
    expected = 0.4 * inverse / (np.trace(inverse) / 7) + 0.6 * np.eye(7)
    np.testing.assert_allclose(output_kernel(Y, 0.4, normalize=True).matrix(), expected, atol=1e-10)


def test_two_pairs_of_labels_are_joined_each_by_its_own_edge():
    """Of four labels each has one neighbour, 0.3 * 4 = 1.2: L has two eigenvalues of 0."""
    Y = np.repeat([[1.0, -1.0, -1.0], [1.0, 1.0, 1.0]], 2, axis=0).T
    Y[0, 0] = Y[0, 3] = -1
    L = np.kron(np.eye(2), [[1.0, -1.0], [-1.0, 1.0]])
    Q = output_kernel(Y, 0.5, normalize=False).matrix()
    np.testing.assert_allclose(Q, 0.5 * L / 4 + 0.5 * np.eye(4), atol=1e-12)


@pytest.mark.parametrize(("n_labels", "weight"), [(1, 0.5), (4, 0.0)])
def test_without_a_graph_it_is_the_identity(n_labels, weight):
    kernel = output_kernel(np.ones((3, n_labels)), weight, normalize=True)
    assert kernel.vectors is None
    np.testing.assert_array_equal(kernel.matrix(), np.eye(n_labels))


def test_a_graph_without_edges_leaves_the_identity():
    kernel = output_kernel(np.ones((3, 4)), 0.5, normalize=True, graph=sparse.csr_array((4, 4)))
    np.testing.assert_array_equal(kernel.matrix(), np.eye(4) / 2)
