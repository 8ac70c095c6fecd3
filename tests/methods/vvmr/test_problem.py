"""Kernels and graphs of vector-valued regression against dense definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph
from tests.oracles.propagation import nearest, weights_of_row
from tests.oracles.vvmr import equation_7

from halflabel.methods.vvmr.problem import InputKernel, Problem, graph_operator
from halflabel.numerics.graph.output_kernel import output_kernel


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
