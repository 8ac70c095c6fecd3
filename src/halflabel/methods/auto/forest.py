"""Members that are forests, grown in groups: one group of trees per fold that never sees it.

So nothing is grown twice: an item's out-of-fold answer is that of the group without it, the whole answer is the mean
of all groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.methods.auto.task import Fitted, Items, Task
from halflabel.methods.auto.trees import Trees, grow

#: Items of a leaf at least.
MIN_LEAF = 2

#: Numbers that the leaves of one forest hold at most; in single precision, 256 MB.
LEAF_CELLS = 2**26

#: Share of the unlabelled items that one self-trained tree sees, and its trees as a share of a forest's.
SHARE, FEWER = 0.5, 0.5


@dataclass(frozen=True, eq=False)
class Forest:
    """Groups of trees.

    Attributes
    ----------
    groups : list of Trees
    """

    groups: list[Trees]

    def predict(self, items: Items) -> Floats:
        """Return the mean answer of the groups."""
        return np.asarray(np.mean([group.predict(items.X) for group in self.groups], axis=0))


def trees(task: Task) -> Fitted:
    """Extremely randomised trees for all labels together."""

    def group(g: int, rng: np.random.Generator) -> Trees:
        known = np.flatnonzero(task.folds != g)
        n_trees = task.n_group
        bags = [task.rows[_draw(known, task.effort.n_grown, rng)] for _ in range(n_trees)]
        return _grown(task, _targets(task, g), bags, rng)

    return _in_groups(task, "growing trees", group)


def self_trained_trees(task: Task) -> Fitted:
    """Trees that learn labels from labelled items and the first forest's answers from unlabelled ones."""
    first = task.once(trees).model
    assert isinstance(first, Forest)

    def group(g: int, rng: np.random.Generator) -> Trees:
        known = task.rows[task.folds != g]
        most = task.effort.n_grown
        others = _draw(np.setdiff1d(np.arange(task.X.shape[0]), known), 3 * most, rng)
        targets = _targets(task, g)
        targets[others] = first.groups[g].predict(task.X[others])  # the fold's items count as unlabelled
        n_others = min(round(SHARE * len(others)), max(most // 2, most - len(known)))
        bags = [
            np.concatenate([_draw(known, most - n_others, rng), _draw(others, n_others, rng)])
            for _ in range(max(1, round(FEWER * task.n_group)))
        ]
        return _grown(task, targets, bags, rng)

    return _in_groups(task, "growing trees on their own answers", group)


def _in_groups(task: Task, stage: str, group: Callable[[int, np.random.Generator], Trees]) -> Fitted:
    """Grow the groups and collect their answers."""
    n_groups, grown = len(task.groups), []
    scores, out_of_fold = np.zeros(task.labels.shape), np.full(task.Y.shape, np.nan)
    for g in task.groups:
        step(stage, g, n_groups)
        grown.append(group(g, task.rng(f"{stage}, fold {g}")))
        answer = grown[-1].predict(task.X)
        out_of_fold[task.folds == g] = answer[task.rows[task.folds == g]]
        answer /= n_groups
        scores += answer
        del answer  # not beside the targets of the next group
    return Fitted(Forest(grown), scores, out_of_fold)


def _grown(task: Task, targets: Floats, bags: list[Ints], rng: np.random.Generator) -> Trees:
    """Grow one tree per bag; leaves are bounded where their values would fill the memory."""
    room = LEAF_CELLS // (task.effort.n_trees * targets.shape[1])
    bounded = None if room * MIN_LEAF >= max(map(len, bags)) else max(room, 2)
    return grow(task.X, targets, bags, rng.integers(2**31, size=len(bags)), min_leaf=MIN_LEAF, max_leaves=bounded)


def _targets(task: Task, group: int) -> Floats:
    """Return what trees learn without the fold, one row per item; zeros for unlabelled ones, which no bag holds."""
    targets = np.zeros(task.labels.shape)
    targets[task.rows] = task.targets[group % len(task.targets)]
    return targets


def _draw(rows: Ints, most: int, rng: np.random.Generator) -> Ints:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
