"""LEML against a general minimiser, an interior point method for its convex form, and its own certificate."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles.leml import objective, stationary_value, trace_norm
from scipy import sparse
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.labels.masking import hide_positives
from halflabel.labels.metrics import macro_auc, micro_f1
from halflabel.numerics.losses import Squared
from halflabel.numerics.solvers import Status
from halflabel_papers.comparators import LEML
from halflabel_papers.comparators.leml import Centred, low_rank_map
from halflabel_papers.sets import load_benchmark

gaps = pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])


def small(rng, gaps=True, n=14, d=4, q=3):
    """Labels linear in the features plus noise: +1, -1 and 0 for unknown."""
    X = rng.normal(size=(n, d)) + 1.0
    Y = np.where(X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 1, 1.0, -1.0)
    if gaps:
        Y[rng.random((n, q)) < 0.3] = 0
    Y[:2] = [[1.0] * q, [-1.0] * q]
    return X, Y


def solve(X, Y, rank=2, alpha=0.5, tol=1e-9, max_iter=5000):
    return low_rank_map(Centred.of(X), Squared(Y, Y != 0, 1.0), Y, rank=rank, alpha=alpha, tol=tol, max_iter=max_iter)


def unknown(Y):
    return np.where(Y == 0, np.nan, Y)


@gaps
def test_it_reaches_the_best_stationary_value_of_a_general_minimiser(gaps, rng):
    X, Y = small(rng, gaps, n=10)
    found, solution = solve(X, Y)
    centred = X - X.mean(axis=0)
    values = [stationary_value(centred, unknown(Y), 2, 0.5, rng) for _ in range(2)]
    assert solution.objective[-1] == pytest.approx(min(values), rel=1e-6)
    assert objective(centred, unknown(Y), found.W, found.H, found.b, 0.5) == pytest.approx(min(values), rel=1e-6)


@gaps
def test_with_full_rank_it_is_trace_norm_regression(gaps, rng):
    X, Y = small(rng, gaps)
    found, solution = solve(X, Y, rank=9, alpha=1.5)
    assert found.W.shape == (4, 3)
    value, scores = trace_norm(X - X.mean(axis=0), unknown(Y), 1.5)
    assert solution.objective[-1] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(found(X), scores, atol=1e-3)


def test_the_certificate_is_the_gradient_of_the_objective(rng):
    X, Y = small(rng)
    found, solution = solve(X, Y, tol=1e-3)
    centred, parts = X - X.mean(axis=0), (found.W, found.H, found.b)
    cuts = np.cumsum([p.size for p in parts])[:-1]

    def value(v):
        W, H, b = (piece.reshape(p.shape) for piece, p in zip(np.split(v, cuts), parts, strict=True))
        return objective(centred, unknown(Y), W, H, b, 0.5)

    packed = np.concatenate([p.ravel() for p in parts])
    start = solve(X, Y, max_iter=0)[0]
    at_start = approx_fprime(np.concatenate([start.W.ravel(), start.H.ravel(), start.b]), value)
    here = approx_fprime(packed, value)
    assert 0 < solution.residual <= 1e-3
    assert np.linalg.norm(here) / np.linalg.norm(at_start) == pytest.approx(solution.residual, rel=1e-2)


@gaps
def test_the_objective_never_increases(gaps, rng):
    X, Y = small(rng, gaps, n=40, d=8, q=6)
    objective = np.array(solve(X, Y, rank=3)[1].objective)
    assert len(objective) > 3
    assert np.diff(objective).max() <= 1e-12 * objective[0]


def test_before_the_first_alternation_a_score_is_the_mean_of_the_observed_labels(rng):
    X, Y = small(rng)
    np.testing.assert_allclose(solve(X, Y, max_iter=0)[0](X), np.tile(np.nanmean(unknown(Y), axis=0), (14, 1)))


def test_nothing_missing_takes_a_shorter_way_to_the_same_answer(rng):
    X, Y = small(rng, gaps=False)
    short = low_rank_map(Centred.of(X), Squared(Y, None, 1.0), Y, rank=2, alpha=0.5, tol=1e-9, max_iter=5000)[0]
    np.testing.assert_allclose(solve(X, Y)[0](X), short(X), atol=1e-10)


def test_factors_are_balanced(rng):
    X, Y = small(rng)
    found = solve(X, Y)[0]
    np.testing.assert_allclose(found.W.T @ found.W, found.H.T @ found.H, atol=1e-8)


def test_sparse_features_are_centred_without_being_touched(rng):
    X, Y = small(rng)
    X[X < 1] = 0
    thin = solve(sparse.csr_array(X), Y)[0]
    np.testing.assert_allclose(thin(sparse.csr_array(X)), solve(X, Y)[0](X), atol=1e-8)


def test_more_labels_than_a_rank_can_hold_apart_cost_more(rng):
    X, Y = small(rng, n=40, d=6, q=5)
    values = [solve(X, Y, rank=rank)[1].objective[-1] for rank in (1, 2, 5)]
    assert values[0] > values[1] > values[2] - 1e-9


def test_what_was_not_assigned_counts_as_irrelevant_and_is_open_again(rng):
    X, Y, _ = half_labelled(rng)
    assigned = np.where((Y == 1) & (rng.random(Y.shape) < 0.3), 0.0, Y)
    positive = LEML(1.0, n_folds=3).fit(X, PartialLabels.from_positives(assigned))
    plain = LEML(1.0, n_folds=3).fit(X, assigned)
    np.testing.assert_array_equal(positive.label_scores_, plain.label_scores_)
    np.testing.assert_array_equal(positive.predict_proba(X), plain.predict_proba(X))
    annotated = ~np.isnan(assigned)
    assert (positive.transduction_[assigned == 1] == 1).all()
    likely = positive.label_probabilities_ >= positive.thresholds_
    np.testing.assert_array_equal(positive.transduction_ == 1, likely | (assigned == 1))
    assert (positive.transduction_[annotated & (assigned == 0)] == 1).any()
    assert (plain.transduction_[assigned == 0] == 0).all()


def test_the_best_of_several_settings_is_taken(rng):
    X, Y, _ = half_labelled(rng)
    model = LEML((1e4, 1.0), rank=(1, 3), n_folds=3).fit(X, Y)
    f1 = model.cv_results_["pu_f1"]
    assert f1.shape == (4,)
    best = int(np.argmax(f1))
    assert model.setting_ == {name: model.cv_results_[name][best] for name in ("rank", "alpha")}
    assert model.setting_["alpha"] == 1.0
    one = LEML(**{**model.setting_, "n_folds": 3}).fit(X, Y)
    np.testing.assert_array_equal(one.label_scores_, model.label_scores_)


def test_too_few_alternations_are_reported(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.warns(ConvergenceWarning, match="LEML: The solver stopped at its iteration limit"):
        LEML(1.0, n_folds=3, max_iter=1).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"alpha": (1.0, -1.0)}, "alpha must be positive, .* not -1.0"),
        ({"rank": (2, 1.5)}, "rank must be a whole number of at least 1, or several, not 1.5"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        LEML(**settings).fit(X, Y)


def test_yeast_with_missing_positives(public_data):
    data, rng = load_benchmark("yeast", public_data), np.random.default_rng(0)
    rows = rng.permutation(len(data.Y))[:900]
    train, test = rows[:500], rows[500:]
    model = LEML(100.0, n_folds=3).fit(data.X[train], hide_positives(data.Y[train], 0.3, rng))
    always = np.tile(model.label_probabilities_.mean(axis=0) >= 0.3, (len(test), 1))
    assert micro_f1(data.Y[test], model.predict(data.X[test])) > micro_f1(data.Y[test], always)
    assert macro_auc(data.Y[test], model.decision_function(data.X[test])) > 0.6


@pytest.mark.parametrize("tol", [0.03, 1e-3])
def test_it_stops_at_the_first_gradient_below_the_share_of_that_at_the_start(tol, rng):
    X, Y = small(rng)
    solution = solve(X, Y, tol=tol)[1]
    before = solve(X, Y, tol=tol, max_iter=solution.n_iter - 1)[1]
    assert solution.residual <= tol < before.residual
    assert (solution.status, before.status) == (Status.CONVERGED, Status.MAX_ITER)
    assert solve(X, Y, max_iter=0)[1].residual == 1.0
