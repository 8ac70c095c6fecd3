"""A forest, grown in one part per fold.

The part of a fold is grown without the items of the fold. So no tree is grown twice: the out-of-fold score of an item
comes from the part of its fold, and the score of any other item is the mean of all parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from halflabel._arrays import Floats, Ints, Matrix
from halflabel._progress import step
from halflabel._wording import count
from halflabel.methods.auto.effort import MAX_ITEMS_OF_ALL_TREES, Effort
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.sampling import Stream, draw
from halflabel.methods.auto.targets import Targets
from halflabel.methods.auto.trees import Trees, grow
from halflabel.methods.contributions import Carriers, Examples

#: Minimum number of items in a leaf.
MIN_LEAF = 2

#: Maximum number of values in the leaves of one forest; in single precision, 256 MB.
LEAF_CELLS = 2**26

#: Number of labels above which a warning states that trees have few leaves.
MAX_LABELS = 1000

#: Returns the generator of a fold in a stream.
Generators = Callable[[Stream, int], np.random.Generator]

#: The names of the growth of trees in progress reports.
STAGES = {
    Stream.TREES: "growing trees",
    Stream.BOOSTING: "boosting trees",
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, in one part per fold."""

    evidence: ClassVar[Evidence] = "features"

    #: One per fold, grown without the items of the fold.
    parts: list[Trees]

    def predict(self, items: Items) -> Floats:
        """Return the mean of the parts."""
        return np.asarray(np.mean([part.predict(items.X) for part in self.parts], axis=0))

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each feature: the changes of the prediction on the ways through the trees."""
        from halflabel.methods.auto.tree_paths import attribute_to_features

        parts = self.parts if fold < 0 else [self.parts[fold]]
        return Carriers(features=np.mean([attribute_to_features(part, item.X, label) for part in parts], axis=0))


def grow_forest(
    X: Matrix, folds: Folds, targets: Targets, max_features: int, effort: Effort, generators: Generators
) -> Fitted[Forest]:
    """Grow extremely randomised trees on the labelled items, for all labels together."""
    labelled = X[folds.rows]

    def grow_part(fold: int, rng: np.random.Generator) -> Trees:
        known = np.flatnonzero(folds.fold != fold)
        bags = [draw(known, effort.max_tree_items, rng) for _ in range(count_trees_per_fold(effort, folds))]
        return grow_bags(labelled, targets.without(fold), bags, max_features, rng, n_parts=len(folds.numbers))

    return grow_by_fold(X, folds, Stream.TREES, grow_part, generators)


def grow_by_fold(
    X: Matrix,
    folds: Folds,
    stream: Stream,
    grow_part: Callable[[int, np.random.Generator], Trees],
    generators: Generators,
) -> Fitted[Forest]:
    """Grow the part of every fold, and predict all items with it.

    ``grow_part`` makes trees that do not use the labels of a fold, from the number of the fold and a generator. The
    stream decides the random numbers, and its name is in reports of the progress.
    """
    parts: list[Trees] = []
    scores, out_of_fold = np.zeros((X.shape[0], folds.Y.shape[1])), np.full(folds.Y.shape, np.nan)
    for fold in folds.numbers:
        step(STAGES[stream], fold, len(folds.numbers))
        parts.append(grow_part(fold, generators(stream, fold)))
        prediction = parts[-1].predict(X)
        out_of_fold[folds.fold == fold] = prediction[folds.rows[folds.fold == fold]]
        prediction /= len(folds.numbers)
        scores += prediction
        del prediction  # a table less while the next part grows
    return Fitted(Forest(parts), scores, out_of_fold)


def grow_bags(
    X: Matrix, targets: Floats, bags: list[Ints], max_features: int, rng: np.random.Generator, *, n_parts: int
) -> Trees:
    """Grow one tree per bag. The number of leaves is limited if the values of all parts would need too much memory."""
    limit = _limit_leaves(n_parts * len(bags), targets.shape[1], max(map(len, bags)))
    seeds = rng.integers(2**31, size=len(bags))
    return grow(X, targets, bags, seeds, max_features=max_features, min_leaf=MIN_LEAF, max_leaves=limit)


def _limit_leaves(n_trees: int, n_labels: int, largest_bag: int) -> int | None:
    """Return the maximum number of leaves of a tree, or None if the memory is enough for all leaves."""
    max_leaves = LEAF_CELLS // (n_trees * n_labels)
    return None if max_leaves * MIN_LEAF >= largest_bag else max(max_leaves, 2)


def warn_of_few_leaves(folds: Folds, effort: Effort) -> None:
    """Warn if the number of labels makes each tree far smaller than its items allow."""
    n_labels, largest = folds.Y.shape[1], min(len(folds.rows), effort.max_tree_items)
    limit = _limit_leaves(count_trees_per_fold(effort, folds) * len(folds.numbers), n_labels, largest)
    if n_labels > MAX_LABELS and limit is not None:
        warnings.warn(
            f"with {count(n_labels)} labels, a tree has at most {count(limit)} leaves, because the leaves of all trees "
            "take at most 256 MB: `halflabel rank` of halflabel-scale is made for thousands of labels.",
            UserWarning,
            stacklevel=2,
        )


def count_trees_per_fold(effort: Effort, folds: Folds) -> int:
    """Return the number of trees in the part of one fold."""
    n_trees = effort.n_trees if len(folds.rows) <= MAX_ITEMS_OF_ALL_TREES else effort.n_trees_of_many
    return max(1, n_trees // len(folds.numbers))
