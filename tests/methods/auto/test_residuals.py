from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.special import expit
from tests.methods.auto.conftest import coupled, log_loss
from tests.public_sets import load_benchmark

from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import brier
from halflabel.methods.auto import coupling, residuals
from halflabel.methods.auto.coupling import Coupling, CouplingData
from halflabel.methods.auto.member_weights import learn_weights
from halflabel.methods.auto.residuals import refine

pytestmark = pytest.mark.usefixtures("small_forests")


def combined(rng, n=400, share=0.8):
    """Return the same for two triples of labels, any two of which are independent, while two determine the third."""
    Y = rng.integers(2, size=(n, 6)).astype(float)
    Y[:, [2, 5]] = Y[:, [0, 3]] != Y[:, [1, 4]]
    return PartialLabels.from_observed(Y, rng.random(Y.shape) < share), Y, 0.3 * rng.normal(size=Y.shape)


def flipped(labels, i, j):
    state = labels.state.copy()
    state[i, j] *= -1
    return replace(labels, state=state)


# -- what it is for ------------------------------------------------------------------


@pytest.mark.parametrize("n_trees", [0, 50])
def test_copies_of_one_label_determine_each_other(rng, n_trees):
    Y = np.repeat(rng.integers(2, size=(300, 1)), 5, axis=1).astype(float)
    labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.5)
    base = 0.1 * rng.normal(size=Y.shape)
    answer = refine(labels, base, rng, n_trees=n_trees).log_odds
    determined = ~labels.observed & ~labels.unlabelled[:, None]
    assert 0.4 < ((base > 0) == Y)[determined].mean() < 0.6
    assert ((answer > 0) == Y)[determined].mean() > 0.99


def test_only_forests_find_a_label_that_two_others_determine(rng):
    labels, Y, base = combined(rng, n=600)
    determined = ~labels.observed & np.repeat(np.add.reduceat(labels.observed, [0, 3], axis=1) == 2, 3, axis=1)
    right = [((refine(labels, base, rng, n_trees=n).log_odds > 0) == Y)[determined].mean() for n in (0, 50)]
    assert right[0] < 0.65
    assert right[1] > 0.95


def test_independent_labels_change_little():
    costs, ridges = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        base = 2 * rng.normal(size=(500, 6))
        Y = (rng.random(base.shape) < expit(base)).astype(float)
        labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.6)
        refined, gaps = refine(labels, base, rng, n_trees=20), ~labels.observed
        costs.append(log_loss(Y, refined.log_odds, gaps) - log_loss(Y, base, gaps))
        ridges.append(refined.model.coupling.ridge)
    assert np.mean(costs) < 0.002
    assert np.median(ridges) > 1000


def test_real_labels_correct_each_other(public_data, rng):
    truth = load_benchmark("emotions", public_data).Y
    known = truth.hide(rng.random(truth.shape) > 0.6)
    hidden = truth.hide(known.observed)
    base = np.tile(np.log(known.rates / (1 - known.rates)), (len(truth), 1))
    before, after = expit(base), expit(refine(known, base, rng, n_trees=0).log_odds)
    assert brier(hidden, after) < 0.9 * brier(hidden, before)
    errors = [((p > 0.5) != truth.relevant)[hidden.observed].mean() for p in (before, after)]
    assert errors[1] < 0.9 * errors[0]


# -- what it must not use --------------------------------------------------------------


def test_the_base_score_of_an_unknown_entry_is_no_residual(rng):
    labels, _, base = coupled(rng)
    model = refine(labels, base, rng, n_trees=0).model
    i, k = np.argwhere(~labels.observed & ~labels.unlabelled[:, None])[0]
    moved = base.copy()
    moved[i, k] += 3
    changed = model.predict(moved, labels) != model.predict(base, labels)
    assert np.argwhere(changed).tolist() == [[i, k]]


def test_the_value_of_an_entry_never_changes_its_own_score(rng):
    labels, _, base = combined(rng, n=200)
    model = refine(labels, base, rng, n_trees=10).model
    assert model.forests is not None
    before = model.predict(base, labels)
    for i, j in np.argwhere(labels.observed & (labels.observed.sum(axis=1, keepdims=True) > 1))[:10]:
        after = model.predict(base, flipped(labels, i, j))
        assert after[i, j] == before[i, j]
        assert (np.delete(after[i], j) != np.delete(before[i], j)).any()
        np.testing.assert_array_equal(np.delete(after, i, axis=0), np.delete(before, i, axis=0))


def fit_part(part, table, n_trees, rng):
    """Return the out-of-fold log odds of the coupling or of the forests."""
    if part == "coupling":
        return coupling.fit_coupling(table, rng)[1]
    return residuals._grow_forests(table, n_trees, rng)[1]


@pytest.mark.parametrize("part", ["coupling", "forests"])
def test_out_of_fold_scores_do_not_use_the_entry(rng, monkeypatch, part):
    monkeypatch.setattr(coupling, "_choose_ridge", lambda *_: 1.0)
    monkeypatch.setattr(residuals, "cross_calibrate", lambda scores, *_: expit(scores))  # it uses the fold a little
    labels, _, base = coupled(rng, n=60)
    table = CouplingData.prepare(labels, base, 5, rng)

    def held_out(table):
        return fit_part(part, table, 10, np.random.default_rng(0))

    before = held_out(table)
    for i, j in np.argwhere(table.labels.observed)[::60]:
        changed = flipped(table.labels, i, j)
        residual = coupling.compute_residuals(changed, table.base)[1]
        after = held_out(replace(table, labels=changed, residual=residual))
        assert after[i, j] == before[i, j]
        assert (after != before).any()


@pytest.mark.parametrize("part", ["coupling", "forests"])
def test_out_of_fold_scores_learned_from_noise_are_worse_than_chance(monkeypatch, part):
    monkeypatch.setattr(coupling, "_choose_ridge", lambda *_: 10.0)
    losses = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        Y = rng.integers(2, size=(200, 6)).astype(float)
        labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.8)
        table = CouplingData.prepare(labels, np.zeros(Y.shape), 5, rng)
        held_out = fit_part(part, table, 10, rng)
        losses.append(log_loss(Y[table.rows], held_out, table.labels.observed))
    assert np.mean(losses) > np.log(2)


# -- edges -----------------------------------------------------------------------------


def test_items_with_nothing_observed_keep_the_base(rng):
    labels, _, base = coupled(rng)
    labels = labels.hide((rng.random(len(labels)) < 0.3)[:, None])
    refined = refine(labels, base, rng)
    blank = labels.unlabelled
    np.testing.assert_array_equal(refined.log_odds[blank], base[blank])
    assert (refined.log_odds[~blank] != base[~blank]).all()
    assert np.array_equal(np.isnan(refined.out_of_fold), ~labels.observed)
    np.testing.assert_array_equal(refined.model.predict(base, labels), refined.log_odds)


def test_labels_of_one_value_and_missing_scores_stay(rng):
    labels, _, base = coupled(rng, n_labels=6)
    state = labels.state.copy()
    state[:, 0] = 0
    state[:, 1] = -np.abs(state[:, 1])
    base[:, 2] = np.nan
    base[:5] = np.nan
    refined = refine(replace(labels, state=state), base, rng)
    np.testing.assert_array_equal(refined.log_odds[:, :3], base[:, :3])
    np.testing.assert_array_equal(refined.log_odds[:5], base[:5])
    assert np.isfinite(refined.log_odds[5:, 3:]).all()


@pytest.mark.parametrize("table", [[[1], [0], [1], [None]], [[1, 0], [None, None]], [[1, None], [None, None]]])
def test_with_nothing_to_learn_from_the_base_stays(table, rng):
    labels = PartialLabels.from_table(table)
    base = rng.normal(size=labels.shape)
    refined = refine(labels, base, rng)
    np.testing.assert_array_equal(refined.log_odds, base)
    np.testing.assert_array_equal(refined.out_of_fold, np.where(labels.observed, base, np.nan))
    np.testing.assert_array_equal(refined.model.predict(base[:1], labels[:1]), base[:1])


@given(state=arrays(np.int8, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.integers(-1, 1)))
def test_any_small_table_gets_finite_scores(state):
    labels = PartialLabels(state, tuple(map(str, range(state.shape[1]))), (state != 0).any(axis=1))
    rng = np.random.default_rng(0)
    refined = refine(labels, 3 * rng.normal(size=state.shape), rng, n_trees=5)
    assert np.isfinite(refined.log_odds).all()
    assert np.array_equal(np.isnan(refined.out_of_fold), state == 0)


def test_a_label_that_is_rarely_observed_gets_no_forest(rng):
    labels, _, base = combined(rng)
    rare = np.zeros(labels.shape, bool)
    rare[8:, 0] = True
    refined = refine(labels.hide(rare), base, rng, n_trees=20)
    assert refined.model.forests is not None
    assert [len(parts) for parts in refined.model.forests.forests] == [0, 5, 5, 5, 5, 5]
    assert np.isfinite(refined.log_odds).all()


def test_many_labels_get_no_forests(rng):
    labels, _, base = coupled(rng, n=40, n_labels=residuals.MAX_FOREST_LABELS + 2)
    model = refine(labels, base, rng).model
    assert model.forests is None
    assert np.diff(model.coupling.weights.indptr).max() <= coupling.MAX_PARTNERS


def test_a_model_survives_its_file(rng, tmp_path):
    labels, _, base = combined(rng)
    model = refine(labels, base, rng, n_trees=20).model
    assert model.forests is not None
    save_tree(tmp_path / "model", {"refiner": model}, saved_classes())
    loaded = load_tree(tmp_path / "model", saved_classes())["refiner"]
    np.testing.assert_array_equal(loaded.predict(base, labels), model.predict(base, labels))


# -- which stage is kept -------------------------------------------------------------


@pytest.fixture
def staged(monkeypatch):
    """Replace both models: the log odds that they hold out are these numbers times the signs of the entries."""
    given = SimpleNamespace(coupling=1.0, forests=2.0, grown=0)

    def fit_coupling(data, rng):
        n = data.base.shape[1]
        coupling = Coupling(np.full(n, 5.0), np.zeros(n), sparse.csr_array((n, n)), 1.0)
        return coupling, given.coupling * data.labels.state

    def grow_forests(data, n_trees, rng):
        given.grown += 1
        return (lambda base, residual: np.full(base.shape, 7.0)), given.forests * data.labels.state

    monkeypatch.setattr(residuals, "fit_coupling", fit_coupling)
    monkeypatch.setattr(residuals, "_grow_forests", grow_forests)
    return given


def two_labels(n=8):
    table = (np.arange(2 * n).reshape(n, 2) % 3 > 0) * 1.0
    table[0, 1] = np.nan
    return PartialLabels.from_table(table)


@pytest.mark.parametrize(
    ("of_base", "of_coupling", "of_forests", "kept"),
    [
        (0.5, 1.0, 3.0, "both"),
        (0.5, 1.0, 0.1, "both"),  # more certain together
        (0.5, 1.0, -5.0, "coupling"),
        (1.0, 1.0, -5.0, "base"),
        (9.0, 1.0, 1.0, "base"),
    ],
)
def test_the_models_with_the_lowest_loss_out_of_fold_are_kept(of_base, of_coupling, of_forests, kept, staged, rng):
    labels = two_labels()
    staged.coupling, staged.forests = of_coupling, of_forests
    base = np.where(labels.observed, of_base * labels.state, 0.25)
    refined = refine(labels, base, rng, n_folds=2)
    signs = labels.state[labels.observed].astype(float)
    w = learn_weights(np.outer([of_coupling, of_forests], signs), (signs > 0) * 1.0, len(labels))
    held_out = {"both": w @ [of_coupling, of_forests], "coupling": of_coupling, "base": of_base}[kept]
    np.testing.assert_allclose(refined.out_of_fold, np.where(labels.observed, held_out * labels.state, np.nan))
    np.testing.assert_allclose(refined.log_odds, base if kept == "base" else {"both": w @ [5, 7], "coupling": 5}[kept])
    assert (refined.model.forests is not None) == (kept == "both")


@pytest.mark.parametrize(
    ("limits", "n_trees", "grown"),
    [
        ({}, 10, 1),
        ({}, 0, 0),
        ({"MAX_FOREST_LABELS": 2, "MAX_FOREST_CELLS": 16}, 10, 1),
        ({"MAX_FOREST_LABELS": 1}, 10, 0),
        ({"MAX_FOREST_CELLS": 15}, 10, 0),
    ],
)
def test_forests_are_grown_for_tables_of_moderate_size(limits, n_trees, grown, staged, rng, monkeypatch):
    for name, value in limits.items():
        monkeypatch.setattr(residuals, name, value)
    refine(two_labels(), np.zeros((8, 2)), rng, n_folds=2, n_trees=n_trees)
    assert staged.grown == grown


def test_one_label_has_nothing_to_learn_from_and_two_have(staged, rng):
    labels = two_labels()
    base = np.full((8, 2), 0.1)
    assert (refine(labels, base, rng, n_folds=2).log_odds > 1).all()
    alone = refine(labels.select([0]), base[:, :1], rng, n_folds=2)
    np.testing.assert_array_equal(alone.log_odds, base[:, :1])
    together = refine(labels, base, rng, n_folds=2, groups=np.zeros(8, dtype=int))  # a single fold
    np.testing.assert_array_equal(together.log_odds, base)


def test_the_loss_is_that_of_the_observed_entries():
    labels = PartialLabels.from_table([[1, np.nan], [0, 1]])
    held_out = np.array([[0.5, 9.0], [0.5, -2.0]])
    expected = np.log1p(np.exp(-0.5)) + np.log1p(np.exp(0.5)) + np.log1p(np.exp(2.0))
    assert residuals._compute_loss(SimpleNamespace(labels=labels), held_out) == pytest.approx(expected)


@pytest.mark.parametrize(("min_observed", "has_forest"), [(4, [True, True]), (5, [True, False]), (6, [False, False])])
def test_a_label_needs_enough_entries_outside_of_every_fold(min_observed, has_forest, rng, monkeypatch):
    """Of ten items in two folds, the second label is known of four or five outside of a fold."""
    monkeypatch.setattr(residuals, "MIN_OBSERVED", min_observed)
    table = (rng.random((10, 2)) < 0.5) * 1.0
    table[:2], table[8, 1] = [[1, 1], [0, 0]], np.nan
    labels = PartialLabels.from_table(table)
    data = CouplingData(np.arange(10), labels, np.zeros((10, 2)), np.zeros((10, 2)), np.arange(10) % 2)
    forests, held_out = residuals._grow_forests(data, 4, rng)
    assert [bool(parts) for parts in forests.forests] == has_forest
    assert (~np.isnan(held_out)).all(axis=0).tolist() == has_forest
    assert {len(part.roots) for parts in forests.forests for part in parts} <= {2}  # four trees in two parts
