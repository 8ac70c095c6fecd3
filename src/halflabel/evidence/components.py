"""Principal components of the features, for checks and questions that compare items."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from halflabel._arrays import Floats, is_sparse
from halflabel.methods.auto.features import Weighting

#: Maximum number of components, and of items that they are computed from.
COMPONENTS, MAX_ITEMS = 20, 20_000


def take_components(X: Any, rng: np.random.Generator) -> Floats:
    """Return the first 20 principal components, or all if there are fewer, of features weighted as by default."""
    weighted = Weighting.learn(X, "auto")(X)
    n, d = weighted.shape
    rows = np.arange(n) if n <= MAX_ITEMS else np.sort(rng.choice(n, MAX_ITEMS, replace=False))
    largest = min(len(rows), d) - is_sparse(weighted)  # the sparse solver cannot compute all components
    if largest < 1:
        return np.asarray(weighted.toarray() if is_sparse(weighted) else weighted)
    solver = "arpack" if is_sparse(weighted) else "randomized"
    pca = PCA(min(COMPONENTS, largest), svd_solver=solver, random_state=int(rng.integers(2**31)))
    with np.errstate(invalid="ignore", divide="ignore"):  # equal items have no variance to explain
        return np.asarray(pca.fit(weighted[rows]).transform(weighted))
