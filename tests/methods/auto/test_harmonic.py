"""Propagation along the graph against dense normal equations, fold by fold."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg, sparse

from halflabel.methods.auto.graph import Graph, Nodes, connect
from halflabel.methods.auto.harmonic import NodeValues, harmonic, propagate


def propagate_dense(W, target, weight, pull, rest):
    """Return the solution of the normal equations, label by label."""
    degree = W.sum(axis=1)
    degree = np.where(degree > 0, degree, 1.0)
    rest = np.broadcast_to(rest, target.shape)
    columns = []
    for t, m, r in zip(target.T, weight.T, rest.T, strict=True):
        A = np.diag(W.sum(axis=1) + degree * (m + pull)) - W
        columns.append(linalg.solve(A, degree * (m * np.where(m > 0, t, 0.0) + pull * r)))
    return np.column_stack(columns)


def weighted_graph(rng, n):
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4), 1)
    return W + W.T


def test_propagated_values_solve_the_normal_equations(rng):
    W = weighted_graph(rng, 15)
    W[4], W[:, 4] = 0, 0  # without neighbours
    weight = np.where(rng.random((15, 3)) < 0.4, 2.5, 0.0)
    weight[4] = [0, 2.5, 0]
    target = np.where(weight > 0, rng.normal(size=(15, 3)), np.nan)
    for rest in (0.3, rng.random(3)):
        expected = propagate_dense(W, target, weight, 0.05, rest)
        found = propagate(sparse.csr_array(W), target, weight, 0.05, rest, tol=1e-12)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert found[4, 0] == pytest.approx(rest if np.isscalar(rest) else rest[0])
        rough = propagate(sparse.csr_array(W), target, weight, 0.05, rest)
        assert 0 < np.abs(rough - expected).max() < 1e-3


def test_an_item_whose_affinities_underflow_has_the_rate_of_the_label(rng):
    X = np.append(rng.normal(size=20), 1e4)[:, None]
    _, W = connect(X, lambda X: X, 3)
    assert W[20].sum() == 0
    weight = np.zeros((21, 1))
    weight[0] = 30.0
    assert propagate(W, np.ones((21, 1)), weight, 0.01, 0.25)[20] == pytest.approx(0.25)


def test_the_objective_of_the_docstring_has_no_smaller_value_nearby(rng):
    W = weighted_graph(rng, 8)
    degree, target = W.sum(axis=1), rng.normal(size=(8, 1))
    weight = np.array([[1.0], [2], [0], [0], [0.5], [0], [0], [0]])

    def value(f):
        edges = 0.5 * (W * (f - f.T) ** 2).sum()
        return edges + (degree[:, None] * (weight * (f - target) ** 2 + 0.1 * (f - 0.7) ** 2)).sum()

    found = propagate(sparse.csr_array(W), target, weight, 0.1, 0.7, tol=1e-12)
    assert all(value(found + 0.01 * rng.normal(size=(8, 1))) > value(found) for _ in range(20))


# -- the member -----------------------------------------------------------------------


def task_of(rng, n=24, n_labels=2, n_labelled=12, max_nodes=16):
    """Return what the member reads of a task: a graph on a sample of nodes, and folds."""
    X, rows = rng.normal(size=(n, 2)), np.sort(rng.choice(n, n_labelled, replace=False))
    nodes = Nodes.choose(n, rows, max_nodes, rng)
    observed = rng.random((n_labelled, n_labels)) < 0.8
    Y = np.where(observed, rng.random((n_labelled, n_labels)) < 0.5, 0.0)
    folds = SimpleNamespace(Y=Y, observed=observed, rows=rows, fold=np.arange(n_labelled) % 3, numbers=range(3))
    rates = np.where(observed.any(axis=0), Y.sum(axis=0) / np.maximum(observed.sum(axis=0), 1), np.nan)
    return SimpleNamespace(
        folds=folds,
        graph=Graph.build(X, nodes, 4, rng),
        labels=SimpleNamespace(rates=rates),
    )


def solve_dense(task, values, known, weight, pull, rest):
    """Return the values of all items: nodes by the normal equations, others by the transition matrix."""
    graph, rows = task.graph, task.folds.rows
    target, weights = np.zeros((2, len(graph.nodes.items), values.shape[1]))
    for i, row in enumerate(rows):
        if (node := graph.nodes.place[row]) >= 0:
            target[node], weights[node] = values[i], weight * known[i]
    at_nodes = propagate_dense(graph.affinities.toarray(), target, weights, pull, rest)
    everywhere = graph.transition.toarray() @ at_nodes
    everywhere[graph.nodes.items] = at_nodes
    return everywhere, at_nodes


def hold_out_dense(task, values, known, *settings):
    held_out = np.empty(values.shape)
    for fold in range(3):
        out = task.folds.fold == fold
        held_out[out] = solve_dense(task, values, known & ~out[:, None], *settings)[0][task.folds.rows[out]]
    return held_out


def test_labels_are_propagated_with_their_rates_at_rest(rng):
    task = task_of(rng, n_labels=3)
    task.folds.observed[:, 2], task.folds.Y[:, 2], task.labels.rates[2] = False, 0, np.nan
    fitted, folds = harmonic(task), task.folds
    settings = (30.0, 0.01, np.nan_to_num(task.labels.rates))
    expected, at_nodes = solve_dense(task, folds.Y, folds.observed, *settings)
    np.testing.assert_allclose(fitted.scores, expected, atol=5e-3)
    np.testing.assert_allclose(fitted.model.values, at_nodes, atol=5e-3)
    np.testing.assert_allclose(fitted.out_of_fold, hold_out_dense(task, folds.Y, folds.observed, *settings), atol=5e-3)


def test_a_single_labelled_item_has_no_value_out_of_fold(rng):
    one, two = task_of(rng, n_labelled=1), task_of(rng, n_labelled=2)
    assert np.isnan(harmonic(one).out_of_fold).all()
    assert np.isfinite(harmonic(one).scores).all()
    two.folds.numbers = range(2)
    assert np.isfinite(harmonic(two).out_of_fold).all()


def test_new_items_have_the_means_of_their_nodes():
    items = SimpleNamespace(transition=sparse.csr_array([[0.25, 0.75], [1.0, 0.0]]))
    np.testing.assert_allclose(NodeValues(np.array([[4.0], [8.0]])).predict(items), [[7], [4]])
