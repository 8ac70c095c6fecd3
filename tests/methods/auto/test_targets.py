"""Targets of the trees: observed values, and predictions without the fold for the others."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task

from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.targets import Surrogate, Targets

SMALL = replace(EFFORTS["default"], n_trees=20, n_landmarks=100)


def small_task(rng):
    X, Y, _ = half_labelled(rng, 90, entries=True)
    return make_task(X, Y, SMALL, n_folds=3)


def flip(task, items):
    """Return the task with all observed entries of some labelled items inverted, in the same folds."""
    state = task.labels.state.copy()
    state[task.folds.rows[items]] *= -1
    labels = replace(task.labels, state=state)
    return replace(task, labels=labels, folds=replace(task.folds, Y=labels[task.folds.rows].values(unknown=0.0)))


def make_folds(fold, Y, observed=None):
    Y = np.asarray(Y, dtype=float)
    observed = np.ones(Y.shape, dtype=bool) if observed is None else np.asarray(observed, dtype=bool)
    return Folds(np.arange(len(Y)), Y, observed, np.array(fold))


def test_the_regression_without_a_fold_is_that_of_its_number():
    family = ["all", "without 0", "without 1"]
    assert Surrogate(family, True).whole == "all"
    assert [Surrogate(family, True).without(fold) for fold in (0, 1)] == ["without 0", "without 1"]
    assert Surrogate(["all"], False).without(0) == "all"


@pytest.mark.parametrize(("fold", "can_hold_out"), [([-1, -1, -1], False), ([0, 0, 0], True), ([0, 1, 0], True)])
def test_a_single_group_cannot_be_held_out(fold, can_hold_out, rng):
    X = rng.normal(size=(4, 2))
    surrogate = Surrogate.fit(X, make_folds(fold, [[1], [0], [1]]), rng)
    assert surrogate.can_hold_out is can_hold_out
    assert surrogate.ridges.intercept.shape == (2 + max(fold), 1)


def test_the_surrogate_is_the_kernel_ridge_regression_without_the_fold(rng):
    X, fold = rng.normal(size=(14, 2)), np.arange(12) % 3
    Y = (rng.random((12, 2)) < 0.5) * 1.0
    observed = rng.random((12, 2)) < 0.7
    surrogate = Surrogate.fit(X, make_folds(fold, Y, observed), rng)
    distances = [linalg.norm(a - b) for i, a in enumerate(X) for j, b in enumerate(X) if i != j]
    gamma = 0.5 / np.mean(distances) ** 2
    for held_out in range(3):
        for j in range(2):
            rows = np.flatnonzero(observed[:, j] & (fold != held_out))
            K = rbf_kernel(X[rows], gamma=gamma) + 1 + surrogate.ridges.alpha[j] * np.eye(len(rows))
            expected = (rbf_kernel(X, X[rows], gamma=gamma) + 1) @ linalg.solve(K, Y[rows, j])
            np.testing.assert_allclose(surrogate.without(held_out).predict(X)[:, j], expected, atol=1e-6)


def test_unknown_entries_are_filled_with_clipped_predictions():
    predictions = {0: [[2.0, 0.25], [-1.0, 0.75]], 1: [[0.5, 3.0], [0.125, -2.0]]}
    surrogate = SimpleNamespace(
        without=lambda fold: SimpleNamespace(predict=lambda X: np.array(predictions[fold]) + 0 * X)
    )
    folds = make_folds([0, 1], [[1, 0], [0, 0]], [[True, False], [False, False]])
    targets = Targets.fill(np.zeros((2, 2)), folds, surrogate)
    assert targets.values.tolist() == [[[1, 0.25], [0, 0.75]], [[1, 1], [0.125, 0]]]
    assert targets.without(0).tolist() == [[1, 0.25], [0, 0.75]]
    assert targets.without(1).tolist() == [[1, 1], [0.125, 0]]
    complete = Targets(folds.Y[None])
    assert complete.without(1).tolist() == complete.without(0).tolist() == folds.Y.tolist()


@pytest.mark.parametrize("max_items", [10_000, 50], ids=["all items", "a sample"])
def test_the_target_of_an_unknown_entry_does_not_depend_on_the_fold(rng, monkeypatch, max_items):
    monkeypatch.setattr("halflabel.methods.auto.targets.MAX_ITEMS", max_items)
    task = small_task(rng)
    kept = task.folds.fold != 0
    targets, other = task.targets.without(0), flip(task, np.flatnonzero(~kept)).targets.without(0)
    # Ridge weights are chosen with all folds, and may differ by one step.
    assert np.abs(other[kept] - targets[kept]).mean() < 0.1
    known = kept[:, None] & task.folds.observed
    np.testing.assert_array_equal(other[known], task.folds.Y[known])


def test_a_surrogate_from_a_sample_is_nearly_as_good_as_one_from_all_items(rng, monkeypatch):
    X, Y, complete = half_labelled(rng, 400, entries=True)
    errors = []
    for max_items in (10_000, 150):
        monkeypatch.setattr("halflabel.methods.auto.targets.MAX_ITEMS", max_items)
        task = make_task(X, Y, SMALL)
        folds = task.folds
        held_out = task.targets.values[folds.fold, np.arange(len(folds.rows))]
        errors.append(np.mean((held_out - complete[folds.rows])[~folds.observed] ** 2))
    of_rates = np.mean((task.labels.rates - complete)[np.isnan(Y)] ** 2)
    assert errors[0] < errors[1] < 0.6 * of_rates


def test_a_fold_outside_the_sample_has_its_own_surrogate(rng, monkeypatch):
    monkeypatch.setattr("halflabel.methods.auto.targets.MAX_ITEMS", 8)
    task = small_task(rng)
    fold = np.where(np.arange(len(task.folds.rows)) == 0, 2, task.folds.fold % 2)
    targets = replace(task, folds=replace(task.folds, fold=fold)).targets
    assert targets.values.shape == (3, *task.folds.Y.shape)
    assert not np.allclose(targets.without(2), targets.without(1))
