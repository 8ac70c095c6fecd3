"""The members' mathematics against slow forms of it, and that nothing held out is looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import half_labelled
from tests.oracles import auto as oracle

from halflabel import PartialLabels
from halflabel.methods.auto import ridge as ridges
from halflabel.methods.auto import trees as flat
from halflabel.methods.auto.features import Coordinates, Weighting
from halflabel.methods.auto.harmonic import FADING, corrected_trees, harmonic
from halflabel.methods.auto.heat import heat_graph, propagate, walk
from halflabel.methods.auto.kernel import deformed_kernel, kernel
from halflabel.methods.auto.pool import MEMBERS
from halflabel.methods.auto.task import EFFORTS, Items, Task
from halflabel.numerics.kernels import nystroem

SMALL = replace(EFFORTS["default"], n_trees=20, n_landmarks=100)

#: So small that every bound binds on ninety items.
TIGHT = replace(SMALL, n_landmarks=12, n_nodes=50, n_grown=15)


def task(rng, *, n=90, entries=False, effort=SMALL, **settings):
    X, Y, _ = half_labelled(rng, n, entries=entries)
    return Task(X, PartialLabels.from_table(Y), effort, seed=3, n_folds=3, **settings)


@pytest.fixture
def graph(rng):
    X = rng.normal(size=(40, 4))
    return X, *heat_graph(X, Coordinates.learn(X, rng), 6)


# -- features --------------------------------------------------------------------


def test_words_are_weighed_by_rarity_and_items_to_unit_length(rng):
    X = (rng.random((50, 30)) < 0.1).astype(float)
    X[0] = 0
    weighted = Weighting.learn(X, "auto")(X)
    np.testing.assert_allclose(np.linalg.norm(weighted, axis=1), X.any(axis=1))
    row, present = X[7], (X != 0).sum(axis=0)
    expected = row * (1 + np.log(51 / (1 + present)))
    np.testing.assert_allclose(weighted[7], expected / np.linalg.norm(expected))
    np.testing.assert_allclose(Weighting.learn(sparse.csr_array(X), "auto")(sparse.csr_array(X)).toarray(), weighted)


def test_what_is_no_word_is_standardised(rng):
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


def test_the_deformed_map_is_the_deformed_kernel(graph, rng):
    X, _, W = graph
    P = walk(W)
    features = nystroem(X, 2.0, len(X), rng)
    C = features(X)[:, :-1]
    roughness = np.trace((C - P @ C).T @ (C - P @ C)) / C.shape[1]
    for stiffness, deformed in zip(ridges.STIFFNESS, ridges.deformations(features, X, P), strict=True):
        Phi = deformed(X)[:, :-1]
        expected = oracle.deformed_gram(X, 2.0, P.toarray(), stiffness / roughness)
        np.testing.assert_allclose(Phi @ Phi.T, expected, atol=1e-8)


@pytest.mark.parametrize("n_rows", [15, 60])
def test_left_out_answers_are_those_of_refits(rng, n_rows):
    X, Y = rng.normal(size=(n_rows, 3)), (rng.random((n_rows, 2)) < 0.4).astype(float)
    features = nystroem(X[:30], 1.5, 30, rng)  # more features than rows, and fewer
    model, loo = ridges.ridge(features, X, Y, np.ones(Y.shape, bool), rng)
    np.testing.assert_allclose(loo, oracle.refitted_ridge(features(X), Y, model.alpha[0]), atol=1e-7)


def test_each_label_learns_from_its_own_entries(rng):
    X, Y = rng.normal(size=(40, 3)), (rng.random((40, 2)) < 0.5).astype(float)
    observed = rng.random(Y.shape) < 0.6
    features = nystroem(X, 1.5, 40, rng)
    model, loo = ridges.ridge(features, X, Y, observed, rng)
    for j in range(2):
        rows = observed[:, j]
        alone, left_out = ridges.ridge(features, X[rows], Y[rows][:, [j]], np.ones((rows.sum(), 1), bool), rng)
        np.testing.assert_allclose(model.predict(X)[:, j], alone.predict(X)[:, 0], atol=1e-9)
        np.testing.assert_allclose(loo[rows, j], left_out[:, 0], atol=1e-9)
        assert np.isnan(loo[~rows, j]).all()


def test_streaming_changes_nothing(rng, monkeypatch):
    X, Y = rng.normal(size=(60, 3)), (rng.random((60, 2)) < 0.4).astype(float)
    features = nystroem(X, 1.5, 20, rng)
    whole = ridges.ridge_path(features(X), Y)
    monkeypatch.setattr(ridges, "BLOCK", 16)
    coef, loo = ridges._streamed(features, X, np.arange(60), Y, whole.alpha)
    np.testing.assert_allclose(coef, whole.coef, atol=1e-9)
    np.testing.assert_allclose(loo, whole.loo, atol=1e-9)


# -- the graph -------------------------------------------------------------------


def test_labels_flow_as_the_normal_equations_say(graph, rng):
    X, _, W = graph
    target, weight = rng.random((len(X), 3)), np.where(rng.random((len(X), 3)) < 0.4, 2.0, 0.0)
    rest = np.array([0.1, 0.5, 0.9])
    F = propagate(W, target, weight, 0.05, rest, tol=1e-12)
    np.testing.assert_allclose(F, oracle.flow(W, target, weight, 0.05, rest), atol=1e-9)


def test_without_evidence_a_label_rests(graph):
    X, _, W = graph
    F = propagate(W, np.zeros((len(X), 1)), np.zeros((len(X), 1)), 0.01, np.array([0.3]))
    np.testing.assert_allclose(F, 0.3)


def test_a_twin_of_a_node_walks_to_it_first(graph):
    X, surroundings, W = graph
    P = surroundings.walk(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(P.toarray().argmax(axis=1), np.arange(len(X)))
    assert (W != W.T).nnz == 0


def test_duplicates_have_finite_affinities(rng):
    X = np.repeat(rng.normal(size=(3, 2)), 9, axis=0)
    surroundings, W = heat_graph(X, Coordinates.learn(X, rng), 4)
    assert np.isfinite(W.data).all()
    assert np.isfinite(surroundings.walk(X).data).all()


# -- trees -----------------------------------------------------------------------


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_flat_trees_answer_as_the_grown_ones(rng, monkeypatch, thin):
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 3))
    X[np.abs(X) < 0.5] = 0
    grown = []

    class Kept(flat.ExtraTreeRegressor):
        def fit(self, *given):
            grown.append(super().fit(*given))
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


def flipped(given: Task, item: int, name: str) -> np.ndarray:
    """Return the out-of-fold answers about an item when all that was observed of it is turned over."""
    state = given.labels.state.copy()
    state[given.rows[item]] *= -1
    other = Task(given.X, replace(given.labels, state=state), given.effort, given.seed, given.n_folds)
    other.folds, other.features = given.folds, given.features  # both are chosen with the labels in sight
    return MEMBERS[name](other).out_of_fold[item]


@pytest.mark.parametrize("name", ["harmonic", "trees", "self_trained_trees", "reconstruction"])
@pytest.mark.parametrize("effort", [SMALL, TIGHT], ids=["small", "tight"])
def test_out_of_fold_answers_never_saw_the_item(rng, name, effort):
    given = task(rng, effort=effort)
    given.labels.rates  # noqa: B018 - the same labels serve both fits
    answers = MEMBERS[name](given).out_of_fold
    for item in (0, 5, 11):
        # Labels rest at rates, and an anchor has a ridge weight, that count the item as one of many.
        close = 0.05 if name in ("harmonic", "reconstruction") else 0
        np.testing.assert_allclose(flipped(given, item, name), answers[item], atol=close)


def test_kernels_leave_the_item_out(rng):
    given = task(rng)
    for name in ("kernel", "deformed_kernel"):
        answers = MEMBERS[name](given).out_of_fold
        scores = MEMBERS[name](given).scores[given.rows]
        other = np.array([flipped(given, i, name) for i in range(6)])
        assert np.abs(other - answers[:6]).mean() < 0.1 * np.abs(scores - answers).mean() + 0.05


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
@pytest.mark.parametrize("effort", [SMALL, TIGHT], ids=["small", "tight"])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_answers_about_every_cell(rng, name, effort, entries):
    given = task(rng, entries=entries, effort=effort)
    fitted = MEMBERS[name](given)
    assert fitted.scores.shape == (90, 3)
    assert fitted.out_of_fold.shape == given.Y.shape
    assert np.isfinite(fitted.scores).all()
    assert np.isfinite(fitted.out_of_fold).all()
    new = Items(rng.normal(size=(7, 5)), given.graph[0])
    assert np.isfinite(fitted.model.predict(new)).all()
    error = ((fitted.out_of_fold - given.Y)[given.observed] ** 2).mean()
    rates = np.broadcast_to(given.labels.rates, given.Y.shape)
    assert error < ((rates - given.Y)[given.observed] ** 2).mean()


def test_members_share_one_forest_and_one_graph(rng, monkeypatch):
    given, calls = task(rng), []
    monkeypatch.setattr("halflabel.methods.auto.task.heat_graph", lambda *a: calls.append("graph") or heat_graph(*a))
    monkeypatch.setattr(
        "halflabel.methods.auto.forest.grow", lambda *a, **k: calls.append("trees") or flat.grow(*a, **k)
    )
    for name in ("deformed_kernel", "harmonic", "corrected_trees", "self_trained_trees"):
        given.once(MEMBERS[name])
    assert calls.count("graph") == 1
    assert calls.count("trees") == 2 * 3  # two forests of three groups


def test_corrected_trees_add_the_errors_that_flow_to_an_item(rng):
    given = task(rng)
    base, corrected = given.once(MEMBERS["trees"]), corrected_trees(given)
    errors, rows, W = given.Y - base.out_of_fold, given.rows, given.graph[1]

    def flow(known, fading):
        target, weight = np.zeros(base.scores.shape), np.zeros(base.scores.shape)
        target[rows], weight[rows[known]] = errors, 3.0
        return oracle.flow(W, target, weight, fading, np.zeros(3))

    def held_out(fading):
        folds = [flow(given.folds != g, fading)[rows] for g in given.groups]
        return np.choose(given.folds[:, None], folds)

    best = min((held_out(fading) for fading in FADING), key=lambda left: ((errors - left) ** 2).sum())
    np.testing.assert_allclose(corrected.out_of_fold, base.out_of_fold + best, atol=1e-3)
    whole = [flow(given.folds >= 0, fading) for fading in FADING]
    gap = [np.abs(corrected.scores - base.scores - field).max() for field in whole]
    assert min(gap) < 1e-3
    assert np.abs(best).max() > 0.05


def test_errors_that_are_noise_are_not_spread(rng):
    X = rng.normal(size=(120, 3))
    Y = np.where(rng.random((120, 1)) < 0.5, np.nan, rng.integers(2, size=(120, 1)))
    given = Task(X, PartialLabels.from_table(Y), SMALL, seed=0)
    base, corrected = given.once(MEMBERS["trees"]), corrected_trees(given)
    assert np.abs(corrected.out_of_fold - base.out_of_fold).mean() < 0.15


def test_a_single_labelled_item_has_no_out_of_fold_answer(rng):
    X, Y, _ = half_labelled(rng)
    Y[1:] = np.nan
    given = Task(X, PartialLabels.from_table(Y), SMALL, seed=0)
    for member in (kernel, deformed_kernel, harmonic, corrected_trees):
        assert np.isnan(member(given).out_of_fold).all()


@pytest.mark.parametrize("learned", [10_000, 50], ids=["all items", "a sample"])
def test_what_stands_in_for_a_missing_entry_never_saw_the_fold(rng, monkeypatch, learned):
    monkeypatch.setattr("halflabel.methods.auto.task.LEARNED", learned)
    given = task(rng, entries=True)
    folds = given.folds
    state = given.labels.state.copy()
    state[given.rows[folds == 0]] *= -1
    other = Task(given.X, replace(given.labels, state=state), given.effort, given.seed, given.n_folds)
    other.folds = folds
    kept = folds != 0
    # Ridge weights are chosen with all folds in sight, and may differ by a notch.
    assert np.abs(other.targets[0][kept] - given.targets[0][kept]).mean() < 0.1
    known = kept[:, None] & given.observed
    np.testing.assert_array_equal(other.targets[0][known], given.Y[known])


def test_a_sample_of_the_items_stands_in_for_missing_entries_nearly_as_well_as_all(rng, monkeypatch):
    X, Y, complete = half_labelled(rng, 400, entries=True)
    errors = []
    for learned in (10_000, 150):
        monkeypatch.setattr("halflabel.methods.auto.task.LEARNED", learned)
        given = Task(X, PartialLabels.from_table(Y), SMALL, seed=3)
        held_out = given.targets[given.folds, np.arange(len(given.rows))]
        errors.append(np.mean((held_out - complete[given.rows])[~given.observed] ** 2))
    of_rates = np.mean((given.labels.rates - complete)[np.isnan(Y)] ** 2)
    assert errors[0] < errors[1] < 0.6 * of_rates


def test_a_fold_outside_the_sample_has_its_model_all_the_same(rng, monkeypatch):
    monkeypatch.setattr("halflabel.methods.auto.task.LEARNED", 8)
    given = task(rng, entries=True)
    given.folds = np.where(np.arange(len(given.rows)) == 0, 2, given.folds % 2)
    assert given.targets.shape == (3, *given.Y.shape)
    assert not np.allclose(given.targets[2], given.targets[1])
