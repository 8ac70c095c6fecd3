"""One libsvm per label on a precomputed kernel."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.positives_models import make
from sklearn.svm import SVC

from halflabel.numerics.kernels import mean_distance
from halflabel_papers.comparators import KernelSVM


@pytest.mark.parametrize("width", [np.inf, 0.7])
def test_scores_are_those_of_libsvm_with_the_same_kernel(width):
    data = make(np.random.default_rng(0), gaps=0.2)
    model = KernelSVM(C=10.0, width=width, scale=None, n_folds=2).fit(data.X, data.Y)
    gamma = 0.5 / (width * mean_distance(data.X, np.random.default_rng(0))) ** 2
    kernel = {"kernel": "linear"} if np.isinf(width) else {"gamma": gamma}
    new = make(np.random.default_rng(1)).X
    for j in range(5):
        known = data.Y.observed[:, j]
        machine = SVC(C=10.0, **kernel).fit(data.X[known], data.Y.relevant[known, j])
        # libsvm stops at a tolerance of .001, and computes the kernel of its own in another order.
        np.testing.assert_allclose(model.decision_function(new)[:, j], machine.decision_function(new), atol=0.01)


def test_held_out_items_choose_the_kernel():
    """Labels inside a ring: no linear function separates them."""
    X = np.random.default_rng(0).normal(size=(120, 2))
    Y = (np.linalg.norm(X, axis=1) < 1.1).astype(float)
    assert KernelSVM([0.1, 10.0], width=[np.inf, 0.5], n_folds=3).fit(X, Y).setting_ == {"width": 0.5, "C": 10.0}
