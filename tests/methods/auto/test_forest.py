"""A forest with one part per fold: what each part uses, and how the parts are combined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task

from halflabel import PartialLabels
from halflabel.methods.auto import forest
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.sampling import make_rng
from halflabel.methods.auto.targets import Targets

SMALL = replace(EFFORTS["fast"], n_trees=10)


@pytest.fixture
def task(rng):
    X, Y, _ = half_labelled(rng)
    return make_task(X, Y, SMALL, n_folds=3)


def grow(X, folds, effort=SMALL):
    targets = Targets(folds.Y[None])
    return forest.grow_forest(X, folds, targets, 2, effort, lambda *key: make_rng(0, *key))


def test_the_out_of_fold_score_of_an_item_does_not_use_its_labels(task):
    folds, before = task.folds, grow(task.X, task.folds).out_of_fold
    for item in range(3):
        Y = folds.Y.copy()
        Y[item] = 1 - Y[item]
        after = grow(task.X, replace(folds, Y=Y)).out_of_fold
        own = folds.fold == folds.fold[item]
        np.testing.assert_array_equal(after[own], before[own])
        assert (after[~own] != before[~own]).any()


def test_scores_are_the_mean_of_the_parts(task):
    grown = grow(task.X, task.folds)
    parts = np.array([part.predict(task.X) for part in grown.model.parts])
    assert len(parts) == 3
    np.testing.assert_allclose(grown.scores, parts.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(grown.model.predict(Items(task.X, None)), grown.scores, atol=1e-12)
    np.testing.assert_array_equal(grown.out_of_fold, parts[task.folds.fold, task.folds.rows])


def test_the_trees_are_divided_among_the_folds(task, monkeypatch):
    counts = []
    monkeypatch.setattr(forest, "grow", lambda X, targets, bags, *_, **__: counts.append(len(bags)) or _Zeros())
    grow(task.X, task.folds)
    assert counts == [3, 3, 3]  # ten trees
    counts.clear()
    grow(task.X, task.folds, replace(SMALL, n_trees=2))
    assert counts == [1, 1, 1]


class _Zeros:
    """Trees that predict zeros."""

    def predict(self, X):
        return np.zeros((X.shape[0], 3))


@pytest.mark.parametrize(("cells", "limit"), [(2**26, None), (10 * 3 * 10, None), (10 * 3 * 10 - 1, 9), (1, 2)])
def test_leaves_are_limited_where_they_need_too_much_memory(task, monkeypatch, cells, limit):
    limits = []
    monkeypatch.setattr(forest, "LEAF_CELLS", cells)
    monkeypatch.setattr(forest, "grow", lambda *_, max_leaves, **__: limits.append(max_leaves))
    forest.grow_bags(task.X, np.zeros((60, 3)), [np.arange(20)] * 2, 2, np.random.default_rng(0), n_parts=5)
    assert limits == [limit]


def test_too_many_labels_for_the_leaves_are_a_warning(monkeypatch):
    rng = np.random.default_rng(0)
    state = np.where(rng.random((40, 12)) < 0.5, 1, -1).astype(np.int8)
    labels = PartialLabels(state, tuple(map(str, range(12))), np.ones(40, dtype=bool))
    folds = Folds.split(labels, 2, rng)
    effort = replace(EFFORTS["fast"], n_trees=4)
    monkeypatch.setattr(forest, "LEAF_CELLS", 4 * 12 * 5)
    forest.warn_of_few_leaves(folds, effort)  # few labels: the size of trees is a matter of settings
    monkeypatch.setattr(forest, "MAX_LABELS", 11)
    with pytest.warns(UserWarning, match="with 12 labels, a tree has at most 5 leaves"):
        forest.warn_of_few_leaves(folds, effort)
    monkeypatch.setattr(forest, "LEAF_CELLS", 4 * 12 * 20)
    forest.warn_of_few_leaves(folds, effort)  # 20 leaves of two items each are all that 40 items fill
