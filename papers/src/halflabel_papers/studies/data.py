"""The statistics of data sets that papers print, the structure of their labels, and samples of items."""

from __future__ import annotations

import numpy as np

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.plugins import Floats, stored


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


def sample_items(data: Dataset, rng: np.random.Generator, items: int) -> tuple[Floats, PartialLabels]:
    """Return the dense features and the labels of a random sample, in the order of the items."""
    rows = np.sort(rng.permutation(len(data.Y))[:items])
    return stored(data.X[rows], as_sparse=False), data.Y[rows]


def measure_structure(data: Dataset, rng: np.random.Generator) -> dict[str, float]:
    """Return how low the rank of the complete label matrix is, and how sparse it is.

    ``rank_share`` is the share of the directions, in coding +1 and -1 as in Zhao & Guo, that hold 99 % of its squares;
    ``relevant_share`` the share of relevant entries.
    """
    squares = np.linalg.svd(data.Y.values(irrelevant=-1.0), compute_uv=False) ** 2
    rank = int(np.searchsorted(np.cumsum(squares) / squares.sum(), 0.99)) + 1
    return {"rank_share": rank / len(squares), "relevant_share": float(data.Y.relevant.mean())}
