"""Members that are forests: trees on the labelled items, and trees that also learn from unlabelled ones."""

from __future__ import annotations

import numpy as np

from halflabel.methods.auto.forest import Forest, count_trees_per_fold, grow_bags, grow_by_fold, spread_targets
from halflabel.methods.auto.member import Fitted
from halflabel.methods.auto.sampling import Stream, draw
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.trees import Trees

#: Share of the unlabelled items in the bag of one self-trained tree.
UNLABELLED_SHARE = 0.5

#: Number of self-trained trees as a share of the trees of a forest.
SELF_TRAINED_SHARE = 0.5


def trees(task: Task) -> Fitted[Forest]:
    """Extremely randomised trees for all labels together."""
    return task.forest


def self_trained_trees(task: Task) -> Fitted[Forest]:
    """Trees on the labels of labelled items, and on predictions of the first forest for unlabelled items."""
    X, folds, effort = task.X, task.folds, task.effort
    n_trees = max(1, round(SELF_TRAINED_SHARE * count_trees_per_fold(effort, folds)))

    def grow_part(fold: int, rng: np.random.Generator) -> Trees:
        known = folds.rows[folds.fold != fold]
        others = draw(np.setdiff1d(np.arange(X.shape[0]), known), 3 * effort.max_tree_items, rng)
        targets = spread_targets(X, folds, task.targets, fold)
        targets[others] = task.forest.model.parts[fold].predict(X[others])  # items of the fold count as unlabelled
        spare = effort.max_tree_items - len(known)
        n_others = min(round(UNLABELLED_SHARE * len(others)), max(effort.max_tree_items // 2, spare))
        n_known = effort.max_tree_items - n_others
        bags = [np.concatenate([draw(known, n_known, rng), draw(others, n_others, rng)]) for _ in range(n_trees)]
        return grow_bags(X, targets, bags, task.max_features, effort, rng)

    return grow_by_fold(X, folds, Stream.SELF_TRAINED_TREES, grow_part, task.rng)
