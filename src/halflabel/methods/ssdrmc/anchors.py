"""The prior scores of SSDR-MC: a kernel ridge regression on the features."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints, Matrix
from halflabel.labels import PartialLabels
from halflabel.numerics.kernels import KernelRidge, kernel_ridge, mean_distance, nystroem


def learn_anchors(
    items: Matrix, labels: PartialLabels, folds: Ints, max_landmarks: int, rng: np.random.Generator
) -> tuple[KernelRidge, Floats]:
    """Return the regression, and the scores of all items by it and by those without a fold: (1 + n_folds, n, c)."""
    rows = np.flatnonzero(~labels.unlabelled)
    Y, observed = labels.values(unknown=0.0)[rows], labels.observed[rows]
    number = max_landmarks if observed.all() else max_landmarks // 2
    features = nystroem(items[rows], mean_distance(items, rng), number, rng)
    family = kernel_ridge(items[rows], Y, observed, folds[rows], features)
    return family[0], np.moveaxis(family.predict(items), 1, 0)
