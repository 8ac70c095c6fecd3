"""MLR-GL against an interior point method, its duality gap, and what the dual projects onto."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.oracles.mlrgl import groups, interior_point, objective
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.labels.masking import hide_positives
from halflabel.labels.metrics import macro_auc, micro_f1
from halflabel_papers.comparators import MLRGL, mlrgl
from halflabel_papers.comparators.mlrgl import Pairs, rank_with_group_lasso
from halflabel_papers.sets import load_benchmark

complete = pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])


def small(rng, gaps=True, n=12, q=4):
    X = rng.normal(size=(n, 3))
    state = np.where(X @ rng.normal(size=(3, q)) + 0.5 * rng.normal(size=(n, q)) > 0, 1.0, -1.0)
    if gaps:
        state[rng.random((n, q)) < 0.3] = 0
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 4), state


@complete
@pytest.mark.parametrize("C", [0.02, 0.3, 5.0])
def test_it_reaches_the_minimum(gaps, C, rng):
    K, state = small(rng, gaps)
    value, scores = interior_point(K, state, C)
    found = rank_with_group_lasso(K, Pairs.of(state), C, tol=1e-9, max_iter=50_000)
    assert objective(K, state, found.x, C) == pytest.approx(value, rel=1e-6)
    assert C * found.objective[-1] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(K @ found.x, scores, atol=2e-3)


@complete
def test_the_gap_bounds_what_could_be_gained(gaps, rng):
    K, state = small(rng, gaps)
    value, _ = interior_point(K, state, 0.5)
    for tol in (0.5, 1e-1, 1e-3):
        found = rank_with_group_lasso(K, Pairs.of(state), 0.5, tol=tol, max_iter=10_000)
        primal = objective(K, state, found.x, 0.5)
        assert found.residual <= tol
        assert (primal - value) / primal <= found.residual + 1e-7


@complete
def test_pairs_are_all_pairs(gaps, rng):
    _, state = small(rng, gaps)
    F = rng.normal(size=state.shape)
    pairs = Pairs.of(state)
    expected = [[F[i, k] - F[i, low] for k in relevant] for i, low, relevant in groups(state)]
    np.testing.assert_allclose(pairs.differences(F), np.concatenate(expected))
    np.testing.assert_allclose(pairs.norms(pairs.differences(F)), [np.linalg.norm(group) for group in expected])
    assert np.linalg.norm(pairs.signs.toarray(), 2) ** 2 <= pairs.max_labels + 1e-12


@given(st.integers(0, 10_000), st.floats(0.01, 3.0))
def test_the_projection_is_the_nearest_point(seed, radius):
    rng = np.random.default_rng(seed)
    pairs = Pairs.of(small(rng)[1])
    G = 2 * rng.normal(size=pairs.transposed.shape[0])
    nearest = pairs.project(G, radius)
    assert nearest.min() >= 0
    assert pairs.norms(nearest).max() <= radius * (1 + 1e-12)
    other = np.abs(rng.normal(size=len(G)))
    other *= np.repeat(radius * rng.random(len(pairs.counts)) / pairs.norms(other), pairs.counts)
    assert (G - nearest) @ (other - nearest) <= 1e-9  # no feasible point lies ahead


def test_the_scores_of_an_item_sum_to_zero(rng):
    X, Y, _ = half_labelled(rng)
    scores = MLRGL(0.1, n_folds=2).fit(X, Y).decision_function(rng.normal(size=(9, 5)))
    np.testing.assert_allclose(scores.sum(axis=1), 0, atol=1e-10)


def test_missing_positives_rank_above_irrelevant_ones(rng):
    X = rng.normal(size=(80, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0, X[:, 1] > 0, X[:, 1] < 0]).astype(float)
    missing = (Y == 1) & (rng.random(Y.shape) < 0.3)
    model = MLRGL(0.01, n_folds=2).fit(X, PartialLabels.from_positives(np.where(missing, 0, Y)))
    scores = model.label_scores_
    ranked = [scores[i, k] > scores[i, Y[i] == 0].max() for i, k in zip(*np.nonzero(missing), strict=True)]
    assert np.mean(ranked) > 0.85


def test_a_single_label_has_nothing_to_be_ranked_against(rng):
    X, Y, _ = half_labelled(rng)
    model = MLRGL(n_folds=2).fit(X, Y[:, 0])
    np.testing.assert_array_equal(model.label_scores_, 0)
    assert np.ptp(model.predict_proba(X)[:, 1]) == 0


def test_too_many_pairs_raise(rng, monkeypatch):
    X, Y, _ = half_labelled(rng)
    monkeypatch.setattr(mlrgl, "MAX_PAIRS", 5)
    with pytest.raises(ValueError, match=r"\d+ pairs of an assigned and another label are more than 5e\+00: keep"):
        MLRGL(n_folds=2).fit(X, Y)


def test_too_few_iterations_are_reported(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.warns(ConvergenceWarning, match="MLRGL: The solver stopped at its iteration limit"):
        MLRGL(1e-4, n_folds=2, max_iter=20).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": 0.0}, "alpha must be positive, one number or several to choose from, not 0.0"),
        ({"width": (1.0, -2.0)}, "width must be positive, one number or several to choose from, not -2.0"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        MLRGL(**settings).fit(X, Y)


def test_yeast_with_missing_positives(public_data):
    data, rng = load_benchmark("yeast", public_data), np.random.default_rng(0)
    rows = rng.permutation(len(data.Y))[:900]
    train, test = rows[:500], rows[500:]
    model = MLRGL(0.03, n_folds=2, tol=1e-2).fit(data.X[train], hide_positives(data.Y[train], 0.3, rng))
    always = np.tile(model.label_probabilities_.mean(axis=0) >= 0.3, (len(test), 1))
    assert micro_f1(data.Y[test], model.predict(data.X[test])) > micro_f1(data.Y[test], always)
    assert macro_auc(data.Y[test], model.decision_function(data.X[test])) > 0.6
