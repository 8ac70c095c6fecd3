"""The statistics of a data set that papers print."""

from __future__ import annotations

import numpy as np

from halflabel.datasets.benchmark import Dataset


def describe(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return the numbers of items, features and labels, and the mean number of relevant labels of an item.

    Examples
    --------
    >>> from halflabel.datasets import load_digits_tags
    >>> found = describe(load_digits_tags(), np.random.default_rng(0))
    >>> found["n_items"], found["n_features"], found["n_labels"]
    (1797.0, 64.0, 10.0)
    """
    n_items, n_labels = data.Y.shape
    return {
        "n_items": float(n_items),
        "n_features": float(data.X.shape[1]),
        "n_labels": float(n_labels),
        "cardinality": float(data.Y.relevant.sum() / n_items),
    }
