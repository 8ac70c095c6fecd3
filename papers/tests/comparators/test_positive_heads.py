"""Linear models for positive-only labels against scikit-learn and against their equations, written out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from halflabel import PartialLabels
from halflabel.numerics.solvers import Status
from halflabel_papers.comparators import EPR, ElkanNoto, positive_heads
from halflabel_papers.comparators.positive_heads import (
    LinearHead,
    fit_expected_positives,
    fit_weighted_logistic,
    weigh_unassigned,
)


@pytest.fixture
def data(rng):
    """Sixty items with four labels, of whose relevant entries 40 % are not assigned."""
    X = rng.normal(size=(60, 3))
    truth = X @ rng.normal(size=(3, 4)) + 0.5 * rng.normal(size=(60, 4)) > 0
    return X, truth, np.where(truth & (rng.random(truth.shape) < 0.6), 1.0, -1.0)


def test_weights_of_unassigned_entries_are_those_of_the_paper(data):
    """Every step by scikit-learn: g, then one fit on each item twice, with its two weights."""
    X, _, state = data
    c, C = 0.6, 0.7
    found = weigh_unassigned(X, state, C, c, 2000)
    model = ElkanNoto(C, observed_rate=c, scale=None, n_folds=2, max_iter=2000)
    [(head, _)] = model._learn(X, state, [{"C": C}])
    for j, s in enumerate(state.T > 0):
        g = LogisticRegression(C=C, tol=1e-10, max_iter=5000).fit(X, s).predict_proba(X)[:, 1]
        w = np.where(s, 1.0, np.minimum((1 - c) / c * g / (1 - g), 1.0))
        np.testing.assert_allclose(found[~s, j], w[~s], rtol=1e-3)
        twice, labels, weights = np.vstack([X, X]), np.repeat([1, 0], len(X)), np.concatenate([w, 1 - w])
        expected = LogisticRegression(C=C, tol=1e-10, max_iter=5000).fit(twice, labels, sample_weight=weights)
        np.testing.assert_allclose(head.weights[:, j], expected.coef_[0], atol=2e-3)
        assert head.bias[j] == pytest.approx(expected.intercept_[0], abs=2e-3)


def test_with_every_positive_assigned_it_is_logistic_regression(data):
    X, truth, _ = data
    model = ElkanNoto(observed_rate=1.0, scale=None, n_folds=2, max_iter=2000).fit(X, truth.astype(float))
    plain = [LogisticRegression(tol=1e-10, max_iter=5000).fit(X, y).predict_proba(X)[:, 1] for y in truth.T]
    np.testing.assert_allclose(model.label_scores_, np.column_stack(plain), atol=1e-3)


def expected_positives(W, X, positive, k, weight, C):
    """The objective, entry by entry."""
    n, L = positive.shape
    Z = X @ W[:-1] + W[-1]
    value = (W[:-1] ** 2).sum() / (2 * C * n)
    for i in range(n):
        for j in range(L):
            value += positive[i, j] * np.log(1 + np.exp(-Z[i, j])) / n
    return value + weight * (((1 / (1 + np.exp(-Z))).sum() / n - k) / L) ** 2


def test_expected_positives_are_a_stationary_point_of_their_equation(data):
    X, _, state = data
    positive = (state > 0).astype(float)
    args = (X, positive, 1.7, 50.0, 2.0)
    solution = fit_expected_positives(X, positive, np.ones_like(positive), 1.7, 50.0, 2.0, 5000)
    assert solution.objective[-1] == pytest.approx(expected_positives(solution.x, *args), rel=1e-10)
    grad = approx_fprime(solution.x.ravel(), lambda w: expected_positives(w.reshape(solution.x.shape), *args), 1e-6)
    assert np.abs(grad).max() < 1e-4
    rng = np.random.default_rng(0)
    near = [expected_positives(solution.x + 0.1 * rng.normal(size=solution.x.shape), *args) for _ in range(20)]
    assert min(near) > solution.objective[-1]


def test_the_number_of_positives_is_the_expected_one(data):
    X, _, state = data
    labels = PartialLabels.from_positives((state > 0).astype(float))
    for c in (1.0, 0.6):
        model = EPR(observed_rate=c, count_weight=1e5, n_folds=2).fit(X, labels)
        assert model.label_scores_.sum(axis=1).mean() == pytest.approx((state > 0).sum() / 60 / c, rel=0.02)
    with pytest.raises(ValueError, match="count_weight must be positive"):
        EPR(count_weight=0).fit(X, labels)


def test_weights_of_zero_do_not_count(data):
    X, _, state = data
    positive, negative = (state > 0).astype(float), (state < 0).astype(float)
    positive[:10] = negative[:10] = 0
    whole = fit_weighted_logistic(X, positive, negative, 1.0, 2000)
    part = fit_weighted_logistic(X[10:], positive[10:], negative[10:], 1.0, 2000)
    np.testing.assert_allclose(whole.x, part.x, atol=1e-3)


@pytest.mark.parametrize("kind", [ElkanNoto, EPR])
def test_missing_positives_have_higher_scores_than_irrelevant_entries(kind, data):
    X, truth, state = data
    model = kind(observed_rate=0.6, n_folds=2).fit(X, PartialLabels.from_positives((state > 0).astype(float)))
    hidden = truth & (state < 0)
    assert model.label_scores_[hidden].mean() > model.label_scores_[~truth].mean() + 0.2


@pytest.mark.parametrize("kind", [ElkanNoto, EPR])
def test_settings_out_of_range_raise(kind, data):
    X, _, state = data
    for rate in (0, 1.01):
        with pytest.raises(ValueError, match=f"observed_rate must be above 0 and at most 1, or None, not {rate}"):
            kind(observed_rate=rate).fit(X, state > 0)
    with pytest.raises(ValueError, match="C must be positive"):
        kind(C=(1.0, 0.0)).fit(X, state > 0)


def test_a_head_is_the_logistic_function_of_a_linear_one():
    head = LinearHead(np.array([[2.0, 0], [0, 1]]), np.array([0.0, -1]))
    np.testing.assert_allclose(head(np.array([[0.0, 1.0], [1, 0]])), 1 / (1 + np.exp([[0, 0], [-2, 1]])))


def test_a_weighted_logistic_model_is_a_stationary_point_with_a_free_bias(data, rng):
    X, _, _ = data
    positive, negative = rng.random((2, 60, 3))
    solution = fit_weighted_logistic(X, positive, negative, 0.3, 1000)
    Z = X @ solution.x[:-1] + solution.x[-1]
    P = 1 / (1 + np.exp(-Z))
    slope = negative * P - positive * (1 - P)
    np.testing.assert_allclose(X.T @ slope + solution.x[:-1] / 0.3, 0, atol=1e-4)
    np.testing.assert_allclose(slope.sum(axis=0), 0, atol=1e-4)
    losses = -(positive * np.log(P) + negative * np.log(1 - P)).sum() + (solution.x[:-1] ** 2).sum() / 0.6
    assert solution.objective == (pytest.approx(losses),)
    assert solution.status is Status.CONVERGED


def test_the_certificate_is_that_of_the_worst_label(data):
    """The first label is solved at the start; the others need more than two iterations."""
    X, truth, _ = data
    positive, negative = truth * 1.0, ~truth * 1.0
    positive[:, 0] = negative[:, 0] = 0
    stopped = fit_weighted_logistic(X, positive, negative, 1.0, 2)
    assert (stopped.status, stopped.n_iter) == (Status.MAX_ITER, 2)
    each = [fit_weighted_logistic(X, positive[:, [j]], negative[:, [j]], 1.0, 2) for j in range(4)]
    assert stopped.residual == max(one.residual for one in each) > 0.01
    assert each[0].status is Status.CONVERGED
    assert (each[0].n_iter, each[0].residual) == (0, 0)


def test_unknown_entries_are_no_part_of_the_expected_number(data):
    X, _, state = data
    positive = (state > 0).astype(float)
    known = np.ones_like(positive)
    known[:20] = positive[:20] = 0
    whole = fit_expected_positives(X, positive, known, 1.1, 50.0, 2.0, 5000)
    # The same with 40 items: their sums are over 60, so that every weight has another unit.
    part = fit_expected_positives(X[20:], positive[20:], known[20:], 1.1 * 1.5, 50.0 / 1.5, 2.0, 5000)
    np.testing.assert_allclose(whole.x, part.x, atol=1e-3)


def test_unknown_entries_have_no_weight(data):
    """Each label is fitted to the items for which it is not unknown."""
    X, _, state = data
    state = state.copy()
    state[::4, 1], state[1::3, 2] = 0, 0
    [(head, _)] = ElkanNoto(observed_rate=0.6, max_iter=2000)._learn(X, state, [{"C": 0.7}])
    for j in range(4):
        known = state[:, j] != 0
        [(alone, _)] = ElkanNoto(observed_rate=0.6, max_iter=2000)._learn(X[known], state[known][:, [j]], [{"C": 0.7}])
        np.testing.assert_allclose(head.weights[:, [j]], alone.weights, atol=1e-4)
        np.testing.assert_allclose(head.bias[[j]], alone.bias, atol=1e-4)


@pytest.mark.parametrize("rate", [None, 0.5])
def test_the_expected_number_is_that_of_the_assigned_labels_over_the_frequency(rate, data):
    X, _, state = data
    state = state.copy()
    state[::4, 1] = 0
    [(head, solution)] = EPR(observed_rate=rate, count_weight=50.0)._learn(X, state, [{"C": 2.0}])
    count = (state > 0).sum() / 60 / (rate or 1)
    expected = fit_expected_positives(X, (state > 0) * 1.0, (state != 0) * 1.0, count, 50.0, 2.0, 500)
    np.testing.assert_array_equal(solution.x, expected.x)
    np.testing.assert_array_equal(np.vstack([head.weights, head.bias]), expected.x)


@pytest.mark.parametrize("restarted", [False, True])
def test_with_more_features_than_items_the_coordinates_of_the_items_give_the_same_weights(restarted, rng):
    X, positive = rng.normal(size=(12, 40)), (rng.random((12, 3)) < 0.4) * 1.0
    start = np.vstack([X.T @ rng.normal(size=(12, 3)), np.ones(3)]) / 10 if restarted else None

    def loss(Z):
        return float((np.logaddexp(0, Z) - positive * Z).sum()), expit(Z) - positive

    found, whole = (positive_heads.minimise(each, 3, loss, 0.1, 500, start) for each in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(found.x, whole.x, atol=1e-6)
    assert found.objective[0] == pytest.approx(whole.objective[0], rel=1e-12)


@pytest.mark.parametrize(
    ("n_iter", "gradient", "status"),
    [(4, 1.0, Status.CONVERGED), (5, 1e-5, Status.CONVERGED), (5, -1.001e-5, Status.MAX_ITER)],
)
def test_a_small_gradient_at_the_last_iteration_has_converged(n_iter, gradient, status, monkeypatch):
    asked = {}

    def answer(function, start, *, options, **_):
        asked.update(options)
        return SimpleNamespace(x=start, nit=n_iter, fun=0.0, jac=np.array([0.0, gradient]))

    monkeypatch.setattr(positive_heads.optimize, "minimize", answer)
    found = positive_heads.minimise(np.zeros((3, 1)), 1, None, 0.1, 5)
    assert (found.status, found.n_iter, found.residual) == (status, n_iter, abs(gradient))
    assert (asked["maxiter"], asked["maxfun"]) == (5, 50)
