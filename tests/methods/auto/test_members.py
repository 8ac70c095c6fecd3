"""The members' mathematics against slow forms of it; held-out labels are not used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task
from tests.oracles import auto as oracle

from halflabel.methods.auto import ridge as ridges
from halflabel.methods.auto import trees as flat
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import MEMBERS, uses_graph
from halflabel.methods.auto.features import Coordinates, Weighting
from halflabel.methods.auto.graph import Nodes, connect, to_transition_matrix
from halflabel.methods.auto.harmonic import harmonic, propagate
from halflabel.methods.auto.kernel import kernel
from halflabel.methods.auto.logistic import logistic
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.tree_members import boosting
from halflabel.numerics.kernels import nystroem

SMALL = replace(EFFORTS["default"], n_trees=20, n_landmarks=100)

#: So small that every bound binds on ninety items.
TIGHT = replace(SMALL, n_landmarks=12, max_nodes=50, max_tree_items=15)


def small_task(rng, *, n=90, entries=False, effort=SMALL):
    X, Y, _ = half_labelled(rng, n, entries=entries)
    return make_task(X, Y, effort, n_folds=3)


@pytest.fixture
def graph(rng):
    X = rng.normal(size=(40, 4))
    return X, *connect(X, Coordinates.learn(X, rng), 6)


# -- features --------------------------------------------------------------------


def test_words_are_weighed_by_rarity_and_items_to_unit_length(rng):
    X = (rng.random((50, 30)) < 0.1).astype(float)
    X[0] = 0
    weighting = Weighting.learn(X, "auto")
    weighted = weighting(X)
    np.testing.assert_allclose(np.linalg.norm(weighted, axis=1), X.any(axis=1))
    row, present = X[7, weighting.order], (X != 0).sum(axis=0)[weighting.order]
    expected = row * (1 + np.log(51 / (1 + present)))
    np.testing.assert_allclose(weighted[7], expected / np.linalg.norm(expected))
    np.testing.assert_allclose(Weighting.learn(sparse.csr_array(X), "auto")(sparse.csr_array(X)).toarray(), weighted)


def test_other_features_are_standardised(rng):
    X = rng.normal(size=(30, 4)) * [1, 10, 100, 1000]
    np.testing.assert_allclose(Weighting.learn(X, "auto")(X).std(axis=0), 1)


def test_coordinates_keep_distances_that_sixty_dimensions_can_hold(rng):
    X = rng.normal(size=(100, 5)) @ rng.normal(size=(5, 80)) + 3
    Z = Coordinates.learn(X, rng)(X)
    assert Z.shape == (100, 60)
    np.testing.assert_allclose(np.linalg.norm(Z[0] - Z[1]), np.linalg.norm(X[0] - X[1]))
    thin = Coordinates.learn(sparse.csr_array(X), rng)(sparse.csr_array(X))
    np.testing.assert_allclose(thin @ thin.T, Z @ Z.T, atol=1e-8)


# -- kernels ---------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [15, 60])
def test_leave_one_out_predictions_are_those_of_refits(rng, n_rows):
    X, Y = rng.normal(size=(n_rows, 3)), (rng.random((n_rows, 2)) < 0.4).astype(float)
    features = nystroem(X[:30], 1.5, 30, rng)  # more features than rows, and fewer
    model, loo = ridges.fit_ridge(features, X, Y, np.ones(Y.shape, bool), rng)
    np.testing.assert_allclose(loo, oracle.refitted_ridge(features(X), Y, model.alpha[0]), atol=1e-7)


def test_each_label_learns_from_its_own_entries(rng):
    X, Y = rng.normal(size=(40, 3)), (rng.random((40, 2)) < 0.5).astype(float)
    observed = rng.random(Y.shape) < 0.6
    features = nystroem(X, 1.5, 40, rng)
    model, loo = ridges.fit_ridge(features, X, Y, observed, rng)
    for j in range(2):
        rows = observed[:, j]
        alone, left_out = ridges.fit_ridge(features, X[rows], Y[rows][:, [j]], np.ones((rows.sum(), 1), bool), rng)
        np.testing.assert_allclose(model.predict(X)[:, j], alone.predict(X)[:, 0], atol=1e-9)
        np.testing.assert_allclose(loo[rows, j], left_out[:, 0], atol=1e-9)
        assert np.isnan(loo[~rows, j]).all()


def test_blocks_change_nothing(rng, monkeypatch):
    X, Y = rng.normal(size=(60, 3)), (rng.random((60, 2)) < 0.4).astype(float)
    features = nystroem(X, 1.5, 20, rng)
    whole = ridges.ridge_path(features(X), Y)
    monkeypatch.setattr(ridges, "BLOCK", 16)
    coef, loo = ridges._solve_in_blocks(features, X, np.arange(60), Y, whole.alpha)
    np.testing.assert_allclose(coef, whole.coef, atol=1e-9)
    np.testing.assert_allclose(loo, whole.loo, atol=1e-9)


# -- the graph -------------------------------------------------------------------


def test_propagated_labels_solve_the_normal_equations(graph, rng):
    X, _, W = graph
    target, weight = rng.random((len(X), 3)), np.where(rng.random((len(X), 3)) < 0.4, 2.0, 0.0)
    rest = np.array([0.1, 0.5, 0.9])
    F = propagate(W, target, weight, 0.05, rest, tol=1e-12)
    np.testing.assert_allclose(F, oracle.propagate(W, target, weight, 0.05, rest), atol=1e-9)


def test_without_known_values_a_label_has_the_value_at_rest(graph):
    X, _, W = graph
    F = propagate(W, np.zeros((len(X), 1)), np.zeros((len(X), 1)), 0.01, np.array([0.3]))
    np.testing.assert_allclose(F, 0.3)


def test_a_twin_of_a_node_has_the_largest_weight_for_it(graph):
    X, neighbourhood, W = graph
    P = neighbourhood.transition(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(P.toarray().argmax(axis=1), np.arange(len(X)))
    assert (W != W.T).nnz == 0


def test_duplicates_have_finite_affinities(rng):
    X = np.repeat(rng.normal(size=(3, 2)), 9, axis=0)
    neighbourhood, W = connect(X, Coordinates.learn(X, rng), 4)
    assert np.isfinite(W.data).all()
    assert np.isfinite(neighbourhood.transition(X).data).all()


# -- trees -----------------------------------------------------------------------


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_flat_trees_predict_as_those_of_scikit_learn(rng, monkeypatch, thin):
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 3))
    X[np.abs(X) < 0.5] = 0
    grown = []

    class Kept(flat.ExtraTreeRegressor):
        def fit(self, *given, **options):
            grown.append(super().fit(*given, **options))
            return self

    monkeypatch.setattr(flat, "ExtraTreeRegressor", Kept)
    bags = [rng.choice(50, 30, replace=False) for _ in range(5)]
    A = sparse.csr_array(X) if thin else X
    trees = flat.grow(A, Y, bags, np.arange(5), min_leaf=2, max_leaves=None)
    new = rng.normal(size=(20, 4))
    ends = [[oracle.leaf_of(model.tree_, row) for row in new] for model in grown]
    expected = np.mean([model.tree_.value[end][:, :, 0] for model, end in zip(grown, ends, strict=True)], axis=0)
    np.testing.assert_allclose(trees.predict(sparse.csr_array(new) if thin else new), expected, atol=1e-6)


def test_beyond_some_labels_splits_see_mixtures_and_leaves_the_labels(rng):
    X = rng.normal(size=(200, 1))
    Y = np.repeat((X[:, [0]] > 0).astype(float), 40, axis=1)
    Y[:, 20:] = 1 - Y[:, 20:]
    trees = flat.grow(X, Y, [np.arange(200)] * 10, np.arange(10), min_leaf=2, max_leaves=None)
    assert trees.values.shape[1] == 40
    answer = trees.predict(X)
    assert np.abs(answer - Y).mean() < 0.05
    np.testing.assert_allclose(answer[:, 0], answer[:, 19])
    np.testing.assert_allclose(answer[:, 0], 1 - answer[:, 20], atol=1e-6)


def test_leaves_are_bounded(rng):
    X, Y = rng.normal(size=(100, 3)), rng.random((100, 2))
    trees = flat.grow(X, Y, [np.arange(100)] * 2, np.arange(2), min_leaf=1, max_leaves=7)
    assert len(trees.values) == 14


# -- members ---------------------------------------------------------------------


def flip(task: Task, items: np.ndarray) -> Task:
    """Return the task with all observed entries of some labelled items inverted, in the same folds."""
    state = task.labels.state.copy()
    state[task.folds.rows[items]] *= -1
    labels = replace(task.labels, state=state)
    folds = replace(task.folds, Y=labels[task.folds.rows].values(unknown=0.0))
    return replace(task, labels=labels, folds=folds)


def out_of_fold_of_flipped(task: Task, item: int, name: str) -> np.ndarray:
    """Return the out-of-fold scores of an item whose observed entries were inverted."""
    other = flip(task, np.array([item]))
    vars(other)["kernel_map"] = task.kernel_map  # its bandwidth is chosen with all labels
    return MEMBERS[name](other).out_of_fold[item]


@pytest.mark.parametrize("name", ["harmonic", "trees", "boosting", "logistic"])
@pytest.mark.parametrize("effort", [SMALL, TIGHT], ids=["small", "tight"])
def test_out_of_fold_scores_do_not_use_the_labels_of_the_item(rng, name, effort):
    task = small_task(rng, effort=effort)
    scores = MEMBERS[name](task).out_of_fold
    for item in (0, 5, 11):
        close = 0.05 if name == "harmonic" else 0  # labels rest at rates that count the item as one of many
        np.testing.assert_allclose(out_of_fold_of_flipped(task, item, name), scores[item], atol=close)


def test_kernels_leave_the_item_out(rng):
    task = small_task(rng)
    fitted = kernel(task)
    held_out, scores = fitted.out_of_fold, fitted.scores[task.folds.rows]
    other = np.array([out_of_fold_of_flipped(task, i, "kernel") for i in range(6)])
    assert np.abs(other - held_out[:6]).mean() < 0.1 * np.abs(scores - held_out).mean() + 0.05


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
@pytest.mark.parametrize("effort", [SMALL, TIGHT], ids=["small", "tight"])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_scores_every_cell(rng, name, effort, entries):
    task = small_task(rng, entries=entries, effort=effort)
    fitted, folds = MEMBERS[name](task), task.folds
    assert fitted.scores.shape == (90, 3)
    assert fitted.out_of_fold.shape == folds.Y.shape
    assert np.isfinite(fitted.scores).all()
    assert np.isfinite(fitted.out_of_fold).all()
    new = rng.normal(size=(7, 5))
    assert np.isfinite(fitted.model.predict(Items(new, task.graph.neighbourhood.transition(new)))).all()
    predicted = expit(fitted.out_of_fold) if name in ("boosting", "logistic") else fitted.out_of_fold
    error = ((predicted - folds.Y)[folds.observed] ** 2).mean()
    rates = np.broadcast_to(task.labels.rates, folds.Y.shape)
    assert error < ((rates - folds.Y)[folds.observed] ** 2).mean()


@pytest.mark.parametrize("name", MEMBERS)
def test_the_graph_is_built_for_the_members_that_use_it(rng, monkeypatch, name):
    calls = []
    monkeypatch.setattr("halflabel.methods.auto.graph.connect", lambda *a: calls.append("graph") or connect(*a))
    MEMBERS[name](small_task(rng))
    assert bool(calls) == uses_graph([name])


def test_a_single_labelled_item_has_no_out_of_fold_score(rng):
    X, Y, _ = half_labelled(rng)
    Y[1:] = np.nan
    task = make_task(X, Y, SMALL, seed=0)
    for member in (kernel, harmonic, boosting, logistic):
        assert np.isnan(member(task).out_of_fold).all()


# -- nodes -------------------------------------------------------------------


@pytest.mark.parametrize(("n_labelled", "expected"), [(40, 10), (5, 5), (95, 15)])
def test_half_of_the_nodes_are_labelled_if_there_are_enough_of_both_kinds(rng, n_labelled, expected):
    labelled = np.sort(rng.choice(100, n_labelled, replace=False))
    nodes = Nodes.choose(100, labelled, 20, rng)
    assert len(nodes.items) == 20
    assert np.isin(nodes.items, labelled).sum() == expected
    np.testing.assert_array_equal(nodes.place[nodes.items], np.arange(20))
    np.testing.assert_array_equal(nodes.others, np.setdiff1d(np.arange(100), nodes.items))


def test_a_graph_of_all_items_has_every_item_at_its_place(rng):
    given = rng.permutation(60)
    nodes = Nodes.choose(60, given[:20], 60, rng)
    np.testing.assert_array_equal(nodes.items, np.arange(60))
    assert len(nodes.others) == 0


def test_the_transition_matrix_of_items_outside_the_graph_is_that_of_new_ones(rng):
    task = small_task(rng, effort=TIGHT)
    graph, P = task.graph, task.graph.between_items()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    outside = graph.nodes.others
    new = graph.neighbourhood.transition(task.X[outside]).toarray()
    np.testing.assert_allclose(P.toarray()[np.ix_(outside, graph.nodes.items)], new)
    inside = P.toarray()[np.ix_(graph.nodes.items, graph.nodes.items)]
    np.testing.assert_array_equal(inside, to_transition_matrix(graph.affinities).toarray())
    assert P[:, outside].nnz == 0
