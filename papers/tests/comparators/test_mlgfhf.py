"""ML-GFHF against a dense Kronecker system, the plain harmonic function, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.oracles.mlgfhf import energy, harmonic, item_graph, label_graph, laplacian
from scipy import linalg
from tests.conftest import half_labelled, in_canonical_order

from halflabel import PartialLabels
from halflabel.labels.metrics import micro_f1
from halflabel.labels.rules import Rule
from halflabel.methods.model_selection import item_folds
from halflabel_papers.comparators import MLGFHF
from halflabel_papers.sets import load_benchmark

gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


def published(k=6, **settings):
    return MLGFHF.as_published().set_params(n_neighbors=k, solver_tol=1e-12, **settings)


def graphs(X, Y, k=6):
    W, sigma = item_graph(X, k)
    return laplacian(W), laplacian(label_graph(Y)), sigma


@gaps
@pytest.mark.parametrize("nu", [0.0, 0.1, 3.0])
def test_scores_solve_the_kronecker_system(entries, nu, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    L, Lc, sigma = graphs(X, Y)
    model = published(label_graph_weight=nu).fit(X, Y)
    np.testing.assert_allclose(model.bandwidth_, sigma, rtol=1e-12)
    np.testing.assert_allclose(model.label_laplacian_, Lc, atol=1e-12)
    np.testing.assert_allclose(model.label_scores_, harmonic(Y, L, Lc, nu), atol=1e-9)
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(model.label_scores_[known], Y[known])


def test_whole_unlabelled_items_solve_the_sylvester_equation(rng):
    X, Y, _ = half_labelled(rng)
    L, Lc, _ = graphs(X, Y)
    u = np.isnan(Y[:, 0])
    model = published(label_graph_weight=0.5).fit(X, Y)
    expected = linalg.solve_sylvester(L[np.ix_(u, u)], 0.5 * Lc, -L[np.ix_(u, ~u)] @ Y[~u])
    np.testing.assert_allclose(model.label_scores_[u], expected, atol=1e-9)


def test_without_the_graph_of_labels_each_label_is_its_own_harmonic_function(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    L, _, _ = graphs(X, Y)
    together = published(label_graph_weight=0).fit(X, Y).label_scores_
    for j, y in enumerate(Y.T):
        u = np.isnan(y)
        alone = np.linalg.solve(L[np.ix_(u, u)], -L[np.ix_(u, ~u)] @ y[~u])
        np.testing.assert_allclose(together[u, j], alone, atol=1e-9)


def test_with_a_heavy_graph_of_labels_all_labels_of_an_item_agree(rng):
    X, Y, _ = half_labelled(rng)
    L, _, _ = graphs(X, Y)
    u = np.isnan(Y[:, 0])
    scores = published(label_graph_weight=1e5).set_params(solver_tol=1e-9).fit(X, Y).label_scores_[u]
    mean = np.linalg.solve(L[np.ix_(u, u)], -L[np.ix_(u, ~u)] @ Y[~u].mean(axis=1))
    np.testing.assert_allclose(scores, np.repeat(mean[:, None], 3, axis=1), atol=1e-4)


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 0.1, 10.0]))
def test_no_other_scores_have_less_energy_and_none_leaves_the_unit_interval(seed, entries, nu):
    rng = np.random.default_rng(seed)
    X, Y, _ = half_labelled(rng, entries=entries)
    L, Lc, _ = graphs(X, Y)
    F = published(label_graph_weight=nu).fit(X, Y).label_scores_
    assert F.min() >= -1e-9
    assert F.max() <= 1 + 1e-9
    for size in (1e-1, 1e-3):
        other = F + np.where(np.isnan(Y), size * rng.normal(size=F.shape), 0)
        assert energy(other, L, Lc, nu) > energy(F, L, Lc, nu)


@gaps
def test_probabilities_of_observed_entries_are_out_of_fold(entries, rng):
    X, Y = in_canonical_order(*half_labelled(rng, entries=entries)[:2])
    labels = PartialLabels.from_table(Y)
    model = published().fit(X, Y)
    rows = np.flatnonzero(~labels.unlabelled)
    folds = np.full(len(Y), -1)
    folds[rows] = item_folds(labels[rows], 5, np.random.default_rng(0))
    L, _, _ = graphs(X, Y)
    for fold in range(5):
        held_out = (folds == fold)[:, None] & labels.observed
        rest = np.where(held_out, np.nan, Y)
        scores = harmonic(rest, L, laplacian(label_graph(rest)), 0.1)
        expected = model.calibration_(scores)[held_out]
        np.testing.assert_allclose(model.label_probabilities_[held_out], expected, rtol=1e-6)


def test_what_no_label_reaches_has_no_score_but_the_rate(rng):
    X, Y, _ = half_labelled(rng)
    apart = np.vstack([X, X[:10] + 1e3])
    labels = np.vstack([Y, np.full((10, 3), np.nan)])
    model = published(bandwidth=1.0).fit(apart, labels)
    assert np.isnan(model.label_scores_[60:]).all()
    assert not np.isnan(model.label_scores_[:60]).any()
    np.testing.assert_allclose(model.label_probabilities_[60:], np.tile(model.calibration_.fallback, (10, 1)))
    np.testing.assert_array_equal(np.isnan(model.decision_function(apart[[0, 65]])), [[False] * 3, [True] * 3])


def test_the_graph_of_labels_reaches_where_that_of_items_does_not(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    apart = np.vstack([X, X[:10] + 1e3])
    labels = np.vstack([Y, np.full((10, 3), np.nan)])
    labels[60:, 0] = [0, 1] * 5
    linked, alone = (published(label_graph_weight=nu).fit(apart, labels).label_scores_[60:] for nu in (0.1, 0.0))
    assert not np.isnan(linked).any()
    assert np.isnan(alone[:, 1:]).all()
    np.testing.assert_array_equal(alone[:, 0], labels[60:, 0])


def test_a_label_that_is_never_observed_leaves_the_others_alone(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = published().fit(X, np.column_stack([Y, np.full(60, np.nan)]))
    np.testing.assert_allclose(model.label_scores_[:, :3], published().fit(X, Y).label_scores_, atol=1e-9)
    assert np.isnan(model.decision_function(X)[:, 3]).all()


@pytest.mark.parametrize("nu", [0.0, 0.7])
def test_a_new_item_takes_its_own_minimiser(nu, rng):
    X, Y, _ = half_labelled(rng, entries=True)
    new = rng.normal(size=(8, 5))
    model = published(label_graph_weight=nu).fit(X, Y)
    for x, scores in zip(new, model.decision_function(new), strict=True):
        distance = np.linalg.norm(X - x, axis=1)
        near = np.argsort(distance)[:6]
        w = np.exp(-(distance[near] ** 2) / (2 * model.bandwidth_**2))
        A = w.sum() * np.eye(3) + nu * model.label_laplacian_
        np.testing.assert_allclose(scores, np.linalg.solve(A, w @ model.field_[near]), atol=1e-9)


def test_a_new_item_far_from_everything_has_finite_scores(rng):
    X, Y, _ = half_labelled(rng)
    far = published().fit(X, Y).decision_function(np.full((1, 5), 1e4))
    assert ((far >= 0) & (far <= 1)).all()
    np.testing.assert_allclose(far, far[0, 0])  # without neighbours only the graph of labels is left


def test_duplicates_only_need_no_bandwidth():
    model = published(2).fit(np.zeros((6, 1)), [0, 1, None, None, 1, None])
    assert model.bandwidth_ == 1
    assert np.isfinite(model.label_scores_).all()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"n_folds": 1.5}, "n_folds must be a whole number of at least 2, not 1.5"),
        ({"label_graph_weight": -1}, "label_graph_weight must be at least 0 and finite, not -1"),
        ({"bandwidth": 0.0}, "bandwidth must be positive and finite, or None, not 0.0"),
    ],
)
def test_invalid_settings_raise(setting, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        MLGFHF(**setting).fit(X, Y)


def test_on_yeast_the_threshold_decides(public_data):
    data = load_benchmark("yeast", public_data)
    unlabelled = np.random.default_rng(0).permutation(len(data.Y)) >= round(0.35 * len(data.Y))
    mask = np.repeat(unlabelled[:, None], data.Y.shape[1], axis=1)
    known, hidden = data.Y.hide(mask), data.Y.hide(~mask)
    f1 = {}
    for threshold in (0.3, 0.5):
        model = MLGFHF.as_published().set_params(rule=Rule("fixed", threshold=threshold), n_folds=2).fit(data.X, known)
        f1[threshold] = micro_f1(hidden, model.transduction_)
    assert f1[0.3] > f1[0.5] > 0.55
