"""Maps of two dimensions: their form in the record of a run, discriminant analysis, and a score by neighbourhoods."""

from __future__ import annotations

from math import sqrt
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from halflabel.labels import PartialLabels
from halflabel.plugins import Floats, Ints

#: Maximum number of items in a record: a map of more is unreadable, and its record long.
MAX_ITEMS = 600

#: Maximum number of label sets; :mod:`halflabel_papers.page.panels` has as many different marks.
MAX_SETS = 10


def make_map_record(
    coordinates: Floats, truth: PartialLabels, known: PartialLabels, rng: np.random.Generator
) -> dict[str, Any]:
    """Return a map of two dimensions in the types of JSON.

    Parameters
    ----------
    coordinates : ndarray of shape (n_items, 2)
        In any unit.
    truth, known : PartialLabels
        With and without the hidden entries.
    rng : Generator
        Decides the sample; methods with the same generator show the same items.

    Returns
    -------
    dict
        ``n_items``, of which ``x`` and ``y`` hold a sample, the median at 0, to 4 significant digits; ``labelled``, a
        letter per item of the sample, "1" if any of its labels was known; ``sets``, the names of the labels of the most
        frequent label sets; ``set``, the index of each item's set, -1 if it is another one, or not completely known.
    """
    rows = np.sort(rng.permutation(len(truth))[:MAX_ITEMS])
    sets, member = _find_frequent_sets(truth)
    x, y = (coordinates - np.median(coordinates, axis=0))[rows].T
    return {
        "n_items": len(truth),
        "x": _shorten(x),
        "y": _shorten(y),
        "labelled": "".join(np.where(known.unlabelled[rows], "0", "1")),
        "sets": sets,
        "set": member[rows].tolist(),
    }


def _find_frequent_sets(truth: PartialLabels) -> tuple[list[list[str]], Ints]:
    """Return the most frequent label sets as names of labels, and each item's set, -1 for any other."""
    whole = truth.observed.all(axis=1)
    relevant, member, counts = np.unique(truth.relevant[whole], axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MAX_SETS]
    place = np.full(len(counts), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    set_of_item = np.full(len(truth), -1, dtype=np.intp)
    set_of_item[whole] = place[member.ravel()]
    return [[name for name, has in zip(truth.names, relevant[s], strict=True) if has] for s in order], set_of_item


def _shorten(values: Floats) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


class LDA(LinearDiscriminantAnalysis):  # type: ignore[misc] # scikit-learn has no types
    """scikit-learn's discriminant analysis of the items whose labels are all known. A class is a set of labels."""

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions. ``y`` is a table of labels, NaN where one is unknown."""
        labels = PartialLabels.from_table(y)
        whole = labels.observed.all(axis=1)
        member = np.unique(labels.relevant[whole], axis=0, return_inverse=True)[1]
        fitted: Self = super().fit(X[whole], member.ravel())
        return fitted


class MapNeighbors(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """k-nearest neighbours on a map, with fewer neighbours in small sets.

    It scores a map: P(relevant) is the share of an item's nearest neighbours on the map that have the label.

    Parameters
    ----------
    n_neighbors : int, default=15
        Maximum number of neighbours. It is at most the square root of the number of items: 15 neighbours of 15 items
        would give the rate of the label at every place, on every map.

    Attributes
    ----------
    n_neighbors_ : int
        The number of neighbours.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]
    >>> model = MapNeighbors().fit(X, y)
    >>> model.n_neighbors_, model.predict_proba([[1.4], [7.6]])[:, 1].tolist()
    (2, [0.0, 1.0])
    """

    def __init__(self, n_neighbors: int = 15) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the items."""
        self.n_neighbors_ = max(1, min(self.n_neighbors, round(sqrt(len(y)))))
        self.neighbors_ = KNeighborsClassifier(self.n_neighbors_).fit(X, y)
        self.classes_ = self.neighbors_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the neighbours in each class, a column per class."""
        shares: Floats = self.neighbors_.predict_proba(X)
        return shares

    def predict(self, X: Any) -> Any:
        """Return the most frequent class among the neighbours."""
        return self.neighbors_.predict(X)
