"""Rank-SVM against the paper's quadratic programs, its threshold model against trying every threshold."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from papers.tests.oracles.rank_svm import best_threshold, dual, hinge, primal, wrong_side
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from tests.conftest import half_labelled, in_canonical_order

from halflabel import PartialLabels
from halflabel.labels.metrics import micro_f1
from halflabel.methods.model_selection import item_folds
from halflabel_papers.comparators import RankSVM
from halflabel_papers.comparators.rank_svm import BIAS, best_thresholds
from halflabel_papers.metrics import ranking_loss
from halflabel_papers.sets import load_benchmark

gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


def published(**settings):
    return RankSVM.as_published().set_params(**{"tol": 1e-4, "n_folds": 2} | settings)


def draw_small(rng, entries=False, n=10, m=4):
    """Return X and labels of a small number of items, for which a quadratic program over all pairs is quick."""
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, m)) + 0.5 * rng.normal(size=(n, m)) > 0).astype(float)
    Y[:2] = [[0, 1] * (m // 2), [1, 0] * (m // 2)]
    if entries:
        hidden = rng.random(Y.shape) < 0.3
        hidden[:2] = False
        Y[hidden] = np.nan
    return X, Y


def program(X, Y, C, model):
    """Kernel matrix, masks and weights of the items with pairs."""
    upper, lower = Y == 1, Y == 0
    rows = upper.any(axis=1) & lower.any(axis=1)
    upper, lower = upper[rows], lower[rows]
    K = rbf_kernel(X[rows], gamma=0.5 / model.bandwidth_**2)
    return rows, K, upper, lower, C / (upper.sum(axis=1) * lower.sum(axis=1))


@cache
def fit_small(entries, C):
    """Return a small set of items and a model of it with a tight tolerance, which two tests compare with programs."""
    X, Y = draw_small(np.random.default_rng(0), entries)
    return X, Y, published(C=C, tol=1e-6).fit(X, Y)


@gaps
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_the_ranking_solves_the_paper_s_quadratic_program(entries, C):
    X, Y, model = fit_small(entries, C)
    rows, K, upper, lower, weight = program(X, Y, C, model)
    root = np.linalg.cholesky(K + BIAS)
    W, value, _ = primal(root, upper, lower, weight, biases=False)
    f = model.ranking_.machine.predict(X[rows])
    ours = (f * np.linalg.solve(K + BIAS, f)).sum() / 2 + hinge(f, upper, lower, weight)
    np.testing.assert_allclose([model.solution_.objective[-1], ours], value, rtol=2e-6)
    away = np.linalg.solve(root, f - root @ W)  # the objective is strongly convex with modulus 1
    assert (away**2).sum() / 2 <= 2e-6 * value


@gaps
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_free_biases_gain_no_more_than_their_cost(entries, C):
    X, Y, model = fit_small(entries, C)
    _, K, upper, lower, weight = program(X, Y, C, model)
    by_dual = dual(K, upper, lower, weight)
    _, by_primal, biases = primal(np.linalg.cholesky(K), upper, lower, weight, biases=True)
    np.testing.assert_allclose(by_dual, by_primal, rtol=1e-7)
    cost = (biases**2).sum() / (2 * BIAS)
    assert cost < 1e-4 * by_dual
    assert by_dual * (1 - 1e-7) <= model.solution_.objective[-1] <= (by_dual + cost) * (1 + 2e-6)


@gaps
@pytest.mark.parametrize("C", [0.02, 1000.0], ids=["misranked", "ranked"])
def test_the_threshold_is_linear_in_the_scores_and_fits_each_item_s_best(entries, C, rng):
    X, Y = draw_small(rng, entries, n=30)
    model = published(C=C).fit(X, Y)
    ranking = model.ranking_
    f = ranking.machine.predict(X)
    state = np.where(np.isnan(Y), 0, 2 * Y - 1)
    rows = (state > 0).any(axis=1) & (state < 0).any(axis=1)
    target = np.array([best_threshold(*pair) for pair in zip(f[rows], state[rows], strict=True)])
    design = np.column_stack([f[rows], np.ones(rows.sum())])
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    np.testing.assert_allclose(f[rows] @ ranking.slope + ranking.intercept, fitted, atol=1e-7)
    np.testing.assert_allclose(model.label_scores_, f - (f @ ranking.slope + ranking.intercept)[:, None], atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.label_scores_ >= 0)
    np.testing.assert_array_equal(np.argsort(model.label_scores_), np.argsort(f))


def test_the_best_threshold_has_the_fewest_labels_on_the_wrong_side(rng):
    for _ in range(50):
        f, state = rng.normal(size=6), rng.integers(-1, 2, size=6)
        if (state != 0).any():
            tried = min(wrong_side(t, f, state) for t in np.linspace(f.min() - 2, f.max() + 2, 2001))
            assert wrong_side(best_threshold(f, state), f, state) <= tried


def test_no_threshold_lies_between_equal_scores():
    state = np.array([[-1, 1, 1, 0], [1, -1, -1, 1]], dtype=np.int8)
    scores = np.array([[0.5, 0.5, 1.0, 9.0], [2.0, 0.0, 0.0, 2.0]])
    np.testing.assert_allclose(best_thresholds(scores, state), [0.0, 1.0])  # 1 wrong at 0 as at .75, in a wider gap
    np.testing.assert_allclose(best_thresholds(np.zeros((2, 4)), state), [-0.5, -0.5])


def test_items_without_pairs_contribute_nothing(rng):
    X, Y = draw_small(rng, n=20)
    Y[5], Y[6], Y[7] = 1, 0, [1, np.nan, 1, np.nan]
    without = Y.copy()
    without[5:8] = np.nan
    a, b = (published().fit(X, labels).ranking_ for labels in (Y, without))
    np.testing.assert_allclose(a(X), b(X), atol=1e-9)


@gaps
def test_probabilities_of_observed_entries_are_out_of_fold(entries, rng):
    X, Y = in_canonical_order(*half_labelled(rng, entries=entries)[:2])
    model = published(C=10.0, n_folds=3).fit(X, Y)
    labels = PartialLabels.from_table(Y)
    rows = np.flatnonzero(~labels.unlabelled)
    folds = item_folds(labels[rows], 3, np.random.default_rng(0))
    for fold in range(3):
        held_out, rest = rows[folds == fold], rows[folds != fold]
        alone = published(C=10.0, n_folds=3, bandwidth=model.bandwidth_).fit(X[rest], Y[rest])
        expected = np.where(labels.observed, model.calibration_(alone.ranking_(X)), np.nan)[held_out]
        seen = labels.observed[held_out]
        np.testing.assert_allclose(model.label_probabilities_[held_out][seen], expected[seen], rtol=1e-6)


def test_the_bandwidth_is_the_mean_distance_of_all_pairs(rng):
    X, Y = draw_small(rng, n=12)
    Y[8:] = np.nan
    expected = np.mean([np.linalg.norm(X[i] - X[j]) for i in range(12) for j in range(i)])
    np.testing.assert_allclose(published().fit(X, Y).bandwidth_, expected)
    assert published(bandwidth=2.5).fit(X, Y).bandwidth_ == 2.5


def test_without_pairs_there_is_nothing_to_rank(rng):
    X = rng.normal(size=(12, 2))
    y = np.array([0.0, 1.0, 1.0, np.nan] * 3)
    with pytest.warns(UserWarning, match="no item has both a relevant and an irrelevant observed label"):
        model = RankSVM().fit(X, y)
    np.testing.assert_array_equal(model.label_scores_, np.zeros((12, 1)))
    assert np.ptp(model.label_probabilities_) == 0
    assert model.solution_.residual == 0


def test_a_label_seen_with_one_value_takes_part_but_has_no_score(rng):
    X, Y = draw_small(rng, n=20)
    Y[:, 3] = 0
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = published().fit(X, Y)
    assert np.isnan(model.decision_function(X)[:, 3]).all()
    assert np.ptp(model.ranking_.machine.predict(X)[:, 3]) > 0


def test_above_max_landmarks_the_kernel_is_approximate(rng):
    X, Y, _ = half_labelled(rng, n=200)
    exact, near, coarse = (RankSVM(C=1.0, max_landmarks=k).fit(X, Y) for k in (200, 30, 5))
    assert exact.ranking_.machine.features.error == 0
    assert 0 < near.ranking_.machine.features.error < coarse.ranking_.machine.features.error
    assert len(coarse.ranking_.machine.weights) == 5
    assert (
        np.abs(near.label_scores_ - exact.label_scores_).mean()
        < np.abs(coarse.label_scores_ - exact.label_scores_).mean()
    )


def test_the_solver_reports_that_it_was_stopped(rng):
    X, Y = draw_small(rng, n=20)
    with pytest.warns(ConvergenceWarning, match="RankSVM: The solver stopped at its iteration limit"):
        RankSVM(max_iter=10, tol=1e-12).fit(X, Y)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"C": 0}, "C must be positive and finite, not 0"),
        ({"bandwidth": np.inf}, "bandwidth must be positive and finite, or None, not inf"),
        ({"n_folds": 2.5}, "n_folds must be a whole number of at least 2, not 2.5"),
    ],
)
def test_invalid_settings_raise(setting, sentence, rng):
    with pytest.raises(ValueError, match=sentence):
        RankSVM(**setting).fit(*draw_small(rng))


@pytest.mark.slow
def test_on_yeast_the_gap_closes_and_a_smaller_c_ranks_better(public_data):
    data = load_benchmark("yeast", public_data)
    unlabelled = np.random.default_rng(0).permutation(len(data.Y)) >= 300
    mask = np.repeat(unlabelled[:, None], data.Y.shape[1], axis=1)
    known, hidden = data.Y.hide(mask), data.Y.hide(~mask)
    published, soft = (RankSVM.as_published().set_params(C=C, n_folds=2).fit(data.X, known) for C in (1000.0, 1.0))
    rates = np.broadcast_to(known.rates, hidden.shape)
    assert micro_f1(hidden, published.transduction_) > micro_f1(hidden, (rates >= 0.5).astype(int))
    assert max(published.solution_.residual, soft.solution_.residual) <= 1e-3
    test = np.flatnonzero(unlabelled)
    losses = [ranking_loss(hidden[test], S[test]) for S in (soft.label_scores_, rates, published.label_scores_)]
    assert losses[0] < min(losses[1:])
