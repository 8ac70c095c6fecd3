"""Members that are forests: random trees, and boosted trees for decisive thresholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halflabel._arrays import is_sparse
from halflabel.methods.auto.boosting import MIN_LEAF, boost
from halflabel.methods.auto.forest import Forest, grow_by_fold
from halflabel.methods.auto.member import Fitted
from halflabel.methods.auto.sampling import Stream, draw
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.trees import Trees, to_single
from halflabel.methods.auto.words import choose_words


def trees(task: Task) -> Fitted[Forest]:
    """Extremely randomised trees for all labels together."""
    return task.forest


def boosting(task: Task) -> Fitted[Forest]:
    """Boosted trees for all labels together. A part's prediction is a log odds."""
    folds, effort = task.folds, task.effort

    def grow_part(fold: int, rng: np.random.Generator) -> Trees:
        known = draw(np.flatnonzero(folds.fold != fold), effort.max_tree_items, rng)
        X, Y, observed = task.X[folds.rows[known]], folds.Y[known], folds.observed[known]
        if not is_sparse(X):
            return boost(to_single(X), Y, observed, effort.n_rounds, rng)
        words = choose_words(X, Y, MIN_LEAF)
        trees = boost(to_single(X[:, words]), Y, observed, effort.n_rounds, rng)
        return replace(trees, feature=words[trees.feature].astype(np.int32))

    return grow_by_fold(task.X, folds, Stream.BOOSTING, grow_part, task.rng)
