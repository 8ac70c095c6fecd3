"""How much two groups of items differ: labelled and unlabelled ones, or items with many and with few known entries."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel.methods.auto.trees import grow

#: Minimum number of items of each side for a result, and maximum number that is used.
MIN_ITEMS, MAX_ITEMS = 20, 1000

#: Number of folds, and of trees of one fold. Twice as many change the result by less than another seed does (.03).
FOLDS, TREES = 5, 20

#: Minimum number of items in a leaf.
MIN_LEAF = 5


def measure_drift(components: Floats, unlabelled: Mask, rng: np.random.Generator) -> float | None:
    """Return how well labelled and unlabelled items can be separated: area under the ROC curve, .5 = not at all.

    Extremely randomised trees on a sample of both sides, in which each item is scored by trees that were grown without
    its fold. None if either side has fewer than 20 items. Calibration is learned on labelled items, so that a value
    well above .5 puts it in doubt. ``components`` are principal components of the features: a forest on them finds the
    clusters of which few items are labelled, where a linear model on all features does not.
    """
    sides = [np.flatnonzero(~unlabelled), np.flatnonzero(unlabelled)]
    if min(map(len, sides)) < MIN_ITEMS:
        return None
    sample = [side if len(side) <= MAX_ITEMS else rng.choice(side, MAX_ITEMS, replace=False) for side in sides]
    X, target = components[np.concatenate(sample)], np.repeat([0.0, 1.0], [len(side) for side in sample])
    fold, scores = np.concatenate([rng.permutation(len(side)) % FOLDS for side in sample]), np.empty(len(X))
    for number in range(FOLDS):
        bags, seeds = [np.flatnonzero(fold != number)] * TREES, rng.integers(2**31, size=TREES)
        trees = grow(X, target[:, None], bags, seeds, min_leaf=MIN_LEAF, max_leaves=None)
        scores[fold == number] = trees.predict(X[fold == number])[:, 0]
    return macro_auc(PartialLabels.from_table(target[:, None]), scores[:, None])
