"""How much two groups of items differ: labelled and unlabelled ones, or items with many and with few known entries."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Mask

#: Minimum number of items of each side for a result, and maximum number that is used.
MIN_ITEMS, MAX_ITEMS = 20, 1000

#: Number of trees. Three times as many change the result by less than another seed does (up to .03).
TREES = 100


def measure_drift(components: Floats, unlabelled: Mask, rng: np.random.Generator) -> float | None:
    """Return how well labelled and unlabelled items can be separated: area under the ROC curve, .5 = not at all.

    A random forest on a sample of both sides, in which each item is scored by the trees that were grown without it.
    None if either side has fewer than 20 items. Calibration is learned on labelled items, so that a value well above
    .5 puts it in doubt.

    Parameters
    ----------
    components : ndarray of shape (n_items, n_components)
        Principal components of the features: a forest on them finds the clusters of which few items are labelled,
        where a linear model on all features does not.
    unlabelled : ndarray of bool, shape (n_items,)
        The items of one side.
    rng : Generator
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    sides = [np.flatnonzero(~unlabelled), np.flatnonzero(unlabelled)]
    if min(map(len, sides)) < MIN_ITEMS:
        return None
    sample = [side if len(side) <= MAX_ITEMS else rng.choice(side, MAX_ITEMS, replace=False) for side in sides]
    rows, target = np.concatenate(sample), np.repeat([0, 1], [len(side) for side in sample])
    forest = RandomForestClassifier(
        TREES,
        min_samples_leaf=5,
        oob_score=True,
        random_state=int(rng.integers(2**31)),
    )
    scores = forest.fit(components[rows], target).oob_decision_function_[:, 1]
    return float(roc_auc_score(target, scores))
