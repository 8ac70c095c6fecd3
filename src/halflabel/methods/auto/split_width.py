"""The number of features that a tree tries at each node, chosen on a few trees."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.sampling import draw
from halflabel.methods.auto.targets import Targets
from halflabel.methods.auto.trees import grow
from halflabel.methods.auto.words import MAX_WORDS

#: Share of the features that is compared with their square root.
SHARE = 0.5

#: The smaller number is taken if its error is at most this much above the other one: it costs less, and the errors of
#: a few trees are noisy. Where it matters, the errors differ by a factor.
TOLERANCE = 0.2

#: Maximum number of labelled items, and the numbers of folds and of trees per fold, on which the numbers are compared.
MAX_ITEMS, N_FOLDS, N_TREES = 1000, 3, 8


def choose_max_features(X: Matrix, folds: Folds, targets: Targets, rng: np.random.Generator) -> int:
    """Return the square root of the number of features, or half of the number where the out-of-fold error is lower.

    A random tree that tries the square root of all features misses the decisive ones where these are rare: a label that
    depends on three of a thousand words needs more. Elsewhere more features make the trees more alike, and cost more.
    """
    d = min(X.shape[1], MAX_WORDS) if is_sparse(X) else X.shape[1]
    root, many = max(1, int(np.sqrt(d))), round(SHARE * d)
    if folds.fold.max() < 1 or many <= root:  # nothing can be held out, or there is nothing to choose
        return root
    some = draw(np.arange(len(folds.rows)), MAX_ITEMS, rng)
    seeds = rng.integers(2**31, size=N_TREES)  # the same for all, so that their errors share the noise
    error, other = (_score(X[folds.rows[some]], folds, targets, some, number, seeds) for number in (root, many))
    return root if error <= (1 + TOLERANCE) * other else many


def _score(X: Matrix, folds: Folds, targets: Targets, some: Ints, max_features: int, seeds: Ints) -> float:
    """Return the summed squared error of a few trees per fold on the observed entries of the fold."""
    fold, Y, observed = folds.fold[some], folds.Y[some], folds.observed[some]
    error = 0.0
    for number in folds.numbers[:N_FOLDS]:
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        if not (len(inside) and len(outside)):
            continue
        target: Floats = targets.without(number)[some]
        trees = grow(X, target, [outside] * len(seeds), seeds, max_features=max_features, min_leaf=2, max_leaves=None)
        error += float(((trees.predict(X[inside]) - Y[inside])[observed[inside]] ** 2).sum())
    return error
