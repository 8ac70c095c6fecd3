"""How much labelled and unlabelled items differ, by trees on their principal components."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
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

    None if either side has fewer than 20 items; of each side, a sample is used. Calibration is learned on labelled
    items, so that a value well above .5 puts it in doubt.
    """
    order = rng.permutation(len(components))
    sides = [order[unlabelled[order] == side][:MAX_ITEMS] for side in (False, True)]
    if min(map(len, sides)) < MIN_ITEMS:
        return None
    rows = np.concatenate(sides)
    target = unlabelled[rows, None].astype(float)
    scores = predict_apart(components[rows], target[:, 0], np.arange(len(rows)) % FOLDS, rng)
    return macro_auc(PartialLabels.from_table(target), scores[:, None])


def predict_apart(components: Floats, target: Floats, fold: Ints, rng: np.random.Generator) -> Floats:
    """Return predictions of a number of each item by extremely randomised trees that were grown without its fold.

    A forest on principal components finds the clusters of which few items are labelled, where a linear model on all
    features does not.
    """
    scores = np.empty(len(components))
    for number in range(FOLDS):
        bags, seeds = [np.flatnonzero(fold != number)] * TREES, rng.integers(2**31, size=TREES)
        trees = grow(components, target[:, None], bags, seeds, min_leaf=MIN_LEAF, max_leaves=None)
        scores[fold == number] = trees.predict(components[fold == number])[:, 0]
    return scores
