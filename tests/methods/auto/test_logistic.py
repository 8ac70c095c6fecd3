"""Logistic regression for all labels at once: optimality, scikit-learn's answer, folds and features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from tests.methods.auto.conftest import make_task

from halflabel.methods.auto import logistic as module
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.logistic import RIDGE, choose_frequent, fit_logistic, logistic
from halflabel.methods.auto.member import Items


def draw_words(rng, n=60, d=25, n_labels=3, gaps=0.2, thin=True):
    """Return rows of unit length with words that decide the labels, the labels, and a mask."""
    counts = rng.poisson(0.3, size=(n, d)) * rng.uniform(0.2, 3, d)
    X = counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)
    Y = (X @ rng.normal(size=(d, n_labels)) + 0.5 * rng.normal(size=(n, n_labels)) > 0.2).astype(float)
    observed = rng.random(Y.shape) >= gaps
    return sparse.csr_array(X) if thin else X, np.where(observed, Y, 0.0), observed


@given(seed=st.integers(0, 2**32 - 1), thin=st.booleans(), gaps=st.sampled_from([0.0, 0.4]))
def test_the_gradient_of_every_label_is_zero(seed, thin, gaps):
    X, Y, observed = draw_words(np.random.default_rng(seed), thin=thin, gaps=gaps)
    Y[:2], observed[:2] = [[0] * 3, [1] * 3], True  # both values occur, so that the minimum exists
    weights, intercept = fit_logistic(X, Y, observed, tol=1e-7, max_iter=20_000)
    error = np.where(observed, expit(X @ weights + intercept) - Y, 0.0)
    np.testing.assert_allclose(X.T @ error + RIDGE * weights, 0, atol=1e-4)
    np.testing.assert_allclose(error.sum(axis=0), 0, atol=1e-4)


def test_it_is_the_logistic_regression_of_scikit_learn(rng):
    X, Y, observed = draw_words(rng, n=200)
    weights, intercept = fit_logistic(X, Y, observed, tol=1e-7, max_iter=20_000)
    for j in range(3):
        rows = observed[:, j]
        expected = LogisticRegression(C=1 / RIDGE, tol=1e-8, max_iter=10_000).fit(X[rows], Y[rows, j])
        np.testing.assert_allclose(weights[:, j], expected.coef_[0], atol=2e-4)
        assert intercept[j] == pytest.approx(expected.intercept_[0], abs=2e-4)


def test_at_the_default_tolerance_probabilities_are_close_to_the_optimum(rng):
    X, Y, observed = draw_words(rng, n=300, d=400)
    found, best = (
        expit(X @ weights + intercept)
        for weights, intercept in (fit_logistic(X, Y, observed), fit_logistic(X, Y, observed, 1e-7, 20_000))
    )
    assert np.abs(found - best).max() < 0.01


def test_a_label_without_a_relevant_entry_stays_finite(rng):
    X, Y, observed = draw_words(rng)
    Y[:, 1], observed[:, 2] = 0, False
    weights, intercept = fit_logistic(X, Y, observed)
    assert np.isfinite(weights).all()
    assert (expit(X @ weights + intercept)[:, 1] < 0.1).all()
    assert (weights[:, 2] == 0).all()


def make_text_task(rng, n=60):
    X, Y, observed = draw_words(rng, n)
    labels = np.where(observed, Y, np.nan)
    labels[n // 2 :] = np.nan
    return make_task(X, labels, EFFORTS["fast"], n_folds=3)


def test_items_are_scored_by_the_regression_without_their_fold(rng):
    task = make_text_task(rng)
    fitted, folds = logistic(task), task.folds
    X, weights = task.X[folds.rows], []
    for fold in folds.numbers:
        out = folds.fold == fold
        found, intercept = fit_logistic(X[~out], folds.Y[~out], folds.observed[~out])
        np.testing.assert_allclose(fitted.out_of_fold[out], X[out] @ found + intercept)
        weights.append(found)
    np.testing.assert_allclose(fitted.model.weights, np.mean(weights, axis=0))
    np.testing.assert_allclose(fitted.scores, fitted.model.predict(Items(task.X, None)))


def test_the_labels_of_a_fold_do_not_change_its_scores(rng):
    task = make_text_task(rng)
    folds, before = task.folds, logistic(task).out_of_fold
    out = folds.fold == 1
    flipped = np.where(out[:, None] & folds.observed, 1 - folds.Y, folds.Y)
    after = logistic(replace(task, folds=replace(folds, Y=flipped))).out_of_fold
    np.testing.assert_array_equal(before[out], after[out])
    assert (before[~out] != after[~out]).any()


def test_with_many_words_the_most_frequent_ones_have_weights(rng, monkeypatch):
    task = make_text_task(rng)
    monkeypatch.setattr(module, "MAX_WEIGHTS", 3 * 10)
    model = logistic(task).model
    count = (task.X[task.folds.rows] != 0).sum(axis=0)
    assert len(model.features) == 10
    assert count[model.features].min() >= np.delete(count, model.features).max()
    shares = model.find_carriers(Items(task.X[[3]], None), 1, -1, None).features
    assert shares.sum() == pytest.approx(model.predict(Items(task.X[[3]], None))[0, 1] - model.intercept[1])
    assert not np.delete(shares, model.features).any()
    np.testing.assert_array_equal(choose_frequent(task.X, 99), np.arange(25))
