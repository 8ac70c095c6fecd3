"""What a map is worth: the vote of the items that are nearest on it."""

from __future__ import annotations

from math import sqrt
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from halflabel._arrays import Floats


class NearestVote(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """The share of the nearest items that have the label, in a neighbourhood that is small also in small sets.

    Parameters
    ----------
    n_neighbors : int, default=15
        The most that vote. Of n items no more than the square root of n do: 15 votes of 15 items are the rate of the
        label wherever an item lies, and would find all maps alike.

    Attributes
    ----------
    n_neighbors_ : int
        How many vote.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]
    >>> vote = NearestVote().fit(X, y)
    >>> vote.n_neighbors_, vote.predict_proba([[1.4], [7.6]])[:, 1].tolist()
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
        """Return the shares of the votes, a column per class."""
        found: Floats = self.neighbors_.predict_proba(X)
        return found

    def predict(self, X: Any) -> Any:
        """Return what most of the voters are."""
        return self.neighbors_.predict(X)
