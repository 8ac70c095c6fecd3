"""The interface of a member: its fit, and a model that scores new items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, Protocol, TypeVar

from scipy import sparse

from halflabel._arrays import Floats, Matrix
from halflabel.methods.contributions import Carriers, Examples


@dataclass(frozen=True, eq=False)
class Items:
    """New items that are to be scored."""

    #: Shape (n_items, n_features). Weighted features.
    X: Matrix
    #: Shape (n_items, n_nodes). Weights of the nodes of the graph for each item, rows with sum 1; None if no member
    #: uses the graph.
    transition: sparse.csr_array | None


#: The evidence of the scores of a model: nearby items, or the features alone.
Evidence = Literal["graph", "features"]


class Model(Protocol):
    """A fitted member, as far as new items and explanations need it."""

    evidence: ClassVar[Evidence]

    def predict(self, items: Items) -> Floats:
        """Return the scores of new items, shape (n_items, n_labels)."""

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the carriers of the score of a single item.

        ``fold`` is negative for an item that was not held out. ``examples`` are the observed entries of the label that
        the item is not one of, where they are at hand.
        """


AnyModel = TypeVar("AnyModel", bound=Model, covariant=True)


@dataclass(frozen=True, eq=False)
class Fitted(Generic[AnyModel]):
    """The fit of a member."""

    model: AnyModel
    #: Shape (n_items, n_labels). Scores of all fitted items, by the fit to all labelled items.
    scores: Floats
    #: Shape (n_labelled, n_labels). Scores of the labelled items, by fits without any label of the item; NaN where
    #: nothing can be held out.
    out_of_fold: Floats
