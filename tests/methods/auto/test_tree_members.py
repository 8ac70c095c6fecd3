"""Self-trained trees: which items are in their bags, and which targets these items have."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from halflabel.methods.auto import tree_members
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.targets import Targets
from halflabel.methods.auto.tree_members import self_trained_trees, trees

LABELLED = np.array([0, 3, 5, 7, 11, 12, 14, 19])


class Constant:
    """Trees that predict one number."""

    def __init__(self, value):
        self.value = value

    def predict(self, X):
        return np.full((X.shape[0], 1), self.value)


def make_task(n_trees=12, max_tree_items=100, fold=(0, 1) * 4):
    """Return twenty items, eight of them labelled; the first forest predicts 0.25 without fold 0, 0.75 without 1."""
    Y = np.arange(8.0)[:, None] % 3 / 2
    folds = Folds(LABELLED, Y, np.ones((8, 1), dtype=bool), np.array(fold))
    return SimpleNamespace(
        X=np.arange(20.0)[:, None],
        folds=folds,
        effort=replace(EFFORTS["fast"], n_trees=n_trees, max_tree_items=max_tree_items),
        targets=Targets(Y[None]),
        forest=SimpleNamespace(model=SimpleNamespace(parts=[Constant(0.25), Constant(0.75)])),
        max_features=1,
        rng=lambda *stream: np.random.default_rng(0),
    )


@pytest.fixture
def grown(monkeypatch):
    """Record the targets and the bags of each part."""
    found = []

    def grow_bags(X, targets, bags, max_features, effort, rng):
        found.append((targets, bags))
        return Constant(float(len(found)))

    monkeypatch.setattr(tree_members, "grow_bags", grow_bags)
    return found


def test_the_first_forest_is_shared():
    task = make_task()
    assert trees(task) is task.forest


@pytest.mark.parametrize(("n_trees", "expected"), [(12, 3), (20, 5), (2, 1), (1, 1), (7, 2)])
def test_they_are_half_as_many_as_the_trees_of_a_forest(grown, n_trees, expected):
    self_trained_trees(make_task(n_trees))
    assert [len(bags) for _, bags in grown] == [expected] * 2


def test_other_items_have_the_predictions_of_the_first_forest_without_the_fold(grown):
    fitted = self_trained_trees(make_task())
    for fold, (targets, _) in enumerate(grown):
        known = LABELLED[np.arange(8) % 2 != fold]
        expected = np.full((20, 1), [0.25, 0.75][fold])
        expected[known] = (np.arange(8.0)[np.arange(8) % 2 != fold] % 3 / 2)[:, None]
        np.testing.assert_array_equal(targets, expected)
    assert fitted.out_of_fold[:, 0].tolist() == [1, 2] * 4
    assert (fitted.scores == 1.5).all()


@pytest.mark.parametrize(
    ("max_items", "n_known", "n_others"),
    [
        (100, 4, 8),  # half of the sixteen others, and all that are known
        (12, 4, 8),
        (11, 4, 7),  # the known ones leave a place for seven
        (10, 4, 6),
        (6, 3, 3),  # at least half of the places
        (5, 3, 2),
        (2, 1, 1),
    ],
)
def test_known_items_come_first_where_places_are_few(grown, max_items, n_known, n_others):
    self_trained_trees(make_task(max_tree_items=max_items))
    for fold, (_, bags) in enumerate(grown):
        known = LABELLED[np.arange(8) % 2 != fold]
        for bag in bags:
            assert len(np.unique(bag)) == len(bag) == n_known + n_others
            assert np.isin(bag, known).sum() == n_known


def test_others_are_drawn_from_three_times_as_many_as_fit_in_a_tree(grown):
    """Of the sixteen others, six have targets where a tree has two places."""
    self_trained_trees(make_task(max_tree_items=2))
    for fold, (targets, _) in enumerate(grown):
        others = np.setdiff1d(np.arange(20), LABELLED[np.arange(8) % 2 != fold])
        assert (targets[others] == [0.25, 0.75][fold]).sum() == 6
